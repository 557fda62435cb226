// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Inputs of a model: the types and sizes of arguments, and what the options say
// of both.

#include "Dialect/Graph/IR/GraphOps.h"
#include "Importer.h"
#include "Tensors.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace gc;
using namespace gc::onnxio;

/// The size of a dimension that the model names, or calls a sum of products of
/// names and numbers; nothing if one of these is open.
std::optional<SizeExpr> Importer::getSize(StringRef name) const {
  auto known = options.dims.find(name);
  if (known != options.dims.end())
    return SizeExpr(known->second);
  auto expr = SizeExpr::parse(name);
  if (!expr || expr->isConstant())
    return std::nullopt;
  SizeExpr size = expr->substitute([&](StringRef part) {
    auto known = options.dims.find(part);
    return known == options.dims.end() ? std::nullopt
                                       : std::optional(known->second);
  });
  for (const std::string &part : size.getNames())
    if (!options.ranges.count(part))
      return std::nullopt;
  return size;
}

ArgumentType Importer::getType(const ::onnx::ValueInfoProto &info) const {
  auto fail = [](const Twine &problem, bool isOpen = false) {
    return ArgumentType{nullptr, {}, problem.str(), isOpen};
  };
  if (!info.type().has_tensor_type())
    return fail("is not a tensor");
  const auto &tensor = info.type().tensor_type();
  Type element = getElementType(tensor.elem_type(), loc.getContext());
  if (!element || element.isF64())
    return fail("element type " + getTypeName(tensor.elem_type()) +
                " is not supported");
  if (element.isInteger(64))
    element = IntegerType::get(loc.getContext(), 32, IntegerType::Signed);
  Sizes sizes;
  auto accept = [&] {
    auto type = RankedTensorType::get(getNumbers(sizes), element);
    // Nothing may depend on the product of sizes being representable.
    uint64_t size = 8;
    for (int64_t dim : type.getShape())
      if (!ShapedType::isDynamic(dim) &&
          (size = llvm::SaturatingMultiply(size, uint64_t(dim))) >> 62)
        return fail("is too large");
    return ArgumentType{type, sizes};
  };
  auto given = options.shapes.find(info.name());
  if (given != options.shapes.end()) {
    const auto &shape = tensor.shape();
    if (given->second.size() > kMaxRank)
      return fail("has more than " + Twine(kMaxRank) + " dimensions");
    bool fits =
        !tensor.has_shape() || shape.dim_size() == int(given->second.size());
    for (int i = 0; fits && tensor.has_shape() && i < shape.dim_size(); ++i)
      fits = !shape.dim(i).has_dim_value() || shape.dim(i).dim_value() < 0 ||
             shape.dim(i).dim_value() == given->second[i];
    if (!fits)
      return fail("the shape given is not one that the model allows",
                  /*isOpen=*/true);
    sizes.assign(given->second.begin(), given->second.end());
    return accept();
  }
  if (!tensor.has_shape())
    return fail("has no shape; --shape gives it one", /*isOpen=*/true);
  for (const auto &dim : tensor.shape().dim()) {
    if (dim.has_dim_value() && dim.dim_value() >= 0 &&
        dim.dim_value() < int64_t(1) << 31) {
      sizes.push_back(dim.dim_value());
      continue;
    }
    if (auto size = getSize(dim.dim_param()))
      sizes.push_back(*size);
    else if (!dim.dim_param().empty())
      return fail("the size of dimension '" + dim.dim_param() +
                      "' is open; --dim gives it one",
                  /*isOpen=*/true);
    else
      return fail("the size of dimension " + Twine(sizes.size()) +
                      " is open; --shape gives the tensor a shape",
                  /*isOpen=*/true);
  }
  if (sizes.size() > kMaxRank)
    return fail("has more than " + Twine(kMaxRank) + " dimensions");
  return accept();
}

/// Whether a type has a number, without rounding if it is one of integers.
static bool isNumberOf(double number, Type element) {
  auto integer = dyn_cast<IntegerType>(element);
  if (!integer)
    return true;
  int width = integer.getWidth();
  bool isUnsigned = integer.isUnsigned() || width == 1;
  double least = isUnsigned ? 0 : -std::ldexp(1, width - 1);
  return number == std::floor(number) && number >= least &&
         number < std::ldexp(1, isUnsigned ? width : width - 1);
}

