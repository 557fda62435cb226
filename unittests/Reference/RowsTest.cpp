// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reductions, softmax, norms, selection and quantisation against values
// computed with numpy in double.

#include "TestGraph.h"

#include <cmath>
#include <limits>

using namespace gc::reference;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();
static const double kNan = std::nan("");

/// Evaluates one op on one operand.
static std::vector<double> evaluate(llvm::StringRef op, llvm::StringRef attrs,
                                    llvm::StringRef from, llvm::StringRef to,
                                    const Tensor &x) {
  std::string text = ("func.func @main(%x: " + from + ") -> " + to +
                      " { %y = graph." + op + " %x {" + attrs + "} : (" + from +
                      ") -> " + to + " return %y : " + to + " }")
                         .str();
  return TestGraph(text).evaluate({x});
}

static Tensor makeX() {
  return makeTensor({2, 4}, {-2, 0.5, 1.25, 3, 0.25, -1.5, 4, 0.75});
}
static Tensor makeCube() {
  return makeTensor({2, 2, 3},
                    {1, -2, 0.5, 3, 0.25, -1, 2, 2, -4, 0.5, 1.5, -0.75});
}
/// gamma and beta of four channels.
static Tensor makeGamma() { return makeTensor({4}, {1, 0.5, 2, -1}); }
static Tensor makeBeta() { return makeTensor({4}, {0, 0.25, -0.5, 1}); }
static Tensor makeImage(llvm::ArrayRef<int64_t> shape) {
  return makeTensor(shape,
                    {1, 2, 3, 4, -1, 0.5, 2, 8, 0.25, -3, 1, 1, 2, -2, 5, 0.5});
}

TEST(Rows, Reductions) {
  llvm::StringRef x = "tensor<2x4xf32>", cube = "tensor<2x2x3xf32>";
  auto axes = [](llvm::StringRef list, bool keep = false) {
    return ("axes = array<i64: " + list + ">" +
            (keep ? ", keep_dims = true" : ""))
        .str();
  };
  expectNear(evaluate("reduce_max", axes("-1"), x, "tensor<2xf32>", makeX()),
             {3, 4});
  expectNear(evaluate("reduce_min", axes("0"), x, "tensor<4xf32>", makeX()),
             {-2, -1.5, 1.25, 0.75});
  expectNear(evaluate("reduce_sum", axes("0, -1", true), cube,
                      "tensor<1x2x1xf32>", makeCube()),
             {-0.5, 3.5});
  expectNear(
      evaluate("reduce_sum", axes("1"), cube, "tensor<2x3xf32>", makeCube()),
      {4, -1.75, -0.5, 2.5, 3.5, -4.75});
  expectNear(evaluate("reduce_prod", axes("1, 0"), x, "tensor<f32>", makeX()),
             {4.21875});
  expectNear(
      evaluate("reduce_mean", axes("1, 2"), cube, "tensor<2xf32>", makeCube()),
      {0.291666667, 0.208333333});
  expectNear(evaluate("reduce_l1", axes("-1"), x, "tensor<2xf32>", makeX()),
             {6.75, 6.5});
  expectNear(
      evaluate("reduce_l2", axes("0", true), x, "tensor<1x4xf32>", makeX()),
      {2.01556444, 1.58113883, 4.19076365, 3.09232922});
  // The first axis in parts, the last part shorter: of the last dimension, of
  // one with others inside of it, and one that is larger than the dimension.
  expectNear(evaluate("reduce_sum", axes("1", true) + ", part_size = 3 : i64",
                      x, "tensor<2x2xf32>", makeX()),
             {-0.25, 3, 2.75, 0.75});
  expectNear(evaluate("reduce_max",
                      axes("1, 0", true) + ", part_size = 2 : i64",
                      "tensor<3x4xf32>", "tensor<2x1xf32>",
                      makeTensor({3, 4}, {1, 2, 3, 4, 9, 8, 7, 6, 5, 4, 3, 2})),
             {9, 5});
  expectNear(evaluate("reduce_sum", axes("1", true) + ", part_size = 1 : i64",
                      cube, cube, makeCube()),
             makeCube().getValues());
  expectNear(evaluate("reduce_min", axes("1", true) + ", part_size = 9 : i64",
                      cube, "tensor<2x1x3xf32>", makeCube()),
             {1, -2, -1, 0.5, 1.5, -4});
  // Without axes there is nothing to reduce.
  expectNear(evaluate("reduce_sum", "", x, x, makeX()), makeX().getValues());
  expectNear(evaluate("reduce_l1", "", "tensor<2xf32>", "tensor<2xf32>",
                      makeTensor({2}, {-2, 3})),
             {2, 3});
}

