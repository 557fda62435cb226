// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/Graph/IR/GraphOps.h"
#include "Dialect/Graph/IR/PartitionAttrs.h"
#include "Dialect/Graph/IR/TargetSupport.h"
#include "Dialect/Graph/Transforms/PartitionGrowth.h"
#include "Dialect/Graph/Transforms/Passes.h"
#include "PartitionOutline.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/SetVector.h"

#include <map>

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
  if (op->hasTrait<KeepsShape>() || op->hasTrait<RowMajorView>())
    return PartitionRole::preparation;
  return PartitionRole::other;
}

/// Whether the op is a constant that the target takes along wherever an op
/// reads it, so that it is in every partition that does.
static bool isCopied(const TargetSupport &support, Operation *op) {
  if (!op->hasTrait<OpTrait::ConstantLike>())
    return false;
  // As it is in a partition: nothing else reads it.
  Block scratch;
  OpBuilder builder(op->getContext());
  builder.setInsertionPointToStart(&scratch);
  return !findObstacle(support, builder.clone(*op));
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
    if (function.isDeclaration())
      return markAllAnalysesPreserved();
    if (!function.getBody().hasOneBlock()) {
      function.emitOpError("has more than one block; a graph is one");
      return signalPassFailure();
    }

    // Of an earlier graph.
    nodes.clear();
    runs.clear();
    indices.clear();
    constants.clear();
    dead = DeadOps();
    for (Operation &op : function.getBody().front())
      if (op.getDialect() == dialect)
        add(*support, &op, isFusion);
    std::vector<unsigned> partitions = growPartitions(nodes);
    while (refuseBorders(*support, partitions) ||
           refuseOutlines(*support, partitions))
      partitions = growPartitions(nodes);
    SmallVector<bool> isSupported(
        nodes.empty() ? 0 : *llvm::max_element(partitions) + 1, false);
    for (auto [i, node] : llvm::enumerate(nodes)) {
      setPartition(node.op, partitions[i]);
      isSupported[partitions[i]] = runs[i];
    }
    function->setAttr(
        kPartitionSupportAttr,
        Builder(&getContext()).getDenseBoolArrayAttr(isSupported));
    if (!copyConstants(partitions))
      markAllAnalysesPreserved();
  }

