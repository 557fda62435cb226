// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Target/OneDNNGraph/GraphFile.h"
#include "JsonObject.h"
#include "JsonScan.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace mlir;
using namespace gc::onednn;
namespace json = llvm::json;

static constexpr AttrType kAttrTypes[] = {AttrType::Bool,    AttrType::S64,
                                          AttrType::S64List, AttrType::F32,
                                          AttrType::F32List, AttrType::String};

std::string OpNode::describe() const {
  return kind + " (id " + std::to_string(id) + ")";
}

std::string gc::onednn::printNumber(float number) {
  if (std::isnan(number))
    return "null";
  if (std::isinf(number))
    return number < 0 ? "-1e999" : "1e999";
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.9g", number);
  return text;
}

static constexpr StringLiteral kDtypes[] = {
    "f32", "bf16", "f16", "s8",      "u8",      "s32",
    "u64", "s4",   "u4",  "boolean", "f8_e5m2", "f8_e4m3"};

/// The element type of a dtype name, null if there is none.
static Type getElementType(StringRef dtype, MLIRContext *context) {
  Builder b(context);
  auto integer = [&](unsigned width, bool isSigned) -> Type {
    return b.getIntegerType(width, isSigned);
  };
  return llvm::StringSwitch<Type>(dtype)
      .Case("f32", b.getF32Type())
      .Case("bf16", b.getBF16Type())
      .Case("f16", b.getF16Type())
      .Case("s8", integer(8, true))
      .Case("u8", integer(8, false))
      .Case("s32", integer(32, true))
      // The specification's counters of random numbers, which wrap around.
      .Cases({"s64", "u64"}, integer(64, false))
      .Case("boolean", b.getI1Type())
      .Case("s4", integer(4, true))
      .Case("u4", integer(4, false))
      .Case("f8_e5m2", b.getType<Float8E5M2Type>())
      .Case("f8_e4m3", b.getType<Float8E4M3FNType>())
      .Default(Type());
}

StringRef gc::onednn::getDtype(Type type) {
  for (StringRef dtype : kDtypes)
    if (getElementType(dtype, type.getContext()) == type)
      return dtype;
  return "";
}

/// Whether a tensor, both as laid out in memory and packed, takes less than
/// 2^63 bytes even if each element took eight.
static bool isAddressable(const LogicalTensor &tensor) {
  int64_t bytes = 8;
  for (int64_t size : tensor.shape)
    if (llvm::MulOverflow(bytes, std::max<int64_t>(size, 1), bytes))
      return false;
  if (!tensor.strides)
    return true;
  int64_t last = 8;
  for (auto [size, stride] : llvm::zip_equal(tensor.shape, *tensor.strides)) {
    int64_t extent;
    if (llvm::MulOverflow(std::max<int64_t>(size - 1, 0), stride, extent) ||
        llvm::AddOverflow(last, extent, last))
      return false;
  }
  return last <= std::numeric_limits<int64_t>::max() / 8;
}

namespace {
/// Reads one file into a GraphFile.
class Reader {
public:
  Reader(llvm::SourceMgr &sources, MLIRContext *context)
      : builder(context),
        buffer(*sources.getMemoryBuffer(sources.getMainFileID())) {}

  FailureOr<GraphFile> read();

private:
  Location getLoc(TextPosition position);
  FailureOr<json::Value> parse(StringRef text);
  FailureOr<OpNode> readOp(const json::Value &value, size_t index);
  LogicalResult readAttrs(const JsonObject &object, OpNode &op);
  FailureOr<OpAttr> readAttr(StringRef name, const JsonObject &object);
  LogicalResult readTensors(const JsonObject &object, StringRef key,
                            const OpNode &op,
                            std::vector<LogicalTensor> &tensors);
  FailureOr<LogicalTensor> readTensor(const JsonObject &object);
  LogicalResult readLayout(const JsonObject &object, LogicalTensor &tensor);

  Builder builder;
  const llvm::MemoryBuffer &buffer;
  JsonScan scan;
};
} // namespace

Location Reader::getLoc(TextPosition position) {
  return FileLineColLoc::get(builder.getContext(), buffer.getBufferIdentifier(),
                             position.line, position.column);
}

FailureOr<json::Value> Reader::parse(StringRef text) {
  llvm::Expected<json::Value> value = json::parse(text);
  if (value)
    return std::move(*value);
  // The error starts with "[line:column, byte=offset]: ".
  std::string message = llvm::toString(value.takeError());
  StringRef reason = message;
  size_t offset = 0;
  StringRef rest = reason.split("byte=").second;
  if (reason.starts_with("[") && !rest.consumeInteger(10, offset) &&
      rest.consume_front("]: "))
    reason = rest;
  return emitError(getLoc(getPosition(text, offset)))
         << "malformed JSON: " << reason;
}

