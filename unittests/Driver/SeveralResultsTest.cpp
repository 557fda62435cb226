// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Fusible ops with several results, of a dialect that the compiler does not
// know: fused, and computed in one pass.

#include "Driver/Driver.h"
#include "TestGraph.h"
#include "Transforms/Register.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace gc;

namespace {

/// Numbers of both signs that are exact in f32, and whose products are.
float getElement(int64_t i) { return static_cast<float>(i * 37 % 23 - 11) / 4; }

std::vector<float> makeInput(int64_t count) {
  std::vector<float> values;
  for (int64_t i = 0; i < count; ++i)
    values.push_back(getElement(i));
  return values;
}

class SeveralResults : public ::testing::Test {
protected:
  SeveralResults() {
    mlir::DialectRegistry registry;
    registerAllGraphCompilerDialects(registry);
    test::registerTestGraphDialect(registry);
    context.appendDialectRegistry(registry);
  }

  /// Compiles a program and checks that it is one region.
  std::unique_ptr<CompiledGraph> compile(llvm::StringRef program,
                                         int64_t threads) {
    module = mlir::parseSourceString<mlir::ModuleOp>(program, &context);
    EXPECT_TRUE(module);
    if (!module)
      return nullptr;
    CompileOptions options;
    options.pipeline.threads = threads;
    auto graph =
        CompiledGraph::compile(llvm::cantFail(findEntry(*module, "")), options);
    if (!graph) {
      ADD_FAILURE() << llvm::toString(graph.takeError());
      return nullptr;
    }
    EXPECT_EQ((*graph)->getFusedOps(), 1);
    return std::move(*graph);
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

// 23 columns leave a rest for vectors of any width.
TEST_F(SeveralResults, BothAreReadAndReturned) {
  constexpr int64_t kRows = 5, kColumns = 23;
  for (int64_t threads : {1, 2}) {
    auto graph = compile(R"(
      func.func @main(%x: tensor<5x23xf32>, %y: tensor<23xf32>)
          -> (tensor<5x23xf32>, tensor<5x1xf32>) {
        %p, %n = test_graph.split_sign %x : (tensor<5x23xf32>) -> (tensor<5x23xf32>, tensor<5x23xf32>)
        %s = graph.multiply %n, %y : (tensor<5x23xf32>, tensor<23xf32>) -> tensor<5x23xf32>
        %t = graph.subtract %p, %s : (tensor<5x23xf32>, tensor<5x23xf32>) -> tensor<5x23xf32>
        %r = graph.reduce_sum %t {axes = array<i64: 1>, keep_dims = true} : (tensor<5x23xf32>) -> tensor<5x1xf32>
        return %n, %r : tensor<5x23xf32>, tensor<5x1xf32>
      })",
                         threads);
    ASSERT_TRUE(graph);
    std::vector<float> x = makeInput(kRows * kColumns), y = makeInput(kColumns);
    std::vector<float> negative(x.size()), sums(kRows);
    void *inputs[] = {x.data(), y.data()};
    void *outputs[] = {negative.data(), sums.data()};
    ASSERT_FALSE(graph->execute(inputs, outputs, nullptr, threads));
    for (int64_t i = 0; i < kRows; ++i) {
      float sum = 0;
      for (int64_t j = 0; j < kColumns; ++j) {
        float value = x[i * kColumns + j];
        EXPECT_EQ(negative[i * kColumns + j], std::fmin(value, 0));
        sum += value > 0 ? value : -value * y[j];
      }
      EXPECT_EQ(sums[i], sum);
    }
  }
}

TEST_F(SeveralResults, AfterAProduct) {
  constexpr int64_t kSize = 40;
  auto graph = compile(R"(
    func.func @main(%a: tensor<40x40xf32>, %b: tensor<40x40xf32>)
        -> (tensor<40x40xf32>, tensor<40x40xf32>) {
      %c = graph.matmul %a, %b : (tensor<40x40xf32>, tensor<40x40xf32>) -> tensor<40x40xf32>
      %p, %n = test_graph.split_sign %c : (tensor<40x40xf32>) -> (tensor<40x40xf32>, tensor<40x40xf32>)
      return %p, %n : tensor<40x40xf32>, tensor<40x40xf32>
    })",
                       2);
  ASSERT_TRUE(graph);
  std::vector<float> a = makeInput(kSize * kSize), b = makeInput(kSize * kSize);
  std::vector<float> positive(a.size()), negative(a.size());
  void *inputs[] = {a.data(), b.data()};
  void *outputs[] = {positive.data(), negative.data()};
  ASSERT_FALSE(graph->execute(inputs, outputs, nullptr, 2));
  for (int64_t i = 0; i < kSize; ++i)
    for (int64_t j = 0; j < kSize; ++j) {
      float sum = 0;
      for (int64_t k = 0; k < kSize; ++k)
        sum += a[i * kSize + k] * b[k * kSize + j];
      EXPECT_EQ(positive[i * kSize + j], std::fmax(sum, 0));
      EXPECT_EQ(negative[i * kSize + j], std::fmin(sum, 0));
    }
}

// The results are laid out in memory in different orders.
TEST_F(SeveralResults, EachHasItsOwnMap) {
  constexpr int64_t kRows = 35, kColumns = 18;
  auto graph = compile(R"(
    func.func @main(%x: tensor<35x18xf32>)
        -> (tensor<18x35xf32>, tensor<35x18xf32>) {
      %0 = graph.abs %x : (tensor<35x18xf32>) -> tensor<35x18xf32>
      %t, %s = test_graph.with_transpose %0 : (tensor<35x18xf32>) -> (tensor<18x35xf32>, tensor<35x18xf32>)
      return %t, %s : tensor<18x35xf32>, tensor<35x18xf32>
    })",
                       2);
  ASSERT_TRUE(graph);
  std::vector<float> x = makeInput(kRows * kColumns);
  std::vector<float> transposed(x.size()), straight(x.size());
  void *inputs[] = {x.data()};
  void *outputs[] = {transposed.data(), straight.data()};
  ASSERT_FALSE(graph->execute(inputs, outputs, nullptr, 2));
  for (int64_t i = 0; i < kRows; ++i)
    for (int64_t j = 0; j < kColumns; ++j) {
      float value = std::fabs(x[i * kColumns + j]);
      EXPECT_EQ(transposed[j * kRows + i], 2 * value);
      EXPECT_EQ(straight[i * kColumns + j], 3 * value);
    }
}

} // namespace
