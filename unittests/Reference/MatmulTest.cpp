// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TestGraph.h"

#include <cmath>

using namespace gc::reference;

/// A graph of one matmul of f32; shapes as in "2x3".
static std::string makeMatmul(const std::string &a, const std::string &b,
                              const std::string &c,
                              const std::string &attributes = "") {
  auto type = [](const std::string &shape) {
    return "tensor<" + shape + (shape.empty() ? "f32>" : "xf32>");
  };
  return "func.func @main(%a: " + type(a) + ", %b: " + type(b) + ") -> " +
         type(c) + " { %y = graph.matmul %a, %b " + attributes + " : (" +
         type(a) + ", " + type(b) + ") -> " + type(c) +
         " return %y : " + type(c) + " }";
}

TEST(Matmul, TwoByTwo) {
  Tensor a = makeTensor({2, 3}, {1, 2, 3, 4, 5, 6});
  Tensor b = makeTensor({3, 2}, {7, 8, 9, 10, 11, 12});
  EXPECT_EQ(TestGraph(makeMatmul("2x3", "3x2", "2x2")).evaluate({a, b}),
            (std::vector<double>{58, 64, 139, 154}));
}

TEST(Matmul, Transposes) {
  // The same matrices as above, stored the other way.
  Tensor a = makeTensor({3, 2}, {1, 4, 2, 5, 3, 6});
  Tensor b = makeTensor({2, 3}, {7, 9, 11, 8, 10, 12});
  EXPECT_EQ(TestGraph(makeMatmul("3x2", "2x3", "2x2",
                                 "{transpose_a = true, transpose_b = true}"))
                .evaluate({a, b}),
            (std::vector<double>{58, 64, 139, 154}));
}