TEST(Rows, ReductionsOfSpecialValues) {
  llvm::StringRef from = "tensor<3x2xf32>", to = "tensor<3xf32>";
  Tensor x = makeTensor(
      {3, 2}, {1, kNan, -kInfinity, -kInfinity, kInfinity, -kInfinity});
  auto check = [&](llvm::StringRef op, std::vector<double> expected) {
    std::vector<double> actual =
        evaluate(op, "axes = array<i64: 1>", from, to, x);
    ASSERT_EQ(actual.size(), expected.size());
    for (size_t i = 0; i < actual.size(); ++i)
      EXPECT_TRUE(actual[i] == expected[i] ||
                  (std::isnan(actual[i]) && std::isnan(expected[i])))
          << op.str() << " of row " << i << " is " << actual[i];
  };
  check("reduce_max", {kNan, -kInfinity, kInfinity});
  check("reduce_min", {kNan, -kInfinity, -kInfinity});
  check("reduce_sum", {kNan, -kInfinity, kNan});
  check("reduce_l1", {kNan, kInfinity, kInfinity});
}

TEST(Rows, Softmax) {
  llvm::StringRef x = "tensor<2x4xf32>", cube = "tensor<2x2x3xf32>";
  expectNear(evaluate("softmax", "axis = -1", x, x, makeX()),
             {0.00533657817, 0.0650128314, 0.137632165, 0.792018425,
              0.0220538401, 0.00383238276, 0.937753142, 0.0363606352});
  expectNear(evaluate("softmax", "axis = 0", x, x, makeX()),
             {0.0953494649, 0.880797078, 0.0600866502, 0.904650535, 0.904650535,
              0.119202922, 0.93991335, 0.0953494649});
  // The default axis is 1.
  expectNear(evaluate("softmax", "", cube, cube, makeCube()),
             {0.119202922, 0.0953494649, 0.817574476, 0.880797078, 0.904650535,
              0.182425524, 0.817574476, 0.622459331, 0.0373268873, 0.182425524,
              0.377540669, 0.962673113});
  expectNear(evaluate("log_softmax", "", x, x, makeX()),
             {-5.23317062, -2.73317062, -1.98317062, -0.233170623, -3.81426854,
              -5.56426854, -0.0642685395, -3.31426854});
}

/// The statistics of a softmax of x, whose shape `from` is.
static std::vector<double> evaluateStats(llvm::StringRef attrs,
                                         llvm::StringRef from,
                                         llvm::StringRef to, const Tensor &x) {
  std::string text =
      ("func.func @main(%x: " + from + ") -> " + to +
       " { %y, %s = graph.softmax %x {" + attrs + "} : (" + from + ") -> (" +
       from + ", " + to + ") return %s : " + to + " }")
          .str();
  return TestGraph(text).evaluate({x});
}

TEST(Rows, SoftmaxStats) {
  llvm::StringRef type = "tensor<2x4xf32>";
  // Logarithms of sums of exponentials.
  expectNear(evaluateStats("axis = -1", type, "tensor<2x1xf32>", makeX()),
             {3.23317062, 4.06426854});
  expectNear(evaluateStats("axis = 0", type, "tensor<1x4xf32>", makeX()),
             {0.350206559, 0.626928011, 4.06196759, 3.10020656});
  // In mode inf_as_zero they are finite, so that exp(x - stats) is zero.
  Tensor x = makeTensor({3, 2}, {1, 1, -kInfinity, -kInfinity, kInfinity, 1});
  std::vector<double> zero = evaluateStats(
      "mode = \"inf_as_zero\"", "tensor<3x2xf32>", "tensor<3x1xf32>", x);
  ASSERT_EQ(zero.size(), 3u);
  EXPECT_NEAR(zero[0], 1.69314718, 1e-6);
  EXPECT_EQ(zero[1], std::numeric_limits<float>::lowest());
  EXPECT_TRUE(std::isnan(zero[2]));
  std::vector<double> none =
      evaluateStats("", "tensor<3x2xf32>", "tensor<3x1xf32>", x);
  ASSERT_EQ(none.size(), 3u);
  EXPECT_TRUE(std::isnan(none[1]) && std::isnan(none[2]));
}