FailureOr<GraphFile> Reader::read() {
  StringRef text = buffer.getBuffer();
  Location loc = getLoc({});
  scan = scanJson(text);
  if (scan.tooDeep)
    return emitError(getLoc(*scan.tooDeep))
           << "malformed JSON: nested more than " << kMaxJsonDepth
           << " levels deep";
  FailureOr<json::Value> root = parse(text);
  if (failed(root))
    return failure();
  const json::Object *top = root->getAsObject();
  if (!top)
    return emitError(loc) << "graph: the file is not a JSON object";

  JsonObject object(*top, loc, "graph");
  GraphFile file{loc, "main", {}, {}, {}};
  if (object.has("name")) {
    FailureOr<StringRef> name = object.getString("name");
    if (failed(name))
      return failure();
    if (!name->empty())
      file.name = name->str();
  }
  for (auto [key, ports] : {std::pair("input_ports", &file.inputPorts),
                            std::pair("output_ports", &file.outputPorts)}) {
    if (!object.has(key))
      continue;
    FailureOr<SmallVector<uint64_t>> ids = object.getIds(key);
    if (failed(ids))
      return failure();
    *ports = std::move(*ids);
  }
  FailureOr<const json::Array *> ops = object.getArray("graph");
  if (failed(ops))
    return failure();
  if ((*ops)->empty())
    return object.error() << "there are no ops";
  for (auto [i, value] : llvm::enumerate(**ops)) {
    FailureOr<OpNode> op = readOp(value, i);
    if (failed(op))
      return failure();
    file.ops.push_back(std::move(*op));
  }
  return file;
}

FailureOr<OpNode> Reader::readOp(const json::Value &value, size_t index) {
  Location loc =
      getLoc(index < scan.ops.size() ? scan.ops[index] : TextPosition());
  std::string place = "op " + std::to_string(index) + " of the graph";
  const json::Object *fields = value.getAsObject();
  if (!fields)
    return emitError(loc) << place << ": not an object";
  JsonObject unnamed(*fields, loc, place);
  FailureOr<uint64_t> id = unnamed.getId("id");
  if (failed(id))
    return failure();
  FailureOr<StringRef> kind = unnamed.getString("kind");
  if (failed(kind))
    return failure();
  OpNode op{*id, kind->str(), loc, {}, {}, {}};
  JsonObject object(*fields, loc, op.describe());
  if (object.has("name")) {
    FailureOr<StringRef> name = object.getString("name");
    if (failed(name))
      return failure();
    if (!name->empty())
      op.loc = NameLoc::get(builder.getStringAttr(*name), loc);
  }
  if (failed(readAttrs(object, op)) ||
      failed(readTensors(object, "inputs", op, op.inputs)) ||
      failed(readTensors(object, "outputs", op, op.outputs)))
    return failure();
  return op;
}

LogicalResult Reader::readAttrs(const JsonObject &object, OpNode &op) {
  if (!object.has("attrs"))
    return success();
  FailureOr<const json::Object *> attrs = object.getObject("attrs");
  if (failed(attrs))
    return failure();
  // The order of an object's fields does not matter; ours is reproducible.
  SmallVector<std::pair<StringRef, const json::Value *>> entries;
  for (const auto &[key, value] : **attrs)
    entries.emplace_back(key, &value);
  llvm::sort(entries, llvm::less_first());
  for (auto [name, value] : entries) {
    std::string what = op.describe() + ", attribute '" + name.str() + "'";
    const json::Object *fields = value->getAsObject();
    if (!fields)
      return emitError(op.loc) << what << ": not an object";
    FailureOr<OpAttr> attr = readAttr(name, JsonObject(*fields, op.loc, what));
    if (failed(attr))
      return failure();
    op.attrs.push_back(std::move(*attr));
  }
  return success();
}

