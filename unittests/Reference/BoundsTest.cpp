// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Bounds must catch real errors and pass every correct f32 implementation.

#include "../../lib/Reference/Sums.h"
#include "Reference/Compare.h"
#include "TestGraph.h"

#include <algorithm>
#include <cmath>
#include <functional>

using namespace gc::reference;

namespace {
/// y = A B of m x k and k x n matrices, from the reference with bounds.
struct Product {
  int64_t m, n, k;
  Tensor a, b;
  Tensor expected, bound;

  Product(int64_t m, int64_t n, int64_t k, bool positive)
      : Product(m, n, k, makeOperand(m * k, 3, positive),
                makeOperand(k * n, 4, positive)) {}
  Product(int64_t m, int64_t n, int64_t k, const std::vector<double> &valuesA,
          const std::vector<double> &valuesB)
      : m(m), n(n), k(k) {
    a = makeTensor({m, k}, valuesA);
    b = makeTensor({k, n}, valuesB);
    auto type = [](int64_t rows, int64_t columns) {
      return "tensor<" + std::to_string(rows) + "x" + std::to_string(columns) +
             "xf32>";
    };
    TestGraph graph("func.func @main(%a: " + type(m, k) +
                    ", %b: " + type(k, n) + ") -> " + type(m, n) +
                    " { %y = graph.matmul %a, %b : (" + type(m, k) + ", " +
                    type(k, n) + ") -> " + type(m, n) +
                    " return %y : " + type(m, n) + " }");
    auto result = graph.run({a, b}, /*errorBounds=*/true);
    EXPECT_TRUE(succeeded(result)) << graph.errors;
    expected = result->values[0];
    bound = result->bounds[0];
  }

  static std::vector<double> makeOperand(int64_t count, unsigned seed,
                                         bool positive) {
    std::vector<double> values = makeNoise(count, seed);
    if (positive)
      for (double &value : values)
        value = std::fabs(value);
    return values;
  }

  /// Compares what `dot` makes of the products of each element.
  Comparison
  check(const std::function<float(const std::vector<float> &,
                                  const std::vector<float> &)> &dot) const {
    Tensor actual = makeTensor({m, n}, std::vector<double>(m * n));
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        std::vector<float> row, column;
        for (int64_t l = 0; l < k; ++l) {
          row.push_back(a.getData<float>()[i * k + l]);
          column.push_back(b.getData<float>()[l * n + j]);
        }
        actual.getData<float>()[i * n + j] = dot(row, column);
      }
    return compare(actual, expected, bound);
  }
};

using Vector = std::vector<float>;

float sumForward(const Vector &a, const Vector &b) {
  float sum = 0;
  for (size_t i = 0; i < a.size(); ++i)
    sum += a[i] * b[i];
  return sum;
}
float sumBackward(const Vector &a, const Vector &b) {
  float sum = 0;
  for (size_t i = a.size(); i-- > 0;)
    sum = std::fma(a[i], b[i], sum);
  return sum;
}
/// 16 interleaved sums, added up at the end.
float sumInLanes(const Vector &a, const Vector &b) {
  float lanes[16] = {}, sum = 0;
  for (size_t i = 0; i < a.size(); ++i)
    lanes[i % 16] += a[i] * b[i];
  for (float lane : lanes)
    sum += lane;
  return sum;
}
/// Blocks of 64, added to a running sum.
float sumInBlocks(const Vector &a, const Vector &b) {
  float sum = 0;
  for (size_t begin = 0; begin < a.size(); begin += 64) {
    float block = 0;
    for (size_t i = begin; i < std::min(begin + 64, a.size()); ++i)
      block = std::fma(a[i], b[i], block);
    sum += block;
  }
  return sum;
}
float dropLast(const Vector &a, const Vector &b) {
  return sumForward(Vector(a.begin(), a.end() - 1),
                    Vector(b.begin(), b.end() - 1));
}
float roundResult(const Vector &a, const Vector &b) {
  return static_cast<float>(roundTo(ElementType::BF16, sumForward(a, b)));
}
} // namespace

