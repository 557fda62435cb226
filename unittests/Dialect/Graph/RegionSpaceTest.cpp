// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Places of ops and values in the iteration space of a region, against maps
// written by hand.

#include "Dialect/Graph/Transforms/RegionSpace.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace gc::graph;
using namespace mlir;

namespace {

class RegionSpaceTest : public ::testing::Test {
protected:
  RegionSpaceTest() { context.loadDialect<GraphDialect, func::FuncDialect>(); }

  /// The only region of a function.
  FusedOp parse(llvm::StringRef text) {
    module = parseSourceString<ModuleOp>(text, &context);
    FusedOp result;
    if (module)
      module->walk([&](FusedOp fused) { result = fused; });
    return result;
  }

  /// The op of a region by its number.
  Operation *at(FusedOp fused, unsigned i) {
    return &*std::next(fused.getBody().front().begin(), i);
  }

  /// A map of `rank` dimensions; -1 stands for the constant 0.
  AffineMap map(unsigned rank, ArrayRef<int> results) {
    SmallVector<AffineExpr> exprs;
    for (int i : results)
      exprs.push_back(i < 0 ? getAffineConstantExpr(0, &context)
                            : getAffineDimExpr(i, &context));
    return AffineMap::get(rank, 0, exprs, &context);
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

constexpr llvm::StringLiteral kSoftmax = R"(
func.func @f(%x: tensor<3x4x5xf32>) -> tensor<3x4x5xf32> {
  %0 = graph.fused_op -> (tensor<3x4x5xf32>) {
    %m = graph.reduce_max %x {axes = array<i64: -1>, keep_dims = true} : (tensor<3x4x5xf32>) -> tensor<3x4x1xf32>
    %s = graph.subtract %x, %m : (tensor<3x4x5xf32>, tensor<3x4x1xf32>) -> tensor<3x4x5xf32>
    %e = graph.exp %s : (tensor<3x4x5xf32>) -> tensor<3x4x5xf32>
    %t = graph.reduce_sum %e {axes = array<i64: 2>, keep_dims = true} : (tensor<3x4x5xf32>) -> tensor<3x4x1xf32>
    %r = graph.reciprocal %t : (tensor<3x4x1xf32>) -> tensor<3x4x1xf32>
    %y = graph.multiply %e, %r : (tensor<3x4x5xf32>, tensor<3x4x1xf32>) -> tensor<3x4x5xf32>
    graph.yield %y : tensor<3x4x5xf32>
  }
  return %0 : tensor<3x4x5xf32>
})";

TEST_F(RegionSpaceTest, SoftmaxHasThreeStages) {
  FusedOp fused = parse(kSoftmax);
  ASSERT_TRUE(fused);
  auto space = RegionSpace::get(fused);
  ASSERT_TRUE(succeeded(space));
  EXPECT_EQ(space->getSizes(), ArrayRef<int64_t>({3, 4, 5}));
  unsigned stages[] = {0, 1, 1, 1, 2, 2};
  for (unsigned i = 0; i < 6; ++i)
    EXPECT_EQ(space->getStage(at(fused, i)), stages[i]) << "op " << i;
  EXPECT_EQ(space->getReducedDims(at(fused, 0)), SmallVector<unsigned>({2}));
  EXPECT_TRUE(space->getReducedDims(at(fused, 1)).empty());
  EXPECT_EQ(space->getReducedDims(), ArrayRef<unsigned>({2}));
  for (unsigned i = 0; i < 6; ++i)
    EXPECT_TRUE(space->needsWholeRows(at(fused, i)));
  // Row values have index 0 in the reduced dimension, and so has the op
  // between the stages.
  EXPECT_EQ(space->getValueMap(at(fused, 0)->getResult(0)), map(3, {0, 1, -1}));
  EXPECT_EQ(space->getOpMap(at(fused, 4)), map(3, {0, 1, -1}));
  EXPECT_EQ(space->getValueMap(at(fused, 5)->getResult(0)), map(3, {0, 1, 2}));
  EXPECT_EQ(space->getOperandMap(at(fused, 1)->getOpOperand(1)),
            map(3, {0, 1, -1}));
  EXPECT_FALSE(space->varies(at(fused, 4), 2));
  EXPECT_TRUE(space->varies(at(fused, 5), 2));
}

TEST_F(RegionSpaceTest, TransposeAfterTunableOpIsAPermutation) {
  FusedOp fused = parse(R"(
func.func @f(%a: tensor<2x3x8x6xf32>, %b: tensor<2x3x6x4xf32>, %t: tensor<2x3x8x1xf32>) -> tensor<2x8x3x4xf32> {
  %0 = graph.fused_op -> (tensor<2x8x3x4xf32>) {
    %p = graph.reorder %b : tensor<2x3x6x4xf32> -> tensor<2x3x6x4xf32, #graph.layout<blocked, outer = [0, 1, 3, 2], inner = [2 : 2, 3 : 2]>>
    %c = graph.matmul %a, %p : (tensor<2x3x8x6xf32>, tensor<2x3x6x4xf32, #graph.layout<blocked, outer = [0, 1, 3, 2], inner = [2 : 2, 3 : 2]>>) -> tensor<2x3x8x4xf32>
    %d = graph.divide %c, %t : (tensor<2x3x8x4xf32>, tensor<2x3x8x1xf32>) -> tensor<2x3x8x4xf32>
    %y = graph.static_transpose %d {order = array<i64: 0, 2, 1, 3>} : (tensor<2x3x8x4xf32>) -> tensor<2x8x3x4xf32>
    graph.yield %y : tensor<2x8x3x4xf32>
  }
  return %0 : tensor<2x8x3x4xf32>
})");
  ASSERT_TRUE(fused);
  auto space = RegionSpace::get(fused);
  ASSERT_TRUE(succeeded(space));
  EXPECT_EQ(space->getSizes(), ArrayRef<int64_t>({2, 3, 8, 4}));
  // An op that packs an operand is not in the space of the result.
  EXPECT_FALSE(space->contains(at(fused, 0)));
  EXPECT_TRUE(space->contains(at(fused, 1)->getResult(0)));
  EXPECT_EQ(space->getValueMap(at(fused, 3)->getResult(0)),
            map(4, {0, 2, 1, 3}));
  EXPECT_EQ(space->getOpMap(at(fused, 3)), map(4, {0, 2, 1, 3}));
  EXPECT_EQ(space->getStage(at(fused, 3)), 0u);
  EXPECT_FALSE(space->needsWholeRows(at(fused, 3)));
}

TEST_F(RegionSpaceTest, SmallOpsBeforeTheLargestFindTheirPlace) {
  FusedOp fused = parse(R"(
func.func @f(%r: tensor<4x1xf32>, %c: tensor<7xf32>, %x: tensor<4x7xf32>) -> tensor<4x7xf32> {
  %0 = graph.fused_op -> (tensor<4x7xf32>) {
    %a = graph.exp %r : (tensor<4x1xf32>) -> tensor<4x1xf32>
    %b = graph.exp %c : (tensor<7xf32>) -> tensor<7xf32>
    %d = graph.add %x, %a : (tensor<4x7xf32>, tensor<4x1xf32>) -> tensor<4x7xf32>
    %e = graph.add %d, %b : (tensor<4x7xf32>, tensor<7xf32>) -> tensor<4x7xf32>
    graph.yield %e : tensor<4x7xf32>
  }
  return %0 : tensor<4x7xf32>
})");
  ASSERT_TRUE(fused);
  auto space = RegionSpace::get(fused);
  ASSERT_TRUE(succeeded(space));
  EXPECT_EQ(space->getOpMap(at(fused, 0)), map(2, {0, -1}));
  EXPECT_EQ(space->getOpMap(at(fused, 1)), map(2, {1}));
}

TEST_F(RegionSpaceTest, RefusesWhatDoesNotFit) {
  FusedOp fused = parse(kSoftmax);
  ASSERT_TRUE(fused);
  auto space = RegionSpace::get(fused);
  ASSERT_TRUE(succeeded(space));
  OpBuilder builder(fused);
  Location loc = fused.getLoc();
  Value y = at(fused, 5)->getResult(0), t = at(fused, 3)->getResult(0);
  // Another direction of reduction.
  auto columns = ReduceSumOp::create(builder, loc, y, ArrayRef<int64_t>{1},
                                     /*keep_dims=*/true);
  EXPECT_EQ(
      space->add(columns),
      "it does not reduce the same dimensions as the region's reductions");
  EXPECT_FALSE(space->contains(columns.getOperation()));
  // The region's values both as they are and transposed.
  auto square =
      StaticTransposeOp::create(builder, loc, t, ArrayRef<int64_t>{0, 2, 1});
  EXPECT_EQ(space->add(square), std::nullopt);
  auto both = AddOp::create(builder, loc, square, t, "numpy");
  EXPECT_EQ(space->add(both), "its iteration space does not fit the region's");
}

TEST_F(RegionSpaceTest, PartsHaveTheirNumberAsIndex) {
  FusedOp fused = parse(R"(
func.func @f(%x: tensor<4x7xf32>) -> tensor<4x3xf32> {
  %0 = graph.fused_op -> (tensor<4x3xf32>) {
    %a = graph.abs %x : (tensor<4x7xf32>) -> tensor<4x7xf32>
    %s = graph.reduce_sum %a {axes = array<i64: 1>, keep_dims = true, part_size = 3 : i64} : (tensor<4x7xf32>) -> tensor<4x3xf32>
    graph.yield %s : tensor<4x3xf32>
  }
  return %0 : tensor<4x3xf32>
})");
  ASSERT_TRUE(fused);
  auto space = RegionSpace::get(fused);
  ASSERT_TRUE(succeeded(space));
  EXPECT_EQ(space->getReducedDims(), ArrayRef<unsigned>({1}));
  EXPECT_EQ(space->getPartSize(0), 0);
  EXPECT_EQ(space->getPartSize(1), 3);
  Value parts = at(fused, 1)->getResult(0);
  AffineExpr row = getAffineDimExpr(0, &context);
  AffineExpr column = getAffineDimExpr(1, &context);
  EXPECT_EQ(space->getValueMap(parts),
            AffineMap::get(2, 0, {row, column.floorDiv(3)}, &context));
  EXPECT_FALSE(space->varies(parts, 1));
  OpBuilder builder(fused);
  auto exp = ExpOp::create(builder, fused.getLoc(), parts);
  EXPECT_EQ(space->add(exp), "it reads the region's values at other indices");
  auto whole =
      ReduceMaxOp::create(builder, fused.getLoc(), at(fused, 0)->getResult(0),
                          ArrayRef<int64_t>{1}, /*keep_dims=*/true);
  EXPECT_EQ(space->add(whole),
            "it does not reduce the same parts as the region's reductions");
}

TEST_F(RegionSpaceTest, AddIsIncremental) {
  FusedOp fused = parse(kSoftmax);
  ASSERT_TRUE(fused);
  RegionSpace space({3, 4, 5});
  space.addRoot(fused->getParentOfType<func::FuncOp>().getArgument(0));
  for (unsigned i = 0; i < 6; ++i)
    EXPECT_EQ(space.add(cast<FusibleOpInterface>(at(fused, i))), std::nullopt);
  EXPECT_EQ(space.getStage(at(fused, 5)), 2u);
}

} // namespace
