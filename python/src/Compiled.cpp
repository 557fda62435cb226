// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Compiled.h"

#include <optional>

using namespace gc::python;

std::string Remark::str() const {
  std::string text;
  if (!location.empty())
    text += location + ": ";
  text += kind + ": ";
  if (!category.empty())
    text += "[" + category + "] ";
  text += message;
  if (!reason.empty())
    text += "; reason: " + reason;
  if (!suggestion.empty())
    text += "; suggestion: " + suggestion;
  return text;
}

namespace {

const char *getNumpyType(gc_dtype dtype) {
  switch (dtype) {
  case GC_F32:
    return "float32";
  case GC_BF16:
    return "uint16";
  case GC_F16:
    return "float16";
  case GC_S8:
    return "int8";
  case GC_U8:
    return "uint8";
  case GC_S32:
    return "int32";
  case GC_U64:
    return "uint64";
  case GC_BOOLEAN:
    return "bool";
  case GC_F8_E5M2:
  case GC_F8_E4M3:
    return "uint8";
  }
  throw py::type_error("an element type that numpy does not have");
}

using GetInfo = gc_error *(*)(const gc_compiled *, size_t, gc_tensor_info *);

std::vector<TensorInfo> getInfos(const gc_compiled *compiled, size_t count,
                                 GetInfo getInfo, const char *what) {
  std::vector<TensorInfo> infos;
  for (size_t i = 0; i < count; ++i) {
    gc_tensor_info from = {};
    from.struct_size = sizeof(from);
    check(getInfo(compiled, i, &from));
    TensorInfo &info = infos.emplace_back();
    info.name = from.name;
    info.what =
        std::string(what) + " " + std::to_string(i) + " '" + info.name + "'";
    info.dtypeName = from.dtype_name;
    info.dtype = py::dtype(getNumpyType(from.dtype));
    info.isConstant = from.is_constant;
    info.elementSize = from.element_size;
    info.bytes = from.bytes;
    info.shape.assign(from.shape, from.shape + from.rank);
    info.strides.assign(from.strides, from.strides + from.rank);
  }
  return infos;
}

} // namespace

Compiled::Compiled(CompiledHandle newHandle)
    : handle(std::move(newHandle)),
      inputs(getInfos(handle.get(), gc_compiled_num_inputs(handle.get()),
                      gc_compiled_input, "input")),
      outputs(getInfos(handle.get(), gc_compiled_num_outputs(handle.get()),
                       gc_compiled_output, "output")) {
  for (size_t i = 0; i < gc_compiled_num_dims(handle.get()); ++i) {
    gc_dim_info from = {};
    from.struct_size = sizeof(from);
    check(gc_compiled_dim(handle.get(), i, &from));
    dims.push_back({from.name, from.min, from.max});
  }
}

void Compiled::prepare(const std::vector<int64_t> &sizes) {
  gc_error *error = nullptr;
  {
    py::gil_scoped_release release;
    error = gc_compiled_prepare(handle.get(), sizes.data(), sizes.size());
  }
  check(error);
}

std::vector<int64_t> Compiled::getSizes(const py::sequence &given) const {
  std::vector<std::vector<int64_t>> shapes;
  for (size_t i = 0; i < inputs.size(); ++i) {
    py::object value = given[i];
    if (!py::isinstance<py::array>(value))
      inputs[i].check(value, /*isOutput=*/false, /*copy=*/false);
    auto array = py::reinterpret_borrow<py::array>(value);
    shapes.emplace_back(array.shape(), array.shape() + array.ndim());
  }
  std::vector<const int64_t *> pointers;
  std::vector<size_t> ranks;
  for (const std::vector<int64_t> &shape : shapes) {
    pointers.push_back(shape.data());
    ranks.push_back(shape.size());
  }
  std::vector<int64_t> sizes(dims.size());
  try {
    check(gc_compiled_sizes(handle.get(), pointers.data(), ranks.data(),
                            shapes.size(), sizes.data(), sizes.size()));
  } catch (const Failure &failure) {
    throw py::value_error(failure.message);
  }
  return sizes;
}

std::vector<TensorInfo> Compiled::fixSizes(const std::vector<TensorInfo> &infos,
                                           const std::vector<int64_t> &sizes,
                                           bool isInput) const {
  auto getShape = isInput ? gc_compiled_input_shape : gc_compiled_output_shape;
  std::vector<TensorInfo> fixed;
  for (size_t i = 0; i < infos.size(); ++i) {
    std::vector<int64_t> shape(infos[i].shape.size());
    gc_error *error = nullptr;
    {
      // Waits while another thread compiles.
      py::gil_scoped_release release;
      error = getShape(handle.get(), sizes.data(), sizes.size(), i,
                       shape.data(), shape.size());
    }
    check(error);
    fixed.push_back(infos[i].withShape(shape));
  }
  return fixed;
}

std::shared_ptr<const Compiled::FixedInfos>
Compiled::getFixedInfos(const std::vector<int64_t> &sizes) {
  auto known = fixed.find(sizes);
  if (known != fixed.end())
    return known->second;
  auto infos = std::make_shared<FixedInfos>();
  infos->inputs = fixSizes(inputs, sizes, /*isInput=*/true);
  infos->outputs = fixSizes(outputs, sizes, /*isInput=*/false);
  constexpr size_t mostSizes = 256;
  if (fixed.size() >= mostSizes)
    fixed.clear();
  return fixed[sizes] = infos;
}

