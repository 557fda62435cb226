// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Driver/Processor.h"
#include "gtest/gtest.h"

namespace gc {
namespace {

std::string getError(llvm::StringRef text) {
  return llvm::toString(Processor::parse(text).takeError());
}

TEST(Processor, ReadsNamesAndFeatures) {
  Processor processor = llvm::cantFail(Processor::parse("znver3,-avx2,+sse4a"));
  EXPECT_EQ(processor.getName(), "znver3");
  EXPECT_EQ(processor.getFeatures(), llvm::ArrayRef<ProcessorFeature>(
                                         {{"avx2", false}, {"sse4a", true}}));
  EXPECT_EQ(printFeatures(processor.getFeatures()), "-avx2,+sse4a");
  EXPECT_EQ(processor,
            llvm::cantFail(Processor::parse("znver3", "-avx2,sse4a")));
  EXPECT_EQ(processor,
            llvm::cantFail(Processor::parse(" -avx2, znver3 ,+sse4a")));
}

TEST(Processor, FeaturesAloneAreTheBaselines) {
  Processor processor = llvm::cantFail(Processor::parse("+avx2,-fma"));
  EXPECT_EQ(processor.getName(), Processor::kBaseline);
  EXPECT_EQ(processor, llvm::cantFail(Processor::parse("", "+avx2,-fma")));
  EXPECT_FALSE(llvm::cantFail(Processor::parse("")).isNamed());
  EXPECT_EQ(llvm::cantFail(Processor::parse("", "")), Processor());
}

TEST(Processor, NamesWhatIsNotKnown) {
  EXPECT_EQ(getError("abacus"), "unknown processor 'abacus'");
  EXPECT_EQ(getError("+avx2,+beads,-wire"),
            "unknown processor feature 'beads'");
  EXPECT_EQ(getError("znver3,+"), "unknown processor feature ''");
  EXPECT_EQ(getError("-+avx2"), "unknown processor feature '+avx2'");
  EXPECT_EQ(getError("+-avx2"), "unknown processor feature '-avx2'");
  for (llvm::StringRef text : {",", "znver3,", ",+avx2", "+avx2, ,-fma"})
    EXPECT_EQ(getError(text),
              ("'" + text + "' has nothing before or after a comma").str());
  EXPECT_EQ(llvm::toString(Processor::parse("", "+avx2,").takeError()),
            "'+avx2,' has nothing before or after a comma");
  EXPECT_EQ(getError("pentium"),
            "processor 'pentium' has no 64-bit instructions");
  EXPECT_EQ(
      getError("znver3,znver4"),
      "'znver3,znver4' names 2 processors; a feature has + or - before its "
      "name");
}

TEST(Processor, RefusesOtherKindsOfProcesses) {
  for (llvm::StringRef feature : {"-64bit", "+x32", "+soft-float"})
    EXPECT_EQ(getError(feature),
              ("processor feature '" + feature +
               "': code for this process is 64-bit code with floating-point "
               "registers")
                  .str());
}

TEST(Processor, PrintsInstructionSets) {
  EXPECT_EQ(printFeatures(std::vector<std::string>{"avx", "avx2"}),
            "+avx,+avx2");
  EXPECT_EQ(printFeatures(std::vector<std::string>()), "");
}

} // namespace
} // namespace gc