TEST(Rows, SoftmaxOfMaskedRows) {
  llvm::StringRef type = "tensor<2x3xf32>";
  Tensor x = makeTensor({2, 3},
                        {-kInfinity, 1, 1, -kInfinity, -kInfinity, -kInfinity});
  std::vector<double> zero =
      evaluate("softmax", "mode = \"inf_as_zero\"", type, type, x);
  EXPECT_EQ(zero, (std::vector<double>{0, 0.5, 0.5, 0, 0, 0}));
  std::vector<double> none = evaluate("softmax", "", type, type, x);
  ASSERT_EQ(none.size(), 6u);
  EXPECT_EQ(none[1], 0.5);
  EXPECT_TRUE(std::isnan(none[3]) && std::isnan(none[5]));
  // Large numbers do not overflow.
  expectNear(evaluate("softmax", "", type, type,
                      makeTensor({2, 3}, {3e38, 3e38, -3e38, 1e4, 1e4, 1e4})),
             {0.5, 0.5, 0, 1. / 3, 1. / 3, 1. / 3});
}

/// The results of the op `text` on x, gamma and beta of four channels.
static std::vector<std::vector<double>> normalize(llvm::StringRef text,
                                                  const Tensor &x) {
  std::string shape;
  for (int64_t size : x.getShape())
    shape += std::to_string(size) + "x";
  std::string type = "tensor<" + shape + "xf32>";
  type.erase(type.find("xx"), 1);
  auto [op, results] = text.split(" -> ");
  std::string all = results.empty() ? type : type + ", " + results.str();
  std::string count = results.empty() ? "%y" : "%y:3";
  std::string returned = results.empty() ? "%y" : "%y#0, %y#1, %y#2";
  TestGraph graph("func.func @main(%x: " + type +
                  ", %g: tensor<4xf32>, %b: tensor<4xf32>) -> (" + all +
                  ") { " + count + " = graph." + op.str() + " : (" + type +
                  ", tensor<4xf32>, tensor<4xf32>) -> (" + all + ") return " +
                  returned + " : " + all + " }");
  auto result = graph.run({x, makeGamma(), makeBeta()});
  EXPECT_TRUE(succeeded(result)) << graph.errors;
  std::vector<std::vector<double>> values;
  if (succeeded(result))
    for (const Tensor &tensor : result->values)
      values.push_back(tensor.getValues());
  values.resize(3);
  return values;
}

TEST(Rows, LayerNorm) {
  auto y = normalize("layer_norm %x, %g, %b -> tensor<2xf32>, tensor<2xf32>",
                     makeX());
  expectNear(y[0], {-1.49525419, 0.19783997, 0.125920359, -0.286614072,
                    -0.314346909, -0.347259127, 2.64346909, 1.06286938});
  expectNear(y[1], {0.6875, 0.875});
  expectNear(y[2], {3.23046875, 3.953125});
  llvm::StringRef cube = "tensor<2x2x3xf32>";
  expectNear(evaluate("layer_norm",
                      "begin_norm_axis = 1, use_affine = false, "
                      "keep_stats = false, epsilon = 0.5 : f32",
                      cube, cube, makeCube()),
             {0.411223467, -1.33042886, 0.120948078, 1.57232502, -0.0241896157,
              -0.749878086, 0.803913879, 0.803913879, -1.88826283, 0.130869701,
              0.57956582, -0.430000447});
}

TEST(Rows, RmsNorm) {
  llvm::StringRef x = "tensor<2x4xf32>";
  expectNear(evaluate("rms_norm", "begin_norm_axis = 0", x, x, makeX()),
             {-0.974630689, 0.243657672, 0.609144181, 1.46194603, 0.121828836,
              -0.730973017, 1.94926138, 0.365486508});
  TestGraph graph(R"(
    func.func @main(%x: tensor<2x4xf32>, %g: tensor<4xf32>) -> tensor<2x4xf32> {
      %y = graph.rms_norm %x, %g : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
      return %y : tensor<2x4xf32>
    })");
  expectNear(graph.evaluate({makeX(), makeGamma()}),
             {-1.03931028, 0.129913785, 1.29913785, -1.55896542, 0.115086946,
              -0.345260837, 3.68278226, -0.345260837});
}