FailureOr<OpAttr> Reader::readAttr(StringRef name, const JsonObject &object) {
  FailureOr<StringRef> typeName = object.getString("type");
  if (failed(typeName))
    return failure();
  const AttrType *type = llvm::find_if(kAttrTypes, [&](AttrType type) {
    return gc::graph::stringify(type) == *typeName;
  });
  if (type == std::end(kAttrTypes))
    return object.error() << "unknown type '" << *typeName << "'";
  auto make = [&](auto value, auto convert) -> FailureOr<OpAttr> {
    if (failed(value))
      return failure();
    return OpAttr{name.str(), *type, convert(*value)};
  };
  switch (*type) {
  case AttrType::Bool:
    return make(object.getBool("value"),
                [&](bool value) { return builder.getBoolAttr(value); });
  case AttrType::S64:
    return make(object.getInteger("value"), [&](int64_t value) {
      return builder.getI64IntegerAttr(value);
    });
  case AttrType::S64List:
    return make(object.getIntegers("value"), [&](ArrayRef<int64_t> value) {
      return builder.getDenseI64ArrayAttr(value);
    });
  case AttrType::F32:
    return make(object.getFloat("value"),
                [&](float value) { return builder.getF32FloatAttr(value); });
  case AttrType::F32List:
    return make(object.getFloats("value"), [&](ArrayRef<float> value) {
      return builder.getDenseF32ArrayAttr(value);
    });
  case AttrType::String:
    return make(object.getString("value"),
                [&](StringRef value) { return builder.getStringAttr(value); });
  }
  llvm_unreachable("all attribute types are handled");
}

LogicalResult Reader::readTensors(const JsonObject &object, StringRef key,
                                  const OpNode &op,
                                  std::vector<LogicalTensor> &tensors) {
  FailureOr<const json::Array *> array = object.getArray(key);
  if (failed(array))
    return failure();
  for (auto [i, value] : llvm::enumerate(**array)) {
    std::string what =
        op.describe() + ", " + key.drop_back().str() + " " + std::to_string(i);
    const json::Object *fields = value.getAsObject();
    if (!fields)
      return emitError(op.loc) << what << ": not an object";
    FailureOr<LogicalTensor> tensor =
        readTensor(JsonObject(*fields, op.loc, what));
    if (failed(tensor))
      return failure();
    tensors.push_back(std::move(*tensor));
  }
  return success();
}

FailureOr<LogicalTensor> Reader::readTensor(const JsonObject &object) {
  FailureOr<uint64_t> id = object.getId("id");
  if (failed(id))
    return failure();
  FailureOr<StringRef> dtype = object.getString("dtype");
  if (failed(dtype))
    return failure();
  FailureOr<SmallVector<int64_t>> shape = object.getIntegers("shape");
  if (failed(shape))
    return failure();
  LogicalTensor tensor{*id, getElementType(*dtype, builder.getContext()),
                       std::move(*shape), std::nullopt, Property::Undef};
  if (!tensor.elementType)
    return object.error() << "unknown dtype '" << *dtype << "'";
  if (tensor.shape.size() > kMaxRank)
    return object.error() << "a tensor has at most " << kMaxRank
                          << " dimensions, not " << tensor.shape.size();
  for (int64_t size : tensor.shape)
    if (size < 0)
      return object.error() << "'shape' has the negative size " << size
                            << "; sizes must be known";
  if (failed(readLayout(object, tensor)))
    return failure();
  if (!isAddressable(tensor))
    return object.error() << "a tensor of this shape and stride is larger than "
                             "any memory";

  if (!object.has("property_type"))
    return tensor;
  FailureOr<StringRef> property = object.getString("property_type");
  if (failed(property))
    return failure();
  auto known = llvm::StringSwitch<std::optional<Property>>(*property)
                   .Case("undef", Property::Undef)
                   .Cases({"host_scalar", "variable"}, Property::Variable)
                   .Case("constant", Property::Constant)
                   .Default(std::nullopt);
  if (!known)
    return object.error() << "unknown property_type '" << *property << "'";
  tensor.property = *known;
  return tensor;
}

LogicalResult Reader::readLayout(const JsonObject &object,
                                 LogicalTensor &tensor) {
  FailureOr<StringRef> layout = object.getString("layout_type");
  if (failed(layout))
    return failure();
  // What `stride` holds is ignored here.
  if (*layout == "any" || *layout == "undef")
    return success();
  if (*layout == "opaque")
    return object.error() << "an opaque layout can only be read by the library "
                             "that made it";
  if (*layout != "strided")
    return object.error() << "unknown layout_type '" << *layout << "'";
  FailureOr<SmallVector<int64_t>> strides = object.getIntegers("stride");
  if (failed(strides))
    return failure();
  // A scalar has no strides; some files give it one.
  if (tensor.shape.empty())
    return success();
  if (strides->size() != tensor.shape.size())
    return object.error() << "'stride' has " << strides->size()
                          << " elements, 'shape' has " << tensor.shape.size();
  for (int64_t stride : *strides)
    if (stride < 0)
      return object.error() << "'stride' has the negative stride " << stride;
  tensor.strides = std::move(*strides);
  return success();
}

FailureOr<GraphFile> gc::onednn::readGraphFile(llvm::SourceMgr &sources,
                                               MLIRContext *context) {
  return Reader(sources, context).read();
}
