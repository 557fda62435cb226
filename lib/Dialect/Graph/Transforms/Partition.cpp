// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DeadOps.h"
#include "Dialect/Graph/IR/GraphOps.h"
#include "Dialect/Graph/IR/PartitionAttrs.h"
#include "Dialect/Graph/IR/TargetSupport.h"
#include "Dialect/Graph/Transforms/PartitionGrowth.h"
#include "Dialect/Graph/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace gc::graph {

#define GEN_PASS_DEF_GRAPHPARTITION
#include "Dialect/Graph/Transforms/Passes.h.inc"

/// Why the target does not run an op, or nothing. Types that are not ranked yet
/// say nothing: the op is asked for by name.
static std::optional<std::string> findObstacle(const TargetSupport &support,
                                               Operation *op) {
  if (BoundaryOpInterface::marks(op))
    return "it only marks an output";
  auto isRanked = [](Type type) { return isa<RankedTensorType>(type); };
  std::optional<std::string> obstacle =
      llvm::all_of(op->getOperandTypes(), isRanked) &&
              llvm::all_of(op->getResultTypes(), isRanked)
          ? support.getObstacle(op)
          : support.getObstacle(op->getName());
  if (!obstacle && isa<BoundaryOpInterface>(op))
    return "it belongs to the owner of the graph";
  return obstacle;
}

/// Whether a quantization reads the integers.
static bool readsIntegers(Operation *op) {
  auto getWidth = [](Type type) {
    return getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  };
  return getWidth(op->getOperand(0).getType()) <
         getWidth(op->getResult(0).getType());
}

static PartitionRole getRole(Operation *op) {
  if (isa<ContractionOpInterface>(op))
    return PartitionRole::matmul;
  auto complex = dyn_cast<ComplexOpInterface>(op);
  if (isa<TunableOpInterface>(op) ||
      (complex && complex.decomposesToContractions()))
    return PartitionRole::convolution;
  if (isa<QuantizationOpInterface>(op))
    return readsIntegers(op) ? PartitionRole::dequantization
                             : PartitionRole::preparation;
  if (op->hasTrait<KeepsShape>() || op->hasTrait<RowMajorView>() ||
      op->hasTrait<OpTrait::ConstantLike>())
    return PartitionRole::preparation;
  return PartitionRole::other;
}

namespace {

/// What is compiled of a partition: a function of the values that its ops read
/// from others, which returns the values that others, which are not dead, read.
struct Outline {
  Outline(ArrayRef<Operation *> ops, const llvm::DenseSet<Operation *> &dead);

  OwningOpRef<func::FuncOp> function;
  /// Of the ops, in their order.
  SmallVector<Operation *> copies;
  func::ReturnOp terminator;
  /// The index of the op that computes each result.
  SmallVector<unsigned> makers;
};

} // namespace

Outline::Outline(ArrayRef<Operation *> ops,
                 const llvm::DenseSet<Operation *> &dead) {
  Location loc = ops.front()->getLoc();
  Block *source = ops.front()->getBlock();
  OpBuilder builder(loc.getContext());
  function =
      func::FuncOp::create(loc, "partition", builder.getFunctionType({}, {}));
  Block *body = function->addEntryBlock();
  builder.setInsertionPointToStart(body);
  llvm::DenseSet<Operation *> own(ops.begin(), ops.end());
  IRMapping mapping;
  SmallVector<Value> results;
  for (auto [i, op] : llvm::enumerate(ops)) {
    // What an op's regions read from outside counts as well.
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (operand.getParentBlock() == source && !mapping.contains(operand))
          mapping.map(operand,
                      body->addArgument(operand.getType(), operand.getLoc()));
    });
    copies.push_back(builder.clone(*op, mapping));
    for (Value result : op->getResults())
      if (llvm::any_of(result.getUsers(), [&](Operation *user) {
            Operation *reader = source->findAncestorOpInBlock(*user);
            return !own.contains(reader) && !dead.contains(reader);
          })) {
        results.push_back(mapping.lookup(result));
        makers.push_back(i);
      }
  }
  terminator = func::ReturnOp::create(builder, loc, results);
  function->setFunctionType(builder.getFunctionType(
      body->getArgumentTypes(), terminator.getOperandTypes()));
}

namespace {
struct Partition : impl::GraphPartitionBase<Partition> {
  using Base::Base;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    auto *dialect = getContext().getLoadedDialect<GraphDialect>();
    const TargetSupport *support = dialect->findTarget(target);
    if (!support) {
      function.emitError() << "no target is named '" << target << "'";
      return signalPassFailure();
    }
    bool isFusion = policy == "fusion";
    if (!isFusion && policy != "debug") {
      function.emitError() << "policy must be 'fusion' or 'debug', not '"
                           << policy << "'";
      return signalPassFailure();
    }
    markAllAnalysesPreserved();
    if (function.isDeclaration())
      return;
    if (!function.getBody().hasOneBlock()) {
      function.emitOpError("has more than one block; a graph is one");
      return signalPassFailure();
    }

