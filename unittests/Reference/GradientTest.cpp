// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Every backward op against central differences of its forward op, both as the
// reference computes them, in double precision: the element types of the graphs
// are replaced by f64.

#include "GradientCases.h"
#include "TestGraph.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace gc::reference;

namespace {
/// The two functions of a case, of f64.
class Functions {
public:
  Functions(const GradientCase &test, uint32_t seed)
      : graph(getText(test, seed)) {
    for (const char *name : {"forward", "backward"})
      if (mlir::func::FuncOp function = graph.getFunction(name))
        widen(function);
  }

  std::vector<Tensor> run(const char *name, llvm::ArrayRef<Tensor> inputs) {
    auto result = interpret(graph.getFunction(name), inputs);
    EXPECT_TRUE(succeeded(result)) << graph.errors;
    return succeeded(result) ? result->values : std::vector<Tensor>();
  }

private:
  static std::string getText(const GradientCase &test, uint32_t seed);
  static void widen(mlir::func::FuncOp function);

  TestGraph graph;
};
} // namespace

std::string Functions::getText(const GradientCase &test, uint32_t seed) {
  std::string text, arguments, types, gradients;
  for (auto [i, sizes] : llvm::enumerate(test.operands)) {
    text += llvm::formatv("!t{0} = tensor<{1}xf32>\n", i, sizes);
    arguments += llvm::formatv("%a{0}: !t{0}, ", i);
    if (i < test.gradients) {
      gradients += llvm::formatv("{0}%g{1}", i ? ", " : "", i);
      types += llvm::formatv("{0}!t{1}", i ? ", " : "", i);
    }
  }
  text += "!y = tensor<" + test.result + "xf32>\n";
  text += "func.func @forward(" + arguments + "%dy: !y) -> !y {\n" +
          test.forward + "\nreturn %y : !y }\n";
  text += "func.func @backward(" + arguments + "%dy: !y) -> (" + types +
          ") {\n" + test.forward + "\n" + test.backward + "\nreturn " +
          gradients + " : " + types + " }\n";
  std::vector<double> noise = makeNoise(test.attributes.size(), seed);
  for (auto [i, range] : llvm::enumerate(test.attributes)) {
    double value =
        range.first + (range.second - range.first) * (noise[i] + 1) / 2;
    std::string name = "#" + std::to_string(i);
    std::string number = llvm::formatv("{0:f6} : f32", value);
    for (size_t at; (at = text.find(name)) != std::string::npos;)
      text.replace(at, name.size(), number);
  }
  return text;
}

void Functions::widen(mlir::func::FuncOp function) {
  mlir::Type f64 = mlir::Float64Type::get(function.getContext());
  auto widen = [&](mlir::Type type) -> mlir::Type {
    return mlir::cast<mlir::ShapedType>(type).clone(f64);
  };
  for (mlir::Value argument : function.getArguments())
    argument.setType(widen(argument.getType()));
  function.walk([&](mlir::Operation *op) {
    for (mlir::Value result : op->getResults())
      result.setType(widen(result.getType()));
  });
  mlir::FunctionType type = function.getFunctionType();
  function.setFunctionType(mlir::FunctionType::get(
      function.getContext(), llvm::map_to_vector(type.getInputs(), widen),
      llvm::map_to_vector(type.getResults(), widen)));
}

static Tensor makeOperand(llvm::StringRef sizes, double low, double high,
                          uint32_t seed) {
  llvm::SmallVector<llvm::StringRef> parts;
  sizes.split(parts, 'x');
  llvm::SmallVector<int64_t> shape;
  int64_t count = 1;
  for (llvm::StringRef part : parts) {
    part.getAsInteger(10, shape.emplace_back());
    count *= shape.back();
  }
  std::vector<double> values = makeNoise(count, seed);
  for (double &value : values)
    value = low + (high - low) * (value + 1) / 2;
  return makeTensor(ElementType::F64, shape, values);
}

namespace {
class Gradients : public testing::TestWithParam<GradientCase> {};
} // namespace

/// The sum of dy * y.
static double getLoss(Functions &functions, llvm::ArrayRef<Tensor> inputs) {
  std::vector<Tensor> y = functions.run("forward", inputs);
  double sum = 0;
  for (auto [a, b] :
       llvm::zip_equal(y.at(0).getValues(), inputs.back().getValues()))
    sum += a * b;
  return sum;
}

