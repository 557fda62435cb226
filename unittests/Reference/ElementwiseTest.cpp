// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The functions of the elementwise ops against values computed with Python's
// math module.

#include "TestGraph.h"

#include <cmath>
#include <limits>

using namespace gc::reference;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();
static const double kNan = std::nan("");

/// Evaluates one unary op of f32.
static std::vector<double> evaluate(llvm::StringRef op,
                                    llvm::ArrayRef<double> x) {
  std::string type = "tensor<" + std::to_string(x.size()) + "xf32>";
  std::string text = "func.func @main(%x: " + type + ") -> " + type +
                     " { %y = graph." +
                     (op.contains(' ') ? op.split(' ').first : op).str() +
                     " %x " + op.split(' ').second.str() + " : (" + type +
                     ") -> " + type + " return %y : " + type + " }";
  return TestGraph(text).evaluate(
      {makeTensor({static_cast<int64_t>(x.size())}, x)});
}

namespace {
struct Case {
  const char *op;
  std::vector<double> expected;
};
} // namespace

TEST(Elementwise, MatchesTheFormulas) {
  std::vector<double> x = {-20, -3.5, -1, -0.0, 0.5, 1.25, 2, 10};
  Case cases[] = {
      {"abs", {20, 3.5, 1, 0, 0.5, 1.25, 2, 10}},
      {"clamp {min = -1.5 : f32, max = 1.75 : f32}",
       {-1.5, -1.5, -1, 0, 0.5, 1.25, 1.75, 1.75}},
      {"elu {alpha = 0.5 : f32}",
       {-0.499999999, -0.484901308, -0.316060279, 0, 0.5, 1.25, 2, 10}},
      {"erf",
       {-1, -0.999999257, -0.842700793, 0, 0.520499878, 0.922900128,
        0.995322265, 1}},
      {"exp",
       {2.06115362e-09, 0.0301973834, 0.367879441, 1, 1.64872127, 3.49034296,
        7.3890561, 22026.4658}},
      {"gelu",
       {0, -0.000814201777, -0.158655254, 0, 0.345731231, 1.11793778,
        1.95449974, 10}},
      {"gelu {mode = \"gelu_tanh\"}",
       {0, -0.000616197655, -0.158808009, 0, 0.34571401, 1.1177142, 1.95459769,
        10}},
      {"hard_sigmoid {alpha = 0.25 : f32, beta = 0.5 : f32}",
       {0, 0, 0.25, 0.5, 0.625, 0.8125, 1, 1}},
      {"hard_swish",
       {0, 0, -0.333333333, 0, 0.291666667, 0.885416667, 1.66666667, 10}},
      {"leaky_relu {alpha = 0.125 : f32}",
       {-2.5, -0.4375, -0.125, 0, 0.5, 1.25, 2, 10}},
      {"mish",
       {-4.12230724e-08, -0.104095754, -0.303401461, 0, 0.375245211, 1.1318703,
        1.94395896, 9.99999996}},
      {"relu", {0, 0, 0, 0, 0.5, 1.25, 2, 10}},
      {"sigmoid",
       {2.06115362e-09, 0.0293122308, 0.268941421, 0.5, 0.622459331,
        0.777299861, 0.880797078, 0.999954602}},
      {"soft_plus",
       {2.06115362e-09, 0.0297504183, 0.313261688, 0.693147181, 0.974076984,
        1.50192908, 2.12692801, 10.0000454}},
      {"soft_plus {beta = -2.0 : f32}",
       {-20, -3.50045573, -1.06346401, -0.34657359, -0.156630844, -0.0394448671,
        -0.00907496396, -1.03057681e-09}},
      {"square", {400, 12.25, 1, 0, 0.25, 1.5625, 4, 100}},
      {"tanh",
       {-1, -0.998177898, -0.761594156, 0, 0.462117157, 0.84828364, 0.96402758,
        0.999999996}},
  };
  for (const Case &test : cases) {
    SCOPED_TRACE(test.op);
    expectNear(evaluate(test.op, x), test.expected);
  }
}

