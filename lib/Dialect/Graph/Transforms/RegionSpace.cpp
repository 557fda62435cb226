// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/Graph/Transforms/RegionSpace.h"
#include "Dialect/Graph/Transforms/PassDims.h"

#include <algorithm>
#include <functional>

using namespace mlir;

namespace gc::graph {

bool isReduction(Operation *op) {
  auto fusible = dyn_cast_or_null<FusibleOpInterface>(op);
  return fusible && fusible.getFusibleKind() == FusibleKind::reduction;
}

std::optional<Gaps> getGaps(OpOperand &operand) {
  return cast<FusibleOpInterface>(operand.getOwner())
      .getGaps(operand.getOperandNumber());
}

static std::optional<unsigned> getDim(AffineExpr expr) {
  auto dim = dyn_cast<AffineDimExpr>(expr);
  return dim ? std::optional<unsigned>(dim.getPosition()) : std::nullopt;
}

/// Whether some result of the map is the dimension.
static bool uses(AffineMap map, unsigned dim) {
  return llvm::any_of(map.getResults(),
                      [&](AffineExpr expr) { return getDim(expr) == dim; });
}

static int64_t getVolume(ArrayRef<int64_t> sizes) {
  int64_t volume = 1;
  for (int64_t size : sizes)
    volume *= size;
  return volume;
}

//===----------------------------------------------------------------------===//
// Placing
//===----------------------------------------------------------------------===//

void RegionSpace::addRoot(Value value) {
  valueMaps[value] =
      AffineMap::getMultiDimIdentityMap(sizes.size(), value.getContext());
}

namespace {
/// The unknown map of an op while equations between it and the maps of placed
/// values are collected.
struct Unknown {
  SmallVector<int64_t> space;
  ArrayRef<int64_t> sizes;
  SmallVector<AffineExpr> exprs;

  /// `map` of the op's space gives the indices `known` of a placed value.
  bool unify(AffineMap map, AffineMap known) {
    for (auto [own, placed] :
         llvm::zip_equal(map.getResults(), known.getResults())) {
      std::optional<unsigned> dim = getDim(own);
      // The number of a part is not used as any other index in the region.
      if (!dim && !isa<AffineConstantExpr>(own))
        return false;
      std::optional<unsigned> to = getDim(placed);
      bool isZero = isa<AffineConstantExpr>(placed) || (to && sizes[*to] == 1);
      // Only one of the region's indices is read: windows at one position.
      if (!isZero && (!dim || space[*dim] == 1))
        return false;
      // Constant indices are those of dimensions of size 1.
      if (!dim || space[*dim] == 1)
        continue;
      if (!to || sizes[*to] != space[*dim] ||
          (exprs[*dim] && exprs[*dim] != placed))
        return false;
      exprs[*dim] = placed;
    }
    return true;
  }

  bool isTaken(unsigned dim) const {
    return llvm::any_of(
        exprs, [&](AffineExpr expr) { return expr && getDim(expr) == dim; });
  }

