// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A reader is asked for its wish by the passes that choose templates and
// layouts: its tensor has the layout `any` and a reorder after it, which those
// passes give the layout of the op that reads it. It is a wish if the predicted
// time is less than for a plain tensor. The reader's own compilation has the
// chosen layout in this place and takes the same decisions, so that no reorder
// is left.

#include "Border.h"
#include "Driver/Diagnostics.h"
#include "Layouts.h"
#include "mlir/IR/Builders.h"

using namespace gc;
using namespace gc::dnnlgraph;

onednn::GraphFile dnnlgraph::describePart(const OpList &ops,
                                          llvm::ArrayRef<LT> inputs,
                                          llvm::ArrayRef<LT> outputs,
                                          mlir::MLIRContext *context) {
  std::map<size_t, onednn::LogicalTensor> tensors;
  std::vector<uint64_t> inputIds, outputIds;
  for (auto [list, ids] :
       {std::pair(inputs, &inputIds), std::pair(outputs, &outputIds)})
    for (const LT &lt : list) {
      tensors.emplace(lt.id, convert(lt, context));
      ids->push_back(lt.id);
    }
  onednn::GraphFile graph = describe(ops, tensors, context);
  graph.inputPorts.emplace(inputIds.begin(), inputIds.end());
  graph.outputPorts.emplace(outputIds.begin(), outputIds.end());
  return graph;
}

/// The argument in another layout, with a reorder for those that read it.
static void giveLayout(mlir::BlockArgument argument, graph::LayoutAttr layout) {
  auto plain = mlir::cast<mlir::RankedTensorType>(argument.getType());
  argument.setType(graph::withLayout(plain, layout));
  mlir::OpBuilder builder(argument.getContext());
  builder.setInsertionPointToStart(argument.getOwner());
  auto reorder =
      graph::ReorderOp::create(builder, argument.getLoc(), plain, argument);
  argument.replaceAllUsesExcept(reorder.getResult(), reorder);
}

static void updateType(mlir::func::FuncOp function) {
  mlir::Block &body = function.getBody().front();
  function.setFunctionType(
      mlir::FunctionType::get(function.getContext(), body.getArgumentTypes(),
                              body.getTerminator()->getOperandTypes()));
}

/// The inputs of a reader, as far as they are known: outputs of the partition
/// that was compiled, else what the graph says. Nothing if a shape is unknown.
static std::optional<std::vector<LT>>
getReaderInputs(const PartitionData &reader,
                llvm::ArrayRef<Argument> produced) {
  std::vector<LT> inputs;
  for (size_t position : reader.firstInputs) {
    LT lt = reader.inputs[position];
    for (const Argument &argument : produced)
      if (argument.lt.id == lt.id) {
        lt = argument.lt;
        lt.layout_type = dnnl_graph_layout_type_any;
      }
    if (!hasShape(lt) || lt.layout_type == dnnl_graph_layout_type_opaque)
      return std::nullopt;
    inputs.push_back(lt);
  }
  return inputs;
}

namespace {
/// What the compiler makes of a reader.
struct Prediction {
  /// Of the argument in question; null: plain.
  graph::LayoutAttr layout;
  double predictedMs;
};
} // namespace

/// Nothing if the function cannot be compiled; its own compilation says why.
static std::optional<Prediction> predict(mlir::func::FuncOp function,
                                         unsigned index,
                                         const CompileOptions &options) {
  updateType(function);
  auto layouts = chooseArgumentLayouts(function, options);
  if (!layouts) {
    llvm::consumeError(layouts.takeError());
    return std::nullopt;
  }
  if (!layouts->predictedMs)
    return std::nullopt;
  return Prediction{graph::getLayout(layouts->types[index]),
                    *layouts->predictedMs};
}

