// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TestGraph.h"

#include <cmath>

using namespace gc::reference;

TEST(Interpreter, ReshapesAndTransposes) {
  TestGraph graph(R"(
    func.func @main(%x: tensor<2x3xf32>) -> tensor<6xf32> {
      %t = graph.static_transpose %x {order = array<i64: -1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
      %y = graph.static_reshape %t {shape = array<i64: -1>} : (tensor<3x2xf32>) -> tensor<6xf32>
      return %y : tensor<6xf32>
    })");
  EXPECT_EQ(graph.evaluate({makeTensor({2, 3}, {1, 2, 3, 4, 5, 6})}),
            (std::vector<double>{1, 4, 2, 5, 3, 6}));
}

TEST(Interpreter, LayoutsHaveNoMeaningToValues) {
  TestGraph graph(R"(
    #blocked = #graph.layout<blocked, outer = [1, 0], inner = [0 : 2]>
    #strided = #graph.layout<strided, [1, 2]>
    func.func @main(%x: tensor<2x2xf32, #strided>) -> tensor<2x2xf32> {
      %b = graph.reorder %x : tensor<2x2xf32, #strided> -> tensor<2x2xf32, #blocked>
      %y = graph.reorder %b : tensor<2x2xf32, #blocked> -> tensor<2x2xf32>
      return %y : tensor<2x2xf32>
    })");
  auto type = mlir::cast<mlir::RankedTensorType>(
      graph.getFunction().getArgumentTypes()[0]);
  auto input = Tensor::create(type);
  ASSERT_TRUE(succeeded(input));
  input->setValues({1, 2, 3, 4});
  EXPECT_EQ(input->getData<float>()[1], 3); // column-major
  EXPECT_EQ(graph.evaluate({*input}), (std::vector<double>{1, 2, 3, 4}));
}

TEST(Interpreter, CastsToTheTypeOfTheResult) {
  TestGraph graph(R"(
    func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
      %h = graph.type_cast %x : tensor<2xf32> -> tensor<2xbf16>
      %y = graph.type_cast %h : tensor<2xbf16> -> tensor<2xf32>
      return %y : tensor<2xf32>
    })");
  EXPECT_EQ(graph.evaluate({makeTensor({2}, {0.1, 1})}),
            (std::vector<double>{0x1.9ap-4, 1}));
}

/// The result of a cast of a cast of a value.
static double castTwice(double value, const std::string &from,
                        const std::string &to) {
  TestGraph graph("func.func @main(%x: tensor<1xf32>) -> tensor<1x" + to +
                  "> { %a = graph.type_cast %x : tensor<1xf32> -> tensor<1x" +
                  from + "> %y = graph.type_cast %a : tensor<1x" + from +
                  "> -> tensor<1x" + to + "> return %y : tensor<1x" + to +
                  "> }");
  return graph.evaluate({makeTensor({1}, {value})})[0];
}

TEST(Interpreter, CastsAmongAllTypes) {
  // To nearest even.
  EXPECT_EQ(castTwice(2.5, "f16", "si8"), 2);
  EXPECT_EQ(castTwice(3.5, "bf16", "si32"), 4);
  EXPECT_EQ(castTwice(-2.5, "f16", "si32"), -2);
  EXPECT_EQ(castTwice(2049, "si32", "f16"), 2048);
  EXPECT_EQ(castTwice(2051, "si32", "f16"), 2052);
  EXPECT_EQ(castTwice(257, "si32", "bf16"), 256);
  EXPECT_EQ(castTwice(1.0 + 0x1p-10, "f16", "bf16"), 1);
  EXPECT_EQ(castTwice(0x1p-24, "bf16", "f16"), 0x1p-24);
  // Saturated, or infinite.
  EXPECT_EQ(castTwice(300, "si32", "si8"), 127);
  EXPECT_EQ(castTwice(-300, "f16", "si8"), -128);
  EXPECT_EQ(castTwice(-5, "si8", "ui8"), 0);
  EXPECT_EQ(castTwice(1e6, "si32", "f16"), HUGE_VAL);
  EXPECT_EQ(castTwice(65519, "si32", "f16"), 65504);
  EXPECT_EQ(castTwice(HUGE_VAL, "f16", "si32"), 2147483647);
  EXPECT_EQ(castTwice(NAN, "f16", "si8"), 0);
}

