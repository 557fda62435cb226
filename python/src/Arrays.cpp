// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// numpy arrays as arguments: what is accepted, and the errors otherwise.

#include "Handles.h"

#include <algorithm>
#include <array>

using namespace gc::python;

namespace {

std::string print(const std::vector<py::ssize_t> &values) {
  std::string text = "(";
  for (size_t i = 0; i < values.size(); ++i)
    text += (i ? ", " : "") + std::to_string(values[i]);
  return text + (values.size() == 1 ? ",)" : ")");
}

std::string toText(py::handle object) { return std::string(py::str(object)); }

/// Addresses from the first to past the last byte of an array's elements.
struct Range {
  uintptr_t begin, end;
};

Range getRange(const TensorInfo &info, const py::array &array) {
  auto begin = reinterpret_cast<uintptr_t>(array.data());
  return {begin, begin + info.bytes};
}

bool isSameType(const py::dtype &given, const TensorInfo &info) {
  if (py::detail::npy_api::get().PyArray_EquivTypes_(given.ptr(),
                                                     info.dtype.ptr()))
    return true;
  // numpy does not have these; packages that add them call them that.
  static constexpr std::array<std::array<const char *, 2>, 3> kNames = {
      {{"bf16", "bfloat16"},
       {"f8_e5m2", "float8_e5m2"},
       {"f8_e4m3", "float8_e4m3fn"}}};
  for (auto [own, numpy] : kNames)
    if (info.dtypeName == own)
      return py::cast<std::string>(given.attr("name")) == numpy;
  return false;
}

} // namespace

bool TensorInfo::varies() const {
  return std::find(shape.begin(), shape.end(), GC_SIZE_VARIES) != shape.end();
}

TensorInfo TensorInfo::withShape(const std::vector<int64_t> &newShape) const {
  TensorInfo result = *this;
  if (!varies())
    return result;
  result.bytes = elementSize;
  for (size_t i = shape.size(); i-- > 0;) {
    result.shape[i] = newShape[i];
    result.strides[i] = result.bytes / elementSize;
    if (__builtin_mul_overflow(result.bytes, newShape[i], &result.bytes))
      throw py::value_error(what + ": is larger than the address space");
  }
  return result;
}

bool TensorInfo::check(py::handle value, bool isOutput, bool copy) const {
  if (!py::isinstance<py::array>(value))
    throw py::type_error(what + ": expected a numpy array, not " +
                         Py_TYPE(value.ptr())->tp_name);
  auto array = py::reinterpret_borrow<py::array>(value);
  if (!isSameType(array.dtype(), *this))
    throw py::type_error(
        what + ": dtype is " + toText(array.dtype()) + ", the graph takes " +
        toText(dtype) +
        (dtypeName == "bf16"             ? " with the bits of bfloat16 values"
         : dtypeName.rfind("f8", 0) == 0 ? " with the bits of f8 values"
                                         : ""));
  std::vector<py::ssize_t> given(array.shape(), array.shape() + array.ndim());
  if (given != shape)
    throw py::value_error(what + ": shape is " + print(given) +
                          ", the graph takes " + print(shape));
  if (isOutput && !array.writeable())
    throw py::value_error(what + ": the array is read-only");

  std::vector<py::ssize_t> inBytes;
  bool fits = true;
  for (size_t i = 0; i < shape.size(); ++i) {
    inBytes.push_back(strides[i] * py::ssize_t(elementSize));
    // The stride of a dimension of size 1 is never used.
    fits &= shape[i] <= 1 || array.strides(i) == inBytes.back();
  }
  if (bytes == 0)
    return true;
  if (!fits) {
    if (copy)
      return false;
    throw py::value_error(
        what + ": strides are " +
        print({array.strides(), array.strides() + array.ndim()}) +
        " bytes, the graph takes " + print(inBytes) +
        "; copy=True allows a copy");
  }
  if (reinterpret_cast<uintptr_t>(array.data()) % elementSize) {
    if (copy)
      return false;
    throw py::value_error(what + ": the data is not aligned to its elements; "
                                 "copy=True allows a copy");
  }
  return true;
}

py::array TensorInfo::makeEmpty() const {
  if (varies())
    throw py::value_error(what + ": its sizes vary");
  // Vector code likes the alignment; numpy does not promise it.
  constexpr size_t alignment = 64;
  py::array_t<uint8_t> memory(bytes + alignment);
  auto address = reinterpret_cast<uintptr_t>(memory.mutable_data());
  uintptr_t start = (address + alignment - 1) / alignment * alignment;
  std::vector<py::ssize_t> inBytes;
  for (py::ssize_t stride : strides)
    inBytes.push_back(stride * py::ssize_t(elementSize));
  return py::array(dtype, shape, inBytes, reinterpret_cast<void *>(start),
                   memory);
}

void gc::python::checkOverlap(const std::vector<TensorInfo> &inputInfos,
                              const std::vector<TensorInfo> &outputInfos,
                              const std::vector<py::array> &inputs,
                              const std::vector<py::array> &outputs) {
  auto compare = [](const TensorInfo &info, const py::array &array,
                    const TensorInfo &otherInfo, const py::array &other) {
    Range a = getRange(info, array), b = getRange(otherInfo, other);
    if (a.begin >= b.end || b.begin >= a.end)
      return;
    // Interleaved views may still have no element in common. numpy's exact
    // answer can take very long; a bound on its work counts as overlapping.
    py::module_ numpy = py::module_::import("numpy");
    bool shared = true;
    try {
      shared = py::cast<bool>(numpy.attr("shares_memory")(
          array, other, py::arg("max_work") = 10000));
    } catch (py::error_already_set &error) {
      if (!error.matches(numpy.attr("TooHardError")))
        throw;
    }
    if (shared)
      throw py::value_error(info.what + " shares memory with " +
                            otherInfo.what);
  };
  for (size_t i = 0; i < outputs.size(); ++i) {
    for (size_t j = 0; j < inputs.size(); ++j)
      compare(outputInfos[i], outputs[i], inputInfos[j], inputs[j]);
    for (size_t j = 0; j < i; ++j)
      compare(outputInfos[i], outputs[i], outputInfos[j], outputs[j]);
  }
}