TEST_P(Gradients, AreCentralDifferences) {
  const GradientCase &test = GetParam();
  for (uint32_t seed = 1; seed <= 3; ++seed) {
    Functions functions(test, seed);
    std::vector<Tensor> inputs;
    for (const std::string &sizes : test.operands)
      inputs.push_back(
          makeOperand(sizes, test.low, test.high, 97 * seed + inputs.size()));
    inputs.push_back(makeOperand(test.result, -1, 1, 31 * seed));
    std::vector<Tensor> gradients = functions.run("backward", inputs);
    ASSERT_EQ(gradients.size(), test.gradients);
    double loss = getLoss(functions, inputs);
    for (unsigned operand = 0; operand < test.gradients; ++operand) {
      std::vector<double> x = inputs[operand].getValues();
      std::vector<double> actual = gradients[operand].getValues();
      size_t kinks = 0;
      for (size_t i = 0; i < x.size(); ++i) {
        constexpr double step = 1e-5;
        auto move = [&](double by) {
          std::vector<double> moved = x;
          moved[i] += by;
          inputs[operand].setValues(moved);
          return getLoss(functions, inputs);
        };
        double above = (move(step) - loss) / step;
        double below = (loss - move(-step)) / step;
        inputs[operand].setValues(x);
        if (std::fabs(above - below) > 1e-2) {
          ++kinks;
          continue;
        }
        EXPECT_NEAR(actual[i], (above + below) / 2,
                    1e-7 * (1 + std::fabs(actual[i])))
            << "operand " << operand << ", element " << i << ", seed " << seed;
      }
      EXPECT_LE(8 * kinks, x.size());
    }
  }
}

/// An op of one operand, whose gradient is taken from its operand, or from its
/// result.
static std::vector<GradientCase> makeUnary(const char *name,
                                           const char *attributes,
                                           bool fromResult = false,
                                           double low = -4, double high = 4) {
  GradientCase test{name, {"3x7"}, "3x7", "", "", 1, {}, low, high};
  std::string list = attributes;
  std::string op = llvm::StringRef(name).split(':').first.str();
  test.forward = "%y = graph." + op + " %a0 {" + list + "} : (!t0) -> !y";
  // Limits, slopes, factors: all of one range.
  for (unsigned i = 0; i < 2; ++i)
    if (list.find("#" + std::to_string(i)) != std::string::npos)
      test.attributes.push_back(i == 0 ? std::pair(0.25, 1.0)
                                       : std::pair(1.25, 2.0));
  auto add = [&](const char *source, const char *useDst) {
    std::string all = list;
    if (*useDst)
      all += std::string(list.empty() ? "" : ", ") + "use_dst = " + useDst;
    test.backward = "%g0 = graph." + op + "_backward " + source + ", %dy {" +
                    all + "} : (!t0, !y) -> !t0";
    return test;
  };
  if (!fromResult)
    return {add("%a0", "")};
  return {add("%a0", "false"), add("%y", "true")};
}