TEST(Elementwise, MatchesTheFormulasOfPositiveNumbers) {
  std::vector<double> x = {0.25, 0.5, 1, 2, 3, 10};
  Case cases[] = {
      {"log",
       {-1.38629436, -0.693147181, 0, 0.693147181, 1.09861229, 2.30258509}},
      {"sqrt", {0.5, 0.707106781, 1, 1.41421356, 1.73205081, 3.16227766}},
      {"pow {beta = -1.5 : f32}",
       {8, 2.82842712, 1, 0.353553391, 0.19245009, 0.0316227766}},
      {"reciprocal", {4, 2, 1, 0.5, 0.333333333, 0.1}},
  };
  for (const Case &test : cases) {
    SCOPED_TRACE(test.op);
    expectNear(evaluate(test.op, x), test.expected);
  }
}

TEST(Elementwise, SpecialValues) {
  EXPECT_EQ(evaluate("reciprocal", {0.0, -0.0, -2}),
            (std::vector<double>{kInfinity, kInfinity, -0.5}));
  EXPECT_EQ(evaluate("log", {0.0})[0], -kInfinity);
  EXPECT_EQ(evaluate("exp", {-kInfinity, 100}),
            (std::vector<double>{0, kInfinity})); // e^100 exceeds f32
  // soft_plus of large numbers is the number, not infinity.
  EXPECT_EQ(evaluate("soft_plus", {1000, -1000}),
            (std::vector<double>{1000, 0}));
  EXPECT_EQ(evaluate("sigmoid", {1000, -1000}), (std::vector<double>{1, 0}));
  EXPECT_EQ(evaluate("round", {0.5, 1.5, -2.5, 2.25}),
            (std::vector<double>{0, 2, -2, 2}));
  EXPECT_TRUE(std::isnan(evaluate("sqrt", {-1.0})[0]));
}

TEST(Elementwise, PropagatesNan) {
  for (const char *op :
       {"abs", "relu", "clamp {min = 0.0 : f32, max = 1.0 : f32}",
        "leaky_relu {alpha = 0.5 : f32}", "hard_swish", "gelu", "sigmoid"})
    EXPECT_TRUE(std::isnan(evaluate(op, {kNan})[0])) << op;
  for (const char *op : {"maximum", "minimum"}) {
    std::string text = std::string("func.func @main(%a: tensor<3xf32>, %b: "
                                   "tensor<3xf32>) -> tensor<3xf32> { %y = "
                                   "graph.") +
                       op +
                       " %a, %b : (tensor<3xf32>, tensor<3xf32>) -> "
                       "tensor<3xf32> return %y : tensor<3xf32> }";
    auto y = TestGraph(text).evaluate(
        {makeTensor({3}, {kNan, 1, 1}), makeTensor({3}, {1, kNan, 2})});
    EXPECT_TRUE(std::isnan(y[0]) && std::isnan(y[1])) << op;
    EXPECT_EQ(y[2], op[1] == 'a' ? 2 : 1);
  }
}

static std::vector<double> evaluateBinary(const char *op) {
  std::string text =
      std::string("func.func @main(%a: tensor<2x1x2xf32>, %b: tensor<3x1xf32>)"
                  " -> tensor<2x3x2xf32> { %y = graph.") +
      op +
      " %a, %b : (tensor<2x1x2xf32>, tensor<3x1xf32>) -> tensor<2x3x2xf32> "
      "return %y : tensor<2x3x2xf32> }";
  return TestGraph(text).evaluate(
      {makeTensor({2, 1, 2}, {1, 2, 3, 4}), makeTensor({3, 1}, {2, -4, 8})});
}

