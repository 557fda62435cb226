// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Runtime/Runtime.h"

#include <cstring>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

/// Register state that the operating system must save for a feature to be
/// usable.
enum State { None, Ymm, Zmm, Tile };
enum Register { EAX, EBX, ECX, EDX };

struct Feature {
  const char *Name;
  unsigned Leaf, Subleaf;
  Register Reg;
  unsigned Bit;
  State Needs;
};

// LLVM's names; bits from Intel's SDM volume 2A and AMD's APM volume 3, CPUID.
const Feature Features[] = {
    {"64bit", 0x80000001, 0, EDX, 29, None},
    {"adx", 7, 0, EBX, 19, None},
    {"aes", 1, 0, ECX, 25, None},
    {"amx-bf16", 7, 0, EDX, 22, Tile},
    {"amx-fp16", 7, 1, EAX, 21, Tile},
    {"amx-int8", 7, 0, EDX, 25, Tile},
    {"amx-tile", 7, 0, EDX, 24, Tile},
    {"avx", 1, 0, ECX, 28, Ymm},
    {"avx2", 7, 0, EBX, 5, Ymm},
    {"avx512bf16", 7, 1, EAX, 5, Zmm},
    {"avx512bitalg", 7, 0, ECX, 12, Zmm},
    {"avx512bw", 7, 0, EBX, 30, Zmm},
    {"avx512cd", 7, 0, EBX, 28, Zmm},
    {"avx512dq", 7, 0, EBX, 17, Zmm},
    {"avx512f", 7, 0, EBX, 16, Zmm},
    {"avx512fp16", 7, 0, EDX, 23, Zmm},
    {"avx512ifma", 7, 0, EBX, 21, Zmm},
    {"avx512vbmi", 7, 0, ECX, 1, Zmm},
    {"avx512vbmi2", 7, 0, ECX, 6, Zmm},
    {"avx512vl", 7, 0, EBX, 31, Zmm},
    {"avx512vnni", 7, 0, ECX, 11, Zmm},
    {"avx512vp2intersect", 7, 0, EDX, 8, Zmm},
    {"avx512vpopcntdq", 7, 0, ECX, 14, Zmm},
    {"avxifma", 7, 1, EAX, 23, Ymm},
    {"avxneconvert", 7, 1, EDX, 5, Ymm},
    {"avxvnni", 7, 1, EAX, 4, Ymm},
    {"avxvnniint16", 7, 1, EDX, 10, Ymm},
    {"avxvnniint8", 7, 1, EDX, 4, Ymm},
    {"bmi", 7, 0, EBX, 3, None},
    {"bmi2", 7, 0, EBX, 8, None},
    {"cldemote", 7, 0, ECX, 25, None},
    {"clflushopt", 7, 0, EBX, 23, None},
    {"clwb", 7, 0, EBX, 24, None},
    {"clzero", 0x80000008, 0, EBX, 0, None},
    {"cmov", 1, 0, EDX, 15, None},
    {"crc32", 1, 0, ECX, 20, None},
    {"cx16", 1, 0, ECX, 13, None},
    {"cx8", 1, 0, EDX, 8, None},
    {"evex512", 7, 0, EBX, 16, Zmm},
    {"f16c", 1, 0, ECX, 29, Ymm},
    {"fma", 1, 0, ECX, 12, Ymm},
    {"fma4", 0x80000001, 0, ECX, 16, Ymm},
    {"fsgsbase", 7, 0, EBX, 0, None},
    {"fxsr", 1, 0, EDX, 24, None},
    {"gfni", 7, 0, ECX, 8, None},
    {"invpcid", 7, 0, EBX, 10, None},
    {"lzcnt", 0x80000001, 0, ECX, 5, None},
    {"mmx", 1, 0, EDX, 23, None},
    {"movbe", 1, 0, ECX, 22, None},
    {"movdir64b", 7, 0, ECX, 28, None},
    {"movdiri", 7, 0, ECX, 27, None},
    {"mwaitx", 0x80000001, 0, ECX, 29, None},
    {"pclmul", 1, 0, ECX, 1, None},
    {"pku", 7, 0, ECX, 4, None},
    {"popcnt", 1, 0, ECX, 23, None},
    {"prfchw", 0x80000001, 0, ECX, 8, None},
    {"rdpid", 7, 0, ECX, 22, None},
    {"rdpru", 0x80000008, 0, EBX, 4, None},
    {"rdrnd", 1, 0, ECX, 30, None},
    {"rdseed", 7, 0, EBX, 18, None},
    {"rtm", 7, 0, EBX, 11, None},
    {"sahf", 0x80000001, 0, ECX, 0, None},
    {"serialize", 7, 0, EDX, 14, None},
    {"sha", 7, 0, EBX, 29, None},
    {"shstk", 7, 0, ECX, 7, None},
    {"sse", 1, 0, EDX, 25, None},
    {"sse2", 1, 0, EDX, 26, None},
    {"sse3", 1, 0, ECX, 0, None},
    {"sse4.1", 1, 0, ECX, 19, None},
    {"sse4.2", 1, 0, ECX, 20, None},
    {"sse4a", 0x80000001, 0, ECX, 6, None},
    {"ssse3", 1, 0, ECX, 9, None},
    {"tbm", 0x80000001, 0, ECX, 21, None},
    {"vaes", 7, 0, ECX, 9, Ymm},
    {"vpclmulqdq", 7, 0, ECX, 10, Ymm},
    {"waitpkg", 7, 0, ECX, 5, None},
    {"wbnoinvd", 0x80000008, 0, EBX, 9, None},
    {"x87", 1, 0, EDX, 0, None},
    {"xop", 0x80000001, 0, ECX, 11, Ymm},
    {"xsave", 1, 0, ECX, 27, None},
    {"xsavec", 0xd, 1, EAX, 1, None},
    {"xsaveopt", 0xd, 1, EAX, 0, None},
    {"xsaves", 0xd, 1, EAX, 3, None},
};

bool hasBit(unsigned Leaf, unsigned Subleaf, Register Reg, unsigned Bit) {
  unsigned Regs[4];
  if (!__get_cpuid_count(Leaf, Subleaf, &Regs[0], &Regs[1], &Regs[2], &Regs[3]))
    return false;
  return (Regs[Reg] >> Bit) & 1;
}

/// Linux gives tile registers to processes that have asked for them
/// (Documentation/arch/x86/xstate.rst). Threads that exist have them, too.
bool mayUseTiles() {
#ifdef SYS_arch_prctl
  constexpr long RequestPermission = 0x1023, TileData = 18;
  static const bool May =
      syscall(SYS_arch_prctl, RequestPermission, TileData) == 0;
  return May;
#else
  return false;
#endif
}

bool systemSaves(State Needs) {
  if (Needs == None)
    return true;
  if (!hasBit(1, 0, ECX, 27))
    return false;
  unsigned Low, High;
  asm volatile("xgetbv" : "=a"(Low), "=d"(High) : "c"(0));
  unsigned Mask = Needs == Ymm ? 0x6 : Needs == Zmm ? 0xe6 : 0x60000;
  return (Low & Mask) == Mask && (Needs != Tile || mayUseTiles());
}

} // namespace

int gc_host_has_feature(const char *name) {
  if (!name)
    return 0;
  for (const Feature &F : Features)
    if (std::strcmp(F.Name, name) == 0)
      return hasBit(F.Leaf, F.Subleaf, F.Reg, F.Bit) && systemSaves(F.Needs);
  return 0;
}

#else

int gc_host_has_feature(const char *) { return 0; }

#endif
