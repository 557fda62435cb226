// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Reference/Inputs.h"
#include "TestGraph.h"

#include <algorithm>
#include <cmath>

using namespace gc::reference;

TEST(Inputs, DomainsComeFromTheUses) {
  TestGraph graph(R"(
    func.func private @callee(%x: tensor<16xf32>) -> tensor<16xf32> {
      %y = graph.log %x : (tensor<16xf32>) -> tensor<16xf32>
      return %y : tensor<16xf32>
    }
    func.func @main(%x: tensor<4x16xf32>, %w: tensor<8x16xf32>,
                    %d: tensor<8xf32>, %p: tensor<16xf32>,
                    %both: tensor<16xf32>, %c: tensor<16xf32>)
        -> (tensor<4x8xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) {
      %t = graph.static_transpose %w {order = array<i64: 1, 0>} : (tensor<8x16xf32>) -> tensor<16x8xf32>
      %f = graph.fused_op -> (tensor<4x8xf32>) {
        %m = graph.matmul %x, %t : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
        %r = graph.reorder %d : tensor<8xf32> -> tensor<8xf32, #graph.layout<any>>
        %q = graph.divide %m, %r : (tensor<4x8xf32>, tensor<8xf32, #graph.layout<any>>) -> tensor<4x8xf32>
        graph.yield %q : tensor<4x8xf32>
      }
      %s = graph.sqrt %p : (tensor<16xf32>) -> tensor<16xf32>
      %a = graph.log %both : (tensor<16xf32>) -> tensor<16xf32>
      %b = graph.divide %a, %both : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      %l = call @callee(%c) : (tensor<16xf32>) -> tensor<16xf32>
      return %f, %s, %b, %l : tensor<4x8xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>
    })");
  mlir::func::FuncOp function = graph.getFunction();
  auto domain = [&](unsigned i) {
    return getInputDomain(function.getArgument(i)).domain;
  };
  EXPECT_EQ(domain(0), ValueDomain::any);
  EXPECT_EQ(domain(1), ValueDomain::weight);
  EXPECT_EQ(getInputDomain(function.getArgument(1)).scale, 0.25); // K = 16
  // The transpose hides which dimension is summed over.
  EXPECT_EQ(getInputDomain(function.getArgument(1)).reducedDim, -1);
  EXPECT_EQ(domain(2), ValueDomain::divisor);
  EXPECT_EQ(domain(3), ValueDomain::positive);
  EXPECT_EQ(domain(4), ValueDomain::divisor);
  EXPECT_EQ(domain(5), ValueDomain::positive);

  auto inputs = makeInputs(function, 1);
  ASSERT_TRUE(succeeded(inputs)) << graph.errors;
  ASSERT_EQ(inputs->size(), 6u);
  for (double value : (*inputs)[2].getValues())
    EXPECT_TRUE(value >= 1 && value <= 16);
  for (double value : (*inputs)[1].getValues())
    EXPECT_LE(std::fabs(value), 0.25 * std::sqrt(3.0) + 1e-6);
}

static std::vector<double> draw(ElementType type, ValueDomain domain,
                                uint64_t seed, uint64_t stream = 0) {
  Tensor tensor = makeTensor(type, {4096}, std::vector<double>(4096));
  InputDomain from;
  from.domain = domain;
  fillRandom(tensor, from, seed, stream);
  return tensor.getValues();
}

TEST(Inputs, AreReproducibleAndIndependent) {
  auto values = draw(ElementType::F32, ValueDomain::any, 7);
  EXPECT_EQ(values, draw(ElementType::F32, ValueDomain::any, 7));
  EXPECT_NE(values, draw(ElementType::F32, ValueDomain::any, 8));
  EXPECT_NE(values, draw(ElementType::F32, ValueDomain::any, 7, 1));
  double mean = 0, square = 0;
  for (double value : values) {
    EXPECT_TRUE(value > -1 && value < 1 && value != 0);
    mean += value / 4096;
    square += value * value / 4096;
  }
  // Uniform: mean 0, variance 1/3, with standard errors 0.009 and 0.005.
  EXPECT_NEAR(mean, 0, 0.04);
  EXPECT_NEAR(square, 1.0 / 3, 0.02);
}

TEST(Inputs, WeightsAddUpToZero) {
  for (bool transposed : {false, true}) {
    std::string type = transposed ? "tensor<5x16xf32>" : "tensor<16x5xf32>";
    TestGraph graph("func.func @main(%x: tensor<3x16xf32>, %w: " + type +
                    ") -> tensor<3x5xf32> { %y = graph.matmul %x, %w "
                    "{transpose_b = " +
                    (transposed ? "true" : "false") +
                    "} : (tensor<3x16xf32>, " + type +
                    ") -> tensor<3x5xf32> return %y : tensor<3x5xf32> }");
    auto inputs = makeInputs(graph.getFunction(), 3);
    ASSERT_TRUE(succeeded(inputs));
    const Tensor &weights = (*inputs)[1];
    double square = 0;
    for (int64_t j = 0; j < 5; ++j) {
      double sum = 0;
      for (int64_t k = 0; k < 16; ++k) {
        double value = transposed ? weights.get({j, k}) : weights.get({k, j});
        sum += value;
        square += value * value;
      }
      EXPECT_NEAR(sum, 0, 1e-6);
    }
    // Variance 1/16, less 1/16 of itself; 80 values.
    EXPECT_NEAR(square / 80, 1.0 / 16, 0.02);
  }
}

TEST(Inputs, FillTheRange) {
  auto range = [](ElementType type, ValueDomain domain) {
    auto values = draw(type, domain, 1);
    auto [low, high] = std::minmax_element(values.begin(), values.end());
    return std::make_pair(*low, *high);
  };
  EXPECT_EQ(range(ElementType::U8, ValueDomain::any),
            std::make_pair(0.0, 255.0));
  EXPECT_EQ(range(ElementType::S8, ValueDomain::any),
            std::make_pair(-128.0, 127.0));
  EXPECT_EQ(range(ElementType::S4, ValueDomain::any),
            std::make_pair(-8.0, 7.0));
  EXPECT_EQ(range(ElementType::U4, ValueDomain::positive),
            std::make_pair(1.0, 15.0));
  EXPECT_EQ(range(ElementType::Boolean, ValueDomain::any),
            std::make_pair(0.0, 1.0));
  auto [low, high] = range(ElementType::F32, ValueDomain::divisor);
  EXPECT_TRUE(low >= 1 && low < 1.1 && high > 15.9 && high <= 16);
  std::tie(low, high) = range(ElementType::BF16, ValueDomain::positive);
  EXPECT_TRUE(low >= 0.125 && low < 0.13 && high > 1.9 && high <= 2);
  std::tie(low, high) = range(ElementType::F32, ValueDomain::mask);
  EXPECT_TRUE(low >= -0.5 && low < -0.49 && high > -0.01 && high <= 0);
}

TEST(Inputs, DoNotDependOnTheLayout) {
  TestGraph graph(R"(
    func.func @main(%a: tensor<3x2xf32>) -> tensor<3x2xf32> {
      return %a : tensor<3x2xf32>
    }
    func.func @strided(%a: tensor<3x2xf32, #graph.layout<strided, [1, 4]>>) {
      return
    })");
  auto plain = makeInputs(graph.getFunction(), 5);
  auto strided = makeInputs(graph.getFunction("strided"), 5);
  ASSERT_TRUE(succeeded(plain) && succeeded(strided));
  EXPECT_EQ((*plain)[0].getValues(), (*strided)[0].getValues());
  // Two columns of three with a gap of one, which holds NaN.
  Tensor tensor = (*strided)[0];
  EXPECT_EQ(tensor.getBufferElements(), 7);
  EXPECT_TRUE(std::isnan(tensor.getData<float>()[3]));
  EXPECT_EQ(tensor.getData<float>()[4], static_cast<float>(tensor.get({0, 1})));
}

TEST(Inputs, KnownValues) {
  // splitmix64's mixing of seed 0, worked out apart from this code.
  auto values = draw(ElementType::F64, ValueDomain::any, 0);
  EXPECT_EQ(values[0], -0x1.71f62a0000000p-1);
  EXPECT_EQ(values[1], 0x1.e268960000000p-1);
}

TEST(Inputs, RefuseDynamicShapes) {
  TestGraph graph(R"(
    func.func @main(%a: tensor<?xf32>) {
      return
    })");
  EXPECT_TRUE(failed(makeInputs(graph.getFunction(), 0)));
  EXPECT_NE(graph.errors.find("no input for argument 0"), std::string::npos);
}

/// Rows of a batch must not all end on the same side of a final relu, in spite
/// of biases that they share: the check would be weak.
TEST(Inputs, KeepDeepNetworksAlive) {
  TestGraph graph(R"(
    func.func @main(%x: tensor<64x100xf32>, %w0: tensor<100x100xf32>,
                    %b: tensor<100xf32>, %w1: tensor<100x100xf32>,
                    %w2: tensor<100x16xf32>) -> tensor<64x16xf32> {
      %0 = graph.matmul %x, %w0, %b : (tensor<64x100xf32>, tensor<100x100xf32>, tensor<100xf32>) -> tensor<64x100xf32>
      %1 = graph.relu %0 : (tensor<64x100xf32>) -> tensor<64x100xf32>
      %2 = graph.matmul %1, %w1 : (tensor<64x100xf32>, tensor<100x100xf32>) -> tensor<64x100xf32>
      %3 = graph.bias_add %2, %b : (tensor<64x100xf32>, tensor<100xf32>) -> tensor<64x100xf32>
      %4 = graph.relu %3 : (tensor<64x100xf32>) -> tensor<64x100xf32>
      %5 = graph.matmul %4, %w2 : (tensor<64x100xf32>, tensor<100x16xf32>) -> tensor<64x16xf32>
      return %5 : tensor<64x16xf32>
    })");
  EXPECT_EQ(getInputDomain(graph.getFunction().getArgument(2)).scale, 0.125);
  for (uint64_t seed = 0; seed < 4; ++seed) {
    auto inputs = makeInputs(graph.getFunction(), seed);
    ASSERT_TRUE(succeeded(inputs));
    std::vector<double> y = graph.evaluate(*inputs);
    int mixed = 0;
    for (int column = 0; column < 16; ++column) {
      int positive = 0;
      for (int row = 0; row < 64; ++row)
        positive += y[row * 16 + column] > 0;
      mixed += positive > 2 && positive < 62;
    }
    EXPECT_GE(mixed, 12) << "of 16 columns, seed " << seed;
  }
}

/// A sum of 1024 products that is cast to 8 bits saturates nearly always if its
/// factors use their whole range.
TEST(Inputs, SumsFitIntoNarrowIntegers) {
  TestGraph graph(R"(
    func.func @main(%a: tensor<16x1024xsi8>, %b: tensor<1024x16xsi8>)
        -> tensor<16x16xsi8> {
      %0 = graph.matmul %a, %b : (tensor<16x1024xsi8>, tensor<1024x16xsi8>) -> tensor<16x16xsi32>
      %1 = graph.type_cast %0 : tensor<16x16xsi32> -> tensor<16x16xsi8>
      return %1 : tensor<16x16xsi8>
    }
    func.func @wide(%a: tensor<16x1024xsi8>, %b: tensor<1024x16xsi8>)
        -> tensor<16x16xsi32> {
      %0 = graph.matmul %a, %b : (tensor<16x1024xsi8>, tensor<1024x16xsi8>) -> tensor<16x16xsi32>
      return %0 : tensor<16x16xsi32>
    })");
  auto inputs = makeInputs(graph.getFunction(), 3);
  ASSERT_TRUE(succeeded(inputs)) << graph.errors;
  for (double value : (*inputs)[0].getValues())
    EXPECT_LE(std::fabs(value), 2);
  int saturated = 0;
  for (double value : graph.evaluate(*inputs))
    saturated += std::fabs(value) > 126;
  EXPECT_LT(saturated, 64) << "of 256";

  auto whole = makeInputs(graph.getFunction("wide"), 3);
  ASSERT_TRUE(succeeded(whole));
  std::vector<double> values = (*whole)[0].getValues();
  EXPECT_GT(*std::max_element(values.begin(), values.end()), 100);
}
