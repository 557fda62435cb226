// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Building convolutions, and their sizes for those who lower them.

#include "Dialect/Graph/IR/GraphOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

#include <gtest/gtest.h>

using namespace gc::graph;
using namespace mlir;

namespace {

using Sizes = SmallVector<int64_t>;

class Convolution : public testing::Test {
protected:
  Convolution() : builder(&context) {
    context.loadDialect<GraphDialect, func::FuncDialect>();
    module = ModuleOp::create(builder.getUnknownLoc());
    builder.setInsertionPointToEnd(module->getBody());
  }

  Value makeTensor(ArrayRef<int64_t> shape, Type element) {
    auto type = RankedTensorType::get(shape, element);
    return ConstantOp::create(
        builder, builder.getUnknownLoc(), type,
        DenseElementsAttr::get(type, builder.getZeroAttr(element)));
  }

  MLIRContext context;
  OpBuilder builder;
  OwningOpRef<ModuleOp> module;
};

} // namespace

TEST_F(Convolution, DefaultsAndInferredType) {
  Type f32 = builder.getF32Type();
  auto op = ConvolutionOp::create(
      builder, builder.getUnknownLoc(), makeTensor({2, 6, 7, 3}, f32),
      makeTensor({3, 3, 3, 5}, f32), makeTensor({5}, f32),
      ArrayRef<int64_t>{1, 2}, ArrayRef<int64_t>{1, 0}, ArrayRef<int64_t>{1, 0},
      ArrayRef<int64_t>{1, 1});
  EXPECT_EQ(op.getType(), RankedTensorType::get({2, 6, 3, 5}, f32));
  EXPECT_EQ(op.getAutoPad(), "none");
  EXPECT_EQ(op.getDataFormat(), "NXC");
  EXPECT_EQ(op.getWeightsFormat(), "XIO");
  EXPECT_EQ(op.getFlops(), 2 * 2 * 6 * 3 * 5 * 3 * 3 * 3);
  ConvolutionSizes sizes = getConvolutionSizes(op);
  EXPECT_EQ(sizes.batch, 2);
  EXPECT_EQ(sizes.inputChannels, 3);
  EXPECT_EQ(sizes.outputChannels, 5);
  EXPECT_EQ(sizes.input, (Sizes{6, 7}));
  EXPECT_EQ(sizes.kernel, (Sizes{3, 3}));
  EXPECT_EQ(sizes.output, (Sizes{6, 3}));
  EXPECT_EQ(sizes.padsBegin, (Sizes{1, 0}));
  EXPECT_EQ(sizes.channelDim, 3);
  EXPECT_EQ(sizes.firstSpatialDim, 1);
  EXPECT_EQ(sizes.firstKernelDim, 0);
  EXPECT_EQ(sizes.weightsInputDim, 2);
  EXPECT_EQ(sizes.weightsOutputDim, 3);
}

TEST_F(Convolution, GroupsFormatsAndAutomaticPads) {
  Type si8 = IntegerType::get(&context, 8, IntegerType::Signed);
  SmallVector<int64_t> none = {0};
  // 6 elements in steps of 2 under a kernel of 4: two pads, dilated by 2 five.
  for (auto [autoPad, dilation, pads] :
       {std::tuple{"same_upper", 1, 1}, std::tuple{"same_lower", 1, 1},
        std::tuple{"same_upper", 2, 2}, std::tuple{"same_lower", 2, 3}}) {
    auto op = ConvolutionOp::create(
        builder, builder.getUnknownLoc(), makeTensor({1, 4, 6}, si8),
        makeTensor({8, 2, 4}, si8), Value(), ArrayRef<int64_t>{2}, none, none,
        ArrayRef<int64_t>{dilation}, autoPad, /*groups=*/2, "NCX", "OIX");
    EXPECT_EQ(
        op.getType(),
        RankedTensorType::get(
            {1, 8, 3}, IntegerType::get(&context, 32, IntegerType::Signed)));
    ConvolutionSizes sizes = getConvolutionSizes(op);
    EXPECT_EQ(sizes.groups, 2);
    EXPECT_EQ(sizes.inputChannels, 2);
    EXPECT_EQ(sizes.outputChannels, 4);
    EXPECT_EQ(sizes.padsBegin, Sizes{pads}) << autoPad << dilation;
    EXPECT_EQ(sizes.dilations, Sizes{dilation});
    EXPECT_EQ(sizes.channelDim, 1);
    EXPECT_EQ(sizes.firstSpatialDim, 2);
    EXPECT_EQ(sizes.weightsOutputDim, 0);
    EXPECT_EQ(op.getFlops(), 2 * 8 * 3 * 2 * 4);
  }
}
