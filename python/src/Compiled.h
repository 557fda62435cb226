// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Compiled graphs as Python sees them, and what the compiler said about them.

#ifndef GC_PYTHON_COMPILED_H
#define GC_PYTHON_COMPILED_H

#include "Handles.h"

#include <map>

namespace gc::python {

/// A decision of the compiler, or a warning.
struct Remark {
  std::string kind, category, name, function, message, reason, suggestion,
      location;

  std::string str() const;
};

/// A dimension whose size each call chooses.
struct Dim {
  std::string name;
  int64_t min, max;
};

class Compiled {
public:
  explicit Compiled(CompiledHandle newHandle);

  const std::vector<Dim> &getDims() const { return dims; }
  /// Compiles for sizes, one for each dimension, ahead of a call.
  void prepare(const std::vector<int64_t> &sizes);
  void setSizeCapacity(int64_t count) {
    check(gc_compiled_set_size_capacity(handle.get(), count));
  }

  const std::vector<TensorInfo> &getInputs() const { return inputs; }
  const std::vector<TensorInfo> &getOutputs() const { return outputs; }

  /// Runs the graph on one value per input, into the arrays `results` or, if
  /// that is None, into new ones, which it returns. With `copy` values of
  /// another layout are copied. 0 threads: those that the graph was compiled
  /// for. `version`: of the constant inputs; 0: known by their addresses.
  py::list execute(const py::sequence &given, const py::object &results,
                   bool copy, int64_t threads, int64_t version);
  void setCapacity(int64_t sets) {
    check(gc_compiled_set_capacity(handle.get(), sets));
  }
  void invalidate() { check(gc_compiled_invalidate(handle.get())); }
  std::string report() const;
  std::vector<Remark> getRemarks() const;

private:
  /// Keeps constant inputs alive from their folding to the next: the runtime
  /// tells them apart by their addresses, which must not be reused meanwhile.
  class ConstantGuard;

  /// The sizes that arguments have, and inputs and outputs of these sizes.
  /// Fails with ValueError.
  std::vector<int64_t> getSizes(const py::sequence &given) const;
  std::vector<TensorInfo> fixSizes(const std::vector<TensorInfo> &infos,
                                   const std::vector<int64_t> &sizes,
                                   bool isInput) const;

  /// Inputs and outputs of these sizes, remembered for the next call.
  struct FixedInfos {
    std::vector<TensorInfo> inputs, outputs;
  };
  std::shared_ptr<const FixedInfos>
  getFixedInfos(const std::vector<int64_t> &sizes);

  CompiledHandle handle;
  std::vector<TensorInfo> inputs, outputs;
  std::vector<Dim> dims;
  /// Guarded by Python's interpreter lock.
  std::map<std::vector<int64_t>, std::shared_ptr<const FixedInfos>> fixed;
  /// What may be folded now, the last being the newest. Like the two members
  /// below, guarded by Python's interpreter lock.
  std::vector<std::vector<py::array>> held;
  int64_t active = 0;
  bool mixed = false;
};

} // namespace gc::python

#endif // GC_PYTHON_COMPILED_H
