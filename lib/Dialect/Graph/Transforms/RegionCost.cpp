// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/Graph/Transforms/RegionCost.h"
#include "Dialect/Graph/Templates/TemplateOptions.h"
#include "Dialect/Graph/Transforms/RegionSpace.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace gc::graph {

static int64_t getBytes(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape())
    return 0;
  return tensor.getNumElements() *
         llvm::divideCeil(tensor.getElementTypeBitWidth(), 8);
}

static double getVolume(ArrayRef<int64_t> sizes) {
  double volume = 1;
  for (int64_t size : sizes)
    volume *= size;
  return volume;
}

CostAttr RegionCost::getAttr() const {
  return CostAttr::get(FusedOp(region)->getContext(),
                       static_cast<int64_t>(cost.getCycles()), flops, bytes,
                       static_cast<Bound>(cost.getBound()));
}

namespace {

/// What a region reads from outside, and what it returns.
struct Boundary {
  llvm::SetVector<Value> inputs;
  SmallVector<Value> outputs;
  int64_t bytes = 0;
};

/// The values of a block: when they are computed and by which op, and how much
/// is touched until they are used.
class DataFlow {
public:
  DataFlow(Block &block, const CostModel &model) : model(model) {
    for (auto fused : block.getOps<FusedOp>()) {
      positions[fused] = boundaries.size();
      Boundary &boundary = boundaries.emplace_back();
      fused.walk([&](Operation *op) {
        for (Value operand : op->getOperands())
          if (op != fused.getOperation() &&
              !fused->isProperAncestor(
                  operand.getParentBlock()->getParentOp()) &&
              operand.getParentBlock() != &fused.getBody().front())
            boundary.inputs.insert(operand);
      });
      boundary.outputs.assign(fused->result_begin(), fused->result_end());
      for (Value value : boundary.inputs)
        boundary.bytes += getBytes(value.getType());
      for (Value value : boundary.outputs)
        boundary.bytes += getBytes(value.getType());
    }
    // What several regions read counts once.
    llvm::SetVector<Value> all;
    for (const Boundary &boundary : boundaries) {
      all.insert(boundary.inputs.begin(), boundary.inputs.end());
      all.insert(boundary.outputs.begin(), boundary.outputs.end());
    }
    for (Value value : all)
      total += getBytes(value.getType());
  }

  const Boundary &getBoundary(FusedOp fused) const {
    return boundaries[positions.lookup(fused)];
  }

  /// Where a region finds what it reads.
  MemoryLevel getInputLevel(Value value, FusedOp reader) const {
    auto writer = dyn_cast_or_null<FusedOp>(value.getDefiningOp());
    // Everything has been touched since the last execution.
    if (!writer || !positions.contains(writer))
      return model.getLevel(total / model.getThreads(), total);
    return getLevelBetween(writer, reader);
  }

  /// How a value was divided among the cores that have written it, unless its
  /// loop is the reader's or unknown.
  std::optional<Partition> getSource(Value value, FusedOp reader) const {
    auto writer = dyn_cast_or_null<FusedOp>(value.getDefiningOp());
    if (!writer || !positions.contains(writer) || areMerged(writer, reader))
      return std::nullopt;
    TunableOpInterface tunable = writer.getTunableOp();
    TemplateAttrInterface chosen =
        tunable ? tunable.getChosenTemplate() : TemplateAttrInterface();
    if (!chosen)
      return std::nullopt;
    if (auto loops = chosen.getOuterLoops(tunable))
      return Partition{loops->rowParts, loops->columnParts};
    return Partition{1, model.getThreads()};
  }

  /// Where it leaves what it writes.
  MemoryLevel getOutputLevel(Value value, FusedOp writer) const {
    for (Operation *user : value.getUsers())
      if (auto reader = user->getParentOfType<FusedOp>();
          reader && positions.contains(reader))
        return getLevelBetween(writer, reader);
    return model.getLevel(total / model.getThreads(), total);
  }

private:
  static bool areMerged(FusedOp writer, FusedOp reader) {
    Attribute group = writer->getAttr(GraphDialect::kMergeGroupAttr);
    return group && group == reader->getAttr(GraphDialect::kMergeGroupAttr);
  }

