// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// From the ops of a program to the dialect, and its partitions.

#include "Dialect/Graph/IR/GraphOps.h"
#include "Dialect/Graph/IR/PartitionAttrs.h"
#include "Dialect/Graph/Transforms/Passes.h"
#include "Driver/Diagnostics.h"
#include "Names.h"
#include "Partition.h"
#include "Status.h"
#include "Transforms/Register.h"
#include "mlir/IR/Builders.h"
#include "mlir/Pass/PassManager.h"

#include <mutex>
#include <set>

using namespace gc;
using namespace gc::dnnlgraph;

static mlir::Attribute convert(const AttrValue &value, mlir::Builder &builder) {
  struct Converter {
    mlir::Builder &builder;
    mlir::Attribute operator()(bool value) {
      return builder.getBoolAttr(value);
    }
    mlir::Attribute operator()(int64_t value) {
      return builder.getI64IntegerAttr(value);
    }
    mlir::Attribute operator()(const std::vector<int64_t> &value) {
      return builder.getDenseI64ArrayAttr(value);
    }
    mlir::Attribute operator()(float value) {
      return builder.getF32FloatAttr(value);
    }
    mlir::Attribute operator()(const std::vector<float> &value) {
      return builder.getDenseF32ArrayAttr(value);
    }
    mlir::Attribute operator()(const std::string &value) {
      return builder.getStringAttr(value);
    }
  };
  return std::visit(Converter{builder}, value);
}

onednn::GraphFile
dnnlgraph::describe(const OpList &ops,
                    const std::map<size_t, onednn::LogicalTensor> &overrides,
                    mlir::MLIRContext *context) {
  mlir::Builder builder(context);
  onednn::GraphFile graph{builder.getUnknownLoc(), "main", {}, {}, {}};
  std::map<size_t, onednn::LogicalTensor> tensors = overrides;
  auto getTensor = [&](const LT &lt) {
    return tensors.try_emplace(lt.id, convert(lt, context)).first->second;
  };
  // The producer knows a tensor best.
  for (const auto &op : ops)
    for (const LT &output : op->outputs)
      getTensor(output);
  for (const auto &op : ops) {
    onednn::OpNode node{op->id,
                        getKindName(op->kind).str(),
                        mlir::NameLoc::get(builder.getStringAttr(
                            op->name.empty() ? describe(*op) : op->name)),
                        {},
                        {},
                        {}};
    for (const auto &[attr, value] : op->attrs)
      if (const AttrName *name = findAttr(attr))
        node.attrs.push_back(
            {name->name.str(), name->type, ::convert(value, builder)});
    for (const LT &input : op->inputs)
      node.inputs.push_back(getTensor(input));
    for (const LT &output : op->outputs)
      node.outputs.push_back(getTensor(output));
    graph.ops.push_back(std::move(node));
  }
  return graph;
}

namespace {
/// Where graphs are divided: one at a time, by one thread.
struct Workspace {
  std::mutex mutex;
  std::unique_ptr<mlir::MLIRContext> context;
  /// Types and attributes of a context are never freed; it is replaced after
  /// this many graphs.
  int graphs = 0;
};
} // namespace

static mlir::MLIRContext *renewContext(Workspace &workspace) {
  constexpr int most = 256;
  if (!workspace.context || ++workspace.graphs > most) {
    mlir::DialectRegistry registry;
    registerAllGraphCompilerDialects(registry);
    workspace.context = std::make_unique<mlir::MLIRContext>(
        registry, mlir::MLIRContext::Threading::DISABLED);
    workspace.context->printOpOnDiagnostic(false);
    workspace.graphs = 0;
  }
  return workspace.context.get();
}

/// Runs `graph-partition`; fills the partition of each op and what the target
/// runs.
static llvm::Error runPass(const OpList &ops,
                           dnnl_graph_partition_policy_t policy,
                           std::vector<size_t> &partitionOf,
                           std::vector<bool> &isSupported) {
  // Never destroyed: contexts must not outlive MLIR's own variables.
  static Workspace &workspace = *new Workspace;
  std::lock_guard<std::mutex> lock(workspace.mutex);
  mlir::MLIRContext *context = renewContext(workspace);
  DiagnosticCollector diagnostics(context);
  mlir::OwningOpRef<mlir::ModuleOp> module = onednn::importGraph(
      describe(ops, {}, context), context, onednn::ResultShapes::Unchecked,
      UnknownKinds::Wildcards);
  if (!module)
    return diagnostics.takeError("the graph cannot be read");
  mlir::PassManager manager(context);
  // Shapes may be unknown.
  manager.enableVerifier(false);
  graph::GraphPartitionOptions options;
  options.target = "cpu";
  options.policy =
      policy == dnnl_graph_partition_policy_debug ? "debug" : "fusion";
  manager.addNestedPass<mlir::func::FuncOp>(
      graph::createGraphPartition(options));
  if (mlir::failed(manager.run(*module)))
    return diagnostics.takeError("the graph cannot be divided");
  auto function = *module->getOps<mlir::func::FuncOp>().begin();
  for (mlir::Operation &op : function.getBody().front())
    if (auto index = op.getAttrOfType<mlir::IntegerAttr>(graph::kPartitionAttr))
      partitionOf.push_back(index.getInt());
  auto support = function->getAttrOfType<mlir::DenseBoolArrayAttr>(
      graph::kPartitionSupportAttr);
  llvm::append_range(isSupported, support.asArrayRef());
  if (partitionOf.size() != ops.size())
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "not every op is in a partition");
  return llvm::Error::success();
}

dnnl_status_t
dnnlgraph::divide(const OpList &ops, dnnl_graph_partition_policy_t policy,
                  dnnl_engine_kind_t kind, dnnl_fpmath_mode_t fpmath,
                  bool fpmathOnIntegers,
                  std::vector<std::shared_ptr<const PartitionData>> &result) {
  if (ops.empty())
    return dnnl_success;
  std::vector<size_t> partitionOf;
  std::vector<bool> isSupported;
  if (llvm::Error error = runPass(ops, policy, partitionOf, isSupported))
    return fail(dnnl_runtime_error, std::move(error));
  std::vector<OpList> members(isSupported.size());
  // Which partitions read a tensor.
  std::map<size_t, std::set<size_t>> readers;
  for (size_t i = 0; i < ops.size(); ++i) {
    members[partitionOf[i]].push_back(ops[i]);
    for (const LT &input : ops[i]->inputs)
      readers[input.id].insert(partitionOf[i]);
  }
  std::vector<std::shared_ptr<PartitionData>> made;
  for (size_t i = 0; i < members.size(); ++i) {
    auto isUsedOutside = [&](size_t tensor) {
      auto entry = readers.find(tensor);
      return entry != readers.end() &&
             entry->second.size() > entry->second.count(i);
    };
    made.push_back(std::make_shared<PartitionData>(
        std::move(members[i]), isSupported[i] && kind == dnnl_cpu, kind, fpmath,
        fpmathOnIntegers, isUsedOutside));
  }
  // There are no cycles among partitions.
  for (size_t i = 0; i < made.size(); ++i)
    for (const LT &output : made[i]->outputs)
      for (size_t reader : readers[output.id])
        if (reader != i)
          made[i]->readers[output.id].push_back(made[reader]);
  result.insert(result.end(), made.begin(), made.end());
  return dnnl_success;
}