/// An input that the options have the value of: a number or a list.
LogicalResult Importer::addValue(const ::onnx::ValueInfoProto &input,
                                 ArrayRef<double> numbers) {
  const auto &tensor = input.type().tensor_type();
  Type element = getElementType(tensor.elem_type(), loc.getContext());
  auto fail = [&](const Twine &reason) {
    return emitError(loc) << "input '" << StringRef(input.name())
                          << "': " << reason;
  };
  if (!element)
    return fail("element type " + getTypeName(tensor.elem_type()) +
                " is not supported");
  SmallVector<int64_t> shape;
  if (!tensor.has_shape() || tensor.shape().dim_size() > 0)
    shape.push_back(numbers.size());
  if (tensor.shape().dim_size() > 1 || (shape.empty() && numbers.size() != 1) ||
      (tensor.shape().dim_size() == 1 &&
       tensor.shape().dim(0).has_dim_value() &&
       tensor.shape().dim(0).dim_value() != int64_t(numbers.size())))
    return fail("the value given does not have its shape");
  Known known{RankedTensorType::get(shape, Float64Type::get(loc.getContext())),
              {}};
  for (double number : numbers) {
    if (!isNumberOf(number, element))
      return fail("a number is not one of its type");
    known.values.push_back(Number::ofReal(number));
  }
  auto converted = convert(known, element);
  if (!converted)
    return fail("a number is out of range");
  if (!state.tensors
           .try_emplace(input.name(), Tensor{nullptr, getElements(*converted)})
           .second)
    return fail("is there twice");
  return success();
}

LogicalResult Importer::addInputs(func::FuncOp function) {
  Block *body = &function.getBody().front();
  for (const ::onnx::ValueInfoProto &input : graph.input()) {
    // Older models list the initializers among the inputs.
    auto known = state.tensors.find(input.name());
    if (known != state.tensors.end() && known->second.constant) {
      if (options.values.count(input.name()))
        return emitError(loc) << "input '" << StringRef(input.name())
                              << "': the model has its value";
      continue;
    }
    auto value = options.values.find(input.name());
    if (value != options.values.end()) {
      if (failed(addValue(input, value->second)))
        return failure();
      continue;
    }
    auto [it, isNew] = state.tensors.try_emplace(input.name());
    if (!isNew)
      return emitError(loc)
             << "input '" << StringRef(input.name()) << "' is there twice";
    ArgumentType type = getType(input);
    // Nodes that stay outside may take what is not a tensor here.
    if (!type.type && options.partition && !type.isOpen)
      continue;
    if (!type.type)
      return emitError(loc)
             << "input '" << StringRef(input.name()) << "': " << type.problem;
    Value argument = body->addArgument(type.type, loc);
    it->second.value = argument;
    argumentNames.push_back(input.name());
    state.sizes.setShape(argument, type.sizes);
  }
  return checkSettings();
}

/// Names of settings that the model does not have are mistakes.
LogicalResult Importer::checkSettings() {
  llvm::StringSet<> inputs, tensors, dims;
  auto add = [&](const ::onnx::ValueInfoProto &tensor) {
    tensors.insert(tensor.name());
    for (const auto &dim : tensor.type().tensor_type().shape().dim())
      if (!dim.dim_param().empty()) {
        dims.insert(dim.dim_param());
        if (auto expr = SizeExpr::parse(dim.dim_param()))
          for (const std::string &name : expr->getNames())
            dims.insert(name);
      }
  };
  for (const ::onnx::ValueInfoProto &input : graph.input()) {
    inputs.insert(input.name());
    add(input);
  }
  // Any tensor may be an argument of a part.
  if (options.partition) {
    llvm::for_each(graph.value_info(), add);
    llvm::for_each(graph.output(), add);
  }
  auto check = [&](const auto &settings, const llvm::StringSet<> &names,
                   StringRef option, StringRef what) -> LogicalResult {
    for (const auto &setting : settings)
      if (!names.contains(setting.getKey()))
        return emitError(loc) << "--" << option << ": the model has no " << what
                              << " '" << setting.getKey() << "'";
    return success();
  };
  return success(succeeded(check(options.dims, dims, "dim", "dimension")) &&
                 succeeded(check(options.ranges, dims, "dim", "dimension")) &&
                 succeeded(check(options.shapes, tensors, "shape", "input")) &&
                 succeeded(check(options.values, inputs, "value", "input")));
}

LogicalResult Importer::declareSizes(func::FuncOp function, bool isPart) {
  llvm::StringSet<> follow, used;
  for (BlockArgument argument : function.getArguments()) {
    Sizes sizes = state.sizes.getShape(argument);
    graph::setArgumentSizes(function, argument.getArgNumber(), sizes);
    for (const SizeExpr &size : sizes) {
      if (auto name = size.getSolvedName())
        follow.insert(*name);
      for (const std::string &name : size.getNames())
        used.insert(name);
    }
  }
  std::vector<graph::NamedDim> dims;
  for (const auto &range : options.ranges) {
    if (isPart && !used.contains(range.getKey()))
      continue;
    if (!follow.contains(range.getKey())) {
      InFlightDiagnostic diag = emitError(loc);
      diag << "--dim: '" << range.getKey() << "' "
           << (used.contains(range.getKey())
                   ? "does not follow from the shape of any input"
                   : "is not the size of any input");
      if (isPart)
        diag << " of @" << function.getName();
      return diag;
    }
    dims.push_back(
        {range.getKey().str(), range.second.first, range.second.second});
  }
  graph::setNamedDims(function, dims);
  return success();
}