TEST(Matmul, Vectors) {
  Tensor v = makeTensor({3}, {1, 2, 3});
  Tensor w = makeTensor({3, 2}, {7, 8, 9, 10, 11, 12});
  Tensor x = makeTensor({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(TestGraph(makeMatmul("3", "3", "")).evaluate({v, v}),
            std::vector<double>{14});
  EXPECT_EQ(TestGraph(makeMatmul("3", "3x2", "2")).evaluate({v, w}),
            (std::vector<double>{58, 64}));
  EXPECT_EQ(TestGraph(makeMatmul("2x3", "3", "2")).evaluate({x, v}),
            (std::vector<double>{14, 32}));
  // A transposed vector is the same vector.
  EXPECT_EQ(TestGraph(makeMatmul("3", "3x2", "2", "{transpose_a = true}"))
                .evaluate({v, w}),
            (std::vector<double>{58, 64}));
}

TEST(Matmul, WiderResult) {
  TestGraph graph(R"(
    func.func @main(%a: tensor<1x2xbf16>, %b: tensor<2x1xbf16>, %c: tensor<1xbf16>) -> tensor<1x1xf32> {
      %y = graph.matmul %a, %b, %c : (tensor<1x2xbf16>, tensor<2x1xbf16>, tensor<1xbf16>) -> tensor<1x1xf32>
      return %y : tensor<1x1xf32>
    })");
  // 256 + 3/4 + 1 needs more digits than bf16 has.
  EXPECT_EQ(graph.evaluate({makeTensor(ElementType::BF16, {1, 2}, {256, 0.75}),
                            makeTensor(ElementType::BF16, {2, 1}, {1, 1}),
                            makeTensor(ElementType::BF16, {1}, {1})}),
            std::vector<double>{257.75});
}

TEST(Matmul, Integers) {
  TestGraph graph(R"(
    func.func @main(%a: tensor<1x3xsi8>, %b: tensor<3x2xsi8>, %c: tensor<2xsi32>) -> tensor<1x2xsi32> {
      %y = graph.matmul %a, %b, %c : (tensor<1x3xsi8>, tensor<3x2xsi8>, tensor<2xsi32>) -> tensor<1x2xsi32>
      return %y : tensor<1x2xsi32>
    })");
  Tensor a = makeTensor(ElementType::S8, {1, 3}, {-128, 127, 1});
  Tensor b = makeTensor(ElementType::S8, {3, 2}, {-128, 1, -128, 2, 0, 3});
  Tensor c = makeTensor(ElementType::S32, {2}, {1, -2000000000});
  auto result = graph.run({a, b, c}, /*errorBounds=*/true);
  ASSERT_TRUE(succeeded(result)) << graph.errors;
  EXPECT_EQ(result->values[0].getValues(),
            (std::vector<double>{129, -1999999871}));
  // Sums of integers are exact.
  EXPECT_FALSE(result->bounds[0]);
}

TEST(Matmul, IntegersThatMayBeOffByATie) {
  // 0.5 + e rounds to 0 or 1; the product may be off by the weight.
  TestGraph graph(R"(
    func.func @main(%x: tensor<1x1xf32>, %w: tensor<1x1xf32>, %b: tensor<1x1xsi8>) -> tensor<1x1xsi32> {
      %p = graph.matmul %x, %w : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
      %a = graph.type_cast %p : tensor<1x1xf32> -> tensor<1x1xsi8>
      %y = graph.matmul %a, %b : (tensor<1x1xsi8>, tensor<1x1xsi8>) -> tensor<1x1xsi32>
      return %y : tensor<1x1xsi32>
    })");
  auto result = graph.run({makeTensor({1, 1}, {0.5}), makeTensor({1, 1}, {1}),
                           makeTensor(ElementType::S8, {1, 1}, {100})},
                          /*errorBounds=*/true);
  ASSERT_TRUE(succeeded(result)) << graph.errors;
  EXPECT_EQ(result->values[0].getValues(), std::vector<double>{0});
  EXPECT_GE(result->bounds[0].getValues()[0], 100);
  EXPECT_LE(result->bounds[0].getValues()[0], 250);
}

TEST(Matmul, ManyTies) {
  // All 32 terms may be off by a tie: by 5 times the root of the sum of
  // squares, but not by more than all of them with one sign.
  TestGraph graph(R"(
    func.func @main(%x: tensor<32x1xf32>, %w: tensor<1x1xf32>, %b: tensor<32x1xsi8>) -> tensor<1x1xsi32> {
      %p = graph.matmul %x, %w : (tensor<32x1xf32>, tensor<1x1xf32>) -> tensor<32x1xf32>
      %a = graph.type_cast %p : tensor<32x1xf32> -> tensor<32x1xsi8>
      %y = graph.matmul %a, %b {transpose_a = true} : (tensor<32x1xsi8>, tensor<32x1xsi8>) -> tensor<1x1xsi32>
      return %y : tensor<1x1xsi32>
    })");
  auto result = graph.run(
      {makeTensor({32, 1}, std::vector<double>(32, 0.5)),
       makeTensor({1, 1}, {1}),
       makeTensor(ElementType::S8, {32, 1}, std::vector<double>(32, 100))},
      /*errorBounds=*/true);
  ASSERT_TRUE(succeeded(result)) << graph.errors;
  EXPECT_GE(result->bounds[0].getValues()[0], 2800);
  EXPECT_LE(result->bounds[0].getValues()[0], 3200);
}

TEST(Matmul, NarrowFloats) {
  // 2048 + 1 + 1 in f16: summed wide, rounded once.
  for (const char *element : {"f16", "f32"}) {
    std::string type = element;
    TestGraph graph(
        "func.func @main(%a: tensor<1x3xf16>, %b: tensor<3x1xf16>) -> "
        "tensor<1x1x" +
        type +
        "> { %y = graph.matmul %a, %b : (tensor<1x3xf16>, tensor<3x1xf16>) -> "
        "tensor<1x1x" +
        type + "> return %y : tensor<1x1x" + type + "> }");
    Tensor a = makeTensor(ElementType::F16, {1, 3}, {2048, 1, 1});
    Tensor b = makeTensor(ElementType::F16, {3, 1}, {1, 1, 1});
    EXPECT_EQ(graph.evaluate({a, b}), std::vector<double>{2050});
    // 60000 * 2 overflows f16 alone.
    Tensor c = makeTensor(ElementType::F16, {1, 3}, {60000, 60000, 0});
    EXPECT_EQ(graph.evaluate({c, b}),
              std::vector<double>{type == "f16" ? HUGE_VAL : 120000});
  }
}

TEST(Matmul, BroadcastsBatches) {
  // Batch [2, 1] against [3]: result [2, 3] of 1 x 1 matrices with K = 2.
  Tensor a = makeTensor({2, 1, 1, 2}, {1, 2, 3, 4});
  Tensor b = makeTensor({3, 2, 1}, {1, 0, 0, 1, 1, 1});
  EXPECT_EQ(
      TestGraph(makeMatmul("2x1x1x2", "3x2x1", "2x3x1x1")).evaluate({a, b}),
      (std::vector<double>{1, 2, 3, 3, 4, 7}));
}

TEST(Matmul, BatchAgainstVector) {
  Tensor a = makeTensor({2, 1, 2}, {1, 2, 3, 4});
  Tensor b = makeTensor({2}, {10, 1});
  EXPECT_EQ(TestGraph(makeMatmul("2x1x2", "2", "2x1")).evaluate({a, b}),
            (std::vector<double>{12, 34}));
}

TEST(Matmul, AddsBias) {
  TestGraph graph(R"(
    func.func @main(%a: tensor<2x1xf32>, %b: tensor<1x2xf32>,
                    %c: tensor<2xf32>) -> tensor<2x2xf32> {
      %y = graph.matmul %a, %b, %c : (tensor<2x1xf32>, tensor<1x2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
      return %y : tensor<2x2xf32>
    })");
  EXPECT_EQ(
      graph.evaluate({makeTensor({2, 1}, {1, 2}), makeTensor({1, 2}, {3, 4}),
                      makeTensor({2}, {100, 200})}),
      (std::vector<double>{103, 204, 106, 208}));
}

TEST(Matmul, AddsBiasToVector) {
  TestGraph graph(R"(
    func.func @main(%a: tensor<2x2x1xf32>, %b: tensor<1xf32>,
                    %c: tensor<2x1xf32>) -> tensor<2x2xf32> {
      %y = graph.matmul %a, %b, %c : (tensor<2x2x1xf32>, tensor<1xf32>, tensor<2x1xf32>) -> tensor<2x2xf32>
      return %y : tensor<2x2xf32>
    })");
  EXPECT_EQ(
      graph.evaluate({makeTensor({2, 2, 1}, {1, 2, 3, 4}),
                      makeTensor({1}, {10}), makeTensor({2, 1}, {0.5, 0.25})}),
      (std::vector<double>{10.5, 20.5, 30.25, 40.25}));
}

TEST(Matmul, EmptyReductionIsZero) {
  EXPECT_EQ(TestGraph(makeMatmul("2x0", "0x2", "2x2"))
                .evaluate({makeTensor({2, 0}, {}), makeTensor({0, 2}, {})}),
            (std::vector<double>{0, 0, 0, 0}));
}

TEST(Matmul, ReadsStridedOperands) {
  // Columns 1 and 2 of a [2, 4] buffer, and a transposed view.
  double buffer[] = {9, 1, 2, 9, 9, 3, 4, 9};
  Tensor a = Tensor::borrow(ElementType::F64, {2, 2}, {4, 1}, buffer + 1);
  auto f32 =
      Tensor::create(ElementType::F32, {2, 2}, llvm::ArrayRef<int64_t>{1, 2});
  ASSERT_TRUE(succeeded(f32));
  f32->copyFrom(a);
  Tensor identity = makeTensor({2, 2}, {1, 0, 0, 10});
  EXPECT_EQ(
      TestGraph(makeMatmul("2x2", "2x2", "2x2")).evaluate({*f32, identity}),
      (std::vector<double>{1, 20, 3, 40}));
}

TEST(Matmul, SumsInDouble) {
  // 2^24 + 1 - 2^24: f32 sums would give 0.
  Tensor a = makeTensor({1, 3}, {0x1p24, 1, -0x1p24});
  Tensor b = makeTensor({3, 1}, {1, 1, 1});
  EXPECT_EQ(TestGraph(makeMatmul("1x3", "3x1", "1x1")).evaluate({a, b}),
            std::vector<double>{1});
}

/// Sizes around the tile (96 x 128 x 256) and the kernel (6 x 8), with operands
/// in all four orientations, against a plain triple loop.
TEST(Matmul, AgreesWithPlainLoops) {
  struct {
    int64_t m, n, k;
  } sizes[] = {{1, 1, 1}, {1, 129, 257},  {97, 1, 3},
               {7, 9, 5}, {96, 128, 256}, {101, 137, 263}};
  for (auto [m, n, k] : sizes) {
    std::vector<double> a = makeNoise(m * k, 1), b = makeNoise(k * n, 2);
    for (bool transA : {false, true})
      for (bool transB : {false, true}) {
        SCOPED_TRACE(testing::Message()
                     << m << 'x' << n << 'x' << k << ' ' << transA << transB);
        llvm::SmallVector<int64_t> shapeA = {m, k}, shapeB = {k, n};
        if (transA)
          std::swap(shapeA[0], shapeA[1]);
        if (transB)
          std::swap(shapeB[0], shapeB[1]);
        Tensor tensorA = makeTensor(shapeA, a), tensorB = makeTensor(shapeB, b);
        a = tensorA.getValues(); // rounded to f32
        b = tensorB.getValues();
        auto text = [](llvm::ArrayRef<int64_t> shape) {
          return std::to_string(shape[0]) + "x" + std::to_string(shape[1]);
        };
        std::string attributes =
            std::string("{transpose_a = ") + (transA ? "true" : "false") +
            ", transpose_b = " + (transB ? "true" : "false") + "}";
        auto actual = TestGraph(makeMatmul(text(shapeA), text(shapeB),
                                           text({m, n}), attributes))
                          .evaluate({tensorA, tensorB});
        std::vector<double> expected;
        for (int64_t i = 0; i < m; ++i)
          for (int64_t j = 0; j < n; ++j) {
            double sum = 0;
            for (int64_t l = 0; l < k; ++l)
              sum += a[transA ? l * m + i : i * k + l] *
                     b[transB ? j * k + l : l * n + j];
            expected.push_back(static_cast<float>(sum));
          }
        expectNear(actual, expected, 1e-12);
      }
  }
}