TEST(Rows, GroupNorm) {
  auto y = normalize("group_norm %x, %g, %b {groups = 2} -> tensor<2x2xf32>, "
                     "tensor<2x2xf32>",
                     makeImage({2, 2, 4}));
  expectNear(y[0], {0.346408684, 0.885082586, -1.59764154, 1.10976415,
                    -1.5011043, 0.192265219, -2.47575478, -0.646462313,
                    0.481372273, -0.34369247, -1.46379829, 1.48189914,
                    1.37993385, -0.0869605913, 2.94213673, 1.75727008});
  expectNear(y[1], {0.625, 4.25, -0.6875, 1.875});
  expectNear(y[2], {1.171875, 5.1875, 3.79296875, 3.296875});
  y = normalize("group_norm %x, %g, %b {groups = 2, data_format = \"NCX\", "
                "keep_stats = false}",
                makeImage({2, 4, 2}));
  expectNear(y[0], {-1.34163542, -0.447211807, 0.473605903, 0.92081771,
                    -2.47575583, -1.59764213, 1.10976421, -0.646463195,
                    0.264763831, -1.7020532, 0.609322342, 0.609322342,
                    -0.00673676038, -3.16362149, -0.430463395, 1.34528427});
}

TEST(Rows, BatchNorm) {
  auto run = [](llvm::StringRef type, llvm::StringRef format, const Tensor &x) {
    TestGraph graph(("func.func @main(%x: " + type +
                     ", %g: tensor<4xf32>, %b: tensor<4xf32>, %m: "
                     "tensor<4xf32>, %v: tensor<4xf32>) -> " +
                     type +
                     " { %y = graph.batch_norm_inference %x, %g, %b, %m, %v "
                     "{epsilon = 1.0e-5 : f32, data_format = \"" +
                     format + "\"} : (" + type +
                     ", tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, "
                     "tensor<4xf32>) -> " +
                     type + " return %y : " + type + " }")
                        .str());
    return graph.evaluate({x, makeGamma(), makeBeta(),
                           makeTensor({4}, {0.5, -1, 2, 0}),
                           makeTensor({4}, {1, 4, 0.25, 9})});
  };
  expectNear(run("tensor<2x4xf32>", "NXC", makeX()),
             {-2.4999875, 0.624999531, -3.49994, 5.55555078e-07, -0.24999875,
              0.125000156, 7.49984, 0.750000139});
  expectNear(run("tensor<2x4x2xf32>", "NCX", makeImage({2, 4, 2})),
             {0.4999975, 1.4999925, 1.24999875, 1.49999844, -12.49976, -6.49988,
              0.333333704, -1.66666519, -0.24999875, -3.4999825, 0.749999375,
              0.749999375, -0.5, -16.49968, -0.666665741, 0.833333426});
}

TEST(Rows, Quantize) {
  llvm::StringRef x = "tensor<2x4xf32>";
  EXPECT_EQ(evaluate("quantize",
                     "scales = array<f32: 0.5>, zps = array<i64: 3>", x,
                     "tensor<2x4xui8>", makeX()),
            (std::vector<double>{0, 4, 6, 9, 4, 0, 11, 4}));
  EXPECT_EQ(evaluate("quantize",
                     "qtype = \"per_channel\", axis = -1, scales = array<f32: "
                     "0.25, 0.5, 1.0, 0.01>, zps = array<i64: 0, 1, -2, 5>",
                     x, "tensor<2x4xsi8>", makeX()),
            (std::vector<double>{-8, 2, -1, 127, 1, -2, 2, 80}));
  // Halves round to even.
  EXPECT_EQ(evaluate("quantize", "scales = array<f32: 1.0>", "tensor<4xf32>",
                     "tensor<4xsi8>", makeTensor({4}, {0.5, 1.5, -2.5, 300})),
            (std::vector<double>{0, 2, -2, 127}));
  EXPECT_EQ(evaluate("dequantize",
                     "qtype = \"per_channel\", axis = 0, scales = array<f32: "
                     "0.5, 2.0>, zps = array<i64: 3, -1>",
                     "tensor<2x2xsi8>", "tensor<2x2xf32>",
                     makeTensor(ElementType::S8, {2, 2}, {3, -128, 127, 0})),
            (std::vector<double>{0, -65.5, 256, 2}));
}

