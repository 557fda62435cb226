// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// From a partition with shapes to code.

#include "Border.h"
#include "Driver/Diagnostics.h"
#include "Layouts.h"
#include "Settings.h"
#include "Status.h"
#include "Threadpool.h"
#include "Transforms/Register.h"
#include "mlir/IR/MLIRContext.h"

using namespace gc;
using namespace gc::dnnlgraph;

namespace {
class Generator {
public:
  explicit Generator(const CompileRequest &request)
      : request(request),
        context(makeRegistry(), mlir::MLIRContext::Threading::DISABLED) {
    context.printOpOnDiagnostic(false);
  }

  dnnl_status_t run(std::shared_ptr<Code> &result);

private:
  static mlir::DialectRegistry makeRegistry() {
    mlir::DialectRegistry registry;
    registerAllGraphCompilerDialects(registry);
    return registry;
  }

  dnnl_status_t readShapes(mlir::func::FuncOp function);
  dnnl_status_t checkShape(const LT &asked, mlir::RankedTensorType type);
  void findInplacePairs(mlir::func::FuncOp function);
  void describeTensors(mlir::func::FuncOp function);
  dnnl_status_t chooseThreads(mlir::ModuleOp module);
  dnnl_status_t chooseLayouts(mlir::func::FuncOp function);
  dnnl_status_t compile(mlir::func::FuncOp function);

  const CompileRequest &request;
  mlir::MLIRContext context;
  CompileOptions options;
  std::shared_ptr<Code> code = std::make_shared<Code>();
};
} // namespace

/// Whether the shape that follows is the one that was asked for.
dnnl_status_t Generator::checkShape(const LT &asked,
                                    mlir::RankedTensorType type) {
  bool fits = asked.ndims < 0 || asked.ndims == type.getRank();
  for (int i = 0; fits && i < asked.ndims; ++i)
    fits = asked.dims[i] == kUnknown || asked.dims[i] == type.getDimSize(i);
  if (fits)
    return dnnl_success;
  return fail(dnnl_invalid_shape,
              "output tensor " + llvm::Twine(asked.id) +
                  " does not have the shape that follows from the inputs");
}

/// Adds a buffer whose tensor is complete.
static dnnl_status_t addArgument(Argument argument, std::vector<Argument> &to) {
  argument.bytes = getAllocationBytes(argument.lt);
  if (argument.bytes == SIZE_MAX)
    return fail(dnnl_invalid_shape, "tensor " + llvm::Twine(argument.lt.id) +
                                        " is larger than memory can be");
  argument.alignment = std::max(1u, getBits(argument.lt.data_type) / 8);
  to.push_back(argument);
  return dnnl_success;
}

/// Completes the tensors of inputs and outputs.
dnnl_status_t Generator::readShapes(mlir::func::FuncOp function) {
  auto read = [&](const LT &asked, mlir::Type type,
                  std::vector<Argument> &to) -> dnnl_status_t {
    auto tensor = mlir::cast<mlir::RankedTensorType>(type);
    Argument argument;
    argument.lt = asked;
    LT &lt = argument.lt;
    lt.ndims = tensor.getRank();
    llvm::copy(tensor.getShape(), lt.dims);
    if (asked.layout_type == dnnl_graph_layout_type_opaque)
      return addArgument(argument, to);
    lt.layout_type = dnnl_graph_layout_type_strided;
    graph::LayoutAttr layout = graph::getLayout(tensor);
    if (layout && layout.isStrided())
      llvm::copy(layout.getStrides(), lt.layout.strides);
    else if (asked.layout_type != dnnl_graph_layout_type_strided ||
             asked.ndims < 0 || asked.layout.strides[0] == kUnknown ||
             !hasShape(asked))
      getRowMajorStrides(getDims(lt), lt.layout.strides);
    return addArgument(argument, to);
  };
  for (auto [lt, type] :
       llvm::zip_equal(request.inputs, function.getArgumentTypes()))
    if (dnnl_status_t status = read(lt, type, code->inputs))
      return status;
  for (auto [lt, type] :
       llvm::zip_equal(request.outputs, function.getResultTypes())) {
    if (getBits(lt.data_type) < 8)
      return fail(dnnl_unimplemented, "output tensor " + llvm::Twine(lt.id) +
                                          " has elements of 4 bits");
    if (dnnl_status_t status =
            checkShape(lt, mlir::cast<mlir::RankedTensorType>(type)))
      return status;
    if (dnnl_status_t status = read(lt, type, code->outputs))
      return status;
  }
  return dnnl_success;
}

