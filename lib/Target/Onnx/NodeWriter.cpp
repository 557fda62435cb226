// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "NodeWriter.h"
#include "Tensors.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Support/DebugStringHelper.h"

#include <cmath>

using namespace mlir;
using namespace gc::onnxio;
using ::onnx::AttributeProto;

std::string GraphWriter::getFreshName(StringRef wanted) {
  std::string name = wanted.str();
  while (!taken.try_emplace(name, 0).second)
    name = (wanted + "_" + Twine(taken[wanted]++)).str();
  return name;
}

std::string GraphWriter::addTensor(StringRef wanted, RankedTensorType type,
                                   int32_t dataType, ArrayRef<char> bytes) {
  ::onnx::TensorProto &tensor = *graph.add_initializer();
  tensor.set_name(getFreshName(wanted));
  tensor.set_data_type(dataType);
  for (int64_t size : type.getShape())
    tensor.add_dims(size);
  tensor.set_raw_data(bytes.data(), bytes.size());
  return tensor.name();
}

LogicalResult NodeWriter::fail(const Twine &reason) {
  if (!failed)
    op->emitError() << "'" << op->getName()
                    << "' cannot be exported: " << reason;
  failed = true;
  return failure();
}

RankedTensorType NodeWriter::getOperandType(unsigned i) const {
  return ::cast<RankedTensorType>(op->getOperand(i).getType());
}

RankedTensorType NodeWriter::getResultType(unsigned i) const {
  return ::cast<RankedTensorType>(op->getResult(i).getType());
}

Named NodeWriter::getOperand(unsigned i) const {
  return {graph.getName(op->getOperand(i)), getOperandType(i).getElementType()};
}

Named NodeWriter::getWidened(unsigned i) {
  Named x = getOperand(i);
  return x.element.isBF16() ? cast(x, getF32()) : x;
}

static void setValue(AttributeProto &proto, int64_t value) {
  proto.set_type(AttributeProto::INT);
  proto.set_i(value);
}

static void setValue(AttributeProto &proto, float value) {
  proto.set_type(AttributeProto::FLOAT);
  proto.set_f(value);
}

static void setValue(AttributeProto &proto, const std::string &value) {
  proto.set_type(AttributeProto::STRING);
  proto.set_s(value);
}

static void setValue(AttributeProto &proto, const SmallVector<int64_t> &value) {
  proto.set_type(AttributeProto::INTS);
  for (int64_t number : value)
    proto.add_ints(number);
}

Named NodeWriter::add(StringRef type, ArrayRef<Named> inputs, Type element,
                      ArrayRef<NodeAttr> attrs) {
  if (failed)
    return {"", element};
  ::onnx::NodeProto &node = *graph.getGraph().add_node();
  node.set_op_type(type.str());
  // Inputs that are left out have no name.
  for (const Named &input : inputs)
    node.add_input(input.name);
  for (const NodeAttr &attr : attrs) {
    AttributeProto &proto = *node.add_attribute();
    proto.set_name(attr.name.str());
    std::visit([&](const auto &value) { setValue(proto, value); }, attr.value);
  }
  std::string output = graph.getFreshName(type.lower());
  node.add_output(output);
  auto name = dyn_cast<NameLoc>(op->getLoc());
  node.set_name(name ? name.getName().str() + "/" + output : output);
  return {output, element};
}

Named NodeWriter::cast(const Named &x, Type element) {
  if (x.element == element)
    return x;
  std::optional<int32_t> type = getDataType(element);
  if (!type) {
    (void)fail("operator set 17 has no element type " + debugString(element));
    return {"", element};
  }
  return add("Cast", {x}, element, {{"to", int64_t(*type)}});
}

Named NodeWriter::transpose(const Named &x, ArrayRef<int64_t> order) {
  if (llvm::is_sorted(order))
    return x;
  return add("Transpose", {x}, {{"perm", toList(order)}});
}

Named NodeWriter::reshape(const Named &x, ArrayRef<int64_t> shape) {
  // A size of 0 would be that of the input.
  if (llvm::is_contained(shape, 0))
    return add("Reshape", {x, makeInts(shape)}, {{"allowzero", int64_t(1)}});
  return add("Reshape", {x, makeInts(shape)});
}

