// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PartitionedCpu.h"
#include "Dialect/Graph/IR/GraphOps.h"
#include "Dialect/Graph/IR/PartitionAttrs.h"
#include "Dialect/Graph/IR/TargetSupport.h"
#include "Dialect/Graph/Transforms/Passes.h"
#include "Driver/Diagnostics.h"
#include "Driver/RunReport.h"
#include "Reference/Tensor.h"
#include "Targets.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <cstring>

using namespace llvm;
using namespace gc;
using mlir::Value;
using mlir::func::FuncOp;

namespace {

Error makeError(const Twine &message) {
  return createStringError(inconvertibleErrorCode(), message);
}

/// A partition as a function of its own.
struct Part {
  bool isSupported = false;
  /// Whether a result of the graph depends on it.
  bool isNeeded = false;
  /// In the source.
  std::vector<mlir::Operation *> ops;
  SetVector<Value> inputs, outputs;
  /// The only function of a module, since all of a module is compiled.
  mlir::OwningOpRef<mlir::ModuleOp> module;
  FuncOp function;
  std::unique_ptr<CompiledGraph> compiled;
  std::unique_ptr<Executable> interpreted;
};

class PartitionedExecutable : public Executable {
public:
  Error prepare(FuncOp graph, const CompileOptions &options);

  ArrayRef<Remark> getRemarks() const override { return remarks; }
  Error run(const RunOptions &options, ArrayRef<void *> inputs,
            ArrayRef<void *> outputs) override;
  void print(raw_ostream &os) const override {
    printReport(report, os);
    os << "  parts     " << parts.size() << ", of which " << countInterpreted()
       << " on the reference interpreter\n";
  }
  void writeJson(json::OStream &json) const override {
    writeReport(report, json);
    json.attribute("partitions", static_cast<int64_t>(parts.size()));
    json.attribute("interpreted_partitions", countInterpreted());
  }

private:
  int64_t countInterpreted() const {
    return llvm::count_if(
        parts, [](const Part &part) { return part.interpreted != nullptr; });
  }

  Error divide(FuncOp graph);
  void findBoundaries();
  void findNeeded();
  void outline(Part &part, size_t index);
  Error compile(Part &part, const CompileOptions &options);
  Error execute(const RunOptions &options, ArrayRef<void *> inputs,
                ArrayRef<void *> outputs);

  mlir::OwningOpRef<mlir::ModuleOp> module;
  FuncOp source;
  std::vector<Part> parts;
  std::vector<Remark> remarks;
  RunReport report;
  DenseMap<Value, reference::Tensor> temporaries;
};

} // namespace

/// A module with the attributes of another, among these the machine that it
/// describes.
static mlir::OwningOpRef<mlir::ModuleOp> makeModule(mlir::ModuleOp like) {
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::ModuleOp::create(like.getLoc());
  module->getOperation()->setDiscardableAttrs(
      like->getDiscardableAttrDictionary());
  return module;
}

/// Runs the pass on all functions of a module.
static Error runPartition(mlir::ModuleOp module) {
  DiagnosticCollector diagnostics(module.getContext());
  mlir::PassManager manager(module.getContext());
  manager.addNestedPass<FuncOp>(graph::createGraphPartition());
  if (mlir::failed(manager.run(module)))
    return diagnostics.takeError("the graph cannot be divided");
  return Error::success();
}

/// Works on a copy of the graph.
Error PartitionedExecutable::divide(FuncOp graph) {
  module = makeModule(graph->getParentOfType<mlir::ModuleOp>());
  mlir::OpBuilder builder(graph.getContext());
  builder.setInsertionPointToEnd(module->getBody());
  source = cast<FuncOp>(builder.clone(*graph.getOperation()));
  if (Error error = runPartition(*module))
    return error;
  for (bool isSupported : source
                              ->getAttrOfType<mlir::DenseBoolArrayAttr>(
                                  graph::kPartitionSupportAttr)
                              .asArrayRef())
    parts.emplace_back().isSupported = isSupported;
  for (mlir::Operation &op : source.getBody().front().without_terminator()) {
    auto index = op.getAttrOfType<mlir::IntegerAttr>(graph::kPartitionAttr);
    if (!index)
      return makeError("an op of another dialect cannot be divided: " +
                       op.getName().getStringRef());
    parts[index.getInt()].ops.push_back(&op);
  }
  return Error::success();
}