TEST(Bounds, PassEveryOrderOfSummation) {
  for (int64_t k : {1, 2, 13, 479, 1024, 4096})
    for (bool positive : {false, true}) {
      SCOPED_TRACE(testing::Message() << "k " << k << " positive " << positive);
      Product product(24, 24, k, positive);
      for (auto *dot : {sumForward, sumBackward, sumInLanes, sumInBlocks}) {
        Comparison report = product.check(dot);
        EXPECT_TRUE(report.passed) << report.message;
        EXPECT_EQ(report.unchecked, 0);
      }
    }
}

/// Roundings of a sum that grows by the same number all have one sign.
TEST(Bounds, PassSumsOfEqualTerms) {
  for (int64_t count : {100, 509, 3000}) {
    gc::reference::Sum sum;
    float computed = 0;
    for (int64_t i = 0; i < count; ++i) {
      sum.add(0.1F, 0);
      computed += 0.1F;
    }
    gc::reference::Bounded bounded = sum.get(count);
    EXPECT_LE(std::fabs(computed - bounded.value), bounded.error);
    EXPECT_LT(bounded.error, 1e-4 * count);
  }
}

/// Where A is constant along its rows and B along its columns.
TEST(Bounds, PassProductsOfConstantRowsAndColumns) {
  constexpr int64_t kSize = 24;
  for (int64_t k : {13, 479, 1024, 3000, 20000}) {
    SCOPED_TRACE(testing::Message() << "k " << k);
    std::vector<double> row = makeNoise(kSize, 3), column = makeNoise(kSize, 4);
    std::vector<double> a, b;
    for (int64_t i = 0; i < kSize * k; ++i) {
      a.push_back(row[i / k]);
      b.push_back(column[i % kSize]);
    }
    Product product(kSize, kSize, k, a, b);
    for (auto *dot : {sumForward, sumBackward, sumInLanes, sumInBlocks}) {
      Comparison report = product.check(dot);
      EXPECT_TRUE(report.passed) << report.message;
      EXPECT_EQ(report.unchecked, 0);
    }
    // A lost term shows as long as it is larger than the roundings may be.
    if (k <= 3000)
      EXPECT_FALSE(product.check(dropLast).passed);
  }
}

/// A large element of A that meets a zero of B is in no sum.
TEST(Bounds, DoNotGrowByElementsThatMeetZeros) {
  constexpr int64_t kCount = 4096;
  std::vector<double> a(kCount, 1), b(kCount, 1);
  a[0] = 1e8;
  b[0] = 0;
  Product product(1, 1, kCount, a, b);
  Comparison report = product.check(sumForward);
  EXPECT_TRUE(report.passed) << report.message;
  // Roundings of a sum of n ones: n * n unit roundoffs at most.
  EXPECT_LT(product.bound.get({0, 0}), 0x1p-23 * kCount * kCount);
}

/// Products that differ from the ones before them do not raise the bound, even
/// if one of their factors is the same.
TEST(Bounds, GrowOnlyByProductsThatRepeat) {
  constexpr int64_t kSize = 7, kCount = 2000;
  struct Case {
    /// Which elements of A and of B equal the ones before them.
    int64_t beginA, endA, beginB, endB;
    bool grows;
  };
  for (Case c :
       {Case{1, 1, 1, 1, false}, Case{1, kCount, 1, 1, false},
        Case{1, 1, 1, kCount, false}, Case{1, 1000, 1000, kCount, false},
        Case{1, 300, 1, 300, true}}) {
    SCOPED_TRACE(testing::Message() << c.endA << " " << c.beginB);
    std::vector<double> a = makeNoise(kSize * kCount, 3);
    std::vector<double> b = makeNoise(kCount * kSize, 4);
    for (int64_t i = 0; i < kSize; ++i)
      for (int64_t l = 1; l < kCount; ++l) {
        if (l >= c.beginA && l < c.endA)
          a[i * kCount + l] = a[i * kCount + l - 1];
        if (l >= c.beginB && l < c.endB)
          b[l * kSize + i] = b[(l - 1) * kSize + i];
      }
    Product product(kSize, kSize, kCount, a, b);
    for (int64_t i = 0; i < kSize; ++i)
      for (int64_t j = 0; j < kSize; ++j) {
        double sum = 0, squares = 0, sizes = 0;
        for (int64_t l = 0; l < kCount; ++l) {
          double term = a[i * kCount + l] * b[l * kSize + j];
          sum += term;
          squares += term * term;
          sizes += std::fabs(term);
        }
        double base = 0x1p-24 * (8 * std::sqrt(kCount * squares) +
                                 (8 * std::sqrt(kCount) + 4) * std::fabs(sum));
        double bound = product.bound.get({i, j});
        if (!c.grows) {
          EXPECT_NEAR(bound, base, 1e-5 * base);
          continue;
        }
        // As if they came last, with at most twice the sum of all sizes.
        double c0 = std::fabs(a[i * kCount] * b[j]);
        double repeats = static_cast<double>(c.endA - c.beginA);
        double most = repeats * sizes - c0 * repeats * (repeats - 1) / 2;
        EXPECT_GE(bound, base + 0x1p-24 * most);
        EXPECT_LT(bound, base + 0x1p-23 * most);
      }
  }
}