private:
  /// The ops, whether the target runs each, and where they are.
  std::vector<PartitionNode> nodes;
  SmallVector<bool> runs;
  llvm::DenseMap<Operation *, unsigned> indices;
  /// Constants that are copied to their readers. One that is read by what is in
  /// no partition, or by nothing, is a node for its own sake.
  llvm::SetVector<Operation *> constants;
  /// Ops for whose sake nothing leaves a partition.
  DeadOps dead;

  void add(const TargetSupport &support, Operation *op, bool isFusion) {
    if (isCopied(support, op)) {
      constants.insert(op);
      bool isNode =
          op->use_empty() || llvm::any_of(op->getUsers(), [&](Operation *user) {
            return op->getBlock()->findAncestorOpInBlock(*user)->getDialect() !=
                   op->getDialect();
          });
      if (!isNode)
        return;
    }
    PartitionNode node{op, PartitionRole::alone, {}};
    std::optional<std::string> obstacle = findObstacle(support, op);
    if (!obstacle && !constants.contains(op))
      node.role = getRole(op);
    else if (obstacle && !BoundaryOpInterface::marks(op))
      report(op, *obstacle);
    if (isFusion)
      addProducers(node);
    runs.push_back(!obstacle);
    indices[op] = nodes.size();
    nodes.push_back(std::move(node));
  }

  void addProducers(PartitionNode &node) {
    llvm::SmallSetVector<unsigned, 4> producers;
    // What an op's regions read from outside counts as well.
    node.op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (auto entry = indices.find(operand.getDefiningOp());
            entry != indices.end() && !constants.contains(entry->first))
          producers.insert(entry->second);
    });
    node.producers = producers.takeVector();
  }

  /// Makes an op an unsupported partition.
  void refuse(unsigned index, StringRef reason) {
    report(nodes[index].op, reason);
    nodes[index].role = PartitionRole::alone;
    runs[index] = false;
  }

  /// Why the target does not take an operand or a result of an op there, where
  /// it is shared with another partition, or nothing.
  std::optional<std::string> findBorderObstacle(const TargetSupport &support,
                                                ArrayRef<unsigned> partitions,
                                                unsigned index) {
    auto isOutside = [&](Operation *op) {
      auto entry = indices.find(op);
      return entry == indices.end() ||
             partitions[entry->second] != partitions[index];
    };
    Operation *op = nodes[index].op;
    for (Value operand : op->getOperands())
      if (auto obstacle = support.getBorderObstacle(operand.getType()))
        if (Operation *maker = operand.getDefiningOp();
            !constants.contains(maker) && isOutside(maker))
          return obstacle;
    for (Value result : op->getResults())
      if (auto obstacle = support.getBorderObstacle(result.getType()))
        if (llvm::any_of(result.getUsers(), [&](Operation *user) {
              return isOutside(user) && !dead.contains(user);
            }))
          return obstacle;
    return std::nullopt;
  }

  /// Refuses ops of supported partitions with operands or results at a border
  /// that the target does not take there; false if there are none.
  bool refuseBorders(const TargetSupport &support,
                     std::vector<unsigned> partitions) {
    auto pending = llvm::to_vector(llvm::seq<unsigned>(0, nodes.size()));
    bool refuses = false;
    for (size_t i = 0; i < pending.size(); ++i) {
      unsigned index = pending[i];
      if (!runs[index])
        continue;
      auto obstacle = findBorderObstacle(support, partitions, index);
      if (!obstacle)
        continue;
      refuse(index,
             "it shares a value with another partition, but " + *obstacle);
      refuses = true;
      // Which has new borders with those around it.
      partitions[index] = nodes.size() + index;
      Operation *op = nodes[index].op;
      auto ask = [&](Operation *other) {
        if (auto entry = indices.find(other); entry != indices.end())
          pending.push_back(entry->second);
      };
      for (Value operand : op->getOperands())
        ask(operand.getDefiningOp());
      for (Operation *user : op->getUsers())
        ask(user);
    }
    return refuses;
  }

  /// Refuses ops of supported partitions that the target does not run where
  /// only their partition is compiled; false if there are none.
  bool refuseOutlines(const TargetSupport &support,
                      ArrayRef<unsigned> partitions) {
    // Ops that do not run are partitions of their own.
    std::vector<SmallVector<unsigned>> members(nodes.size());
    for (unsigned i = 0; i < nodes.size(); ++i)
      if (runs[i])
        members[partitions[i]].push_back(i);
    bool refuses = false;
    for (ArrayRef<unsigned> part : members)
      refuses |= !part.empty() && refuseOutline(support, part);
    return refuses;
  }

  bool refuseOutline(const TargetSupport &support, ArrayRef<unsigned> part) {
    PartitionOutline outline(
        llvm::map_to_vector(part,
                            [&](unsigned member) { return nodes[member].op; }),
        dead, [&](Operation *op) { return constants.contains(op); });
    SmallVector<std::pair<unsigned, std::string>> refused;
    llvm::DenseSet<unsigned> known;
    auto add = [&](unsigned member, std::optional<std::string> obstacle) {
      if (obstacle && known.insert(member).second)
        refused.push_back({member, *obstacle});
    };
    for (auto [i, copy] : llvm::enumerate(outline.getCopies()))
      add(i, findObstacle(support, copy));
    func::ReturnOp end = outline.getTerminator();
    for (auto [value, obstacle] :
         llvm::zip_equal(end.getOperands(), support.getReturnObstacles(end)))
      if (auto maker = outline.getMaker(value))
        add(*maker, obstacle);
    // What shares values with a refused op is asked at once; the others are
    // when partitions have grown again.
    for (size_t i = 0; i < refused.size(); ++i) {
      auto [member, obstacle] = refused[i];
      refuse(part[member], "in its partition, " + obstacle);
      for (unsigned other : outline.remove(member))
        if (!known.contains(other))
          add(other, findObstacle(support, outline.getCopies()[other]));
    }
    return !refused.empty();
  }

  static void setPartition(Operation *op, unsigned partition) {
    op->setAttr(kPartitionAttr,
                Builder(op->getContext()).getI64IntegerAttr(partition));
  }

  /// Puts a constant into each partition that reads it; false if no copies are
  /// needed.
  bool copyConstants(ArrayRef<unsigned> partitions) {
    bool copies = false;
    for (Operation *constant : constants) {
      std::map<unsigned, SmallVector<OpOperand *>> readers;
      for (OpOperand &use : constant->getUses())
        if (auto entry = indices.find(
                constant->getBlock()->findAncestorOpInBlock(*use.getOwner()));
            entry != indices.end())
          readers[partitions[entry->second]].push_back(&use);
      OpBuilder builder(&getContext());
      builder.setInsertionPointAfter(constant);
      bool isTaken = indices.contains(constant);
      for (auto &[partition, uses] : readers) {
        Operation *own = isTaken ? builder.clone(*constant) : constant;
        setPartition(own, partition);
        for (OpOperand *use : uses)
          use->set(own->getResult(0));
        copies |= isTaken;
        isTaken = true;
      }
    }
    return copies;
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
