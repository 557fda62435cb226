// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What one thread of this host can reach, measured: the yardstick of
// peak_fraction.

#include "Memory.h"
#include "Runtime/Runtime.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <libxsmm.h>

using namespace gc::runtime;

namespace {

using Kernel = void (*)(const void *, const void *, void *,
                        const unsigned long long *);

struct Gemm {
  int M, N, K; // row-major
  unsigned long long Batch;
};

// Operands stay in a first-level cache of 32 KiB or close to it. Rows come in
// multiples of the register tiles of libxsmm's generators: 3 rows by 32 columns
// with AVX2, 6 by 64 with AVX-512.
constexpr Gemm Gemms[] = {{36, 32, 64, 2},  {48, 32, 64, 2}, {48, 32, 128, 1},
                          {24, 32, 128, 1}, {48, 64, 64, 1}, {24, 64, 64, 2},
                          {36, 64, 64, 1}};
constexpr double SecondsEach = 0.03;
constexpr double SecondsPerSample = 0.002;
constexpr int64_t BufferBytes = 64 << 10;

Kernel dispatchLowPrecision(int64_t Type, const Gemm &G) {
  libxsmm_blasint N = G.N, M = G.M, K = G.K;
  int Flags = LIBXSMM_GEMM_FLAG_VNNI_A, Prefetch = LIBXSMM_GEMM_PREFETCH_NONE;
  if (Type == GC_BF16) {
    float One = 1, Zero = 0;
    return reinterpret_cast<Kernel>(libxsmm_bsmmdispatch_reducebatch_strd(
        N, M, K, K * N * 2, M * K * 2, &N, &K, &N, &One, &Zero, &Flags,
        &Prefetch));
  }
  int One = 1, Zero = 0;
  return reinterpret_cast<Kernel>(libxsmm_subimmdispatch_reducebatch_strd(
      N, M, K, K * N, M * K, &N, &K, &N, &One, &Zero, &Flags, &Prefetch));
}

/// nullptr when the host has no instructions for the type.
Kernel dispatch(int64_t Type, const Gemm &G) {
  switch (Type) {
  case GC_F32:
    return reinterpret_cast<Kernel>(
        gc_brgemm_dispatch(GC_F32, G.M, G.N, G.K, G.K, G.N, G.N,
                           int64_t(G.M) * G.K * 4, int64_t(G.K) * G.N * 4, 0));
  case GC_BF16:
    return gc_host_has_feature("avx512bf16") ? dispatchLowPrecision(Type, G)
                                             : nullptr;
  case GC_S8:
  case GC_U8:
    return gc_host_has_feature("avx512vnni") ? dispatchLowPrecision(Type, G)
                                             : nullptr;
  default:
    return nullptr;
  }
}

double seconds() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

double bestRate(Kernel Run, const Gemm &G, char *Buffers) {
  const char *A = Buffers, *B = Buffers + BufferBytes;
  char *C = Buffers + 2 * BufferBytes;
  double Work = 2.0 * G.M * G.N * G.K * G.Batch, Best = 0;
  // Enough calls between looks at the clock for its cost not to show.
  int Calls = std::max(1, static_cast<int>(5e6 / Work));
  for (double Start = seconds(), Now = Start; Now - Start < SecondsEach;) {
    double Begin = Now;
    int64_t Done = 0;
    while (Now - Begin < SecondsPerSample) {
      for (int I = 0; I < Calls; ++I)
        Run(B, A, C, &G.Batch);
      Done += Calls;
      Now = seconds();
    }
    Best = std::max(Best, Work * Done / (Now - Begin));
  }
  return Best * 1e-9;
}

} // namespace

double gc_peak_gflops(int64_t dtype) {
  char *Buffers = static_cast<char *>(allocate(3 * BufferBytes, 4096));
  if (!Buffers)
    return 0;
  // Zeros: never denormal, whatever the type.
  std::memset(Buffers, 0, 3 * BufferBytes);
  double Best = 0;
  for (const Gemm &G : Gemms)
    if (Kernel Run = dispatch(dtype, G))
      Best = std::max(Best, bestRate(Run, G, Buffers));
  deallocate(Buffers);
  return Best;
}
