// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The space of a tuner: it begins with what graph-select-template chooses, and
// everything in it is legal.

#include "Dialect/Graph/Transforms/TemplateChoices.h"
#include "Dialect/Graph/Templates/Templates.h"
#include "Dialect/Graph/Transforms/TemplateDatabase.h"
#include "Machine/MachineFile.h"
#include "Support/ModuleMachine.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "gtest/gtest.h"

using namespace gc;
using namespace gc::graph;
using namespace mlir;

namespace {

/// Two products that follow each other, one that reads the same rows, and one
/// with a template of its own.
constexpr char kGraph[] = R"(
func.func @f(%x: tensor<256x512xf32>, %w: tensor<512x384xf32>, %v: tensor<384x100xf32>, %u: tensor<100x64xf32>)
    -> (tensor<256x64xf32>, tensor<256x384xf32>) {
  %0 = graph.matmul %x, %w : (tensor<256x512xf32>, tensor<512x384xf32>) -> tensor<256x384xf32>
  %1 = graph.relu %0 : (tensor<256x384xf32>) -> tensor<256x384xf32>
  %2 = graph.matmul %1, %v : (tensor<256x384xf32>, tensor<384x100xf32>) -> tensor<256x100xf32>
  %3 = graph.matmul %2, %u {template_params = #graph.matmul_template<MPN = 2, NPN = 1, MB = 32, NB = 32, KB = 100,
      BS = 1, order = [m, n, k], packA = false, packB = true>} : (tensor<256x100xf32>, tensor<100x64xf32>) -> tensor<256x64xf32>
  %4 = graph.matmul %x, %w : (tensor<256x512xf32>, tensor<512x384xf32>) -> tensor<256x384xf32>
  return %3, %4 : tensor<256x64xf32>, tensor<256x384xf32>
}
)";

class TemplateChoicesTest : public ::testing::Test {
protected:
  TemplateChoicesTest() : machine(*findPreset("zen4-2")) {
    context.loadDialect<GraphDialect, func::FuncDialect>();
    module = parseSourceString<ModuleOp>(kGraph, &context);
    setMachine(*module, machine);
    function = *module->getOps<func::FuncOp>().begin();
    options.threads = 2;
  }

  TemplateChoices find() {
    FailureOr<TemplateChoices> choices =
        findTemplateChoices(function, machine, options);
    EXPECT_TRUE(succeeded(choices));
    return succeeded(choices) ? std::move(*choices) : TemplateChoices();
  }

  std::string print() {
    std::string text;
    llvm::raw_string_ostream(text) << function;
    return text;
  }

  Machine machine;
  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  func::FuncOp function;
  GraphSelectTemplateOptions options;
};

TEST_F(TemplateChoicesTest, BeginsWithWhatThePassChooses) {
  std::string before = print();
  TemplateChoices choices = find();
  EXPECT_EQ(print(), before);
  ASSERT_EQ(choices.ops.size(), 4u);

  PassManager manager(&context);
  manager.addNestedPass<func::FuncOp>(createGraphSelectTemplate(options));
  ASSERT_TRUE(succeeded(manager.run(*module)));
  SmallVector<Attribute> own(choices.ops.size());
  for (const ChainAlternatives &chain : choices.chains)
    for (auto [op, candidate] : llvm::zip_equal(chain.ops, chain.choices[0]))
      own[op] = candidate.params;
  for (auto [op, chosen] : llvm::zip_equal(choices.ops, own))
    EXPECT_EQ(op.getChosenTemplate(), chosen);
}

TEST_F(TemplateChoicesTest, HasLegalTemplatesOnly) {
  TemplateChoices choices = find();
  auto check = [&](unsigned number, const TemplateCandidate &candidate) {
    OwningOpRef<func::FuncOp> copy = function.clone();
    SmallVector<TunableOpInterface> ops;
    copy->walk([&](TunableOpInterface op) { ops.push_back(op); });
    ops[number].setChosenTemplate(
        cast<TemplateAttrInterface>(candidate.params));
    EXPECT_TRUE(succeeded(verifyChosenTemplate(ops[number])));
    EXPECT_GT(candidate.cycles, 0);
  };
  for (auto [number, candidates] : llvm::enumerate(choices.candidates)) {
    EXPECT_FALSE(candidates.empty());
    for (size_t i = 0; i < candidates.size(); ++i) {
      check(number, candidates[i]);
      for (size_t j = 0; j < i; ++j) {
        EXPECT_NE(candidates[i].params, candidates[j].params);
        EXPECT_LE(candidates[j].cycles, candidates[i].cycles);
      }
    }
  }
  for (const ChainAlternatives &chain : choices.chains)
    for (ArrayRef<TemplateCandidate> choice : chain.choices)
      for (auto [number, candidate] : llvm::zip_equal(chain.ops, choice))
        check(number, candidate);
}

/// In a chain all ops cut their rows in the same way, except as the compiler
/// chooses.
TEST_F(TemplateChoicesTest, CutsTheRowsOfAChainInOneWay) {
  TemplateChoices choices = find();
  auto chain = llvm::find_if(
      choices.chains, [](const auto &other) { return other.ops.size() == 2; });
  ASSERT_NE(chain, choices.chains.end());
  EXPECT_GT(chain->choices.size(), 4u);
  for (ArrayRef<TemplateCandidate> choice :
       ArrayRef(chain->choices).drop_front()) {
    auto first = cast<MatmulTemplateAttr>(choice[0].params),
         second = cast<MatmulTemplateAttr>(choice[1].params);
    EXPECT_EQ(first.getMPN(), second.getMPN());
    EXPECT_EQ(first.getMB(), second.getMB());
  }
}

TEST_F(TemplateChoicesTest, KeepsWhatIsWrittenOnAnOp) {
  TemplateChoices choices = find();
  ASSERT_EQ(choices.candidates[2].size(), 1u);
  EXPECT_EQ(choices.candidates[2][0].params,
            choices.ops[2].getChosenTemplate());
}

/// What graph-export-templates writes: the same graph with other templates is
/// the same problem.
TEST_F(TemplateChoicesTest, TemplatesAreNoPartOfTheProblem) {
  constexpr auto kAutomatic = KernelPreference::automatic;
  TunedGraph open = getTunedGraph(function, machine, 2, kAutomatic);
  EXPECT_TRUE(open.templates.empty());
  PassManager manager(&context);
  manager.addNestedPass<func::FuncOp>(createGraphSelectTemplate(options));
  ASSERT_TRUE(succeeded(manager.run(*module)));
  TunedGraph chosen = getTunedGraph(function, machine, 2, kAutomatic);
  EXPECT_EQ(chosen.templates.size(), 4u);
  EXPECT_TRUE(open.isSameProblem(chosen));
  EXPECT_FALSE(
      open.isSameProblem(getTunedGraph(function, machine, 1, kAutomatic)));
}

} // namespace