TEST(Interpreter, ReadsConstants) {
  TestGraph graph(R"(
    func.func @main() -> (tensor<2xf32>, tensor<2x2xbf16>, tensor<3xi1>,
                          tensor<2xsi4>, tensor<2xui8>, tensor<2xf32>,
                          tensor<2xi1>) {
      %a = graph.constant dense<[1.5, -2.0]> : tensor<2xf32>
      %b = graph.constant dense<3.0> : tensor<2x2xbf16>
      %c = graph.constant dense<[true, false, true]> : tensor<3xi1>
      %d = graph.constant dense<[-8, 7]> : tensor<2xsi4>
      %e = graph.constant dense<[0, 255]> : tensor<2xui8>
      %f = graph.constant dense_resource<data> : tensor<2xf32>
      %g = graph.constant dense<true> : tensor<2xi1>
      return %a, %b, %c, %d, %e, %f, %g : tensor<2xf32>, tensor<2x2xbf16>,
        tensor<3xi1>, tensor<2xsi4>, tensor<2xui8>, tensor<2xf32>, tensor<2xi1>
    }
    {-# dialect_resources: { builtin: {
      data: "0x040000000000803F000000C0" } } #-})");
  auto result = graph.run({});
  ASSERT_TRUE(succeeded(result)) << graph.errors;
  auto values = [&](unsigned i) { return result->values[i].getValues(); };
  EXPECT_EQ(values(0), (std::vector<double>{1.5, -2}));
  EXPECT_EQ(values(1), (std::vector<double>{3, 3, 3, 3}));
  EXPECT_EQ(values(2), (std::vector<double>{1, 0, 1}));
  EXPECT_EQ(values(3), (std::vector<double>{-8, 7}));
  EXPECT_EQ(values(4), (std::vector<double>{0, 255}));
  EXPECT_EQ(values(5), (std::vector<double>{1, -2}));
  EXPECT_EQ(values(6), (std::vector<double>{1, 1}));
  // Results are the caller's own.
  for (const Tensor &value : result->values)
    EXPECT_TRUE(value.isOwned() && value.isContiguous());
}

TEST(Interpreter, MissingResourceIsAnError) {
  TestGraph graph(R"(
    func.func @main() -> tensor<2xf32> {
      %a = graph.constant dense_resource<absent> : tensor<2xf32>
      return %a : tensor<2xf32>
    })");
  EXPECT_TRUE(failed(graph.run({})));
  EXPECT_NE(
      graph.errors.find("has data that does not match the size of its type"),
      std::string::npos)
      << graph.errors;
}

TEST(Interpreter, RunsFusedOps) {
  TestGraph graph(R"(
    func.func @main(%a: tensor<2x2xf32>, %b: tensor<2x2xf32>) -> tensor<2x2xf32> {
      %y = graph.fused_op -> (tensor<2x2xf32>) {
        %m = graph.matmul %a, %b : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
        %r = graph.relu %m : (tensor<2x2xf32>) -> tensor<2x2xf32>
        graph.yield %r : tensor<2x2xf32>
      }
      graph.end %y : tensor<2x2xf32>
      return %y : tensor<2x2xf32>
    })");
  EXPECT_EQ(graph.evaluate({makeTensor({2, 2}, {1, -1, 2, 0}),
                            makeTensor({2, 2}, {1, 2, 3, 1})}),
            (std::vector<double>{0, 1, 2, 4}));
}

TEST(Interpreter, CallsOtherFunctions) {
  TestGraph graph(R"(
    func.func private @twice(%x: tensor<1xf32>) -> tensor<1xf32> {
      %y = graph.add %x, %x : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
      return %y : tensor<1xf32>
    }
    func.func @main(%x: tensor<1xf32>) -> tensor<1xf32> {
      %a = call @twice(%x) : (tensor<1xf32>) -> tensor<1xf32>
      %b = call @twice(%a) : (tensor<1xf32>) -> tensor<1xf32>
      return %b : tensor<1xf32>
    })");
  EXPECT_EQ(graph.evaluate({makeTensor({1}, {3})}), std::vector<double>{12});
}

TEST(Interpreter, RecursionIsAnError) {
  TestGraph graph(R"(
    func.func @main(%x: tensor<1xf32>) -> tensor<1xf32> {
      %a = call @main(%x) : (tensor<1xf32>) -> tensor<1xf32>
      return %a : tensor<1xf32>
    })");
  EXPECT_TRUE(failed(graph.run({makeTensor({1}, {3})})));
  EXPECT_NE(graph.errors.find("calls itself"), std::string::npos);
}

static const char *kFolded = R"(
  func.func private @main_fold(%w: tensor<2xf32>) -> tensor<2xf32> {
    %y = graph.square %w : (tensor<2xf32>) -> tensor<2xf32>
    return %y : tensor<2xf32>
  }
  func.func @main(%x: tensor<2xf32>, %w: tensor<2xf32> {graph.const_arg},
                  %f: tensor<2xf32> {graph.folded = 0}) -> tensor<2xf32>
      attributes {graph.fold_function = @main_fold} {
    %y = graph.add %x, %f : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    return %y : tensor<2xf32>
  })";