  MemoryLevel getLevelBetween(FusedOp writer, FusedOp reader) const {
    double bytes = 0;
    for (size_t i = positions.lookup(writer), end = positions.lookup(reader);
         i <= end; ++i)
      bytes += boundaries[i].bytes;
    bool isMerged = areMerged(writer, reader);
    auto sharesRows = [](FusedOp fused) {
      return fused->hasAttr(GraphDialect::kMergeRowsAttr);
    };
    if (isMerged && sharesRows(writer) && sharesRows(reader))
      return MemoryLevel::l2;
    MemoryLevel level = model.getLevel(bytes / model.getThreads(), bytes);
    // Other cores have written most of it.
    bool isOwn = isMerged || model.getThreads() == 1;
    return isOwn ? level : std::max(MemoryLevel::l3, level);
  }

  const CostModel &model;
  llvm::DenseMap<Operation *, size_t> positions;
  SmallVector<Boundary, 0> boundaries;
  double total = 0;
};

/// Ops that are one pass over the same slice.
struct Pass {
  double elements = 0;
  /// Elements times instructions.
  double work = 0;
  /// Bytes of the slice.
  double sliceBytes = 0;
  /// Reductions, one after another, that must be complete.
  unsigned stages = 0;
  int64_t elementBytes = 4;
};

class RegionPredictor {
public:
  RegionPredictor(FusedOp fused, const DataFlow &flow, const CostModel &model)
      : fused(fused), flow(flow), model(model) {}

  FailureOr<RegionCost> predict() {
    RegionCost result;
    result.region = fused;
    const Boundary &boundary = flow.getBoundary(fused);
    result.bytes = boundary.bytes;
    auto space = RegionSpace::get(fused);
    if (failed(space))
      return failure();
    TunableOpInterface tunable = fused.getTunableOp();
    if (tunable) {
      result.flops = tunable.getFlops();
      if (TemplateAttrInterface chosen = tunable.getChosenTemplate())
        result.cost += getTemplateCost(tunable, chosen, *space);
    }
    result.cost += getPassCost(tunable, *space);
    result.cost += getTraffic(tunable);
    return result;
  }

private:
  Cost getTemplateCost(TunableOpInterface tunable, TemplateAttrInterface chosen,
                       const RegionSpace &space) const {
    TemplateOptions options;
    // As the kernels are in the schedule.
    if (ScheduleAttr schedule = fused.getSchedule())
      options.fixedPoint = !schedule.getForms().empty();
    for (Value operand : tunable->getOperands()) {
      // Pre-ops leave their results in L2 at worst.
      bool isComputedHere =
          operand.getParentBlock() == &fused.getBody().front();
      options.operandLevels.push_back(isComputedHere
                                          ? MemoryLevel::l2
                                          : flow.getInputLevel(operand, fused));
    }
    options.source = flow.getSource(tunable->getOperand(0), fused);
    // Post-ops find the result where it is; their writes are counted as their
    // own.
    bool leaves = llvm::is_contained(fused.getYielded(), tunable->getResult(0));
    options.resultLevel =
        leaves ? flow.getOutputLevel(getOuter(tunable->getResult(0)), fused)
               : MemoryLevel::l1;
    return chosen.getCost(tunable, model, options);
  }

  /// The result of the region that a value is yielded as.
  Value getOuter(Value value) const {
    auto yielded = FusedOp(fused).getYielded();
    return fused->getResult(llvm::find(yielded, value) - yielded.begin());
  }

  /// Vector instructions per element.
  static double getInstructions(Operation *op) {
    if (auto body = dyn_cast<ScalarBodyOpInterface>(op))
      return static_cast<double>(body.getBodyCost());
    return 1;
  }

