// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ChainNest.h"
#include "ColumnSums.h"
#include "CubeNest.h"
#include "Dialect/Npu/IR/NpuOps.h"
#include "Dialect/Poly/Transforms/KernelPlan.h"
#include "Dialect/Poly/Transforms/Passes.h"
#include "KernelHierarchy.h"
#include "SumNest.h"
#include "VectorNest.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace gc::poly {
#define GEN_PASS_DEF_POLYTILESTATEMENTS
#include "Dialect/Poly/Transforms/Passes.h.inc"
} // namespace gc::poly

using namespace mlir;
using namespace gc;
using namespace gc::poly;

/// Nests that follow each other.
static void getNests(TileNode *node, SmallVectorImpl<TileNode *> &nests) {
  if (node->kind != TileNode::sequence) {
    nests.push_back(node);
    return;
  }
  for (auto &child : node->children)
    getNests(child.get(), nests);
}

static LogicalResult tileStatements(ScopOp scop, bool promotes, bool skews) {
  isl::Ctx ctx;
  FailureOr<std::unique_ptr<TileNode>> tree = readTileTree(ctx, scop);
  if (failed(tree))
    return failure();
  SmallVector<TileNode *> nests;
  getNests(tree->get(), nests);
  if (failed(prepareHierarchy(scop)))
    return failure();
  TileProgram program(ctx, scop, promotes, skews);
  UnitMap units;
  isl::Schedule schedule;
  for (TileNode *nest : nests) {
    FailureOr<NestPlan> plan = planNest(ctx, scop, nest, promotes);
    if (failed(plan))
      return failure();
    auto products = llvm::count_if(plan->leaves, [](auto &leaf) {
      return isContraction(leaf->getStatement());
    });
    bool hasCube = products > 0;
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
    if (!hasCube && plan->leaves.back()->node->hasMark("cube"))
      sums = findColumnSums(ctx, scop);
    if (sums && nests.size() > 1)
      return scop.emitOpError("has sums as products in one of ")
             << nests.size() << " nests; they have to be all that it computes";
    if (sums) {
      schedule = TileProgram::sequence(std::move(schedule),
                                       SumNest(program, *plan, *sums).emit());
      if (!schedule)
        return failure();
      continue;
    }
    isl::Schedule own = products > 1 ? ChainNest(program, *plan).emit()
                        : hasCube    ? CubeNest(program, *plan, nest).emit()
                                     : VectorNest(program, *plan, nest).emit();
    if (!own)
      return failure();
    schedule = TileProgram::sequence(std::move(schedule), std::move(own));
  }
  if (failed(finishHierarchy(scop, units, schedule)) ||
      failed(checkChoices(scop)))
    return failure();
  return program.finish(schedule);
}

namespace {

struct PolyTileStatementsPass
    : public poly::impl::PolyTileStatementsBase<PolyTileStatementsPass> {
  using PolyTileStatementsBase::PolyTileStatementsBase;

  void runOnOperation() override {
    if (failed(tileStatements(getOperation(), promote, skew)))
      signalPassFailure();
  }
};

} // namespace