void PartitionedExecutable::findBoundaries() {
  DenseMap<mlir::Operation *, size_t> partOf;
  for (auto [i, part] : llvm::enumerate(parts))
    for (mlir::Operation *op : part.ops)
      partOf[op] = i;
  for (auto [i, part] : llvm::enumerate(parts)) {
    for (mlir::Operation *op : part.ops) {
      op->walk([&, index = i, &part = part](mlir::Operation *inner) {
        for (Value operand : inner->getOperands()) {
          mlir::Operation *maker = operand.getDefiningOp();
          auto entry = partOf.find(maker);
          bool outside =
              maker ? entry != partOf.end() && entry->second != index
                    : operand.getParentBlock() == &source.getBody().front();
          if (outside)
            part.inputs.insert(operand);
        }
      });
      for (Value result : op->getResults())
        for (mlir::Operation *user : result.getUsers()) {
          // Users in regions belong to the op around them.
          while (user->getBlock() != &source.getBody().front())
            user = user->getParentOp();
          auto entry = partOf.find(user);
          if (entry == partOf.end() || entry->second != i)
            part.outputs.insert(result);
        }
    }
  }
}

/// Partitions are in topological order.
void PartitionedExecutable::findNeeded() {
  DenseSet<Value> needed;
  needed.insert_range(source.getBody().front().getTerminator()->getOperands());
  for (Part &part : llvm::reverse(parts)) {
    part.isNeeded = llvm::any_of(
        part.outputs, [&](Value output) { return needed.contains(output); });
    if (part.isNeeded)
      needed.insert_range(part.inputs);
  }
}

/// What messages call an op.
static std::string describe(mlir::Operation *op) {
  if (auto kind = op->getAttrOfType<mlir::StringAttr>(graph::kUnknownKindAttr))
    return ("op of the unknown kind '" + kind.getValue() + "'").str();
  return ("'" + op->getName().getStringRef() + "' op").str();
}

/// Builds the function of a partition.
void PartitionedExecutable::outline(Part &part, size_t index) {
  mlir::OpBuilder builder(source.getContext());
  part.module = makeModule(*module);
  builder.setInsertionPointToEnd(part.module->getBody());
  std::string name = (source.getName() + "_part" + Twine(index)).str();
  ArrayRef<Value> inputs = part.inputs.getArrayRef();
  ArrayRef<Value> outputs = part.outputs.getArrayRef();
  part.function = FuncOp::create(
      builder, source.getLoc(), name,
      builder.getFunctionType(mlir::ValueRange(inputs).getTypes(),
                              mlir::ValueRange(outputs).getTypes()));
  mlir::Block *body = part.function.addEntryBlock();
  builder.setInsertionPointToStart(body);
  mlir::IRMapping mapping;
  for (auto [i, input] : llvm::enumerate(inputs)) {
    mapping.map(input, body->getArgument(i));
    if (auto argument = dyn_cast<mlir::BlockArgument>(input))
      if (source.getArgAttr(argument.getArgNumber(),
                            graph::GraphDialect::kConstArgAttr))
        part.function.setArgAttr(i, graph::GraphDialect::kConstArgAttr,
                                 builder.getUnitAttr());
  }
  for (mlir::Operation *op : part.ops)
    builder.clone(*op, mapping)->removeAttr(graph::kPartitionAttr);
  SmallVector<Value> results;
  for (Value output : outputs)
    results.push_back(mapping.lookup(output));
  mlir::func::ReturnOp::create(builder, source.getLoc(), results);
}

Error PartitionedExecutable::compile(Part &part,
                                     const CompileOptions &options) {
  if (part.isSupported) {
    auto compiled = CompiledGraph::compile(part.function, options);
    if (!compiled)
      return compiled.takeError();
    part.compiled = std::move(*compiled);
    llvm::append_range(remarks, part.compiled->getRemarks());
    const CompiledGraph::Times &times = part.compiled->getTimes();
    report.compile->total += times.total;
    report.compile->passes += times.passes;
    report.compile->optimize += times.optimize;
    report.compile->codegen += times.codegen;
    report.compile->load += times.load;
    return Error::success();
  }
  auto *dialect = source.getContext()->getLoadedDialect<graph::GraphDialect>();
  for (mlir::Operation *op : part.ops) {
    std::string where = formatLocation(op->getLoc());
    std::string obstacle = "it is not supported";
    if (auto reason = dialect->findTarget("cpu")->getObstacle(op))
      obstacle = *reason;
    else if (op->hasTrait<mlir::OpTrait::ConstantLike>())
      continue; // A copy for the op that has an obstacle.
    const graph::TargetSupport *reference = dialect->findTarget("reference");
    if (!reference)
      return makeError("the reference interpreter is not there");
    if (auto reason = reference->getObstacle(op))
      return makeError(where + ": " + describe(op) +
                       " runs neither on target 'cpu': " + obstacle +
                       ", nor on the reference interpreter: " + *reason);
    Remark &remark = remarks.emplace_back();
    remark.kind = "missed";
    remark.category = "graph-partition";
    remark.name = "Interpreted";
    remark.function = source.getName().str();
    remark.message = "'" + op->getName().getStringRef().str() +
                     "' runs on the reference interpreter";
    remark.reason = obstacle;
    remark.location = where;
  }
  auto target = createReferenceTarget();
  auto executable = target->compile({part.function, part.function, {}},
                                    *target->makeOptions(), RunOptions());
  if (!executable)
    return executable.takeError();
  part.interpreted = std::move(*executable);
  return Error::success();
}

