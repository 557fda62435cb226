// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Layouts as attributes and the shape helpers of the dialect.

#include "Dialect/Graph/IR/GraphAttrs.h"
#include "Dialect/Graph/IR/GraphDialect.h"
#include "mlir/IR/Builders.h"
#include "gtest/gtest.h"

using namespace gc::graph;
using namespace mlir;

namespace {

using Sizes = SmallVector<int64_t>;

class LayoutTest : public ::testing::Test {
protected:
  LayoutTest() { context.loadDialect<GraphDialect>(); }

  LayoutAttr blocked(ArrayRef<int64_t> outer, ArrayRef<int64_t> dims,
                     ArrayRef<int64_t> blocks) {
    return LayoutAttr::get(&context, outer, dims, blocks);
  }
  LayoutAttr strided(ArrayRef<int64_t> strides) {
    return LayoutAttr::get(&context, strides);
  }
  RankedTensorType tensor(ArrayRef<int64_t> shape, LayoutAttr layout = {}) {
    return RankedTensorType::get(shape, Float32Type::get(&context), layout);
  }

  MLIRContext context;
};

TEST_F(LayoutTest, BlocksThatDivide) {
  LayoutAttr layout = blocked({0, 1}, {0, 1}, {4, 8});
  EXPECT_TRUE(layout.isBlocked());
  EXPECT_EQ(layout.getBlock(0), 4);
  EXPECT_EQ(layout.getBlock(1), 8);
  EXPECT_EQ(layout.getPhysicalShape({8, 16}), Sizes({2, 2, 4, 8}));
}

TEST_F(LayoutTest, PaddingAndOuterOrder) {
  // Outer dimension 1 first: ceil(7 / 16) and ceil(5 / 4) blocks.
  LayoutAttr layout = blocked({1, 0}, {0, 1}, {4, 16});
  EXPECT_EQ(layout.getPhysicalShape({5, 7}), Sizes({1, 2, 4, 16}));
}

TEST_F(LayoutTest, UnblockedDimensions) {
  LayoutAttr layout = blocked({2, 0, 1}, {1}, {8});
  EXPECT_EQ(layout.getBlock(0), 1);
  EXPECT_EQ(layout.getPhysicalShape({3, 9, 5}), Sizes({5, 3, 2, 8}));
  // The outer order alone permutes.
  EXPECT_EQ(blocked({1, 0}, {}, {}).getPhysicalShape({3, 9}), Sizes({9, 3}));
}

TEST_F(LayoutTest, VnniBlocksTwice) {
  // 100 rows in blocks of 32 * 2, 70 columns in blocks of 64.
  LayoutAttr layout = blocked({1, 0}, {0, 1, 0}, {32, 64, 2});
  EXPECT_EQ(layout.getBlock(0), 64);
  EXPECT_EQ(layout.getBlock(1), 64);
  EXPECT_EQ(layout.getPhysicalShape({100, 70}), Sizes({2, 2, 32, 64, 2}));
}

TEST_F(LayoutTest, EncodingOfTypes) {
  LayoutAttr layout = strided({1, 4});
  RankedTensorType type = tensor({4, 8}, layout);
  EXPECT_EQ(getLayout(type), layout);
  EXPECT_EQ(dropLayout(type), tensor({4, 8}));
  EXPECT_FALSE(getLayout(tensor({4, 8})));
  EXPECT_EQ(withLayout(tensor({4, 8}), layout), type);
  EXPECT_EQ(withLayout(type, {}), tensor({4, 8}));
  // Not a tensor: nothing to drop.
  EXPECT_EQ(dropLayout(Float32Type::get(&context)), Float32Type::get(&context));
}

TEST_F(LayoutTest, ReadableInPlace) {
  EXPECT_TRUE(isReadableInPlace(tensor({4, 8}), false));
  EXPECT_FALSE(isReadableInPlace(tensor({4, 8}), true));
  // Only one row, or only one column.
  EXPECT_TRUE(isReadableInPlace(tensor({8, 1}), true));
  EXPECT_TRUE(isReadableInPlace(tensor({1, 8}), true));
  // The last two dimensions count.
  EXPECT_TRUE(isReadableInPlace(tensor({3, 4, 8}), false));
  // A view, columns in memory, columns of a transposed matrix.
  EXPECT_TRUE(isReadableInPlace(tensor({4, 8}, strided({16, 1})), false));
  EXPECT_FALSE(isReadableInPlace(tensor({4, 8}, strided({1, 4})), false));
  EXPECT_TRUE(isReadableInPlace(tensor({4, 8}, strided({1, 4})), true));
  // Rows that overlap, or are the same.
  EXPECT_FALSE(isReadableInPlace(tensor({4, 8}, strided({1, 1})), false));
  EXPECT_FALSE(isReadableInPlace(tensor({4, 8}, strided({0, 1})), false));
  EXPECT_TRUE(isReadableInPlace(tensor({1, 8}, strided({0, 2})), true));
  // Every second element.
  EXPECT_FALSE(isReadableInPlace(tensor({4, 8}, strided({16, 2})), false));
  EXPECT_FALSE(
      isReadableInPlace(tensor({4, 8}, blocked({0, 1}, {0}, {2})), false));
}

TEST_F(LayoutTest, PlainStrides) {
  EXPECT_EQ(getPlainStrides({2, 3, 4}), Sizes({12, 4, 1}));
  EXPECT_EQ(getPlainStrides({}), Sizes());
}

TEST_F(LayoutTest, Broadcasting) {
  EXPECT_EQ(broadcastShapes({2, 3}, {3}), Sizes({2, 3}));
  EXPECT_EQ(broadcastShapes({2, 1}, {1, 3}), Sizes({2, 3}));
  EXPECT_EQ(broadcastShapes({}, {4}), Sizes({4}));
  EXPECT_EQ(broadcastShapes({2, 3}, {2}), std::nullopt);
  // A dynamic size broadcasts to a known one.
  EXPECT_EQ(broadcastShapes({ShapedType::kDynamic}, {3}), Sizes({3}));
  EXPECT_EQ(broadcastShapes({ShapedType::kDynamic}, {1}),
            Sizes({ShapedType::kDynamic}));
}

TEST_F(LayoutTest, BroadcastMap) {
  AffineExpr d1 = getAffineDimExpr(1, &context);
  AffineExpr zero = getAffineConstantExpr(0, &context);
  // A column in a space of 2 x 3 x 4: aligned at the last dimension.
  EXPECT_EQ(getBroadcastMap(tensor({3, 1}), {2, 3, 4}),
            AffineMap::get(3, 0, {d1, zero}, &context));
  // A size of 1 in a space of 1 is not a broadcast.
  EXPECT_TRUE(getBroadcastMap(tensor({1, 4}), {1, 4}).isIdentity());
  EXPECT_EQ(getBroadcastMap(tensor({}), {2, 3}),
            AffineMap::get(2, 0, {}, &context));
}

TEST_F(LayoutTest, CompatibleTypes) {
  Type dynamic = tensor({ShapedType::kDynamic, 8});
  Type plain = tensor({4, 8}), other = tensor({4, 8}, strided({1, 4}));
  Type bf16 = RankedTensorType::get({4, 8}, BFloat16Type::get(&context));
  EXPECT_TRUE(areCompatibleTypes({plain}, {other}));
  EXPECT_TRUE(areCompatibleTypes({plain}, {dynamic}));
  EXPECT_FALSE(areCompatibleTypes({plain}, {bf16}));
  EXPECT_FALSE(areCompatibleTypes({plain}, {tensor({8, 4})}));
  EXPECT_FALSE(areCompatibleTypes({plain}, {plain, plain}));
}

} // namespace
