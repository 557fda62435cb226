// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// C++ wrappers around the C interface for the Python module: owning handles,
// errors as exceptions, tensors as numpy arrays.

#ifndef GC_PYTHON_HANDLES_H
#define GC_PYTHON_HANDLES_H

#include "CAPI/GraphCompiler.h"

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <memory>
#include <string>
#include <vector>

namespace gc::python {

namespace py = pybind11;

/// A gc_error on its way to Python, where it becomes gc_compiler.Error.
struct Failure {
  gc_status status;
  std::string message;
};

/// Throws a Failure if there is an error, which is destroyed.
inline void check(gc_error *error) {
  if (!error)
    return;
  Failure failure{gc_error_status(error), gc_error_message(error)};
  gc_error_destroy(error);
  throw failure;
}

template <typename T, void (*Destroy)(T *)>
struct Destroyer {
  void operator()(T *handle) const { Destroy(handle); }
};
using GraphHandle =
    std::unique_ptr<gc_graph, Destroyer<gc_graph, gc_graph_destroy>>;
using CompiledHandle =
    std::unique_ptr<gc_compiled, Destroyer<gc_compiled, gc_compiled_destroy>>;
using BufferHandle =
    std::unique_ptr<gc_buffer, Destroyer<gc_buffer, gc_buffer_destroy>>;

/// An input or output of a compiled graph.
struct TensorInfo {
  /// "input 0 'x'", for messages.
  std::string what;
  std::string name, dtypeName;
  py::dtype dtype;
  bool isConstant = false;
  size_t elementSize = 0, bytes = 0;
  /// Strides in elements. GC_SIZE_VARIES where sizes vary.
  std::vector<py::ssize_t> shape, strides;

  bool varies() const;
  /// The tensor with a shape that does not vary, in row-major order if it did.
  TensorInfo withShape(const std::vector<int64_t> &newShape) const;

  /// Fails with TypeError or ValueError, naming the tensor, if the value is not
  /// an array that the graph can use in place. Returns false if the only
  /// problem is the elements' layout, which a copy would fix, and `copy` allows
  /// that.
  bool check(py::handle value, bool isOutput, bool copy) const;

  /// A new array in the layout of the tensor, 64-byte aligned, uninitialised.
  py::array makeEmpty() const;
};

/// Fails with ValueError if an output shares memory with another array.
void checkOverlap(const std::vector<TensorInfo> &inputInfos,
                  const std::vector<TensorInfo> &outputInfos,
                  const std::vector<py::array> &inputs,
                  const std::vector<py::array> &outputs);

} // namespace gc::python

#endif // GC_PYTHON_HANDLES_H