/// If equal terms come last, each is added to almost the whole sum.
TEST(Bounds, PassSumsThatEndWithEqualTerms) {
  constexpr int64_t kCount = 14000;
  gc::reference::Sum sum;
  float computed = 0;
  for (int64_t i = 0; i < kCount; ++i) {
    // Just above half of the distance of numbers from 2048 on.
    float term = i == 0 ? 2048 : 0x21p-18F;
    sum.add(term, 0);
    computed += term;
  }
  gc::reference::Bounded bounded = sum.get(kCount);
  double error = std::fabs(computed - bounded.value);
  EXPECT_LE(error, bounded.error);
  EXPECT_GT(error, bounded.error / 3);
}

namespace {
/// Statistics of a row whose elements are mostly 0, from f32 alone.
struct RowStatistics {
  float variance = 0, stats = 0;

  explicit RowStatistics(llvm::ArrayRef<float> row) {
    auto count = static_cast<float>(row.size());
    float sum = 0, squares = 0, exponentials = 0;
    float max = *std::max_element(row.begin(), row.end());
    for (float x : row)
      sum += x;
    for (float x : row) {
      squares += (x - sum / count) * (x - sum / count);
      exponentials += std::exp(x - max);
    }
    variance = squares / count;
    stats = max + std::log(exponentials);
  }
};
} // namespace

TEST(Bounds, PassStatisticsOfRowsThatAreMostlyZero) {
  constexpr int64_t kCount = 14000;
  TestGraph graph(R"(
    func.func @main(%x: tensor<14000xf32>) -> (tensor<f32>, tensor<1xf32>) {
      %y, %mean, %variance = graph.layer_norm %x {begin_norm_axis = 0 : i64, use_affine = false} : (tensor<14000xf32>) -> (tensor<14000xf32>, tensor<f32>, tensor<f32>)
      %z, %stats = graph.softmax %x {axis = 0 : i64} : (tensor<14000xf32>) -> (tensor<14000xf32>, tensor<1xf32>)
      return %variance, %stats : tensor<f32>, tensor<1xf32>
    })");
  // The squares of the means and the exponentials of zeros are far from the
  // numbers that f32 has at the end of the sums.
  std::vector<float> row(kCount);
  for (int64_t i = 3; i < kCount; i += 50)
    row[i] = 0.0506F;
  Tensor x = makeTensor({kCount}, std::vector<double>(row.begin(), row.end()));
  auto result = graph.run({x}, /*errorBounds=*/true);
  ASSERT_TRUE(succeeded(result)) << graph.errors;
  RowStatistics computed(row);
  const float values[] = {computed.variance, computed.stats};
  for (int i = 0; i < 2; ++i) {
    double error = std::fabs(values[i] - result->values[i].getValues()[0]);
    double bound = result->bounds[i].getValues()[0];
    EXPECT_LE(error, bound) << i;
    EXPECT_GT(error, bound / 10) << i;
  }
}

TEST(Bounds, CatchADroppedTerm) {
  for (int64_t k : {2, 13, 479, 1024, 4096})
    for (bool positive : {false, true}) {
      SCOPED_TRACE(testing::Message() << "k " << k << " positive " << positive);
      Comparison report = Product(24, 24, k, positive).check(dropLast);
      EXPECT_FALSE(report.passed);
      // Not by luck: most elements show it.
      EXPECT_GT(report.mismatches, 24 * 24 / 2);
    }
}