/// Whether each element of a result of the operands' shape depends on theirs in
/// the same place alone.
static bool isElementwise(mlir::Operation *op) {
  if (!mlir::isa<graph::ScalarBodyOpInterface>(op) || op->getNumResults() != 1)
    return false;
  auto fusible = mlir::dyn_cast<graph::FusibleOpInterface>(op);
  if (!fusible)
    return true;
  switch (fusible.getFusibleKind()) {
  case graph::FusibleKind::elementwise:
  case graph::FusibleKind::broadcast:
  case graph::FusibleKind::cast:
  case graph::FusibleKind::reorder:
    return true;
  case graph::FusibleKind::reduction:
  case graph::FusibleKind::transpose:
  case graph::FusibleKind::windows:
    return false;
  }
  llvm_unreachable("all kinds are above");
}

/// An argument that is read once, by elementwise ops that lead to the value
/// without changing shape or type.
static mlir::BlockArgument findElementwiseSource(mlir::Value value) {
  if (auto argument = mlir::dyn_cast<mlir::BlockArgument>(value))
    return argument.hasOneUse() ? argument : nullptr;
  mlir::Operation *op = value.getDefiningOp();
  if (!isElementwise(op))
    return nullptr;
  for (mlir::Value operand : op->getOperands())
    if (operand.getType() == value.getType())
      if (auto argument = findElementwiseSource(operand))
        return argument;
  return nullptr;
}

static bool haveSameLayout(LT a, LT b) {
  a.id = b.id;
  a.property = b.property;
  return areEqual(a, b);
}

/// Whether an output may have the memory of an input. Constants are needed
/// again.
static bool canShare(const LT &from, const LT &to) {
  return from.property != dnnl_graph_tensor_property_constant &&
         from.property != dnnl_graph_tensor_property_host_scalar &&
         haveSameLayout(from, to);
}

/// Pairs of the plan of buffers, then outputs that are made element by element
/// from an input that the plan keeps apart.
void Generator::findInplacePairs(mlir::func::FuncOp function) {
  llvm::SmallVector<bool> taken(code->inputs.size(), false),
      made(code->outputs.size(), false);
  auto add = [&](size_t input, size_t output) {
    if (input >= taken.size() || output >= made.size() || taken[input] ||
        made[output] ||
        !canShare(code->inputs[input].lt, code->outputs[output].lt))
      return;
    taken[input] = made[output] = true;
    code->inplace.push_back({input, output});
  };
  for (auto [input, output] : code->graph->getInPlace())
    add(input, output);
  code->numWithoutCopy = code->inplace.size();
  mlir::Operation *end = function.getBody().front().getTerminator();
  for (mlir::OpOperand &result : end->getOpOperands())
    if (mlir::BlockArgument argument = findElementwiseSource(result.get()))
      add(argument.getArgNumber(), result.getOperandNumber());
}