TEST(Rows, DynamicQuantize) {
  TestGraph quantize(R"(
    func.func @main(%x: tensor<2x2xf32>, %s: tensor<2xf32>, %z: tensor<2xsi32>) -> tensor<2x2xsi8> {
      %y = graph.dynamic_quantize %x, %s, %z {qtype = "per_channel"} : (tensor<2x2xf32>, tensor<2xf32>, tensor<2xsi32>) -> tensor<2x2xsi8>
      return %y : tensor<2x2xsi8>
    })");
  EXPECT_EQ(quantize.evaluate({makeTensor({2, 2}, {1, 1, -3, 5}),
                               makeTensor({2}, {0.5, 0.25}),
                               makeTensor(ElementType::S32, {2}, {10, -4})}),
            (std::vector<double>{12, 0, 4, 16}));
  // Groups of two rows.
  TestGraph dequantize(R"(
    func.func @main(%x: tensor<4x2xsi4>, %s: tensor<2x2xf32>, %z: tensor<2x2xsi4>) -> tensor<4x2xf32> {
      %y = graph.dynamic_dequantize %x, %s, %z {qtype = "per_group", group_shape = array<i64: 2, 1>} : (tensor<4x2xsi4>, tensor<2x2xf32>, tensor<2x2xsi4>) -> tensor<4x2xf32>
      return %y : tensor<4x2xf32>
    })");
  EXPECT_EQ(dequantize.evaluate(
                {makeTensor(ElementType::S4, {4, 2}, {1, 2, 3, 4, 5, 6, 7, -8}),
                 makeTensor({2, 2}, {1, 2, 0.5, 4}),
                 makeTensor(ElementType::S4, {2, 2}, {0, 1, -1, 2})}),
            (std::vector<double>{1, 2, 3, 6, 3, 16, 4, -40}));
}

TEST(Rows, Selection) {
  // A causal mask by comparing indices.
  TestGraph graph(R"(
    func.func @main(%x: tensor<2x3xf32>, %s: tensor<f32>) -> (tensor<2x3xf32>, tensor<2x3xi1>) {
      %r = graph.gen_index %x {axis = 0} : (tensor<2x3xf32>) -> tensor<2x3xsi32>
      %c = graph.gen_index %x {axis = -1} : (tensor<2x3xf32>) -> tensor<2x3xsi32>
      %m = graph.greater_equal %r, %c : (tensor<2x3xsi32>, tensor<2x3xsi32>) -> tensor<2x3xi1>
      %y = graph.select %m, %x, %s : (tensor<2x3xi1>, tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
      return %y, %m : tensor<2x3xf32>, tensor<2x3xi1>
    })");
  auto result = graph.run(
      {makeTensor({2, 3}, {1, kNan, 3, 4, 5, 6}), makeTensor({}, {-kInfinity})},
      /*errorBounds=*/true);
  ASSERT_TRUE(succeeded(result)) << graph.errors;
  EXPECT_EQ(result->values[0].getValues(),
            (std::vector<double>{1, -kInfinity, -kInfinity, 4, 5, -kInfinity}));
  EXPECT_EQ(result->values[1].getValues(),
            (std::vector<double>{1, 0, 0, 1, 1, 0}));
  // Nothing of it rounds.
  EXPECT_FALSE(result->bounds[0]);
  EXPECT_FALSE(result->bounds[1]);
}

TEST(Rows, ComparisonsOfInexactValuesMayGoEitherWay) {
  TestGraph graph(R"(
    func.func @main(%x: tensor<3xf32>, %y: tensor<3xf32>) -> tensor<3xi1> {
      %e = graph.exp %x : (tensor<3xf32>) -> tensor<3xf32>
      %m = graph.greater_equal %e, %y : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
      return %m : tensor<3xi1>
    })");
  auto result = graph.run(
      {makeTensor({3}, {1, 1, 1}), makeTensor({3}, {2.7182818, 2.5, 3})},
      /*errorBounds=*/true);
  ASSERT_TRUE(succeeded(result)) << graph.errors;
  EXPECT_EQ(result->bounds[0].getValues(), (std::vector<double>{1, 0, 0}));
}

TEST(Rows, QuantisedTiesMayGoEitherWay) {
  TestGraph graph(R"(
    func.func @main(%x: tensor<3xf32>) -> tensor<3xui8> {
      %y = graph.quantize %x {scales = array<f32: 0.1>} : (tensor<3xf32>) -> tensor<3xui8>
      return %y : tensor<3xui8>
    })");
  auto result = graph.run({makeTensor({3}, {0.25, 0.26, 50})}, true);
  ASSERT_TRUE(succeeded(result)) << graph.errors;
  EXPECT_EQ(result->bounds[0].getValues(), (std::vector<double>{1, 0, 0}));
}
