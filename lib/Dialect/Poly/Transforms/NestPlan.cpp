// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "NestPlan.h"
#include "Producers.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"

using namespace mlir;
using namespace gc;
using namespace gc::poly;

LeafPlan *NestPlan::lookup(TileNode *leaf) const {
  for (auto &plan : leaves)
    if (plan->node == leaf)
      return plan.get();
  return nullptr;
}

SmallVector<TileNode *> gc::poly::getLoops(TileNode *node) {
  SmallVector<TileNode *> loops;
  for (TileNode *up = node->parent; up; up = up->parent)
    if (up->kind == TileNode::loop)
      loops.push_back(up);
  std::reverse(loops.begin(), loops.end());
  return loops;
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

FailureOr<Projection> gc::poly::getProjection(const isl::Map &access) {
  isl::PwMultiAff pieces(isl_pw_multi_aff_from_map(access.copy()));
  Projection result;
  unsigned count = 0;
  auto visit = [&](isl::Set, isl::MultiAff function) -> LogicalResult {
    if (++count > 1)
      return failure();
    int in = isl_multi_aff_dim(function.get(), isl_dim_in);
    for (int i = 0, e = isl_multi_aff_size(function.get()); i < e; ++i) {
      isl::Aff aff(isl_multi_aff_get_at(function.get(), i));
      auto constant = isl::toInt(isl::Val(isl_aff_get_constant_val(aff.get())));
      if (!constant || isl_aff_dim(aff.get(), isl_dim_div) != 0)
        return failure();
      int dim = -1;
      for (int j = 0; j < in; ++j) {
        auto factor = isl::toInt(
            isl::Val(isl_aff_get_coefficient_val(aff.get(), isl_dim_in, j)));
        if (!factor || (*factor != 0 && (*factor != 1 || dim >= 0)))
          return failure();
        if (*factor == 1)
          dim = j;
      }
      if (dim >= 0 && llvm::is_contained(result.dims, dim))
        return failure();
      result.dims.push_back(dim);
      result.shifts.push_back(*constant);
    }
    return success();
  };
  if (!pieces || failed(isl::forEachPiece(pieces, visit)) || count != 1)
    return failure();
  return result;
}

/// Factors of a convolution have no boxes of their own: see ImageTile.
static bool isMadeOfImages(StatementOp statement, unsigned read) {
  return statement.getImg2col() && read < 2;
}

static FailureOr<std::unique_ptr<LeafPlan>> planLeaf(const isl::Ctx &ctx,
                                                     TileNode *node) {
  auto plan = std::make_unique<LeafPlan>();
  plan->node = node;
  StatementOp statement = node->statement;
  auto emitError = [&] { return statement.emitOpError(); };
  FailureOr<Box> box =
      getBox(ctx, node->instances, emitError, "the set of its iterations");
  if (failed(box))
    return failure();
  plan->box = *box;
  auto addAccess = [&](isl::Map access, Projection &projection,
                       Box &elements) -> LogicalResult {
    FailureOr<Projection> own = getProjection(access);
    if (failed(own))
      return emitError() << "has the access " << isl::str(access)
                         << ", which is not one iteration dimension (or a "
                            "constant) for each dimension of the array";
    projection = *own;
    isl::Map footprint(
        isl_map_apply_range(node->instances.copy(), access.take()));
    FailureOr<Box> hull = getBox(ctx, footprint, emitError, "an access");
    if (failed(hull))
      return failure();
    elements = *hull;
    return success();
  };
  unsigned reads = statement.getReadArrays().size();
  plan->reads.resize(reads);
  plan->readBoxes.resize(reads);
  isl::Set domain = getDomain(ctx, statement);
  for (unsigned i = 0; i < reads; ++i) {
    isl::Map read = getRead(ctx, statement, i);
    if (isMadeOfImages(statement, i))
      continue;
    isl::Set defined(isl_map_domain(read.copy()));
    if (isl_set_is_subset(domain.get(), defined.get()) != isl_bool_true)
      return emitError() << "has the access " << isl::str(read)
                         << " that reaches beyond the array; only "
                            "convolutions after poly-conv-to-fractal may";
    if (failed(addAccess(std::move(read), plan->reads[i], plan->readBoxes[i])))
      return failure();
  }
  if (failed(addAccess(getWrite(ctx, statement), plan->write, plan->writeBox)))
    return failure();
  return plan;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Finds which iteration dimension each loop divides.
static LogicalResult planLoops(const isl::Ctx &ctx, NestPlan &plan) {
  for (auto &leaf : plan.leaves) {
    if (leaf->isProducer)
      continue;
    SmallVector<TileNode *> loops = getLoops(leaf->node);
    isl::Set counters(isl_map_domain(leaf->node->instances.copy()));
    isl::Set domain = getDomain(ctx, leaf->getStatement());
    for (auto [number, loop] : llvm::enumerate(loops)) {
      auto last = getLargest(counters, number);
      if (!last)
        return leaf->getStatement().emitOpError("has tiles without a last one");
      LoopInfo &info = plan.loops[loop];
      info.count = std::max(info.count, *last + 1);
    }
    for (auto [dim, offset] : llvm::enumerate(leaf->box.offsets)) {
      // Terms of a sum must not be added twice.
      if (isUpdate(leaf->getStatement()) &&
          !llvm::is_contained(leaf->write.dims, int(dim)))
        continue;
      std::optional<unsigned> loop = offset.getOnlyLoop();
      if (!loop || offset.factors[*loop] != leaf->box.sizes[dim])
        continue;
      auto largest = getLargest(domain, dim);
      if (!largest)
        continue;
      LoopInfo &info = plan.loops[loops[*loop]];
      // The last statement decides: it is what the tiles were made for.
      info.tile = offset.factors[*loop];
      info.extent = *largest + 1;
    }
  }
  return success();
}

/// The smallest and largest value of an offset over all tiles.
static std::optional<std::pair<int64_t, int64_t>>
getRange(const NestPlan &plan, ArrayRef<TileNode *> loops,
         const Linear &offset) {
  int64_t low = offset.constant, high = offset.constant;
  for (auto [number, factor] : llvm::enumerate(offset.factors)) {
    if (factor == 0)
      continue;
    const LoopInfo &info = plan.loops.find(loops[number])->second;
    int64_t span = factor * (info.count - 1);
    if (info.isShifted()) {
      if (factor % info.tile != 0)
        return std::nullopt;
      span = factor / info.tile * (info.extent - info.tile);
    }
    (span < 0 ? low : high) += span;
  }
  return std::pair(low, high);
}

/// Whether whole tiles, also shifted ones, are instances of the statement.
static LogicalResult checkTiles(const isl::Ctx &ctx, const NestPlan &plan,
                                LeafPlan &leaf) {
  SmallVector<TileNode *> loops = getLoops(leaf.node);
  isl::Set domain = getDomain(ctx, leaf.getStatement());
  bool isAccumulating = isUpdate(leaf.getStatement());
  for (auto [dim, offset] : llvm::enumerate(leaf.box.offsets)) {
    auto range = getRange(plan, loops, offset);
    auto largest = getLargest(domain, dim);
    bool isReduced =
        isAccumulating && !llvm::is_contained(leaf.write.dims, int(dim));
    // The cube takes the length of each sum at run time.
    if (isReduced && isContraction(leaf.getStatement()))
      continue;
    if (!range || !largest || range->first < 0 ||
        range->second + leaf.box.sizes[dim] > *largest + 1)
      return leaf.getStatement().emitOpError("has tiles of ")
             << leaf.box.sizes[dim] << " iterations in dimension " << dim
             << " that are not all within its domain; tiles of another size "
                "or shape are needed";
    for (auto [number, factor] : llvm::enumerate(offset.factors))
      if (isReduced && factor != 0 &&
          plan.loops.find(loops[number])->second.isShifted())
        return leaf.getStatement().emitOpError("adds up ")
               << *largest + 1 << " elements in tiles of "
               << leaf.box.sizes[dim] << ", which do not divide them";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Arrays
//===----------------------------------------------------------------------===//

static TileNode *getCommonAncestor(TileNode *left, TileNode *right) {
  SmallPtrSet<TileNode *, 8> above;
  for (TileNode *up = left; up; up = up->parent)
    above.insert(up);
  for (TileNode *up = right; up; up = up->parent)
    if (above.contains(up))
      return up;
  return nullptr;
}

/// The innermost loop at or above `node`; null if there is none.
static TileNode *getLoopAt(TileNode *node) {
  while (node && node->kind != TileNode::loop)
    node = node->parent;
  return node;
}

static void addUser(NestPlan &plan, ScopOp scop, StringRef name, LeafPlan *leaf,
                    bool isWrite) {
  ArrayPlan &array = plan.arrays[name];
  array.array = findArray(scop, name);
  (isWrite ? array.isWritten : array.isRead) = true;
  if (!llvm::is_contained(array.users, leaf))
    array.users.push_back(leaf);
}

/// All elements of the array that the statements of one tile touch, by the
/// counters of the first `depth` loops.
static isl::Map getFootprint(const isl::Ctx &ctx, const ArrayPlan &plan,
                             unsigned depth) {
  isl::Map result;
  auto add = [&](const LeafPlan &leaf, isl::Map access) {
    isl::Map own(
        isl_map_apply_range(leaf.node->instances.copy(), access.take()));
    unsigned dims = isl_map_dim(own.get(), isl_dim_in);
    own = isl::Map(
        isl_map_project_out(own.take(), isl_dim_in, depth, dims - depth));
    result = result ? isl::Map(isl_map_union(result.take(), own.take()))
                    : std::move(own);
  };
  StringRef name = ArrayOp(plan.array).getSymName();
  for (LeafPlan *leaf : plan.users) {
    StatementOp statement = leaf->getStatement();
    for (auto [i, read] : llvm::enumerate(
             statement.getReadArrays().getAsRange<FlatSymbolRefAttr>()))
      if (read.getValue() == name)
        add(*leaf, getRead(ctx, statement, i));
    if (statement.getWrittenArray() == name)
      add(*leaf, getWrite(ctx, statement));
  }
  return result;
}

static LogicalResult planArrays(const isl::Ctx &ctx, ScopOp scop,
                                NestPlan &plan, bool promotes) {
  for (auto &leaf : plan.leaves) {
    if (leaf->isProducer)
      continue;
    StatementOp statement = leaf->getStatement();
    for (auto [number, read] : llvm::enumerate(
             statement.getReadArrays().getAsRange<FlatSymbolRefAttr>()))
      if (!isMadeOfImages(statement, number))
        addUser(plan, scop, read.getValue(), leaf.get(), false);
    addUser(plan, scop, statement.getWrittenArray(), leaf.get(), true);
  }
  for (auto &[name, array] : plan.arrays) {
    TileNode *common = array.users.front()->node->parent;
    for (LeafPlan *user : array.users)
      if (common)
        common = getCommonAncestor(common, user->node->parent);
    TileNode *home = getLoopAt(common);
    unsigned depth = home ? home->depth + 1 : 0;
    StatementOp statement = array.users.front()->getStatement();
    isl::Map footprint = getFootprint(ctx, array, depth);
    FailureOr<Box> box = getBox(
        ctx, footprint, [&] { return statement.emitOpError(); },
        "the part of @" + name.str() + " that a tile touches");
    if (failed(box))
      return failure();
    array.box = *box;
    // What stays the same in inner loops is loaded outside of them.
    if (!array.isWritten && promotes)
      depth = array.box.getDepth();
    while (home && home->depth + 1 > depth)
      home = getLoopAt(home->parent);
    array.home = home;
  }
  return success();
}

FailureOr<NestPlan> gc::poly::planNest(const isl::Ctx &ctx, ScopOp scop,
                                       TileNode *root, bool promotes) {
  NestPlan plan;
  SmallVector<TileNode *> leaves;
  root->getLeaves(leaves);
  llvm::DenseSet<Operation *> producers = getAllProducers(scop);
  for (TileNode *node : leaves) {
    if (producers.contains(node->statement)) {
      plan.leaves.push_back(std::make_unique<LeafPlan>());
      plan.leaves.back()->node = node;
      plan.leaves.back()->isProducer = true;
      continue;
    }
    FailureOr<std::unique_ptr<LeafPlan>> leaf = planLeaf(ctx, node);
    if (failed(leaf))
      return failure();
    plan.leaves.push_back(std::move(*leaf));
  }
  if (failed(planLoops(ctx, plan)))
    return failure();
  for (auto &leaf : plan.leaves)
    if (!leaf->isProducer && failed(checkTiles(ctx, plan, *leaf)))
      return failure();
  // What follows a product is computed on parts of its tile, and takes what is
  // loaded for all of it.
  bool hasProduct = llvm::any_of(plan.leaves, [](auto &leaf) {
    return isContraction(leaf->getStatement());
  });
  if (failed(planArrays(ctx, scop, plan, promotes || hasProduct)))
    return failure();
  return plan;
}

//===----------------------------------------------------------------------===//
// TileOrigin
//===----------------------------------------------------------------------===//

TileOrigin::TileOrigin(ImplicitLocOpBuilder &b, const NestPlan &plan,
                       ArrayRef<TileNode *> loops, ValueRange counters)
    : b(b) {
  for (auto [loop, counter] : llvm::zip(loops, counters)) {
    const LoopInfo &info = plan.loops.find(loop)->second;
    if (!info.isShifted()) {
      places.push_back({counter, 1});
      continue;
    }
    AffineExpr at = b.getAffineDimExpr(0) * info.tile;
    AffineExpr last = b.getAffineConstantExpr(info.extent - info.tile);
    auto map = AffineMap::get(1, 0, {at, last}, b.getContext());
    places.push_back(
        {affine::AffineMinOp::create(b, map, ValueRange(counter)), info.tile});
  }
}

OpFoldResult TileOrigin::get(const Linear &function) const {
  AffineExpr sum = b.getAffineConstantExpr(function.constant);
  SmallVector<Value> operands;
  for (auto [loop, factor] : llvm::enumerate(function.factors)) {
    if (factor == 0)
      continue;
    sum = sum +
          b.getAffineDimExpr(operands.size()) * (factor / places[loop].unit);
    operands.push_back(places[loop].value);
  }
  if (auto constant = dyn_cast<AffineConstantExpr>(sum))
    return b.getIndexAttr(constant.getValue());
  if (isa<AffineDimExpr>(sum))
    return operands.front();
  return affine::AffineApplyOp::create(
             b, AffineMap::get(operands.size(), 0, sum), operands)
      .getResult();
}

SmallVector<OpFoldResult> TileOrigin::get(const Box &box) const {
  SmallVector<OpFoldResult> result;
  for (const Linear &offset : box.offsets)
    result.push_back(get(offset));
  return result;
}

SmallVector<OpFoldResult> TileOrigin::get(const Box &box,
                                          const Box &base) const {
  SmallVector<OpFoldResult> result;
  for (auto [offset, other] : llvm::zip(box.offsets, base.offsets)) {
    Linear difference;
    unsigned count = std::max(offset.factors.size(), other.factors.size());
    for (unsigned i = 0; i < count; ++i)
      difference.factors.push_back(offset.getFactor(i) - other.getFactor(i));
    difference.constant = offset.constant - other.constant;
    result.push_back(get(difference));
  }
  return result;
}