  /// Passes of the fusible ops, one at each anchor, or one over all of a region
  /// without tunable op.
  Cost getPassCost(TunableOpInterface tunable, const RegionSpace &space) const {
    SmallVector<AnchorInfo> anchors;
    double rounds = 1;
    if (tunable)
      if (TemplateAttrInterface chosen = tunable.getChosenTemplate()) {
        anchors = chosen.getAnchors(tunable);
        if (auto loops = chosen.getOuterLoops(tunable))
          rounds =
              llvm::divideCeil(loops->getParallelism(), model.getThreads());
      }
    double volume = getVolume(space.getSizes());
    llvm::MapVector<Attribute, Pass> passes;
    for (Operation &op :
         FusedOp(fused).getBody().front().without_terminator()) {
      if (&op == tunable.getOperation())
        continue;
      double own = getVolume(cast<FusibleOpInterface>(op).getIterationSpace());
      auto name = op.getAttrOfType<AnchorAttr>(GraphDialect::kAnchorAttr);
      auto anchor = llvm::find_if(anchors, [&](const AnchorInfo &info) {
        return name && info.kind == name.getKind() &&
               info.index == name.getIndex();
      });
      Pass &pass = passes[name];
      double elements = own / model.getThreads();
      if (anchor != anchors.end()) {
        // Broadcast values vary only along a part of the slice.
        double share = space.contains(&op) ? std::min(1.0, own / volume) : 1;
        elements = rounds * anchor->totalAccess * share;
        pass.sliceBytes = anchor->workingSet * pass.elementBytes;
      }
      pass.elements = std::max(pass.elements, elements);
      pass.work += elements * getInstructions(&op);
      if (space.contains(&op))
        pass.stages = std::max(pass.stages, space.getStage(&op));
    }
    Cost cost;
    for (auto &[name, pass] : passes) {
      double times = 1 + pass.stages;
      cost.vector += model.getPassCycles(pass.elements * times, 0) +
                     model.getVectorCycles(pass.work, 1);
      MemoryLevel level = model.getLevel(pass.sliceBytes);
      cost += model.getRead(pass.elements * pass.elementBytes * times, level) +
              model.getWrite(pass.elements * pass.elementBytes, level);
    }
    return cost;
  }

  /// What fusible ops read from outside and write for others.
  Cost getTraffic(TunableOpInterface tunable) const {
    Cost cost;
    auto isOfTunable = [&](Value value) {
      return tunable && llvm::is_contained(tunable->getOperands(), value);
    };
    for (Value value : flow.getBoundary(fused).inputs)
      if (!isOfTunable(value))
        cost +=
            model.getRead(getShare(value), flow.getInputLevel(value, fused));
    for (auto [inner, outer] :
         llvm::zip_equal(FusedOp(fused).getYielded(), fused->getResults()))
      if (!tunable || inner != tunable->getResult(0))
        cost +=
            model.getWrite(getShare(outer), flow.getOutputLevel(outer, fused));
    return cost;
  }

  double getShare(Value value) const {
    return double(getBytes(value.getType())) / model.getThreads();
  }

  mutable FusedOp fused;
  const DataFlow &flow;
  const CostModel &model;
};

} // namespace

FailureOr<SmallVector<RegionCost>> predictCosts(Block &block,
                                                const CostModel &model) {
  DataFlow flow(block, model);
  SmallVector<RegionCost> costs;
  for (auto fused : block.getOps<FusedOp>()) {
    auto cost = RegionPredictor(fused, flow, model).predict();
    if (failed(cost))
      return failure();
    // Regions of one group have one barrier, after the last one.
    Attribute group = fused->getAttr(GraphDialect::kMergeGroupAttr);
    if (group && !costs.empty() &&
        costs.back().region->getAttr(GraphDialect::kMergeGroupAttr) == group)
      costs.back().cost.barrier -= model.getBarrierCycles();
    cost->cost.barrier += model.getBarrierCycles();
    costs.push_back(*cost);
  }
  return costs;
}

RegionCost getTotal(ArrayRef<RegionCost> regions, const CostModel &model) {
  RegionCost total;
  for (const RegionCost &region : regions) {
    if (!total.region)
      total.region = region.region;
    total.cost += region.cost;
    total.flops += region.flops;
    total.bytes += region.bytes;
  }
  total.cost.barrier += model.getForkCycles();
  return total;
}

} // namespace gc::graph
