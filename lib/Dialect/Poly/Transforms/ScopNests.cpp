// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ScopNests.h"
#include "ChainNest.h"
#include "ColumnSums.h"
#include "CubeNest.h"
#include "Dialect/Npu/IR/NpuOps.h"
#include "Dialect/Poly/Transforms/KernelPlan.h"
#include "KernelHierarchy.h"
#include "SumNest.h"
#include "VectorNest.h"

using namespace mlir;
using namespace gc;
using namespace gc::poly;

namespace {
class ScopNests {
public:
  ScopNests(ScopOp scop, bool promotes, bool skews, bool isTiled)
      : scop(scop), program(ctx, scop, promotes, skews, /*hasBuffers=*/isTiled),
        isTiled(isTiled) {}

  LogicalResult run();

private:
  /// One of `count` nests.
  LogicalResult runOn(TileNode *nest, size_t count);
  template <typename Nest>
  LogicalResult make(Nest nest);

  ScopOp scop;
  isl::Ctx ctx;
  TileProgram program;
  /// Tiles are made, too.
  const bool isTiled;
  UnitMap units;
  isl::Schedule schedule;
};
} // namespace

/// Nests that follow each other.
static void getNests(TileNode *node, SmallVectorImpl<TileNode *> &nests) {
  if (node->kind != TileNode::sequence) {
    nests.push_back(node);
    return;
  }
  for (auto &child : node->children)
    getNests(child.get(), nests);
}

template <typename Nest>
LogicalResult ScopNests::make(Nest nest) {
  if (failed(nest.decide()))
    return failure();
  if (!isTiled)
    return success();
  isl::Schedule own = nest.emit();
  if (!own)
    return failure();
  schedule = TileProgram::sequence(std::move(schedule), std::move(own));
  return success();
}

LogicalResult ScopNests::runOn(TileNode *nest, size_t count) {
  FailureOr<NestPlan> plan = planNest(ctx, scop, nest, program.promotes);
  if (failed(plan))
    return failure();
  auto products = llvm::count_if(plan->leaves, [](auto &leaf) {
    return isContraction(leaf->getStatement());
  });
  program.beginNest();
  for (auto &leaf : plan->leaves)
    units[leaf->getStatement().getSymName()] = leaf->node->hasMark("cube");
  // Sums of rows between two products are a product with ones.
  for (auto &leaf : plan->leaves)
    if (std::optional<Reduction> sum = getReduction(leaf->getStatement());
        sum && products > 1 && sum->kind == npu::ReduceKind::sum)
      units[leaf->getStatement().getSymName()] = true;
  // Sums that the cube unit computes.
  std::optional<ColumnSums> sums;
  if (products == 0 && plan->leaves.back()->node->hasMark("cube"))
    sums = findColumnSums(ctx, scop);
  if (sums && count > 1)
    return scop.emitOpError("has sums as products in one of ")
           << count << " nests; they have to be all that it computes";
  if (sums)
    return make(SumNest(program, *plan, *sums));
  if (products > 1)
    return make(ChainNest(program, *plan));
  if (products > 0)
    return make(CubeNest(program, *plan, nest));
  return make(VectorNest(program, *plan, nest));
}

LogicalResult ScopNests::run() {
  FailureOr<std::unique_ptr<TileNode>> tree = readTileTree(ctx, scop);
  if (failed(tree))
    return failure();
  SmallVector<TileNode *> nests;
  getNests(tree->get(), nests);
  if (failed(prepareHierarchy(scop)))
    return failure();
  for (TileNode *nest : nests)
    if (failed(runOn(nest, nests.size())))
      return failure();
  if (failed(checkChoices(scop)) || failed(program.checkBuffers()))
    return failure();
  if (!isTiled)
    return success();
  if (failed(finishHierarchy(scop, units, schedule)))
    return failure();
  return program.finish(schedule);
}

LogicalResult gc::poly::promoteNests(ScopOp scop, bool promotes, bool skews) {
  if (scop->hasAttr(kPromotedAttr))
    return scop.emitOpError("has been promoted");
  if (failed(ScopNests(scop, promotes, skews, /*isTiled=*/false).run()))
    return failure();
  scop->setAttr(kPromotedAttr, BoolAttr::get(scop.getContext(), promotes));
  return success();
}

LogicalResult gc::poly::tileNests(ScopOp scop) {
  auto promoted = scop->getAttrOfType<BoolAttr>(kPromotedAttr);
  if (!promoted)
    return scop.emitOpError("has no buffers; run poly-promote first");
  // Whether tiles are skewed has been chosen.
  if (failed(ScopNests(scop, promoted.getValue(), /*skews=*/true,
                       /*isTiled=*/true)
                 .run()))
    return failure();
  scop->removeAttr(kPromotedAttr);
  return success();
}
