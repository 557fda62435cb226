// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Reference/Vacuity.h"
#include "Reference/Interpreter.h"
#include "TestGraph.h"

#include <cmath>

using namespace gc::reference;

/// Whether and why the only result of a graph is weak.
static std::string getReason(const std::string &text,
                             llvm::ArrayRef<Tensor> inputs) {
  TestGraph graph(text);
  auto result = graph.run(inputs);
  EXPECT_TRUE(succeeded(result)) << graph.errors;
  return findWeakness(*result).value_or("");
}

/// A graph of one unary op on 64 elements.
static std::string makeUnary(const std::string &op) {
  return "func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> { %y = graph." +
         op +
         " : (tensor<64xf32>) -> tensor<64xf32> return %y : "
         "tensor<64xf32> }";
}

static std::vector<double> scale(std::vector<double> values, double factor) {
  for (double &value : values)
    value *= factor;
  return values;
}

TEST(Vacuity, OrdinaryResultsAreFine) {
  Tensor noise = makeTensor({64}, makeNoise(64, 1));
  EXPECT_EQ(getReason(makeUnary("tanh %x"), {noise}), "");
  // About half zero.
  EXPECT_EQ(getReason(makeUnary("relu %x"), {noise}), "");
}

TEST(Vacuity, ReluMayCutMoreThanHalf) {
  std::vector<double> values = makeNoise(64, 1);
  for (double &value : values)
    value -= 0.5;
  EXPECT_EQ(getReason(makeUnary("relu %x"), {makeTensor({64}, values)}), "");
  // Also after ops that keep zeros, and inside a fused op.
  EXPECT_EQ(getReason(R"(
    func.func @main(%x: tensor<64xf32>) -> tensor<8x8xf32> {
      %y = graph.fused_op -> (tensor<64xf32>) {
        %r = graph.relu %x : (tensor<64xf32>) -> tensor<64xf32>
        %m = graph.multiply %r, %x : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
        graph.yield %m : tensor<64xf32>
      }
      %z = graph.static_reshape %y {shape = array<i64: 8, 8>} : (tensor<64xf32>) -> tensor<8x8xf32>
      return %z : tensor<8x8xf32>
    })",
                      {makeTensor({64}, values)}),
            "");
}

TEST(Vacuity, ZerosAreWeak) {
  Tensor zeros = makeTensor({64}, std::vector<double>(64));
  EXPECT_EQ(getReason(makeUnary("tanh %x"), {zeros}),
            "result 0: all 64 elements are equal");
  std::vector<double> mostlyZero(64);
  for (int i = 0; i < 10; ++i)
    mostlyZero[i] = i + 2;
  EXPECT_EQ(getReason(makeUnary("tanh %x"), {makeTensor({64}, mostlyZero)}),
            "result 0: 54 of 64 elements are zero");
  // relu does not explain zeros that were there before.
  EXPECT_EQ(getReason(makeUnary("relu %x"), {makeTensor({64}, mostlyZero)}),
            "result 0: 54 of 64 elements are zero");
}

TEST(Vacuity, AllCutIsWeak) {
  std::vector<double> values = makeNoise(64, 1);
  for (double &value : values)
    value -= 5;
  EXPECT_EQ(getReason(makeUnary("relu %x"), {makeTensor({64}, values)}),
            "result 0: all 64 elements are equal");
}

TEST(Vacuity, SmallReluResultsMayBeZeroByChance) {
  EXPECT_EQ(getReason(R"(
    func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
      %y = graph.relu %x : (tensor<2xf32>) -> tensor<2xf32>
      return %y : tensor<2xf32>
    })",
                      {makeTensor({2}, {-1, -2})}),
            "");
}

TEST(Vacuity, SaturationIsWeak) {
  EXPECT_EQ(getReason(makeUnary("tanh %x"),
                      {makeTensor({64}, scale(makeNoise(64, 1), 1e6))}),
            "result 0: 64 of 64 elements are saturated");
}

TEST(Vacuity, ZerosAndInfinitiesTogetherAreWeak) {
  std::vector<double> values(64);
  for (int i = 0; i < 64; ++i)
    values[i] = i % 2 ? 200 + i : -200 - i;
  EXPECT_EQ(getReason(makeUnary("exp %x"), {makeTensor({64}, values)}),
            "result 0: 64 of 64 elements are zero, saturated or not finite");
}

