// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Runtime/Runtime.h"

#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <utility>

namespace {

/// What the kernel says the first processor has.
std::set<std::string> kernelFlags() {
  std::ifstream In("/proc/cpuinfo");
  for (std::string Line; std::getline(In, Line);)
    if (Line.rfind("flags", 0) == 0) {
      std::istringstream Words(Line.substr(Line.find(':') + 1));
      return {std::istream_iterator<std::string>(Words), {}};
    }
  return {};
}

TEST(Features, AgreeWithTheKernel) {
  std::set<std::string> Flags = kernelFlags();
  if (Flags.empty())
    GTEST_SKIP() << "no processor flags in /proc/cpuinfo";
  // LLVM's name, Linux's name.
  const std::pair<const char *, const char *> Names[] = {
      {"sse2", "sse2"},
      {"sse3", "pni"},
      {"ssse3", "ssse3"},
      {"sse4.1", "sse4_1"},
      {"sse4.2", "sse4_2"},
      {"sse4a", "sse4a"},
      {"popcnt", "popcnt"},
      {"aes", "aes"},
      {"pclmul", "pclmulqdq"},
      {"avx", "avx"},
      {"avx2", "avx2"},
      {"fma", "fma"},
      {"f16c", "f16c"},
      {"bmi", "bmi1"},
      {"bmi2", "bmi2"},
      {"lzcnt", "abm"},
      {"movbe", "movbe"},
      {"adx", "adx"},
      {"sha", "sha_ni"},
      {"clwb", "clwb"},
      {"clzero", "clzero"},
      {"vaes", "vaes"},
      {"vpclmulqdq", "vpclmulqdq"},
      {"gfni", "gfni"},
      {"xsave", "xsave"},
      {"xsavec", "xsavec"},
      {"cx16", "cx16"},
      {"rdrnd", "rdrand"},
      {"rdseed", "rdseed"},
      {"64bit", "lm"},
      {"avxvnni", "avx_vnni"},
      {"avx512f", "avx512f"},
      {"avx512dq", "avx512dq"},
      {"avx512cd", "avx512cd"},
      {"avx512bw", "avx512bw"},
      {"avx512vl", "avx512vl"},
      {"avx512vnni", "avx512_vnni"},
      {"avx512bf16", "avx512_bf16"},
      {"avx512fp16", "avx512_fp16"},
      {"avx512vbmi", "avx512vbmi"},
      {"avx512vbmi2", "avx512_vbmi2"},
      {"amx-tile", "amx_tile"},
      {"amx-bf16", "amx_bf16"},
      {"amx-int8", "amx_int8"},
  };
  // A kernel may hide what the processor has, as a guest's does with some
  // flags. Where registers have to be saved for an instruction set, it decides.
  std::set<std::string> Hideable = {"sse4a",  "lzcnt", "bmi",   "bmi2",
                                    "popcnt", "movbe", "adx",   "clwb",
                                    "clzero", "rdrnd", "rdseed"};
  for (auto [Ours, Theirs] : Names) {
    bool Has = gc_host_has_feature(Ours) != 0, IsListed = Flags.count(Theirs);
    if (IsListed || !Hideable.count(Ours))
      EXPECT_EQ(Has, IsListed) << Ours;
  }
}

TEST(Features, UnknownNamesAreMissing) {
  EXPECT_EQ(gc_host_has_feature("no-such-thing"), 0);
  EXPECT_EQ(gc_host_has_feature(""), 0);
  EXPECT_EQ(gc_host_has_feature(nullptr), 0);
}

} // namespace
