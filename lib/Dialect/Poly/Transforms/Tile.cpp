// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The live-out space in tiles, and the loops of a contraction over its terms.
// What sizes to take is decided elsewhere (AutoTile.cpp) or by a policy.

#include "AutoTile.h"
#include "Capacity.h"
#include "Dialect/Npu/IR/NpuOps.h"
#include "Dialect/Poly/Transforms/Passes.h"
#include "FixedTile.h"
#include "KernelHierarchy.h"
#include "Policy.h"
#include "Tree.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace gc;
using namespace gc::poly;

namespace gc::poly {
#define GEN_PASS_DEF_POLYTILE
#include "Dialect/Poly/Transforms/Passes.h.inc"
} // namespace gc::poly

namespace {
class Tiler {
public:
  Tiler(const isl::Ctx &ctx, ScopOp scop, const Policy &policy)
      : ctx(ctx), scop(scop), policy(policy) {}

  LogicalResult run();

private:
  struct Sizes {
    SmallVector<int64_t> values;
    Level level;
    /// Tiles of each loop, and whether the last two of them overlap.
    SmallVector<int64_t> tiles = {};
    SmallVector<bool> overlaps = {};

    unsigned getInnermost() const;
  };
  FailureOr<std::optional<Sizes>> getSizes(const isl::Node &band,
                                           ArrayRef<StatementOp> statements,
                                           ArrayRef<Level> levels);
  FailureOr<isl::Node> tile(isl::Node band, ArrayRef<StatementOp> statements,
                            ArrayRef<Level> levels);
  FailureOr<isl::Node> tileTerms(isl::Node part,
                                 ArrayRef<StatementOp> statements);
  FailureOr<isl::Node> orderTiles(isl::Node band, const Sizes &sizes);

  /// Bands of tiles whose order was decided.
  unsigned bands = 0;
  /// Whether the band that is tiled is that of the common loops.
  bool isOuter = false;
  const isl::Ctx &ctx;
  ScopOp scop;
  const Policy &policy;
};
} // namespace

/// The sizes of the first level that the policy has for the band: one for each
/// loop, the whole extent where it has none.
FailureOr<std::optional<Tiler::Sizes>>
Tiler::getSizes(const isl::Node &band, ArrayRef<StatementOp> statements,
                ArrayRef<Level> levels) {
  std::optional<Sizes> found;
  for (Level level : levels)
    for (StatementOp statement : statements) {
      const StatementPolicy *own = policy.find(statement);
      if (!own || own->getSizes(level).empty() || found)
        continue;
      Sizes sizes{{}, level};
      bool hasSize = false;
      for (std::optional<unsigned> dim : getBandDims(band, statement)) {
        if (!dim)
          return scop.emitOpError()
                 << "cannot tile the loops of '" << statement.getSymName()
                 << "', which are not dimensions of it";
        int64_t extent = getExtent(ctx, statement, *dim);
        ArrayRef<int64_t> given = own->getSizes(level);
        hasSize |= *dim < given.size();
        int64_t size =
            *dim < given.size() ? std::min(given[*dim], extent) : extent;
        sizes.values.push_back(size);
        sizes.tiles.push_back(llvm::divideCeil(extent, size));
        sizes.overlaps.push_back(extent % size != 0);
      }
      if (hasSize)
        found = sizes;
    }
  return found;
}

/// Moves a loop of a band of tiles to the innermost place.
static isl::Node moveInnermost(isl::Node band, unsigned loop) {
  isl::MultiUnionPwAff old(
      isl_schedule_node_band_get_partial_schedule(band.get()));
  unsigned rank = isl_schedule_node_band_n_member(band.get());
  SmallVector<unsigned> order;
  for (unsigned i = 0; i < rank; ++i)
    if (i != loop)
      order.push_back(i);
  order.push_back(loop);
  SmallVector<int> coincident;
  isl::MultiUnionPwAff moved = old.clone();
  for (auto [to, from] : llvm::enumerate(order)) {
    coincident.push_back(
        isl_schedule_node_band_member_get_coincident(band.get(), from));
    moved.reset(isl_multi_union_pw_aff_set_at(
        moved.take(), to, isl_multi_union_pw_aff_get_at(old.get(), from)));
  }
  band.reset(isl_schedule_node_delete(band.take()));
  band.reset(
      isl_schedule_node_insert_partial_schedule(band.take(), moved.take()));
  band.reset(isl_schedule_node_band_set_permutable(band.take(), 1));
  for (auto [to, value] : llvm::enumerate(coincident))
    band.reset(
        isl_schedule_node_band_member_set_coincident(band.take(), to, value));
  return band;
}

/// The last loop, unless tiles of the vector unit overlap there but not in one
/// before: a tile that overlaps the one before it is stored after that.
unsigned Tiler::Sizes::getInnermost() const {
  unsigned last = values.size() - 1;
  if (level != Level::ub || !overlaps[last])
    return last;
  for (unsigned loop = last; loop-- > 0;)
    if (!overlaps[loop] && tiles[loop] > 1)
      return loop;
  return last;
}

/// Decides which loop over tiles is the innermost one, unless the scop's plan
/// does.
FailureOr<isl::Node> Tiler::orderTiles(isl::Node band, const Sizes &sizes) {
  int64_t rank = isl_schedule_node_band_n_member(band.get());
  if (rank < 2)
    return band;
  std::string name = "innermost";
  if (++bands > 1)
    name += "." + std::to_string(bands);
  // Rows of joined products, and columns of convolutions, are innermost.
  bool isFixed =
      llvm::count_if(scop.getOps<StatementOp>(), isContraction) > 1 ||
      llvm::any_of(scop.getOps<StatementOp>(), [](StatementOp statement) {
        return statement.getImg2col().has_value();
      });
  SmallVector<int64_t> legal;
  for (int64_t loop = isFixed ? rank - 1 : 0; loop < rank; ++loop)
    legal.push_back(loop);
  FailureOr<int64_t> loop =
      choose(scop, name, legal, isFixed ? rank - 1 : sizes.getInnermost());
  if (failed(loop))
    return failure();
  return *loop == rank - 1 ? std::move(band)
                           : moveInnermost(std::move(band), *loop);
}