  /// Gives dimensions that no placed value determines a dimension of the same
  /// size: the one at the same position from the end if that is free, otherwise
  /// the only one.
  bool complete(MLIRContext *context) {
    for (auto [dim, size] : llvm::enumerate(space)) {
      if (size == 1)
        exprs[dim] = getAffineConstantExpr(0, context);
      if (exprs[dim])
        continue;
      int64_t aligned = static_cast<int64_t>(dim + sizes.size()) -
                        static_cast<int64_t>(space.size());
      SmallVector<unsigned> candidates;
      for (unsigned to = 0; to < sizes.size(); ++to)
        if (sizes[to] == size && !isTaken(to))
          candidates.push_back(to);
      if (aligned >= 0 && llvm::is_contained(candidates, aligned))
        candidates = {static_cast<unsigned>(aligned)};
      if (candidates.size() != 1)
        return false;
      exprs[dim] = getAffineDimExpr(candidates[0], context);
    }
    // Every dimension of the space is at most one of the op's.
    for (auto [i, expr] : llvm::enumerate(exprs))
      for (AffineExpr other : ArrayRef(exprs).drop_front(i + 1))
        if (getDim(expr) && expr == other)
          return false;
    return true;
  }
};
} // namespace

AffineMap RegionSpace::solve(FusibleOpInterface op, std::string &reason) const {
  Unknown unknown{op.getIterationSpace(), sizes, {}};
  unknown.exprs.resize(unknown.space.size());
  auto fail = [&](const char *why) {
    reason = why;
    return AffineMap();
  };
  if (llvm::any_of(unknown.space,
                   [](int64_t size) { return ShapedType::isDynamic(size); }))
    return fail("its iteration space is not static");
  for (OpOperand &operand : op->getOpOperands()) {
    auto placed = valueMaps.find(operand.get());
    if (placed != valueMaps.end() &&
        !unknown.unify(op.getOperandMap(operand.getOperandNumber()),
                       placed->second))
      return fail("it reads the region's values at other indices");
  }
  // Ops after this one may have been placed before it.
  for (OpResult result : op->getResults())
    for (OpOperand &use : result.getUses())
      if (opMaps.contains(use.getOwner()) &&
          !unknown.unify(op.getResultMap(result.getResultNumber()),
                         getOperandMap(use)))
        return fail("the region reads its result at other indices");
  if (!unknown.complete(op.getContext()))
    return fail("its iteration space does not fit the region's");
  return AffineMap::get(sizes.size(), 0, unknown.exprs, op.getContext());
}

std::optional<std::string> RegionSpace::add(FusibleOpInterface op) {
  if (contains(op))
    return std::nullopt;
  std::string reason;
  AffineMap map = solve(op, reason);
  if (!map)
    return reason;
  opMaps[op] = map;
  SmallVector<unsigned> dims = getReducedDims(op);
  if (!dims.empty() && !reduced.empty() && dims != reduced) {
    opMaps.erase(op);
    return "it does not reduce the same dimensions as the region's reductions";
  }
  if (!dims.empty()) {
    SmallVector<int64_t> parts = findPartSizes(op.getResultMap(0).compose(map));
    if (!reduced.empty() && parts != partSizes) {
      opMaps.erase(op);
      return "it does not reduce the same parts as the region's reductions";
    }
    reduced = dims;
    partSizes = parts;
  }
  for (OpResult result : op->getResults())
    valueMaps[result] = op.getResultMap(result.getResultNumber()).compose(map);
  return std::nullopt;
}

SmallVector<int64_t> RegionSpace::findPartSizes(AffineMap map) const {
  SmallVector<int64_t> result(sizes.size());
  for (AffineExpr expr : map.getResults())
    if (auto quotient = dyn_cast<AffineBinaryOpExpr>(expr))
      if (std::optional<unsigned> dim = getDim(quotient.getLHS()))
        result[*dim] = cast<AffineConstantExpr>(quotient.getRHS()).getValue();
  return result;
}

std::optional<RegionSpace> RegionSpace::get(ArrayRef<Operation *> ops,
                                            std::string &reason,
                                            Operation *&culprit) {
  FusibleOpInterface largest;
  for (Operation *op : ops) {
    auto fusible = cast<FusibleOpInterface>(op);
    if (!largest || getVolume(fusible.getIterationSpace()) >
                        getVolume(largest.getIterationSpace()))
      largest = fusible;
  }
  RegionSpace space(largest ? ArrayRef<int64_t>(largest.getIterationSpace())
                            : ArrayRef<int64_t>());
  // From the largest op outwards, so that its neighbours come before ops whose
  // place has to be guessed.
  SmallVector<Operation *> waiting(ops);
  auto isNeighbour = [&](Operation *op) {
    return op == largest ||
           llvm::any_of(op->getOperands(),
                        [&](Value value) { return space.contains(value); }) ||
           llvm::any_of(op->getUsers(),
                        [&](Operation *user) { return space.contains(user); });
  };
  bool isFirst = true;
  while (!waiting.empty()) {
    auto next = isFirst ? llvm::find(waiting, largest.getOperation())
                        : llvm::find_if(waiting, isNeighbour);
    isFirst = false;
    if (next == waiting.end())
      next = waiting.begin();
    if (auto failed = space.add(cast<FusibleOpInterface>(*next))) {
      reason = *failed;
      culprit = *next;
      return std::nullopt;
    }
    waiting.erase(next);
  }
  return space;
}

FailureOr<RegionSpace> RegionSpace::get(FusedOp fused) {
  TunableOpInterface tunable = fused.getTunableOp();
  // What the tunable op depends on iterates over its operands.
  llvm::SmallPtrSet<Operation *, 8> before;
  SmallVector<Operation *> ops;
  for (Operation &op :
       llvm::reverse(fused.getBody().front().without_terminator())) {
    if (tunable && &op == tunable.getOperation()) {
      before.insert(&op);
    } else if (llvm::any_of(op.getUsers(), [&](Operation *user) {
                 return before.contains(user);
               })) {
      before.insert(&op);
    } else {
      ops.push_back(&op);
    }
  }
  std::reverse(ops.begin(), ops.end());
  auto report = [](Operation *op, StringRef reason) {
    return op->emitOpError("has no place in the iteration space of its "
                           "region: ")
           << reason;
  };
  std::string reason;
  Operation *culprit = nullptr;
  if (!tunable) {
    auto space = get(ops, reason, culprit);
    if (!space)
      return report(culprit, reason);
    return *space;
  }
  RegionSpace space(
      cast<RankedTensorType>(tunable->getResult(0).getType()).getShape());
  space.addRoot(tunable->getResult(0));
  for (Operation *op : ops)
    if (auto failed = space.add(cast<FusibleOpInterface>(op)))
      return report(op, *failed);
  return space;
}

//===----------------------------------------------------------------------===//
// Queries
//===----------------------------------------------------------------------===//

AffineMap RegionSpace::getOpMap(Operation *op) const {
  return opMaps.lookup(op);
}

AffineMap RegionSpace::getValueMap(Value value) const {
  return valueMaps.lookup(value);
}

AffineMap RegionSpace::getOperandMap(OpOperand &operand) const {
  auto op = cast<FusibleOpInterface>(operand.getOwner());
  return op.getOperandMap(operand.getOperandNumber())
      .compose(opMaps.lookup(op));
}

bool RegionSpace::varies(Operation *op, unsigned dim) const {
  return uses(opMaps.lookup(op), dim);
}

bool RegionSpace::varies(Value value, unsigned dim) const {
  return uses(valueMaps.lookup(value), dim);
}

SmallVector<unsigned> RegionSpace::getReducedDims(Operation *op) const {
  SmallVector<unsigned> dims;
  if (!isReduction(op) || !contains(op))
    return dims;
  AffineMap map = opMaps.lookup(op);
  AffineMap result = cast<FusibleOpInterface>(op).getResultMap(0);
  for (auto [own, expr] : llvm::enumerate(map.getResults()))
    if (std::optional<unsigned> dim = getDim(expr); dim && !uses(result, own))
      dims.push_back(*dim);
  llvm::sort(dims);
  return dims;
}

/// Visits the ops of the space that an op depends on, itself included.
static bool anyBefore(const RegionSpace &space, Operation *op,
                      llvm::function_ref<bool(Operation *)> predicate) {
  SmallVector<Operation *> worklist = {op};
  llvm::SmallPtrSet<Operation *, 16> visited;
  while (!worklist.empty()) {
    Operation *current = worklist.pop_back_val();
    if (!current || !space.contains(current) || !visited.insert(current).second)
      continue;
    if (predicate(current))
      return true;
    for (Value operand : current->getOperands())
      worklist.push_back(operand.getDefiningOp());
  }
  return false;
}

unsigned RegionSpace::getStage(Operation *op) const {
  // Ops are few; a region's depth is bounded by its reductions.
  llvm::DenseMap<Operation *, unsigned> stages;
  std::function<unsigned(Operation *)> visit = [&](Operation *current) {
    if (auto known = stages.find(current); known != stages.end())
      return known->second;
    unsigned stage = 0;
    for (Value operand : current->getOperands()) {
      Operation *producer = operand.getDefiningOp();
      if (producer && contains(producer))
        stage = std::max(stage,
                         visit(producer) + !getReducedDims(producer).empty());
    }
    return stages[current] = stage;
  };
  return visit(op);
}

SmallVector<unsigned> RegionSpace::getWholeDims(Operation *op) const {
  SmallVector<unsigned> dims;
  if (!contains(op))
    return dims;
  (void)anyBefore(*this, op, [&](Operation *current) {
    llvm::append_range(dims, getReducedDims(current));
    return false;
  });
  llvm::sort(dims);
  dims.erase(llvm::unique(dims), dims.end());
  return dims;
}

bool RegionSpace::needsWholeRows(Operation *op) const {
  return anyBefore(*this, op, [&](Operation *current) {
    return !sizes.empty() &&
           llvm::is_contained(getReducedDims(current), sizes.size() - 1);
  });
}

SmallVector<int64_t> getPieceUnits(FusedOp fused, const RegionSpace &space) {
  SmallVector<int64_t> units(space.getSizes().size(), 1);
  for (Value value : fused.getYielded()) {
    LayoutAttr layout = getLayout(value.getType());
    if (!layout || !layout.isBlocked())
      continue;
    TensorAccess access{cast<RankedTensorType>(value.getType()),
                        space.getValueMap(value)};
    ArrayRef<int64_t> inner = layout.getInnerDims();
    if (inner.size() != 3 || inner[0] != inner[2])
      continue;
    for (auto [dim, unit] : llvm::enumerate(units))
      for (int64_t i : {1, 2})
        if (access.getTensorDim(dim) == inner[i])
          unit = layout.getInnerBlocks()[i];
  }
  return units;
}

} // namespace gc::graph