class Compiled::ConstantGuard {
public:
  ConstantGuard(Compiled &owner, std::vector<py::array> constants)
      : owner(owner) {
    auto isSame = [&](const std::vector<py::array> &other) {
      for (size_t i = 0; i < constants.size(); ++i)
        if (constants[i].data() != other[i].data())
          return false;
      return true;
    };
    if (owner.held.empty() || !isSame(owner.held.back())) {
      // With sizes that vary, other sizes may have folded what is given up now:
      // its addresses could come again with new content.
      owner.mixed |=
          owner.active > 0 || (!owner.dims.empty() && !owner.held.empty());
      owner.held.push_back(std::move(constants));
    }
    ++owner.active;
  }
  void succeed() { succeeded = true; }
  ~ConstantGuard() {
    // Which of several sets is folded is known only if one came after another
    // and none failed.
    owner.mixed |= !succeeded;
    if (--owner.active > 0)
      return;
    if (owner.mixed)
      gc_error_destroy(gc_compiled_invalidate(owner.handle.get()));
    owner.mixed = false;
    owner.held.erase(owner.held.begin(), owner.held.end() - 1);
  }

private:
  Compiled &owner;
  bool succeeded = false;
};

py::list Compiled::execute(const py::sequence &given, const py::object &results,
                           bool copy, int64_t threads, int64_t version) {
  auto checkCount = [](size_t has, size_t wants, const char *what) {
    if (has != wants)
      throw py::type_error("the graph has " + std::to_string(wants) + " " +
                           what + (wants == 1 ? "" : "s") + ", " +
                           std::to_string(has) +
                           (has == 1 ? " was given" : " were given"));
  };
  checkCount(given.size(), inputs.size(), "input");
  std::vector<int64_t> sizes;
  std::shared_ptr<const FixedInfos> fixedInfos;
  if (!dims.empty()) {
    sizes = getSizes(given);
    fixedInfos = getFixedInfos(sizes);
  }
  const std::vector<TensorInfo> &inputs =
      fixedInfos ? fixedInfos->inputs : this->inputs;
  const std::vector<TensorInfo> &outputs =
      fixedInfos ? fixedInfos->outputs : this->outputs;
  std::vector<py::array> arguments, constants;
  for (size_t i = 0; i < inputs.size(); ++i) {
    py::object value = given[i];
    auto array = py::reinterpret_borrow<py::array>(value);
    if (!inputs[i].check(value, /*isOutput=*/false, copy)) {
      array = inputs[i].makeEmpty();
      array[py::ellipsis()] = value;
    }
    if (inputs[i].isConstant)
      constants.push_back(array);
    arguments.push_back(std::move(array));
  }

  // If results have to be copied: from computed[i] to wanted[i].
  std::vector<py::array> computed, wanted;
  if (results.is_none()) {
    for (const TensorInfo &info : outputs)
      computed.push_back(info.makeEmpty());
    wanted = computed;
  } else {
    auto sequence = results.cast<py::sequence>();
    checkCount(sequence.size(), outputs.size(), "output");
    for (size_t i = 0; i < outputs.size(); ++i) {
      py::object value = sequence[i];
      bool inPlace = outputs[i].check(value, /*isOutput=*/true, copy);
      wanted.push_back(py::reinterpret_borrow<py::array>(value));
      computed.push_back(inPlace ? wanted.back() : outputs[i].makeEmpty());
    }
    checkOverlap(inputs, outputs, arguments, computed);
  }

  std::vector<void *> inputPointers, outputPointers;
  for (const py::array &array : arguments)
    inputPointers.push_back(const_cast<void *>(array.data()));
  for (py::array &array : computed)
    outputPointers.push_back(array.mutable_data());
  std::optional<ConstantGuard> guard;
  if (version == 0)
    guard.emplace(*this, std::move(constants));
  gc_error *error = nullptr;
  {
    py::gil_scoped_release release;
    error = gc_compiled_execute_sizes(
        handle.get(), sizes.data(), sizes.size(), inputPointers.data(),
        inputPointers.size(), outputPointers.data(), outputPointers.size(),
        nullptr, threads, version);
  }
  check(error);
  if (guard)
    guard->succeed();

  py::list list;
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (computed[i].ptr() != wanted[i].ptr())
      wanted[i][py::ellipsis()] = computed[i];
    list.append(wanted[i]);
  }
  return list;
}

std::string Compiled::report() const {
  gc_buffer *buffer = nullptr;
  check(gc_compiled_report(handle.get(), &buffer));
  BufferHandle owner(buffer);
  return std::string(gc_buffer_data(buffer), gc_buffer_size(buffer));
}

std::vector<Remark> Compiled::getRemarks() const {
  std::vector<Remark> remarks;
  for (size_t i = 0; i < gc_compiled_num_remarks(handle.get()); ++i) {
    gc_remark from = {};
    from.struct_size = sizeof(from);
    check(gc_compiled_remark(handle.get(), i, &from));
    remarks.push_back({from.kind, from.category, from.name, from.function,
                       from.message, from.reason, from.suggestion,
                       from.location});
  }
  return remarks;
}
