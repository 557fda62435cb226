// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Writes a function of the Graph dialect as an ONNX model.

#include "Dialect/Graph/IR/GraphOps.h"
#include "ExportOps.h"
#include "Target/Onnx/Onnx.h"
#include "Tensors.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Support/DebugStringHelper.h"

using namespace mlir;
using namespace gc;
using namespace gc::onnxio;

/// The operator set that models are written for, and the version of the format
/// that came with it.
static constexpr int64_t kOpset = 17, kIrVersion = 8;

const ExportEntry *gc::onnxio::findExport(Operation *op) {
  static const ExportTable ops = [] {
    ExportTable table;
    addElementwiseExports(table);
    addMatrixExports(table);
    addMovementExports(table);
    addQuantizeExports(table);
    addRowExports(table);
    addWindowExports(table);
    return table;
  }();
  auto it = ops.find(op->getName().getStringRef());
  if (it == ops.end() || (it->second.covers && !it->second.covers(op)))
    return nullptr;
  return &it->second;
}

//===----------------------------------------------------------------------===//
// Ops without an operator
//===----------------------------------------------------------------------===//

/// Ops whose meaning no operator has, also after decomposition.
static StringRef getObstacle(Operation *op) {
  if (isa<graph::DropoutOp, graph::RandomMaskOp>(op))
    return "ONNX has no such random numbers";
  if (isa<graph::FusedOp>(op))
    return "it is part of a compiled graph";
  return "ONNX has no such operator";
}

static LogicalResult refuse(Operation *op) {
  return op->emitError() << "'" << op->getName()
                         << "' cannot be exported: " << getObstacle(op);
}

/// Replaces ops that have no operator by the simpler ones that define them.
static LogicalResult decompose(func::FuncOp function) {
  SmallVector<Operation *> worklist;
  auto isRandom = [](Operation *op) { return isa<graph::DropoutOp>(op); };
  auto collect = [&](Operation *op) -> LogicalResult {
    if (findExport(op) || isa<func::ReturnOp>(op) ||
        graph::BoundaryOpInterface::marks(op))
      return success();
    if (isOpTriviallyDead(op))
      return success();
    if (isRandom(op) || !isa<graph::ComplexOpInterface>(op))
      return refuse(op);
    worklist.push_back(op);
    return success();
  };
  for (Operation &op : function.getBody().front())
    if (failed(collect(&op)))
      return failure();
  IRRewriter rewriter(function.getContext());
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val();
    Operation *previous = op->getPrevNode();
    auto results = cast<graph::ComplexOpInterface>(op).decompose(rewriter);
    if (failed(results))
      return refuse(op);
    for (auto [result, value] : llvm::zip_equal(op->getResults(), *results))
      if (result.getType() != value.getType())
        value.setType(result.getType());
    // Only what is read has to be exported.
    Operation *next = op->getNextNode();
    rewriter.replaceOp(op, *results);
    for (Operation *built = previous ? previous->getNextNode()
                                     : &function.getBody().front().front();
         built != next; built = built->getNextNode())
      if (failed(collect(built)))
        return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

namespace {
class Exporter {
public:
  Exporter(func::FuncOp function, ::onnx::ModelProto &model)
      : function(function), model(model), writer(*model.mutable_graph()) {}

  LogicalResult run();

private:
  LogicalResult check();
  /// Names the type of an input or output.
  LogicalResult setType(::onnx::ValueInfoProto &info, Type type,
                        const Twine &what);
  LogicalResult addInputs();
  LogicalResult addNodes();
  LogicalResult addOutputs();

  func::FuncOp function;
  ::onnx::ModelProto &model;
  GraphWriter writer;
};
} // namespace

LogicalResult Exporter::check() {
  if (!function.getBody().hasOneBlock())
    return function.emitError("the body of a graph must be one block");
  for (Operation &op : function.getBody().front())
    for (Value result : op.getResults()) {
      auto type = dyn_cast<RankedTensorType>(result.getType());
      if (!type || !type.hasStaticShape())
        return op.emitError()
               << "'" << op.getName() << "' cannot be exported: its result of "
               << "type " << result.getType() << " has no static shape";
      graph::LayoutAttr layout = graph::getLayout(type);
      if (layout && layout.isBlocked())
        return op.emitError() << "'" << op.getName()
                              << "' cannot be exported: ONNX has no blocked "
                                 "layouts";
    }
  return success();
}

LogicalResult Exporter::setType(::onnx::ValueInfoProto &info, Type type,
                                const Twine &what) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  std::optional<int32_t> dataType;
  if (tensor && tensor.hasStaticShape())
    dataType = getDataType(tensor.getElementType());
  graph::LayoutAttr layout = tensor ? graph::getLayout(tensor) : nullptr;
  if (!dataType || (layout && layout.isBlocked()))
    return function.emitError()
           << what << " of type " << type << " cannot be exported";
  auto &proto = *info.mutable_type()->mutable_tensor_type();
  proto.set_elem_type(*dataType);
  proto.mutable_shape();
  for (int64_t size : tensor.getShape())
    proto.mutable_shape()->add_dim()->set_dim_value(size);
  return success();
}