/// Softmax of rows of 8 of which 5 are masked with `mask`, scaled.
static std::string getMaskedReason(double mask, double scale,
                                   bool asBasicOps = false) {
  std::vector<double> values = makeNoise(64, 1);
  for (int i = 0; i < 64; ++i)
    values[i] = i % 8 < 5 ? mask : scale * values[i];
  std::string softmax = asBasicOps ? R"(
      %e = graph.exp %x : (tensor<8x8xf32>) -> tensor<8x8xf32>
      %s = graph.reduce_sum %e {axes = array<i64: 1>, keep_dims = true} : (tensor<8x8xf32>) -> tensor<8x1xf32>
      %p = graph.divide %e, %s : (tensor<8x8xf32>, tensor<8x1xf32>) -> tensor<8x8xf32>)"
                                   : R"(
      %p = graph.softmax %x : (tensor<8x8xf32>) -> tensor<8x8xf32>)";
  return getReason(
      "func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xbf16> {" + softmax +
          R"(
      %y = graph.type_cast %p : tensor<8x8xf32> -> tensor<8x8xbf16>
      return %y : tensor<8x8xbf16>
    })",
      {makeTensor({8, 8}, values)});
}

TEST(Vacuity, MaskedElementsMayVanish) {
  for (bool asBasicOps : {false, true}) {
    EXPECT_EQ(getMaskedReason(-HUGE_VAL, 1, asBasicOps), "");
    EXPECT_EQ(getMaskedReason(-1e4, 1, asBasicOps), "");
    // These are data, not a mask.
    EXPECT_EQ(getMaskedReason(-300, 1, asBasicOps),
              "result 0: 40 of 64 elements are zero");
  }
  // Of what the mask leaves over, more than half is zero too.
  EXPECT_EQ(getMaskedReason(-HUGE_VAL, 1e3),
            "result 0: 56 of 64 elements are zero");
}

TEST(Vacuity, NonFiniteIsWeak) {
  Tensor noise = makeTensor({64}, scale(makeNoise(64, 1), 1e4));
  std::vector<double> values = noise.getValues();
  for (double &value : values)
    value = -std::fabs(value);
  EXPECT_EQ(getReason(makeUnary("log %x"), {makeTensor({64}, values)}),
            "result 0: 64 of 64 elements are not finite");
}

TEST(Vacuity, ConstantsMayBeConstant) {
  // One input element, broadcast.
  EXPECT_EQ(getReason(R"(
    func.func @main(%x: tensor<1xf32>) -> tensor<64xf32> {
      %c = graph.constant dense<2.0> : tensor<64xf32>
      %y = graph.add %x, %c : (tensor<1xf32>, tensor<64xf32>) -> tensor<64xf32>
      return %y : tensor<64xf32>
    })",
                      {makeTensor({1}, {3})}),
            "");
  // A single element is never constant in a telling way.
  EXPECT_EQ(getReason(R"(
    func.func @main(%x: tensor<4xf32>) -> tensor<f32> {
      %y = graph.matmul %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
      return %y : tensor<f32>
    })",
                      {makeTensor({4}, {0, 0, 0, 0})}),
            "");
}

TEST(Vacuity, UnboundedResultsAreWeak) {
  // The root of 0, give or take an error, may be anything.
  TestGraph graph(R"(
    func.func @main(%a: tensor<32x1xf32>) -> tensor<32x1xf32> {
      %c = graph.constant dense<1.0> : tensor<1x1xf32>
      %z = graph.matmul %a, %c : (tensor<32x1xf32>, tensor<1x1xf32>) -> tensor<32x1xf32>
      %d = graph.subtract %z, %a : (tensor<32x1xf32>, tensor<32x1xf32>) -> tensor<32x1xf32>
      %y = graph.sqrt %d : (tensor<32x1xf32>) -> tensor<32x1xf32>
      return %y : tensor<32x1xf32>
    })");
  auto result = graph.run({makeTensor({32, 1}, makeNoise(32, 1))},
                          /*errorBounds=*/true);
  ASSERT_TRUE(succeeded(result)) << graph.errors;
  EXPECT_EQ(findWeakness(*result).value_or(""),
            "result 0: 32 of 32 elements have no error bound");
}