Error PartitionedExecutable::prepare(FuncOp graph,
                                     const CompileOptions &options) {
  report.target = "cpu";
  report.flops = countFlops(graph);
  report.compile.emplace();
  if (Error error = divide(graph))
    return error;
  findBoundaries();
  findNeeded();
  for (auto [i, part] : llvm::enumerate(parts)) {
    if (!part.isNeeded)
      continue;
    outline(part, i);
    if (Error error = compile(part, options))
      return error;
    for (Value output : part.outputs) {
      std::string reason;
      auto tensor = reference::Tensor::create(
          cast<mlir::RankedTensorType>(output.getType()), &reason);
      if (mlir::failed(tensor))
        return makeError("a tensor between partitions: " + reason);
      temporaries.insert({output, *tensor});
    }
  }
  return Error::success();
}

Error PartitionedExecutable::execute(const RunOptions &options,
                                     ArrayRef<void *> inputs,
                                     ArrayRef<void *> outputs) {
  auto find = [&](Value value) -> void * {
    if (auto argument = dyn_cast<mlir::BlockArgument>(value))
      return inputs[argument.getArgNumber()];
    return temporaries.find(value)->second.getData();
  };
  for (Part &part : parts) {
    SmallVector<void *> from, to;
    for (Value input : part.inputs)
      from.push_back(find(input));
    for (Value output : part.outputs)
      to.push_back(find(output));
    if (part.compiled) {
      if (Error error = part.compiled->execute(
              from.data(), to.data(), /*executor=*/nullptr, options.threads))
        return error;
    } else if (part.interpreted) {
      if (Error error = part.interpreted->run(options, from, to))
        return error;
    }
  }
  mlir::Operation *end = source.getBody().front().getTerminator();
  for (auto [value, output] : llvm::zip_equal(end->getOperands(), outputs)) {
    std::string reason;
    auto like = reference::Tensor::create(
        cast<mlir::RankedTensorType>(value.getType()), &reason);
    if (mlir::failed(like))
      return makeError(reason);
    std::memcpy(output, find(value), like->getBufferBytes());
  }
  return Error::success();
}

Error PartitionedExecutable::run(const RunOptions &options,
                                 ArrayRef<void *> inputs,
                                 ArrayRef<void *> outputs) {
  report.name = options.name;
  report.threads = options.threads;
  using Clock = std::chrono::steady_clock;
  std::vector<double> times;
  double sum = 0;
  int64_t warmup = options.bench ? options.warmup : 0;
  do {
    Clock::time_point start = Clock::now();
    if (Error error = execute(options, inputs, outputs))
      return error;
    std::chrono::duration<double, std::milli> ms = Clock::now() - start;
    if (warmup-- > 0)
      continue;
    times.push_back(ms.count());
    sum += times.back();
  } while (options.bench && sum < options.minTime * 1000);
  report.run = summarize(std::move(times));
  return Error::success();
}

Expected<std::unique_ptr<Executable>>
gc::compilePartitions(FuncOp graph, const CompileOptions &options) {
  if (!graph.getBody().hasOneBlock())
    return makeError("a graph of several blocks cannot be divided");
  auto executable = std::make_unique<PartitionedExecutable>();
  if (Error error = executable->prepare(graph, options))
    return std::move(error);
  return std::move(executable);
}

Error gc::writePartitions(mlir::ModuleOp module, StringRef entry,
                          raw_ostream &os) {
  if (!entry.empty() && !module.lookupSymbol<FuncOp>(entry))
    return makeError("no function is named '" + entry + "'");
  mlir::OwningOpRef<mlir::ModuleOp> copy = module.clone();
  if (Error error = runPartition(*copy))
    return error;
  copy->print(os);
  os << "\n";
  return Error::success();
}