/// For dumps: shapes of tensors within the partition follow from the inputs.
void Generator::describeTensors(mlir::func::FuncOp function) {
  // Ops come in the order of the partition; reorders of results may follow.
  for (auto [op, built] :
       llvm::zip(request.partition.ops, function.getBody().front()))
    for (auto [lt, type] : llvm::zip(op->outputs, built.getResultTypes())) {
      LT &described = code->tensors[lt.id] = lt;
      auto shape = mlir::cast<mlir::RankedTensorType>(type).getShape();
      described.ndims = shape.size();
      llvm::copy(shape, described.dims);
      described.layout_type = dnnl_graph_layout_type_strided;
      getRowMajorStrides(shape, described.layout.strides);
    }
  for (const auto *list : {&code->inputs, &code->outputs})
    for (const Argument &argument : *list) {
      LT &described = code->tensors[argument.lt.id] = argument.lt;
      // Files have no blocked layouts.
      if (described.layout_type == dnnl_graph_layout_type_opaque) {
        described.layout_type = dnnl_graph_layout_type_strided;
        getRowMajorStrides(getDims(described), described.layout.strides);
      }
    }
}

dnnl_status_t Generator::chooseThreads(mlir::ModuleOp module) {
  auto machine = getMachine(module, options);
  if (!machine)
    return fail(dnnl_runtime_error, machine.takeError());
  code->threads = getMaxConcurrency()
                      ? getCompileThreads()
                      : getDefaultThreads(*machine, /*runsHere=*/true);
  options.pipeline.threads = code->threads;
  return dnnl_success;
}

/// Of outputs for which the library may choose the layout.
dnnl_status_t Generator::chooseLayouts(mlir::func::FuncOp function) {
  std::vector<Argument> outputs;
  mlir::Operation *end = function.getBody().front().getTerminator();
  for (auto [asked, output, value] :
       llvm::zip_equal(request.outputs, code->outputs, end->getOperands())) {
    Argument chosen = output;
    if (asked.layout_type == dnnl_graph_layout_type_any && output.bytes > 0)
      if (graph::LayoutAttr layout =
              chooseLayout(request.partition, value, output.lt, code->outputs,
                           options, &context)) {
        chosen.lt.layout_type = dnnl_graph_layout_type_opaque;
        chosen.lt.layout.layout_id = getLayoutId(layout);
      }
    if (dnnl_status_t status = addArgument(chosen, outputs))
      return status;
  }
  code->outputs = std::move(outputs);
  return dnnl_success;
}

dnnl_status_t Generator::compile(mlir::func::FuncOp function) {
  options.blockedArguments =
      applyLayouts(function, code->inputs, code->outputs);
  auto graph = CompiledGraph::compile(function, options);
  if (!graph)
    return fail(dnnl_unimplemented, graph.takeError());
  code->graph = std::move(*graph);
  findInplacePairs(function);
  code->arenaBytes = code->graph->getArenaBytes(code->threads);
  code->arenaAlignment =
      std::max<size_t>(64, code->graph->getModule()->arena_alignment);
  code->constants.setBytes(code->graph->getConstantBytes());
  return dnnl_success;
}

dnnl_status_t Generator::run(std::shared_ptr<Code> &result) {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  {
    DiagnosticCollector diagnostics(&context);
    module =
        onednn::importGraph(describePart(request.partition.ops, request.inputs,
                                         request.outputs, &context),
                            &context, onednn::ResultShapes::Inferred);
    if (!module)
      return fail(dnnl_invalid_shape,
                  diagnostics.takeError("the partition cannot be read"));
  }
  auto function = *module->getOps<mlir::func::FuncOp>().begin();
  if (dnnl_status_t status = readShapes(function))
    return status;
  if (dnnl_status_t status = chooseThreads(*module))
    return status;
  if (dnnl_status_t status = chooseLayouts(function))
    return status;
  if (dumps(dnnl_graph_dump_mode_subgraph))
    describeTensors(function);
  bool isEmpty = llvm::all_of(
      code->outputs, [](const Argument &output) { return output.bytes == 0; });
  if (!isEmpty)
    if (dnnl_status_t status = compile(function))
      return status;
  result = std::move(code);
  return dnnl_success;
}

dnnl_status_t dnnlgraph::generate(const CompileRequest &request,
                                  std::shared_ptr<Code> &code) {
  return Generator(request).run(code);
}
