// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Writes a function of the Graph dialect as a oneDNN Graph JSON file.

#include "Dialect/Graph/IR/GraphOps.h"
#include "Target/OneDNNGraph/GraphFile.h"
#include "Target/OneDNNGraph/OneDNNGraph.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace gc;
using graph::AttrSpec;
using graph::OpSpec;

namespace json = llvm::json;

namespace {
class Exporter {
public:
  Exporter(func::FuncOp function, raw_ostream &os)
      : function(function), json(os, /*IndentSize=*/1) {}

  LogicalResult run();

private:
  LogicalResult check();
  LogicalResult checkOp(Operation *op);
  LogicalResult checkTensor(Operation *op, Value value, StringRef what);
  LogicalResult checkReturn();
  /// The reorders that only give results their layout are part of the outputs.
  void findLayouts();
  bool isOutputLayout(Operation *op) const {
    return op->getNumResults() == 1 && replaced.contains(op->getResult(0));
  }
  void assignIds();

  void writePorts(StringRef key, ValueRange values);
  void writeOp(Operation &op, uint64_t id);
  void writeAttr(const AttrSpec &spec, Attribute value);
  void writeTensors(StringRef key, ValueRange values);
  void writeTensor(Value value);

  /// The tensor that stands for a value.
  Value getTensor(Value value) const {
    Value source = replaced.lookup(value);
    return source ? source : value;
  }

  func::FuncOp function;
  json::OStream json;
  /// Results of the reorders that are left out, and what they reorder.
  llvm::DenseMap<Value, Value> replaced;
  /// Types of tensors in the layout of the result that they are.
  llvm::DenseMap<Value, RankedTensorType> types;
  llvm::DenseMap<Value, uint64_t> ids;
};
} // namespace

static func::ReturnOp getReturn(func::FuncOp function) {
  return cast<func::ReturnOp>(function.getBody().front().getTerminator());
}

//===----------------------------------------------------------------------===//
// What the format can express
//===----------------------------------------------------------------------===//

void Exporter::findLayouts() {
  func::ReturnOp end = getReturn(function);
  for (Value result : end.getOperands()) {
    auto reorder = result.getDefiningOp<graph::ReorderOp>();
    if (!reorder || !result.hasOneUse())
      continue;
    Value source = reorder.getSrc();
    bool isReturned = llvm::is_contained(source.getUsers(), end);
    if (!source.getDefiningOp() || graph::getLayout(source.getType()) ||
        !graph::getLayout(result.getType()) || isReturned ||
        types.contains(source))
      continue;
    replaced[result] = source;
    types[source] = cast<RankedTensorType>(result.getType());
  }
}

LogicalResult Exporter::checkTensor(Operation *op, Value value,
                                    StringRef what) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !type.hasStaticShape())
    return op->emitError() << what << " of type " << value.getType()
                           << ": the format has tensors of static shape";
  if (onednn::getDtype(type.getElementType()).empty())
    return op->emitError() << what << " of type " << type
                           << ": the format has no such element type";
  if (type.getRank() > onednn::kMaxRank)
    return op->emitError() << what << " of type " << type
                           << ": the format has tensors of at most "
                           << onednn::kMaxRank << " dimensions";
  graph::LayoutAttr layout = graph::getLayout(type);
  if (layout && layout.isBlocked())
    return op->emitError() << what << " of type " << type
                           << ": the format has no blocked layouts";
  // The importer makes what is between ops plain.
  bool isBetween = value.getDefiningOp() && !isOutputLayout(op) &&
                   llvm::any_of(value.getUsers(), [](Operation *user) {
                     return !isa<func::ReturnOp>(user);
                   });
  if (layout && layout.isStrided() && isBetween)
    return op->emitError()
           << what << " of type " << type
           << ": the format has layouts only for inputs and outputs";
  return success();
}

/// Whether an attribute means the same as its absence.
static bool isDefault(Attribute value) {
  if (auto boolean = dyn_cast<BoolAttr>(value))
    return !boolean.getValue();
  if (auto integer = dyn_cast<IntegerAttr>(value))
    return integer.getValue().isZero();
  if (auto array = dyn_cast<ArrayAttr>(value))
    return array.empty();
  return false;
}

