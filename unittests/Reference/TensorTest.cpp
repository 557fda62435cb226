// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Reference/Tensor.h"
#include "TestGraph.h"

using namespace gc::reference;

TEST(Tensor, RankZeroHasOneElement) {
  Tensor tensor = makeTensor(llvm::ArrayRef<int64_t>(), {2.5});
  EXPECT_EQ(tensor.getNumElements(), 1);
  EXPECT_EQ(tensor.getBufferBytes(), 4);
  EXPECT_EQ(tensor.get({}), 2.5);
  EXPECT_TRUE(tensor.isContiguous());
}

TEST(Tensor, EmptyHasNoBytes) {
  Tensor tensor = makeTensor({3, 0, 2}, {});
  EXPECT_EQ(tensor.getNumElements(), 0);
  EXPECT_EQ(tensor.getBufferBytes(), 0);
  EXPECT_TRUE(tensor.getValues().empty());
}

TEST(Tensor, StridedBufferSpansItsGaps) {
  // Two columns of a [4, 5] buffer: the last element is at 3 * 5 + 1.
  auto tensor =
      Tensor::create(ElementType::F32, {4, 2}, llvm::ArrayRef<int64_t>{5, 1});
  ASSERT_TRUE(succeeded(tensor));
  EXPECT_EQ(tensor->getBufferElements(), 17);
  EXPECT_EQ(tensor->getBufferBytes(), 68);
  EXPECT_FALSE(tensor->isContiguous());
  tensor->setValues({1, 2, 3, 4, 5, 6, 7, 8});
  EXPECT_EQ(tensor->getData<float>()[15], 7);
  EXPECT_EQ(tensor->getData<float>()[16], 8);
  EXPECT_EQ(tensor->get({2, 1}), 6);
}

TEST(Tensor, RefusesSizesThatOverflow) {
  std::string error;
  EXPECT_TRUE(failed(
      Tensor::create(ElementType::F32, {INT64_MAX, 4}, std::nullopt, &error)));
  EXPECT_EQ(error, "the size of tensor f32[9223372036854775807, 4] overflows");
  EXPECT_TRUE(failed(Tensor::create(ElementType::S8, {int64_t(1) << 40},
                                    llvm::ArrayRef<int64_t>{int64_t(1) << 40},
                                    &error)));
  EXPECT_TRUE(
      failed(Tensor::create(ElementType::F32, {-1}, std::nullopt, &error)));
  EXPECT_EQ(error, "tensor f32[-1] has a negative size");
}

TEST(Tensor, RefusesWhatMemoryDoesNotHold) {
  std::string error;
  EXPECT_TRUE(failed(Tensor::create(ElementType::F32, {int64_t(1) << 56},
                                    std::nullopt, &error)));
  EXPECT_NE(error.find("no memory for 288230376151711744 bytes"),
            std::string::npos);
}

TEST(Tensor, BroadcastsAndClones) {
  Tensor tensor = makeTensor({3, 1}, {1, 2, 3});
  auto wide = tensor.broadcastTo({2, 3, 2}).clone();
  ASSERT_TRUE(succeeded(wide));
  EXPECT_EQ(wide->getValues(), (std::vector<double>{1, 1, 2, 2, 3, 3, //
                                                    1, 1, 2, 2, 3, 3}));
}

TEST(Tensor, ConvertsElementTypes) {
  Tensor source = makeTensor({4}, {1.5, -300, 2.5, 0});
  Tensor target = makeTensor(ElementType::S8, {4}, {0, 0, 0, 0});
  target.copyFrom(source);
  EXPECT_EQ(target.getValues(), (std::vector<double>{2, -128, 2, 0}));
}