TEST(Bounds, CatchAResultRoundedToBF16) {
  for (int64_t k : {13, 479, 1024}) {
    Comparison report = Product(24, 24, k, false).check(roundResult);
    EXPECT_FALSE(report.passed);
    EXPECT_GT(report.mismatches, 24 * 24 / 2) << k;
  }
}

/// Five layers in plain f32 pass, five layers with one rounded to bf16 do not:
/// the bounds do not grow without use.
TEST(Bounds, StayUsefulThroughLayers) {
  constexpr int64_t kSize = 128;
  constexpr int kLayers = 5;
  std::string text = "func.func @main(%x0: tensor<128x128xf32>";
  for (int i = 0; i < kLayers; ++i)
    text += ", %w" + std::to_string(i) + ": tensor<128x128xf32>";
  text += ") -> tensor<128x128xf32> {\n";
  for (int i = 0; i < kLayers; ++i) {
    std::string n = std::to_string(i), next = std::to_string(i + 1);
    text += "%m" + n + " = graph.matmul %x" + n + ", %w" + n +
            " : (tensor<128x128xf32>, tensor<128x128xf32>) -> "
            "tensor<128x128xf32>\n%x" +
            next + " = graph.relu %m" + n +
            " : (tensor<128x128xf32>) -> tensor<128x128xf32>\n";
  }
  text += "return %x5 : tensor<128x128xf32> }";
  std::vector<Tensor> inputs;
  for (int i = 0; i <= kLayers; ++i) {
    std::vector<double> values = makeNoise(kSize * kSize, 10 + i);
    if (i)
      for (double &value : values)
        value *= 0.2;
    inputs.push_back(makeTensor({kSize, kSize}, values));
  }
  TestGraph graph(text);
  auto result = graph.run(inputs, /*errorBounds=*/true);
  ASSERT_TRUE(succeeded(result)) << graph.errors;

  auto compute = [&](int roundedLayer) {
    Tensor x = *inputs[0].clone();
    for (int layer = 0; layer < kLayers; ++layer) {
      Tensor y = makeTensor({kSize, kSize}, std::vector<double>(kSize * kSize));
      const float *w = inputs[layer + 1].getData<float>();
      for (int64_t i = 0; i < kSize; ++i)
        for (int64_t j = 0; j < kSize; ++j) {
          float sum = 0;
          for (int64_t l = 0; l < kSize; ++l)
            sum += x.getData<float>()[i * kSize + l] * w[l * kSize + j];
          if (layer == roundedLayer)
            sum = static_cast<float>(roundTo(ElementType::BF16, sum));
          y.getData<float>()[i * kSize + j] = sum > 0 ? sum : 0;
        }
      x = y;
    }
    return compare(x, result->values[0], result->bounds[0]);
  };
  Comparison right = compute(-1);
  EXPECT_TRUE(right.passed) << right.message;
  EXPECT_FALSE(compute(0).passed);
  EXPECT_FALSE(compute(kLayers - 1).passed);
}

/// The bound of a one-element function of one element.
static double getBound(const std::string &op, double x, double *value) {
  // Exact, then off by a known amount: 1 * x has the bound of one product.
  TestGraph graph("func.func @main(%a: tensor<1x1xf32>, %b: tensor<1x1xf32>) "
                  "-> tensor<1x1xf32> { %x = graph.matmul %a, %b : "
                  "(tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32> %y = "
                  "graph." +
                  op +
                  " : (tensor<1x1xf32>) -> tensor<1x1xf32> return %y : "
                  "tensor<1x1xf32> }");
  auto result = graph.run({makeTensor({1, 1}, {1}), makeTensor({1, 1}, {x})},
                          /*errorBounds=*/true);
  EXPECT_TRUE(succeeded(result)) << graph.errors;
  *value = result->values[0].get({0, 0});
  return result->bounds[0].get({0, 0});
}

TEST(Bounds, GrowWithTheSlope) {
  double y;
  double atZero = getBound("exp %x", 1e-3, &y);
  double atTen = getBound("exp %x", 10, &y);
  // x carries about 1e-6 of itself; e^x multiplies that by e^x.
  EXPECT_LT(atZero, 1e-5);
  EXPECT_GT(atTen, 10 * 0x1p-23 * y);
  EXPECT_LT(atTen, 1e-4 * y);
}