/// Tiles a band for the levels, from the outermost on, as far as the policy
/// has sizes, and marks the bands of tiles. Returns the outermost node.
FailureOr<isl::Node> Tiler::tile(isl::Node band,
                                 ArrayRef<StatementOp> statements,
                                 ArrayRef<Level> levels) {
  FailureOr<std::optional<Sizes>> sizes = getSizes(band, statements, levels);
  if (failed(sizes))
    return failure();
  if (!*sizes)
    return band;
  if (isl_schedule_node_band_get_permutable(band.get()) != isl_bool_true)
    return scop.emitOpError() << "cannot tile the loops of '"
                              << StatementOp(statements.front()).getSymName()
                              << "': they are not permutable";
  band = tileBand(ctx, std::move(band), (*sizes)->values);
  if (isOuter) {
    FailureOr<isl::Node> ordered = orderTiles(std::move(band), **sizes);
    if (failed(ordered))
      return failure();
    band = std::move(*ordered);
  }
  // What is left of the levels, for the point loops.
  ArrayRef<Level> rest =
      levels.drop_until([&](Level level) { return level == (*sizes)->level; })
          .drop_front();
  if (!rest.empty()) {
    isl::Node points(isl_schedule_node_child(band.take(), 0));
    FailureOr<isl::Node> inner = tile(std::move(points), statements, rest);
    if (failed(inner))
      return failure();
    band.reset(isl_schedule_node_parent(inner->take()));
  }
  return insertMark(ctx, std::move(band),
                    ("tile:" + getName((*sizes)->level)).str());
}

/// The loops over the terms of contractions below the common loops, in slices
/// for L1 and L0. Returns the same node.
FailureOr<isl::Node> Tiler::tileTerms(isl::Node part,
                                      ArrayRef<StatementOp> statements) {
  bool hasError = false;
  isl::Node tiled = isl::mapBottomUp(std::move(part), [&](isl::Node node) {
    if (hasError ||
        isl_schedule_node_get_type(node.get()) != isl_schedule_node_band)
      return node;
    isl::UnionSet reaching(isl_schedule_node_get_domain(node.get()));
    SmallVector<StatementOp> own = getStatements(scop, reaching);
    if (own.size() != 1 || !isContraction(own[0]))
      return node;
    FailureOr<isl::Node> inner =
        tile(std::move(node), own, {Level::l1, Level::l0});
    hasError = failed(inner);
    return hasError ? isl::Node() : std::move(*inner);
  });
  if (hasError)
    return failure();
  return tiled;
}

LogicalResult Tiler::run() {
  isl::Schedule schedule = getSchedule(ctx, scop);
  for (int number : getParts(schedule)) {
    isl::Node part = getPart(schedule, number);
    isl::UnionSet instances(isl_schedule_node_get_domain(part.get()));
    SmallVector<StatementOp> statements = getStatements(scop, instances);
    if (!isLiveOut(scop, statements))
      continue;
    bool isBand =
        isl_schedule_node_get_type(part.get()) == isl_schedule_node_band;
    // Loops below are tiled first: those above have a tile's points in common.
    isl::Node below = isBand
                          ? isl::Node(isl_schedule_node_child(part.take(), 0))
                          : std::move(part);
    FailureOr<isl::Node> inner = tileTerms(std::move(below), statements);
    if (failed(inner))
      return failure();
    part = isBand ? isl::Node(isl_schedule_node_parent(inner->take()))
                  : std::move(*inner);
    if (isBand) {
      bool isCube = llvm::any_of(statements, isContraction);
      isOuter = true;
      FailureOr<isl::Node> outer =
          tile(std::move(part), statements, isCube ? Level::l1 : Level::ub);
      isOuter = false;
      if (failed(outer))
        return failure();
      part = std::move(*outer);
    }
    schedule.reset(isl_schedule_node_get_schedule(part.get()));
  }
  return setSchedule(ctx, scop, schedule, "the loops cannot be tiled");
}

namespace {
struct PolyTilePass : gc::poly::impl::PolyTileBase<PolyTilePass> {
  using PolyTileBase::PolyTileBase;

  void runOnOperation() override {
    ScopOp scop = getOperation();
    isl::Ctx ctx;
    FailureOr<Policy> chosen =
        policy.empty() ? getPolicy(scop) : parsePolicy(scop, policy);
    if (failed(chosen) || failed(prepareHierarchy(scop)))
      return signalPassFailure();
    // With the memories that the hierarchy leaves it.
    FailureOr<npu::Machine> machine = npu::getMachine(scop);
    if (failed(machine) ||
        (!autoTiling && failed(addFixedSizes(ctx, scop, *machine, *chosen))))
      return signalPassFailure();
    Policy given = *chosen;
    if (failed(completePolicy(ctx, scop, *machine, *chosen)))
      return signalPassFailure();
    if (chosen->str() != given.str())
      makeFit(scop, *machine, given, *chosen);
    scop->setAttr(kPolicyAttr, StringAttr::get(&getContext(), chosen->str()));
    if (failed(Tiler(ctx, scop, *chosen).run()))
      signalPassFailure();
  }
};
} // namespace