TEST(Interpreter, RunsTheFoldFunction) {
  TestGraph graph(kFolded);
  Tensor x = makeTensor({2}, {1, 2}), w = makeTensor({2}, {3, 5});
  EXPECT_EQ(graph.evaluate({x, w}), (std::vector<double>{10, 27}));
  // Given folded values are taken as they are.
  EXPECT_EQ(graph.evaluate({x, w, w}), (std::vector<double>{4, 7}));
}

TEST(Interpreter, ReturnsAnArgumentAsACopy) {
  TestGraph graph(R"(
    func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
      return %x, %x : tensor<2xf32>, tensor<2xf32>
    })");
  Tensor x = makeTensor({2}, {1, 2});
  auto result = graph.run({x});
  ASSERT_TRUE(succeeded(result));
  x.set({0}, 7);
  EXPECT_EQ(result->values[0].getValues(), (std::vector<double>{1, 2}));
  EXPECT_EQ(result->values[1].getValues(), (std::vector<double>{1, 2}));
}

TEST(Interpreter, WildcardIsAnErrorAtTheOp) {
  TestGraph graph(R"(
    func.func @main(%x: tensor<1xf32>) -> tensor<1xf32> {
      %y = graph.wildcard %x : (tensor<1xf32>) -> tensor<1xf32>
      return %y : tensor<1xf32>
    })");
  EXPECT_TRUE(failed(graph.run({makeTensor({1}, {3})})));
  EXPECT_EQ(graph.errors, "'graph.wildcard' op has no meaning that the "
                          "reference can evaluate\n");
}

TEST(Interpreter, ChecksItsInputs) {
  TestGraph graph(R"(
    func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
      return %x : tensor<2xf32>
    })");
  EXPECT_TRUE(failed(graph.run({})));
  EXPECT_NE(graph.errors.find("takes 1 arguments but gets 0"),
            std::string::npos);
  EXPECT_TRUE(failed(graph.run({makeTensor({3}, {1, 2, 3})})));
  EXPECT_NE(graph.errors.find("argument 0 of type 'tensor<2xf32>' gets a "
                              "tensor f32[3]"),
            std::string::npos)
      << graph.errors;
}

TEST(Interpreter, RefusesDynamicShapesAndOtherTypes) {
  TestGraph dynamic(R"(
    func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
      return %x : tensor<?xf32>
    })");
  EXPECT_TRUE(failed(dynamic.run({makeTensor({3}, {1, 2, 3})})));
  EXPECT_NE(dynamic.errors.find("has a dynamic shape"), std::string::npos);
  // Static operands, but a result that is not.
  TestGraph result(R"(
    func.func @main(%x: tensor<2x3xf32>) -> tensor<?x2xf32> {
      %y = graph.static_transpose %x {order = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<?x2xf32>
      return %y : tensor<?x2xf32>
    })");
  EXPECT_TRUE(failed(result.run({makeTensor({2, 3}, {1, 2, 3, 4, 5, 6})})));
  EXPECT_NE(result.errors.find("'graph.static_transpose' op cannot be "
                               "evaluated"),
            std::string::npos)
      << result.errors;
  TestGraph wide(R"(
    func.func @main() -> tensor<1xi64> {
      %c = graph.constant dense<1> : tensor<1xi64>
      return %c : tensor<1xi64>
    })");
  EXPECT_TRUE(failed(wide.run({})));
  EXPECT_NE(wide.errors.find("'graph.constant' op has the unsupported element "
                             "type 'i64'"),
            std::string::npos)
      << wide.errors;
}

TEST(Interpreter, HugeTensorsAreErrors) {
  TestGraph graph(R"(
    func.func @main(%x: tensor<1xf32>) -> tensor<4294967296x4294967296xf32> {
      %c = graph.constant dense<1.0> : tensor<4294967296x4294967296xf32>
      %y = graph.add %x, %c : (tensor<1xf32>, tensor<4294967296x4294967296xf32>) -> tensor<4294967296x4294967296xf32>
      return %y : tensor<4294967296x4294967296xf32>
    })");
  EXPECT_TRUE(failed(graph.run({makeTensor({1}, {1})})));
  EXPECT_NE(graph.errors.find("overflows"), std::string::npos);
  TestGraph large(R"(
    func.func @main(%x: tensor<1xf32>) -> tensor<1125899906842624xf32> {
      %c = graph.constant dense<1.0> : tensor<1125899906842624xf32>
      %y = graph.add %x, %c : (tensor<1xf32>, tensor<1125899906842624xf32>) -> tensor<1125899906842624xf32>
      return %y : tensor<1125899906842624xf32>
    })");
  EXPECT_TRUE(failed(large.run({makeTensor({1}, {1})})));
  EXPECT_NE(large.errors.find("'graph.add' op cannot be evaluated: no memory"),
            std::string::npos)
      << large.errors;
}