LogicalResult Exporter::checkOp(Operation *op) {
  const OpSpec *spec = graph::findOp(op->getName().getStringRef());
  if (!spec || spec->kind.empty())
    return op->emitError() << "'" << op->getName()
                           << "' is not an operation of oneDNN Graph";
  for (StringAttr name : op->getName().getAttributeNames()) {
    Attribute value = op->getInherentAttr(name).value_or(Attribute());
    bool isKnown = llvm::any_of(spec->attrs, [&](const AttrSpec &attr) {
      return attr.name == name.strref();
    });
    // The sizes of operand groups follow from the operands.
    bool isSizes = name.strref().ends_with("SegmentSizes");
    if (value && !isKnown && !isSizes && !isDefault(value))
      return op->emitError()
             << "attribute '" << name.strref() << "' of '" << op->getName()
             << "' is not an attribute of oneDNN Graph";
  }
  if (!op->getDiscardableAttrs().empty() && !spec->anyAttrs)
    return op->emitError()
           << "attribute '"
           << op->getDiscardableAttrs().begin()->getName().strref() << "' of '"
           << op->getName() << "' is not an attribute of oneDNN Graph";
  for (Value operand : op->getOperands())
    if (operand.getParentBlock() != op->getBlock())
      return op->emitError()
             << "'" << op->getName() << "' reads a value of another block";
  for (auto [i, result] : llvm::enumerate(op->getResults()))
    if (failed(checkTensor(op, result, "result " + std::to_string(i))))
      return failure();
  return success();
}

LogicalResult Exporter::checkReturn() {
  func::ReturnOp end = getReturn(function);
  if (end.getNumOperands() == 0)
    return function.emitError("the graph has no outputs");
  llvm::SmallPtrSet<Value, 8> seen;
  for (Value result : end.getOperands()) {
    if (!seen.insert(getTensor(result)).second)
      return end.emitError(
          "returns a tensor twice, which the format cannot express");
    bool isMentioned = llvm::any_of(
        result.getUsers(), [&](Operation *user) { return user != end; });
    if (!result.getDefiningOp() && !isMentioned)
      return end.emitError("returns an argument that no op reads, which the "
                           "format cannot express");
  }
  return success();
}