/// The blocked layout that a partition wants for an input, or null.
static graph::LayoutAttr getWish(const PartitionData &reader, size_t id,
                                 llvm::ArrayRef<Argument> produced,
                                 const CompileOptions &options,
                                 mlir::MLIRContext *context) {
  if (!reader.isSupported)
    return {};
  auto inputs = getReaderInputs(reader, produced);
  if (!inputs)
    return {};
  std::vector<LT> outputs;
  for (size_t position : reader.firstOutputs)
    outputs.push_back(reader.outputs[position]);
  DiagnosticCollector diagnostics(context);
  mlir::OwningOpRef<mlir::ModuleOp> module =
      onednn::importGraph(describePart(reader.ops, *inputs, outputs, context),
                          context, onednn::ResultShapes::Inferred);
  if (!module)
    return {};
  auto function = *module->getOps<mlir::func::FuncOp>().begin();
  auto input =
      llvm::find_if(*inputs, [&](const LT &lt) { return lt.id == id; });
  unsigned index = input - inputs->begin();
  mlir::BlockArgument argument = function.getArgument(index);
  mlir::Type plain = argument.getType();
  giveLayout(argument, graph::LayoutAttr::get(context, graph::LayoutKind::any,
                                              {}, {}, {}, {}));
  std::optional<Prediction> open = predict(function, index, options);
  if (!open || !open->layout || !open->layout.isBlocked())
    return {};
  argument.setType(plain);
  std::optional<Prediction> fixed = predict(function, index, options);
  return fixed && open->predictedMs < fixed->predictedMs ? open->layout
                                                         : graph::LayoutAttr();
}

/// Whether a value is written tile by tile: by an op with a template, or by
/// elementwise ops after one. Others would write blocks more slowly than rows.
static bool isWrittenInTiles(mlir::Value value) {
  mlir::Operation *op = value.getDefiningOp();
  if (!op || mlir::isa<graph::TunableOpInterface>(op))
    return op;
  return mlir::isa<graph::ScalarBodyOpInterface>(op) &&
         llvm::any_of(op->getOperands(), [&](mlir::Value operand) {
           return mlir::cast<mlir::RankedTensorType>(operand.getType())
                          .getShape() ==
                      mlir::cast<mlir::RankedTensorType>(value.getType())
                          .getShape() &&
                  isWrittenInTiles(operand);
         });
}

graph::LayoutAttr dnnlgraph::chooseLayout(const PartitionData &partition,
                                          mlir::Value value, const LT &output,
                                          llvm::ArrayRef<Argument> outputs,
                                          const CompileOptions &options,
                                          mlir::MLIRContext *context) {
  auto entry = partition.readers.find(output.id);
  if (entry == partition.readers.end() || !isWrittenInTiles(value))
    return {};
  graph::LayoutAttr common;
  for (const auto &reader : entry->second) {
    graph::LayoutAttr wish =
        getWish(*reader, output.id, outputs, options, context);
    if (!wish || (common && wish != common))
      return {};
    common = wish;
  }
  return common;
}

bool dnnlgraph::applyLayouts(mlir::func::FuncOp function,
                             llvm::ArrayRef<Argument> inputs,
                             llvm::ArrayRef<Argument> outputs) {
  bool any = false;
  mlir::MLIRContext *context = function.getContext();
  auto getOpaque = [&](const LT &lt) {
    bool isOpaque = lt.layout_type == dnnl_graph_layout_type_opaque;
    any |= isOpaque;
    return isOpaque ? makeLayout(lt.layout.layout_id, context)
                    : graph::LayoutAttr();
  };
  for (auto [argument, input] :
       llvm::zip_equal(function.getArguments(), inputs))
    if (graph::LayoutAttr layout = getOpaque(input.lt))
      giveLayout(argument, layout);
  mlir::Operation *end = function.getBody().front().getTerminator();
  mlir::OpBuilder builder(end);
  for (auto [result, output] : llvm::zip_equal(end->getOpOperands(), outputs))
    if (graph::LayoutAttr layout = getOpaque(output.lt))
      result.set(graph::ReorderOp::create(
          builder, end->getLoc(),
          graph::withLayout(result.get().getType(), layout), result.get()));
  updateType(function);
  return any;
}
