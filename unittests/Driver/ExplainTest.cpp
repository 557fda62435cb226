// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Bounds by the roofline, what limits a region, what is advised, and pages with
// names that try to break out of them. Numbers are worked out by hand.

#include "Driver/Explain.h"
#include "llvm/Support/raw_ostream.h"
#include <gtest/gtest.h>

using namespace gc;

namespace {

/// 2 GHz; 8 multiply-adds a cycle; 32, 8 and 4 bytes a cycle.
Machine makeMachine() {
  Machine machine;
  machine.name = "paper";
  machine.clockGHz = 2;
  machine.cores = 4;
  machine.l2Bytes = 1000;
  machine.l3Bytes = 100000;
  machine.l2BytesPerCycle = 32;
  machine.l3BytesPerCycle = 8;
  machine.l3SharedBytesPerCycle = 16;
  machine.memoryBytesPerCycle = 4;
  machine.memorySharedBytesPerCycle = 4;
  machine.kernels.emplace_back();
  return machine;
}

CompiledFacts makeFacts() {
  CompiledFacts facts;
  facts.roofline =
      Roofline::get(makeMachine(), /*threads=*/4, KernelTypes::f32, 1e6);
  // 0.5 ms of arithmetic; data of 0.125 ms.
  facts.regions.push_back({"matmul", 64000000, 1000000, 0.6, "compute"});
  // 0.25 ms of data.
  facts.regions.push_back({"transpose", 0, 2000000, 2.0, "memory"});
  facts.locations = {{"a.mlir:1:1"}, {"a.mlir:2:1"}};
  facts.iterations = {64, 64};
  return facts;
}

std::string print(const Explanation &explanation) {
  std::string text;
  llvm::raw_string_ostream os(text);
  printExplanation(explanation, os);
  return text;
}

std::string writeHtml(const Explanation &explanation) {
  std::string text;
  llvm::raw_string_ostream os(text);
  writeExplanationHtml(explanation, os);
  return text;
}

TEST(Explain, Roofline) {
  Roofline roof =
      Roofline::get(makeMachine(), /*threads=*/4, KernelTypes::f32, 1e6);
  EXPECT_DOUBLE_EQ(roof.gflops, 2 * 8 * 2 * 4);
  EXPECT_DOUBLE_EQ(roof.l2, 32 * 2 * 4);
  // Four cores share 16 bytes a cycle, and 4.
  EXPECT_DOUBLE_EQ(roof.l3, 16 * 2);
  EXPECT_DOUBLE_EQ(roof.memory, 4 * 2);
  EXPECT_EQ(roof.level, "memory");
  EXPECT_DOUBLE_EQ(roof.getBoundMs(128000000, 1000), 1);
  EXPECT_DOUBLE_EQ(roof.getBoundMs(0, 8000000), 1);
  auto getLevel = [](double bytes) {
    return Roofline::get(makeMachine(), 4, KernelTypes::f32, bytes).level;
  };
  EXPECT_EQ(getLevel(4000), "L2");
  EXPECT_EQ(getLevel(4001), "L3");
  EXPECT_EQ(getLevel(100001), "memory");
}

TEST(Explain, WorstRegion) {
  // By prediction the transposition loses more, by the clock the matmul.
  CompiledFacts facts = makeFacts();
  Explanation predicted = explain("net", facts, {}, {}, std::nullopt);
  ASSERT_TRUE(predicted.getWorst());
  EXPECT_EQ(predicted.getWorst()->info.name, "transpose");
  EXPECT_DOUBLE_EQ(predicted.getWorst()->getLossMs(), 1.75);
  EXPECT_DOUBLE_EQ(predicted.getWorst()->getFraction(), 0.125);
  EXPECT_EQ(predicted.getWorst()->limit, "memory bandwidth");
  Explanation measured = explain("net", facts, {}, {3.5, 0.3}, 3.8);
  EXPECT_EQ(measured.getWorst()->info.name, "matmul");
  EXPECT_DOUBLE_EQ(measured.getWorst()->getLossMs(), 3);
  std::string first = print(measured).substr(0, print(measured).find('\n'));
  EXPECT_NE(first.find("'matmul': 3.5000 ms measured, 3.0000 ms above 0.5000"),
            std::string::npos)
      << first;
}

TEST(Explain, Nothing) {
  Explanation none = explain("net", CompiledFacts(), {}, {}, std::nullopt);
  EXPECT_EQ(none.getWorst(), nullptr);
  EXPECT_EQ(print(none), "net: no regions, nothing is computed\n");
  EXPECT_NE(writeHtml(none).find("</html>"), std::string::npos);
}

TEST(Explain, Parallelism) {
  CompiledFacts facts = makeFacts();
  facts.iterations[1] = 1;
  Explanation result = explain("net", facts, {}, {}, std::nullopt);
  EXPECT_EQ(result.getWorst()->limit, "parallelism: 1 of 4 threads have work");
  EXPECT_EQ(result.getWorst()->option, "--threads=1");
}

TEST(Explain, Advice) {
  CompiledFacts facts = makeFacts();
  // A remark with a suggestion.
  Remark remark;
  remark.kind = "missed";
  remark.message = "slow";
  remark.suggestion = "store it transposed";
  remark.location = "a.mlir:2:1";
  Explanation byRemark = explain("net", facts, {remark}, {}, std::nullopt);
  EXPECT_EQ(byRemark.getWorst()->option, "store it transposed");
  // What was forced and would have been cheaper otherwise comes first; a tenth
  // less is no news.
  Decision decision;
  decision.kind = "layout";
  decision.location = "a.mlir:2:1";
  decision.chosen = {"rows", 1000, ""};
  decision.alternatives = {{"columns", 950, ""}, {"blocks", 400, ""}};
  decision.force = "propagate-layout";
  facts.decisions = {decision};
  Explanation forced = explain("net", facts, {remark}, {}, std::nullopt);
  EXPECT_EQ(forced.getWorst()->option, "propagate-layout");
  EXPECT_EQ(forced.getWorst()->advice,
            "layout 'blocks' is predicted to take 400 cycles instead of 1000");
  facts.decisions[0].alternatives.pop_back();
  EXPECT_EQ(
      explain("net", facts, {remark}, {}, std::nullopt).getWorst()->option,
      "store it transposed");
  // Without a remark, the decision that the limit points at.
  EXPECT_EQ(explain("net", facts, {}, {}, std::nullopt).getWorst()->option,
            "propagate-layout");
  EXPECT_EQ(explain("net", facts, {}, {}, std::nullopt).getWorst()->advice,
            "layout 'columns' is predicted to take 950 cycles instead of 1000");
  // Decisions of ops in no region are kept apart.
  facts.decisions[0].location = "a.mlir:9:9";
  EXPECT_EQ(explain("net", facts, {}, {}, std::nullopt).decisions.size(), 1u);
}

TEST(Explain, Tune) {
  // Templates that may be measured, by a command, where no option of the
  // compiler is better and what is cannot be typed.
  CompiledFacts facts = makeFacts();
  Decision decision;
  decision.kind = "template";
  decision.location = "a.mlir:2:1";
  decision.force = "template_params on the op";
  decision.chosen = {"tall", 1000, ""};
  decision.alternatives = {{"wide", 1001, ""}};
  facts.decisions = {decision};
  Remark remark;
  remark.kind = "missed";
  remark.message = "slow";
  remark.suggestion = "store it transposed";
  remark.location = "a.mlir:2:1";
  auto getAdvice = [&](llvm::ArrayRef<Remark> remarks) {
    return explain("net", facts, remarks, {}, std::nullopt, "gc-tune net.mlir")
        .getWorst()
        ->getAdvice();
  };
  EXPECT_EQ(getAdvice({}), "try gc-tune net.mlir (no alternative is predicted "
                           "to be faster, which measurements may refute)");
  EXPECT_EQ(getAdvice(remark),
            "try gc-tune net.mlir (slow; store it transposed)");
  remark.suggestion = "--pipeline-options=max-ops=64";
  EXPECT_EQ(getAdvice(remark), "try --pipeline-options=max-ops=64 (slow)");
  // What takes less is not measured again.
  facts.decisions[0].alternatives[0].cycles = 500;
  EXPECT_EQ(getAdvice({}), "try template_params on the op (template 'wide' is "
                           "predicted to take 500 cycles instead of 1000)");
  // Without other templates there is nothing to measure.
  facts.decisions.clear();
  EXPECT_EQ(getAdvice({}), "no alternative is predicted to be faster");
}

TEST(Explain, NothingBetter) {
  CompiledFacts facts = makeFacts();
  Decision decision;
  decision.kind = "kernel";
  decision.location = "a.mlir:1:1";
  decision.force = "kernel=vector";
  decision.chosen = {"library", 1000, ""};
  auto getAdvice = [&] {
    facts.decisions = {decision};
    return explain("net", facts, {}, {3.5, 0.3}, 3.8).getWorst()->getAdvice();
  };
  const std::string none = "no alternative is predicted to be faster";
  // What takes as long or longer is no advice, nor is what cannot be.
  decision.alternatives = {{"vector", 1000, ""}};
  EXPECT_EQ(getAdvice(), none);
  decision.alternatives = {{"vector", 1001, ""}};
  EXPECT_EQ(getAdvice(), none);
  decision.alternatives = {{"vector", std::nullopt, "there is none"}};
  EXPECT_EQ(getAdvice(), none);
  decision.alternatives = {{"vector", 10, "it cannot be compiled"}};
  EXPECT_EQ(getAdvice(), none);
  decision.alternatives = {{"vector", 999, ""}};
  EXPECT_EQ(getAdvice(), "try kernel=vector (kernel 'vector' is predicted to "
                         "take 999 cycles instead of 1000)");
  // Where nothing was predicted, an alternative is one.
  decision.chosen.cycles = std::nullopt;
  decision.alternatives = {{"vector", std::nullopt, "takes longer to compile"}};
  EXPECT_EQ(getAdvice(), "try kernel=vector (kernel 'library' follows a rule, "
                         "not a prediction)");
  decision.alternatives.clear();
  EXPECT_EQ(getAdvice(), none);
  facts.decisions.clear();
  std::string page = writeHtml(explain("net", facts, {}, {3.5, 0.3}, 3.8));
  EXPECT_NE(page.find("Limited by compute. Nothing to try: no alternative is "
                      "predicted to be faster."),
            std::string::npos);
}

TEST(Explain, NamesAreEscaped) {
  const std::string evil = "<script>alert(1)</script>\"'&\x01\xff";
  CompiledFacts facts = makeFacts();
  facts.regions[0].name = evil;
  Decision decision;
  decision.category = decision.kind = decision.subject = decision.force = evil;
  decision.location = "a.mlir:1:1";
  decision.chosen = {evil, 10, evil};
  decision.alternatives = {{evil, std::nullopt, evil}};
  facts.decisions = {decision};
  Remark remark;
  remark.kind = "missed";
  remark.message = remark.reason = remark.suggestion = evil;
  remark.location = "a.mlir:1:1";
  facts.roofline.machine = evil;
  std::string page = writeHtml(explain(evil, facts, {remark}, {9.0, 0.3}, 9.3));
  EXPECT_EQ(page.find("<script"), std::string::npos);
  EXPECT_NE(page.find("&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;?"),
            std::string::npos);
  EXPECT_EQ(page.find('\x01'), std::string::npos);
  EXPECT_EQ(page.find('\xff'), std::string::npos);
  // Nothing comes from elsewhere.
  for (const char *word : {"src=", "http://", "https://", "@import", "url("})
    EXPECT_EQ(page.find(word), std::string::npos) << word;
}

} // namespace