LogicalResult Exporter::check() {
  if (!function.getBody().hasOneBlock())
    return function.emitError("the body of a graph must be one block");
  findLayouts();
  for (BlockArgument arg : function.getArguments()) {
    std::string what = "argument " + std::to_string(arg.getArgNumber());
    if (failed(checkTensor(function, arg, what)))
      return failure();
    if (arg.use_empty())
      emitWarning(function.getLoc())
          << what << " is not read, so the format has no place for it";
  }
  Block &body = function.getBody().front();
  if (body.without_terminator().empty())
    return function.emitError("the graph has no ops");
  for (Operation &op : body.without_terminator())
    if (!isOutputLayout(&op) && failed(checkOp(&op)))
      return failure();
  for (auto [i, result] : llvm::enumerate(getReturn(function).getOperands()))
    if (failed(checkTensor(function, result, "result " + std::to_string(i))))
      return failure();
  return checkReturn();
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

/// Arguments keep the number that is their name, as the importer gives it.
void Exporter::assignIds() {
  llvm::SmallSet<uint64_t, 16> taken;
  for (BlockArgument arg : function.getArguments()) {
    auto name = function.getArgAttrOfType<StringAttr>(
        arg.getArgNumber(), graph::GraphDialect::kNameAttr);
    uint64_t id;
    if (name && !name.strref().getAsInteger(10, id) && taken.insert(id).second)
      ids[arg] = id;
  }
  uint64_t next = 0;
  auto assign = [&](Value value) {
    if (ids.contains(value))
      return;
    while (!taken.insert(next).second)
      ++next;
    ids[value] = next;
  };
  for (BlockArgument arg : function.getArguments())
    assign(arg);
  for (Operation &op : function.getBody().front())
    for (Value result : op.getResults())
      if (!replaced.contains(result))
        assign(result);
}

void Exporter::writeTensor(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  if (RankedTensorType known = types.lookup(value))
    type = known;
  graph::LayoutAttr layout = graph::getLayout(type);
  SmallVector<int64_t> strides = graph::getPlainStrides(type.getShape());
  bool isAny = layout && layout.isAny();
  if (layout && layout.isStrided())
    strides.assign(layout.getStrides().begin(), layout.getStrides().end());
  StringRef property = "undef";
  if (auto arg = dyn_cast<BlockArgument>(value))
    property = function.getArgAttr(arg.getArgNumber(),
                                   graph::GraphDialect::kConstArgAttr)
                   ? "constant"
                   : "variable";
  json.object([&] {
    json.attribute("id", ids.lookup(value));
    json.attribute("dtype", onednn::getDtype(type.getElementType()));
    json.attributeArray("shape", [&] {
      for (int64_t size : type.getShape())
        json.value(size);
    });
    json.attributeArray("stride", [&] {
      if (!isAny)
        for (int64_t stride : strides)
          json.value(stride);
    });
    json.attribute("layout_type", isAny ? "any" : "strided");
    json.attribute("property_type", property);
  });
}

void Exporter::writeTensors(StringRef key, ValueRange values) {
  json.attributeArray(key, [&] {
    for (Value value : values)
      writeTensor(getTensor(value));
  });
}

void Exporter::writeAttr(const AttrSpec &spec, Attribute value) {
  auto write = [&](float number) {
    json.rawValue(onednn::printNumber(number));
  };
  json.attributeObject(spec.name, [&] {
    json.attribute("type", graph::stringify(spec.type));
    json.attributeBegin("value");
    if (auto boolean = dyn_cast<BoolAttr>(value))
      json.value(boolean.getValue() ? 1 : 0);
    else if (auto integer = dyn_cast<IntegerAttr>(value))
      json.value(integer.getInt());
    else if (auto number = dyn_cast<FloatAttr>(value))
      write(number.getValue().convertToFloat());
    else if (auto text = dyn_cast<StringAttr>(value))
      json.value(text.strref());
    else
      json.array([&] {
        if (auto integers = dyn_cast<DenseI64ArrayAttr>(value))
          for (int64_t integer : integers.asArrayRef())
            json.value(integer);
        else
          for (float number : cast<DenseF32ArrayAttr>(value).asArrayRef())
            write(number);
      });
    json.attributeEnd();
  });
}

/// Whether the absence of an attribute means the same: an empty list.
static bool mayBeLeftOut(const AttrSpec &spec, Attribute value) {
  if (!value)
    return true;
  auto list = dyn_cast<DenseI64ArrayAttr>(value);
  return spec.use == graph::AttrUse::Optional && list && list.empty();
}

void Exporter::writeOp(Operation &op, uint64_t id) {
  const OpSpec &spec = *graph::findOp(op.getName().getStringRef());
  json.object([&] {
    json.attribute("id", id);
    auto name = dyn_cast<NameLoc>(op.getLoc());
    json.attribute("name", name ? name.getName().str()
                                : spec.kind.str() + "_" + std::to_string(id));
    json.attribute("kind", spec.kind);
    json.attributeObject("attrs", [&] {
      for (const AttrSpec &attr : spec.attrs)
        if (Attribute value = op.getAttr(attr.name); !mayBeLeftOut(attr, value))
          writeAttr(attr, value);
    });
    writeTensors("inputs", op.getOperands());
    writeTensors("outputs", op.getResults());
  });
}

void Exporter::writePorts(StringRef key, ValueRange values) {
  json.attributeArray(key, [&] {
    for (Value value : values)
      if (!value.use_empty())
        json.value(ids.lookup(getTensor(value)));
  });
}

LogicalResult Exporter::run() {
  if (failed(check()))
    return failure();
  assignIds();
  json.object([&] {
    // The version of the format.
    json.attribute("version", "3.8.0");
    json.attribute("engine_kind", "cpu");
    json.attribute("fpmath_mode", "strict");
    json.attribute("name", function.getName());
    writePorts("input_ports", function.getArguments());
    writePorts("output_ports", getReturn(function).getOperands());
    json.attributeArray("graph", [&] {
      uint64_t id = 0;
      for (Operation &op : function.getBody().front().without_terminator())
        if (!isOutputLayout(&op))
          writeOp(op, id++);
    });
  });
  return success();
}

LogicalResult gc::exportOneDNNGraph(ModuleOp module, raw_ostream &os) {
  func::FuncOp entry;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isDeclaration() || function.isPrivate())
      continue;
    if (entry)
      return function.emitError("is the second public function; a file holds "
                                "one graph");
    entry = function;
  }
  if (!entry)
    return module.emitError("there is no public function to export");
  // Nothing is written for a graph that the format cannot express.
  std::string text;
  llvm::raw_string_ostream buffer(text);
  if (failed(Exporter(entry, buffer).run()))
    return failure();
  os << text << "\n";
  return success();
}

void gc::registerOneDNNGraphExport() {
  TranslateFromMLIRRegistration registration(
      "export-onednn-graph", "export a graph as a oneDNN Graph JSON file",
      [](ModuleOp module, raw_ostream &os) {
        return exportOneDNNGraph(module, os);
      },
      [](DialectRegistry &registry) {
        registry.insert<func::FuncDialect, graph::GraphDialect>();
      });
}