static std::vector<GradientCase> getCases() {
  std::vector<GradientCase> cases = {
      {"prelu per channel",
       {"2x5x3", "3"},
       "2x5x3",
       "%y = graph.prelu %a0, %a1 : (!t0, !t1) -> !y",
       "%g0, %g1 = graph.prelu_backward %a0, %a1, %dy : (!t0, !t1, !y) -> "
       "(!t0, !t1)",
       2},
      {"prelu NCX",
       {"2x5x3", "5"},
       "2x5x3",
       "%y = graph.prelu %a0, %a1 {data_format = \"NCX\"} : (!t0, !t1) -> !y",
       "%g0, %g1 = graph.prelu_backward %a0, %a1, %dy {data_format = \"NCX\"} "
       ": (!t0, !t1, !y) -> (!t0, !t1)",
       2},
      {"prelu broadcast",
       {"2x5x3", "5x1"},
       "2x5x3",
       "%y = graph.prelu %a0, %a1 : (!t0, !t1) -> !y",
       "%g0, %g1 = graph.prelu_backward %a0, %a1, %dy : (!t0, !t1, !y) -> "
       "(!t0, !t1)",
       2},
      {"bias_add",
       {"3", "2x5x3"},
       "2x5x3",
       "%y = graph.bias_add %a1, %a0 : (!t1, !t0) -> !y",
       "%g0 = graph.bias_add_backward %dy : (!y) -> !t0"},
      {"bias_add NCX",
       {"5", "2x5x3"},
       "2x5x3",
       "%y = graph.bias_add %a1, %a0 {data_format = \"NCX\"} : (!t1, !t0) -> "
       "!y",
       "%g0 = graph.bias_add_backward %dy {data_format = \"NCX\"} : (!y) -> "
       "!t0"},
      {"softmax",
       {"3x5"},
       "3x5",
       "%y = graph.softmax %a0 {axis = 0} : (!t0) -> !y",
       "%g0 = graph.softmax_backward %dy, %y {axis = 0} : (!y, !y) -> !t0"},
      {"log_softmax",
       {"3x5"},
       "3x5",
       "%y = graph.log_softmax %a0 : (!t0) -> !y",
       "%g0 = graph.log_softmax_backward %dy, %y : (!y, !y) -> !t0"},
      {"layer_norm",
       {"3x4x5", "4x5", "4x5"},
       "3x4x5",
       "%y, %m, %v = graph.layer_norm %a0, %a1, %a2 {begin_norm_axis = 1, "
       "epsilon = #0} : (!t0, !t1, !t1) -> (!y, tensor<3xf32>, tensor<3xf32>)",
       "%g0, %g1, %g2 = graph.layer_norm_backward %a0, %dy, %m, %v, %a1, %a2 "
       "{begin_norm_axis = 1, epsilon = #0} : (!t0, !y, tensor<3xf32>, "
       "tensor<3xf32>, !t1, !t1) -> (!t0, !t1, !t1)",
       3,
       {{0.01, 0.5}}},
      {"layer_norm without affine",
       {"3x5"},
       "3x5",
       "%y, %m, %v = graph.layer_norm %a0 {use_affine = false} : (!t0) -> (!y, "
       "tensor<3xf32>, tensor<3xf32>)",
       "%g0 = graph.layer_norm_backward %a0, %dy, %m, %v {use_affine = false} "
       ": (!t0, !y, tensor<3xf32>, tensor<3xf32>) -> !t0"},
  };
  for (const char *format : {"NXC", "NCX"}) {
    std::string channels = format == std::string("NXC") ? "4" : "3";
    std::string list =
        std::string(" {epsilon = #0, data_format = \"") + format + "\"}";
    std::string four = "(!t0, !t1, !t1, !t1, !t1)";
    cases.push_back(
        {"batch_norm",
         {"2x3x4", channels, channels},
         "2x3x4",
         "%y, %rm, %rv, %m, %v = graph.batch_norm_forward_training %a0, %a1, "
         "%a1, %a1, %a2" +
             list + " : " + four + " -> (!y, !t1, !t1, !t1, !t1)",
         "%g0, %g1, %g2 = graph.batch_norm_training_backward %a0, %dy, %m, "
         "%v, %a1" +
             list + " : (!t0, !y, !t1, !t1, !t1) -> (!t0, !t1, !t1)",
         3,
         {{0.01, 0.5}}});
  }
  auto addUnary = [&](auto... arguments) {
    for (GradientCase &test : makeUnary(arguments...))
      cases.push_back(std::move(test));
  };
  addUnary("abs", "");
  addUnary("clamp", "min = #0, max = #1", true);
  addUnary("elu", "alpha = #0", true);
  addUnary("gelu:erf", "mode = \"gelu_erf\"");
  addUnary("gelu:tanh", "mode = \"gelu_tanh\"");
  addUnary("hard_sigmoid", "alpha = #0, beta = #1");
  addUnary("hard_swish", "");
  addUnary("mish", "");
  addUnary("relu", "", true);
  addUnary("sigmoid", "", true);
  addUnary("soft_plus", "beta = #0");
  addUnary("sqrt", "", true, 0.2, 4.0);
  addUnary("tanh", "", true);
  for (GradientCase &test : getWindowGradientCases())
    cases.push_back(std::move(test));
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Ops, Gradients, testing::ValuesIn(getCases()),
                         [](const auto &info) {
                           std::string name = info.param.name;
                           for (char &letter : name)
                             letter = std::isalnum(
                                          static_cast<unsigned char>(letter))
                                          ? letter
                                          : '_';
                           return name + "_" + std::to_string(info.index);
                         });

TEST(GradientValues, FollowTheSpecificationAtKinks) {
  struct {
    const char *op;
    std::vector<double> x, expected;
  } tests[] = {
      {"abs_backward %x, %d", {-2, 0, 2}, {-1, 0, 1}},
      {"clamp_backward %x, %d {min = -1.0 : f32, max = 2.0 : f32}",
       {-1, 0.5, 2},
       {0, 1, 0}},
      {"elu_backward %x, %d {alpha = 2.0 : f32}", {-1, 0, 1}, {1, 2, 1}},
      {"elu_backward %x, %d {alpha = 2.0 : f32, use_dst = false}",
       {0, -0.0, 1},
       {2, 2, 1}},
      {"hard_sigmoid_backward %x, %d {alpha = 0.25 : f32, beta = 0.5 : f32}",
       {-2, 0, 2},
       {0, 0.25, 0}},
      {"hard_swish_backward %x, %d", {-3, 3, 3.5}, {0, 1.5, 1}},
      {"relu_backward %x, %d", {-1, 0, 1}, {0, 0, 1}},
      {"relu_backward %x, %d {use_dst = false}", {-1, -0.0, 1}, {0, 0, 1}},
      {"sqrt_backward %x, %d", {0, 1, 4}, {HUGE_VAL, 0.5, 0.125}},
  };
  for (const auto &test : tests) {
    TestGraph graph(std::string("func.func @main(%x: tensor<3xf32>, %d: "
                                "tensor<3xf32>) -> tensor<3xf32> { %y = "
                                "graph.") +
                    test.op +
                    " : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32> "
                    "return %y : tensor<3xf32> }");
    EXPECT_EQ(
        graph.evaluate({makeTensor({3}, test.x), makeTensor({3}, {1, 1, 1})}),
        test.expected)
        << test.op;
  }
}