Named NodeWriter::roundTo(const Named &x, IntegerType type) {
  Named wide = cast(x, getF32());
  bool isUnsigned = type.isUnsigned();
  unsigned width = type.getWidth();
  double least = isUnsigned ? 0 : -std::ldexp(1.0, int(width) - 1);
  double most = std::ldexp(1.0, int(width) - !isUnsigned) - 1;
  // The largest number of 32 bits is not one of f32; those below it with a
  // distance of 128 are.
  bool isRounded = width > 24;
  double limit = isRounded ? most - 127 : most;
  Named isNan = add("IsNaN", {wide}, IntegerType::get(op->getContext(), 1));
  Named whole = add("Round", {wide});
  Named clipped = add("Clip", {whole, makeScalar(least, getF32()),
                               makeScalar(limit, getF32())});
  Named number =
      add("Where", {isNan, makeScalar(0, getF32()), clipped}, getF32());
  Named result = cast(number, type);
  if (!isRounded)
    return result;
  Named isLarge = add("GreaterOrEqual", {wide, makeScalar(most + 1, getF32())},
                      IntegerType::get(op->getContext(), 1));
  return add("Where", {isLarge, makeScalar(most, type), result}, type);
}

Named NodeWriter::addRaw(RankedTensorType type, ArrayRef<char> bytes) {
  Type element = type.getElementType();
  std::optional<int32_t> dataType = getDataType(element);
  if (!dataType) {
    (void)fail("operator set 17 has no element type " + debugString(element));
    return {"", element};
  }
  return {graph.addTensor("c", type, *dataType, bytes), element};
}

Named NodeWriter::makeInts(ArrayRef<int64_t> values) {
  Type element = IntegerType::get(op->getContext(), 64, IntegerType::Signed);
  return addRaw(RankedTensorType::get({int64_t(values.size())}, element),
                ArrayRef<char>(reinterpret_cast<const char *>(values.data()),
                               values.size() * sizeof(int64_t)));
}

/// The bytes of a number in memory.
static SmallVector<char> getBytes(double value, Type element) {
  APInt bits;
  if (auto type = dyn_cast<FloatType>(element)) {
    bool losesInfo = false;
    APFloat number(value);
    number.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                   &losesInfo);
    bits = number.bitcastToAPInt();
  } else {
    bits = APInt(64, uint64_t(int64_t(value)));
  }
  unsigned width = std::max(1u, element.getIntOrFloatBitWidth() / 8);
  SmallVector<char> bytes;
  for (unsigned i = 0; i < width; ++i)
    bytes.push_back(char(bits.extractBitsAsZExtValue(8, 8 * i)));
  return bytes;
}

Named NodeWriter::makeScalar(double value, Type element) {
  return addRaw(RankedTensorType::get({}, element), getBytes(value, element));
}

Named NodeWriter::makeList(ArrayRef<double> values, Type element) {
  SmallVector<char> bytes;
  for (double value : values)
    bytes.append(getBytes(value, element));
  return addRaw(RankedTensorType::get({int64_t(values.size())}, element),
                bytes);
}

Named NodeWriter::makeTensor(ElementsAttr value) {
  auto type = ::cast<RankedTensorType>(value.getType());
  // Booleans are bits in attributes, bytes in files.
  if (auto dense = dyn_cast<DenseElementsAttr>(value);
      dense && type.getElementType().isInteger(1)) {
    SmallVector<char> bytes;
    for (bool element : dense.getValues<bool>())
      bytes.push_back(element);
    return addRaw(type, bytes);
  }
  std::vector<char> storage;
  std::optional<ArrayRef<char>> bytes = getRawBytes(value, storage);
  if (!bytes) {
    (void)fail("its value has no bytes");
    return {"", type.getElementType()};
  }
  return addRaw(type, *bytes);
}

LogicalResult NodeWriter::setResult(Named tensor, unsigned i) {
  if (tensor)
    tensor = cast(tensor, getResultType(i).getElementType());
  if (failed || !tensor)
    return failure();
  graph.define(op->getResult(i), tensor.name);
  return success();
}
