// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Fences are put between the stages of a transposition and nowhere else.

#include "FenceShuffles.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"
#include "gtest/gtest.h"

using namespace llvm;

namespace {

class FenceShufflesTest : public ::testing::Test {
protected:
  /// The number of fences in a function of two vectors %a and %b.
  int64_t countFences(StringRef type, StringRef body) {
    SMDiagnostic error;
    std::string text = ("define " + type + " @f(" + type + " %a, " + type +
                        " %b) {\n" + body + "  ret " + type + " %result\n}\n")
                           .str();
    module = parseAssemblyString(text, error, context);
    if (!module) {
      ADD_FAILURE() << error.getMessage().str();
      return -1;
    }
    Function &function = *module->getFunction("f");
    gc::fenceShuffles(function);
    EXPECT_FALSE(verifyModule(*module, &errs()));
    return count_if(instructions(function), [](Instruction &instruction) {
      auto *call = dyn_cast<IntrinsicInst>(&instruction);
      return call && call->getIntrinsicID() == Intrinsic::arithmetic_fence;
    });
  }

  LLVMContext context;
  std::unique_ptr<Module> module;
};

/// Three stages of two shuffles each; the last results are added.
std::string makeStages(StringRef type) {
  auto shuffle = [&](StringRef name, StringRef a, StringRef b, StringRef mask) {
    return ("  %" + name + " = shufflevector " + type + " %" + a + ", " + type +
            " %" + b + ", <4 x i32> " + mask + "\n")
        .str();
  };
  StringRef low = "<i32 0, i32 4, i32 1, i32 5>";
  StringRef high = "<i32 2, i32 6, i32 3, i32 7>";
  return shuffle("c", "a", "b", low) + shuffle("d", "a", "b", high) +
         shuffle("e", "c", "d", low) + shuffle("g", "c", "d", high) +
         shuffle("h", "e", "g", low) + shuffle("result", "h", "g", high);
}

TEST_F(FenceShufflesTest, StagesBetweenOthersAreFenced) {
  // %e, %g and %h.
  EXPECT_EQ(countFences("<4 x float>", makeStages("<4 x float>")), 3);
}

TEST_F(FenceShufflesTest, IntegersAreFencedAsFloats) {
  EXPECT_EQ(countFences("<4 x i32>", makeStages("<4 x i32>")), 3);
}

TEST_F(FenceShufflesTest, ElementsOfOtherSizesAreLeft) {
  for (const char *type :
       {"<4 x i1>", "<4 x i8>", "<4 x bfloat>", "<4 x ptr>", "<4 x double>"})
    EXPECT_EQ(countFences(type, makeStages(type)), 0) << type;
}

TEST_F(FenceShufflesTest, SingleStagesAreLeft) {
  EXPECT_EQ(countFences("<4 x float>",
                        "  %c = shufflevector <4 x float> %a, <4 x float> %b, "
                        "<4 x i32> <i32 0, i32 4, i32 1, i32 5>\n"
                        "  %d = fadd <4 x float> %c, %a\n"
                        "  %result = shufflevector <4 x float> %d, "
                        "<4 x float> %b, <4 x i32> "
                        "<i32 0, i32 4, i32 1, i32 5>\n"),
            0);
}

TEST_F(FenceShufflesTest, ShufflesOfOneVectorAreLeft) {
  // As in a reduction of all lanes: these fold into each other.
  std::string body;
  for (auto [name, source] : {std::pair("c", "a"), {"d", "c"}, {"result", "d"}})
    body += (Twine("  %") + name + " = shufflevector <4 x float> %" + source +
             ", <4 x float> poison, <4 x i32> <i32 1, i32 0, i32 3, i32 2>\n")
                .str();
  EXPECT_EQ(countFences("<4 x float>", body), 0);
}

} // namespace
