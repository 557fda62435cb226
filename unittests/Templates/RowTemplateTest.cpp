// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A template that is added from outside is chosen where it is the cheapest or
// forced, is recorded in the IR, and computes the right numbers.

#include "RowTemplate.h"
#include "Dialect/Graph/Transforms/TemplateChoices.h"
#include "Driver/Driver.h"
#include "Machine/MachineFile.h"
#include "Transforms/Register.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "gtest/gtest.h"

using namespace gc;
using namespace gc::graph;
using namespace mlir;
using namespace test;

namespace {

class RowTemplateTest : public ::testing::Test {
protected:
  RowTemplateTest() {
    DialectRegistry registry;
    registerAllGraphCompilerDialects(registry);
    registerRowTemplate(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  /// relu(a[m, k] * b[k, n]) + 1.
  func::FuncOp parse(int64_t m, int64_t n, int64_t k,
                     const std::string &attributes = "") {
    auto type = [](int64_t rows, int64_t columns) {
      return "tensor<" + std::to_string(rows) + "x" + std::to_string(columns) +
             "xf32>";
    };
    std::string a = type(m, k), b = type(k, n), c = type(m, n);
    std::string text =
        "func.func @f(%a: " + a + ", %b: " + b + ") -> " + c + " {\n" +
        "  %one = graph.constant dense<1.0> : tensor<f32>\n" +
        "  %0 = graph.matmul %a, %b " + attributes + " : (" + a + ", " + b +
        ") -> " + c + "\n" + "  %1 = graph.relu %0 : (" + c + ") -> " + c +
        "\n" + "  %2 = graph.add %1, %one : (" + c + ", tensor<f32>) -> " + c +
        "\n" + "  return %2 : " + c + "\n}\n";
    module = parseSourceString<ModuleOp>(text, &context);
    return module ? *module->getOps<func::FuncOp>().begin() : func::FuncOp();
  }

  /// The template that the pipeline chooses for the only matmul.
  TemplateAttrInterface choose(func::FuncOp func,
                               const std::string &options = "") {
    CpuPipelineOptions pipeline =
        llvm::cantFail(CpuPipelineOptions::parse(options));
    pipeline.stopAfter = CpuPhase::fusion;
    PassManager manager(&context);
    buildCpuPipeline(manager, pipeline);
    EXPECT_TRUE(succeeded(manager.run(*module)));
    TemplateAttrInterface chosen;
    module->walk([&](MatmulOp op) {
      chosen = op.getTemplateParamsAttr();
      // Its neighbours are committed at the template's anchor.
      EXPECT_TRUE(isa<FusedOp>(op->getParentOp()));
    });
    return chosen;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_F(RowTemplateTest, ChosenWhereItIsTheCheapest) {
  EXPECT_TRUE(isa<RowTemplateAttr>(choose(parse(8, 16, 1))));
  EXPECT_TRUE(isa<MatmulTemplateAttr>(choose(parse(8, 16, 32))));
}

TEST_F(RowTemplateTest, ChosenWhereItIsForced) {
  auto chosen = choose(parse(8, 16, 32), "force-templates=row_template");
  ASSERT_TRUE(isa<RowTemplateAttr>(chosen));
  // Of its parameters the cheapest.
  EXPECT_EQ(cast<RowTemplateAttr>(chosen).getUnroll(), 2);
  chosen = choose(parse(8, 16, 33), "force-templates=row_template");
  EXPECT_EQ(cast<RowTemplateAttr>(chosen).getUnroll(), 1);
  EXPECT_TRUE(isa<MatmulTemplateAttr>(
      choose(parse(8, 16, 1), "force-templates=matmul_template")));
}

TEST_F(RowTemplateTest, TakesPartInTuning) {
  FailureOr<TemplateChoices> choices = findTemplateChoices(
      parse(8, 16, 4), *findPreset("zen3-2"), GraphSelectTemplateOptions());
  ASSERT_TRUE(succeeded(choices));
  EXPECT_TRUE(llvm::any_of(choices->candidates[0], [](const auto &candidate) {
    return isa<RowTemplateAttr>(candidate.params);
  }));
}

TEST_F(RowTemplateTest, IsVerified) {
  std::vector<std::string> errors;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    errors.push_back(diagnostic.str());
    return success();
  });
  EXPECT_FALSE(
      parse(8, 16, 33, "{template_params = #test.row_template<unroll = 2>}"));
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_NE(errors[0].find("not a multiple of 2"), std::string::npos);
  EXPECT_TRUE(
      parse(8, 16, 32, "{template_params = #test.row_template<unroll = 2>}"));
}

TEST_F(RowTemplateTest, Computes) {
  struct Shape {
    int64_t m, n, k;
  };
  for (Shape s : {Shape{8, 16, 32}, {5, 7, 3}, {1, 1, 1}, {9, 100, 2}}) {
    CompileOptions options;
    options.pipeline = llvm::cantFail(
        CpuPipelineOptions::parse("threads=2 force-templates=row_template"));
    auto graph = CompiledGraph::compile(parse(s.m, s.n, s.k), options);
    ASSERT_TRUE(bool(graph)) << llvm::toString(graph.takeError());
    // Small integers, so that every order of summation gives the same.
    std::vector<float> a(s.m * s.k), b(s.k * s.n), c(s.m * s.n, -1);
    for (size_t i = 0; i < a.size(); ++i)
      a[i] = static_cast<float>(i % 7) - 3;
    for (size_t i = 0; i < b.size(); ++i)
      b[i] = static_cast<float>(i % 5) - 2;
    void *inputs[] = {a.data(), b.data()}, *outputs[] = {c.data()};
    llvm::Error error =
        (*graph)->execute(inputs, outputs, /*executor=*/nullptr, 2);
    ASSERT_FALSE(bool(error)) << llvm::toString(std::move(error));
    for (int64_t i = 0; i < s.m; ++i)
      for (int64_t j = 0; j < s.n; ++j) {
        float sum = 0;
        for (int64_t k = 0; k < s.k; ++k)
          sum += a[i * s.k + k] * b[k * s.n + j];
        EXPECT_EQ(c[i * s.n + j], std::max(sum, 0.0f) + 1)
            << s.m << " x " << s.n << " x " << s.k << ": " << i << ", " << j;
      }
  }
}

} // namespace