TEST(Bounds, KnowThatRoundingJumps) {
  double y;
  EXPECT_GE(getBound("round %x", 0.5, &y), 1); // either side of a tie
  EXPECT_LT(getBound("round %x", 0.25, &y), 1e-6);
}

/// Left of -3 the gradient is 0, right of it -diff / 2 and then more.
TEST(Bounds, KnowWhereGradientsJump) {
  TestGraph graph(R"(
    func.func @main(%a: tensor<1x3xf32>, %b: tensor<3x1xf32>,
                    %d: tensor<1x1xf32>) -> tensor<1x1xf32> {
      %x = graph.matmul %a, %b : (tensor<1x3xf32>, tensor<3x1xf32>)
        -> tensor<1x1xf32>
      %y = graph.hard_swish_backward %x, %d
        : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
      return %y : tensor<1x1xf32>
    })");
  // The large terms cancel and leave an error of some 0.1.
  auto result = graph.run({makeTensor({1, 3}, {1, 1, 1}),
                           makeTensor({3, 1}, {1048576, -1048576, -3.03125}),
                           makeTensor({1, 1}, {1})},
                          /*errorBounds=*/true);
  ASSERT_TRUE(succeeded(result)) << graph.errors;
  EXPECT_EQ(result->values[0].get({0, 0}), 0);
  EXPECT_GE(result->bounds[0].get({0, 0}), 0.5);
  EXPECT_LT(result->bounds[0].get({0, 0}), 0.6);
}

TEST(Bounds, AreInfiniteWhereAnythingMayHappen) {
  double y;
  EXPECT_EQ(getBound("reciprocal %x", 1e-38, &y), HUGE_VAL);
  EXPECT_LT(getBound("reciprocal %x", 2, &y), 1e-5);
  EXPECT_EQ(getBound("sqrt %x", 0, &y), HUGE_VAL); // or NaN
}

TEST(Bounds, ExactOpsOfExactInputsAreExact) {
  TestGraph graph(R"(
    func.func @main(%x: tensor<2xf32>, %i: tensor<2xsi32>)
        -> (tensor<2xf32>, tensor<2xsi32>, tensor<2xf32>) {
      %r = graph.relu %x : (tensor<2xf32>) -> tensor<2xf32>
      %s = graph.add %i, %i : (tensor<2xsi32>, tensor<2xsi32>) -> tensor<2xsi32>
      %a = graph.add %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      return %r, %s, %a : tensor<2xf32>, tensor<2xsi32>, tensor<2xf32>
    })");
  auto result = graph.run(
      {makeTensor({2}, {1, -1}), makeTensor(ElementType::S32, {2}, {1, 2})},
      /*errorBounds=*/true);
  ASSERT_TRUE(succeeded(result));
  EXPECT_FALSE(result->bounds[0]);
  EXPECT_FALSE(result->bounds[1]);
  ASSERT_TRUE(result->bounds[2]);
  EXPECT_GT(result->bounds[2].get({0}), 0);
}

TEST(Bounds, NonFiniteResultsAreStillChecked) {
  TestGraph graph(R"(
    func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
      %y = graph.exp %x : (tensor<3xf32>) -> tensor<3xf32>
      return %y : tensor<3xf32>
    })");
  auto result = graph.run({makeTensor({3}, {200, HUGE_VAL, std::nan("")})},
                          /*errorBounds=*/true);
  ASSERT_TRUE(succeeded(result));
  EXPECT_EQ(result->bounds[0].getValues(), (std::vector<double>{0, 0, 0}));
}

TEST(Bounds, CastsAllowHalfAnUlp) {
  TestGraph graph(R"(
    func.func @main(%x: tensor<1xf32>) -> tensor<1xbf16> {
      %y = graph.type_cast %x : tensor<1xf32> -> tensor<1xbf16>
      return %y : tensor<1xbf16>
    })");
  auto result = graph.run({makeTensor({1}, {1.5})}, /*errorBounds=*/true);
  ASSERT_TRUE(succeeded(result));
  EXPECT_NEAR(result->bounds[0].get({0}), 1.5 * 0x1p-8, 1e-6);
}