TEST(Elementwise, BroadcastsBothOperands) {
  EXPECT_EQ(evaluateBinary("add"),
            (std::vector<double>{3, 4, -3, -2, 9, 10, 5, 6, -1, 0, 11, 12}));
  EXPECT_EQ(evaluateBinary("subtract"),
            (std::vector<double>{-1, 0, 5, 6, -7, -6, 1, 2, 7, 8, -5, -4}));
  EXPECT_EQ(evaluateBinary("multiply"),
            (std::vector<double>{2, 4, -4, -8, 8, 16, 6, 8, -12, -16, 24, 32}));
  EXPECT_EQ(evaluateBinary("divide"),
            (std::vector<double>{0.5, 1, -0.25, -0.5, 0.125, 0.25, 1.5, 2,
                                 -0.75, -1, 0.375, 0.5}));
  EXPECT_EQ(evaluateBinary("maximum"),
            (std::vector<double>{2, 2, 1, 2, 8, 8, 3, 4, 3, 4, 8, 8}));
  EXPECT_EQ(evaluateBinary("minimum"),
            (std::vector<double>{1, 2, -4, -4, 1, 2, 2, 2, -4, -4, 3, 4}));
  EXPECT_EQ(evaluateBinary("squared_difference"),
            (std::vector<double>{1, 0, 25, 36, 49, 36, 1, 4, 49, 64, 25, 16}));
}

TEST(Elementwise, MixedTypesGiveF32) {
  TestGraph graph(R"(
    func.func @main(%a: tensor<2xbf16>, %b: tensor<f32>) -> tensor<2xf32> {
      %y = graph.add %a, %b : (tensor<2xbf16>, tensor<f32>) -> tensor<2xf32>
      return %y : tensor<2xf32>
    })");
  EXPECT_EQ(graph.evaluate({makeTensor(ElementType::BF16, {2}, {1, 2}),
                            makeTensor(llvm::ArrayRef<int64_t>(), {0x1p-20})}),
            (std::vector<double>{1 + 0x1p-20, 2 + 0x1p-20}));
}

TEST(Elementwise, RoundsToTheElementTypeAfterEveryOp) {
  // 1 + 2^-9 is 1 in bf16, so the difference is 0.
  TestGraph graph(R"(
    func.func @main(%a: tensor<1xbf16>, %b: tensor<1xbf16>) -> tensor<1xbf16> {
      %s = graph.add %a, %b : (tensor<1xbf16>, tensor<1xbf16>) -> tensor<1xbf16>
      %y = graph.subtract %s, %a : (tensor<1xbf16>, tensor<1xbf16>) -> tensor<1xbf16>
      return %y : tensor<1xbf16>
    })");
  EXPECT_EQ(graph.evaluate({makeTensor(ElementType::BF16, {1}, {1}),
                            makeTensor(ElementType::BF16, {1}, {0x1p-9})}),
            std::vector<double>{0});
}

TEST(Elementwise, IntegersAddExactly) {
  TestGraph graph(R"(
    func.func @main(%a: tensor<2xsi32>) -> tensor<2xsi32> {
      %y = graph.multiply %a, %a : (tensor<2xsi32>, tensor<2xsi32>) -> tensor<2xsi32>
      return %y : tensor<2xsi32>
    })");
  EXPECT_EQ(
      graph.evaluate({makeTensor(ElementType::S32, {2}, {-46340, 16777217})}),
      (std::vector<double>{2147395600, 2147483647}));
}

TEST(Elementwise, AddsBiasAlongChannels) {
  auto run = [](const char *format) {
    TestGraph graph(
        std::string("func.func @main(%x: tensor<2x2x2xf32>, %b: tensor<2xf32>) "
                    "-> tensor<2x2x2xf32> { %y = graph.bias_add %x, %b "
                    "{data_format = \"") +
        format +
        "\"} : (tensor<2x2x2xf32>, tensor<2xf32>) -> tensor<2x2x2xf32> return "
        "%y : tensor<2x2x2xf32> }");
    return graph.evaluate({makeTensor({2, 2, 2}, {0, 1, 2, 3, 4, 5, 6, 7}),
                           makeTensor({2}, {10, 20})});
  };
  EXPECT_EQ(run("NXC"), (std::vector<double>{10, 21, 12, 23, 14, 25, 16, 27}));
  EXPECT_EQ(run("NCX"), (std::vector<double>{10, 11, 22, 23, 14, 15, 26, 27}));
}