LogicalResult Exporter::addInputs() {
  for (BlockArgument argument : function.getArguments()) {
    unsigned number = argument.getArgNumber();
    auto given = function.getArgAttrOfType<StringAttr>(
        number, graph::GraphDialect::kNameAttr);
    std::string name = writer.getFreshName(
        given && !given.empty() ? given.str() : "arg" + std::to_string(number));
    ::onnx::ValueInfoProto &info = *model.mutable_graph()->add_input();
    info.set_name(name);
    if (failed(setType(info, argument.getType(), "argument " + Twine(number))))
      return failure();
    writer.define(argument, name);
  }
  return success();
}

LogicalResult Exporter::addNodes() {
  for (Operation &op : function.getBody().front().without_terminator()) {
    if (graph::BoundaryOpInterface::marks(&op) || isOpTriviallyDead(&op))
      continue;
    NodeWriter node(writer, &op);
    if (failed(findExport(&op)->write(node)))
      return failure();
  }
  return success();
}

/// Outputs have names of their own, also those that are inputs or the same.
LogicalResult Exporter::addOutputs() {
  Operation *end = function.getBody().front().getTerminator();
  ::onnx::GraphProto &graph = *model.mutable_graph();
  for (auto [i, value] : llvm::enumerate(end->getOperands())) {
    ::onnx::ValueInfoProto &info = *graph.add_output();
    auto given = function.getResultAttrOfType<StringAttr>(
        i, graph::GraphDialect::kNameAttr);
    info.set_name(writer.getFreshName(
        given && !given.empty() ? given.str() : "result" + std::to_string(i)));
    if (failed(setType(info, value.getType(), "result " + Twine(i))))
      return failure();
    ::onnx::NodeProto &node = *graph.add_node();
    node.set_op_type("Identity");
    node.set_name(info.name());
    node.add_input(writer.getName(value));
    node.add_output(info.name());
  }
  return success();
}

LogicalResult Exporter::run() {
  if (failed(check()) || failed(decompose(function)))
    return failure();
  model.set_ir_version(kIrVersion);
  model.set_producer_name("gc");
  auto &opset = *model.add_opset_import();
  opset.set_domain("");
  opset.set_version(kOpset);
  model.mutable_graph()->set_name(function.getName().str());
  if (failed(addInputs()) || failed(addNodes()) || failed(addOutputs()))
    return failure();
  return success();
}

LogicalResult gc::exportOnnx(ModuleOp module, raw_ostream &os) {
  func::FuncOp entry;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isDeclaration() || function.isPrivate())
      continue;
    if (entry)
      return function.emitError("is the second public function; a model is one "
                                "graph");
    entry = function;
  }
  if (!entry)
    return module.emitError("there is no public function to export");
  // Decomposition changes what it is given.
  OwningOpRef<ModuleOp> copy = module.clone();
  auto function = copy->lookupSymbol<func::FuncOp>(entry.getName());
  ::onnx::ModelProto model;
  if (failed(Exporter(function, model).run()))
    return failure();
  std::string bytes;
  if (model.ByteSizeLong() > INT_MAX || !model.SerializeToString(&bytes))
    return entry.emitError("the model is larger than 2 GiB");
  os << bytes;
  return success();
}