    std::vector<PartitionNode> nodes;
    llvm::DenseMap<Operation *, unsigned> indices;
    SmallVector<bool> runs;
    for (Operation &op : function.getBody().front()) {
      if (op.getDialect() != dialect)
        continue;
      PartitionNode node{&op, PartitionRole::alone, {}};
      std::optional<std::string> obstacle = findObstacle(*support, &op);
      if (!obstacle)
        node.role = getRole(&op);
      else if (!BoundaryOpInterface::marks(&op))
        report(&op, *obstacle);
      runs.push_back(!obstacle);
      if (isFusion)
        addProducers(node, indices);
      indices[&op] = nodes.size();
      nodes.push_back(std::move(node));
    }
    std::vector<unsigned> partitions = growPartitions(nodes);
    dead = findDeadOps(function);
    while (refuseBorders(*support, nodes, indices, partitions, runs) ||
           refuseOutlines(*support, nodes, partitions, runs))
      partitions = growPartitions(nodes);
    SmallVector<bool> isSupported(
        nodes.empty() ? 0 : *llvm::max_element(partitions) + 1, false);
    Builder builder(&getContext());
    for (auto [i, node] : llvm::enumerate(nodes)) {
      node.op->setAttr(kPartitionAttr,
                       builder.getI64IntegerAttr(partitions[i]));
      isSupported[partitions[i]] = runs[i];
    }
    function->setAttr(kPartitionSupportAttr,
                      builder.getDenseBoolArrayAttr(isSupported));
  }

private:
  /// Ops for whose sake nothing leaves a partition.
  llvm::DenseSet<Operation *> dead;

  /// Refuses ops of supported partitions with operands or results at a border
  /// that the target does not take there; false if there are none.
  bool refuseBorders(const TargetSupport &support,
                     std::vector<PartitionNode> &nodes,
                     const llvm::DenseMap<Operation *, unsigned> &indices,
                     ArrayRef<unsigned> partitions,
                     MutableArrayRef<bool> runs) {
    bool refuses = false;
    for (auto [i, node] : llvm::enumerate(nodes)) {
      if (!runs[i])
        continue;
      auto isOutside = [&, own = partitions[i]](Operation *op) {
        auto entry = indices.find(op);
        return entry == indices.end() || partitions[entry->second] != own;
      };
      std::optional<std::string> obstacle;
      for (Value operand : node.op->getOperands())
        if (!obstacle && isOutside(operand.getDefiningOp()))
          obstacle = support.getBorderObstacle(operand.getType());
      for (Value result : node.op->getResults())
        if (!obstacle && llvm::any_of(result.getUsers(), [&](Operation *user) {
              return isOutside(user) && !dead.contains(user);
            }))
          obstacle = support.getBorderObstacle(result.getType());
      if (!obstacle)
        continue;
      report(node.op,
             "it shares a value with another partition, but " + *obstacle);
      node.role = PartitionRole::alone;
      runs[i] = false;
      refuses = true;
    }
    return refuses;
  }

  /// Refuses ops of supported partitions that the target does not run where
  /// only their partition is compiled; false if there are none.
  bool refuseOutlines(const TargetSupport &support,
                      std::vector<PartitionNode> &nodes,
                      ArrayRef<unsigned> partitions,
                      MutableArrayRef<bool> runs) {
    // Ops that do not run are partitions of their own.
    std::vector<SmallVector<unsigned>> members(nodes.size());
    for (unsigned i = 0; i < nodes.size(); ++i)
      if (runs[i])
        members[partitions[i]].push_back(i);
    bool refuses = false;
    for (ArrayRef<unsigned> part : members) {
      if (part.empty())
        continue;
      Outline outline(
          llvm::map_to_vector(
              part, [&](unsigned member) { return nodes[member].op; }),
          dead);
      SmallVector<std::optional<std::string>> obstacles;
      for (Operation *copy : outline.copies)
        obstacles.push_back(findObstacle(support, copy));
      for (auto [maker, returned] :
           llvm::zip_equal(outline.makers, outline.terminator->getOpOperands()))
        if (!obstacles[maker])
          obstacles[maker] = support.getReturnObstacle(returned);
      for (auto [member, obstacle] : llvm::zip_equal(part, obstacles)) {
        if (!obstacle)
          continue;
        report(nodes[member].op, "in its partition, " + *obstacle);
        nodes[member].role = PartitionRole::alone;
        runs[member] = false;
        refuses = true;
      }
    }
    return refuses;
  }

  static void
  addProducers(PartitionNode &node,
               const llvm::DenseMap<Operation *, unsigned> &indices) {
    llvm::SmallSetVector<unsigned, 4> producers;
    // What an op's regions read from outside counts as well.
    node.op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (auto entry = indices.find(operand.getDefiningOp());
            entry != indices.end())
          producers.insert(entry->second);
    });
    node.producers = producers.takeVector();
  }

  void report(Operation *op, StringRef reason) {
    remark::missed(
        op->getLoc(),
        remark::RemarkOpts::name("Unsupported").category(getArgument()))
        << remark::add("'{0}' is a partition that target '{1}' does not run",
                       op->getName().getStringRef(), target.getValue())
        << remark::reason("{0}", reason);
  }
};
} // namespace

} // namespace gc::graph
