// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What one thread of this host can reach, measured: the yardstick of
// peak_fraction. Clocks change within milliseconds, on shared hosts by a tenth
// and more: the best of short windows is the physical limit, that of windows as
// long as a run is what the clock allows for work of that length.

#include "Memory.h"
#include "Runtime/Runtime.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <libxsmm.h>
#include <memory>
#include <vector>

using namespace gc::runtime;

namespace {

using Kernel = void (*)(const void *, const void *, void *,
                        const unsigned long long *);

struct Gemm {
  int M, N, K; // row-major
  unsigned long long Batch;
};

double getWork(const Gemm &G) { return 2.0 * G.M * G.N * G.K * G.Batch; }

// Operands stay in a first-level cache of 32 KiB or close to it. Rows come in
// multiples of the register tiles of libxsmm's generators: 3 rows by 32 columns
// with AVX2, 6 by 64 with AVX-512.
constexpr Gemm Gemms[] = {{36, 32, 64, 2},  {48, 32, 64, 2}, {48, 32, 128, 1},
                          {24, 32, 128, 1}, {48, 64, 64, 1}, {24, 64, 64, 2},
                          {36, 64, 64, 1}};
constexpr double SecondsEach = 0.03;
constexpr double SecondsPerSample = 0.002;
// Over a longer window the best rate hardly changes.
constexpr double LongestWindow = 0.25;
// Windows that do not overlap, and time in which they may begin.
constexpr double ManyWindows = 3, SecondsMore = 0.1;
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

Kernel dispatchF32(const Gemm &G) {
  gc_kernel_spec Spec = {};
  Spec.version = GC_KERNEL_SPEC_VERSION;
  Spec.a_type = Spec.b_type = Spec.c_type = Spec.accumulator_type = GC_F32;
  Spec.pack_a = Spec.pack_b = 1;
  Spec.m = G.M;
  Spec.n = Spec.ldb = Spec.ldc = G.N;
  Spec.k = Spec.lda = G.K;
  Spec.stride_a = int64_t(G.M) * G.K;
  Spec.stride_b = int64_t(G.K) * G.N;
  return reinterpret_cast<Kernel>(gc_brgemm_dispatch(&Spec));
}

/// nullptr when the host has no instructions for the type.
Kernel dispatch(int64_t Type, const Gemm &G) {
  switch (Type) {
  case GC_F32:
    return dispatchF32(G);
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

/// How often a kernel ran, and for how long.
struct Sample {
  double Work, Seconds;
};

/// Consecutive samples of a millisecond or two, of calls that perform `Work`
/// operations each.
template <typename Function>
std::vector<Sample> sample(Function Run, double Work, double Duration) {
  // Enough calls between clock reads to make their cost negligible.
  int Calls = std::clamp(static_cast<int>(5e6 / Work), 1, 1 << 20);
  std::vector<Sample> Samples;
  for (double Start = seconds(), Now = Start; Now - Start < Duration;) {
    double Begin = Now;
    int64_t Done = 0;
    while (Now - Begin < SecondsPerSample) {
      for (int I = 0; I < Calls; ++I)
        Run();
      Done += Calls;
      Now = seconds();
    }
    Samples.push_back({Work * Done, Now - Begin});
  }
  return Samples;
}

/// The best rate over neighbouring samples that take `Window` seconds or more;
/// over all of them if they take less.
double bestRate(const std::vector<Sample> &Samples, double Window) {
  double Best = 0, Work = 0, Seconds = 0;
  const Sample *First = Samples.data();
  for (const Sample &Last : Samples) {
    Work += Last.Work;
    Seconds += Last.Seconds;
    for (; First != &Last && Seconds - First->Seconds >= Window; ++First) {
      Work -= First->Work;
      Seconds -= First->Seconds;
    }
    if (Seconds >= Window)
      Best = std::max(Best, Work / Seconds);
  }
  return Best > 0 ? Best : Work / Seconds;
}

/// The best rate in windows of `Length` seconds. An invalid length, including
/// NaN, is treated as the shortest.
template <typename Function>
double measure(Function Run, double Work, double Length) {
  double Window = 0, Duration = SecondsMore;
  if (Length > SecondsPerSample) {
    Window = std::min(Length, LongestWindow);
    Duration += ManyWindows * Window;
  }
  return bestRate(sample(Run, Work, Duration), Window) * 1e-9;
}

} // namespace

double gc_measure_gflops(void (*run)(void *), void *argument, double flops,
                         double seconds) {
  if (!run || !(flops > 0))
    return 0;
  return measure([=] { run(argument); }, flops, seconds);
}

double gc_peak_gflops(int64_t dtype, double seconds) {
  std::unique_ptr<char, void (*)(void *)> Buffers(
      static_cast<char *>(allocate(3 * BufferBytes, 4096)), deallocate);
  if (!Buffers)
    return 0;
  // Zeros: never denormal, whatever the type.
  std::memset(Buffers.get(), 0, 3 * BufferBytes);
  const char *A = Buffers.get(), *B = A + BufferBytes;
  char *C = Buffers.get() + 2 * BufferBytes;
  double Best = 0;
  Kernel Fastest = nullptr;
  const Gemm *Shape = nullptr;
  for (const Gemm &G : Gemms) {
    Kernel Run = dispatch(dtype, G);
    if (!Run)
      continue;
    double Rate = bestRate(
        sample([&] { Run(B, A, C, &G.Batch); }, getWork(G), SecondsEach), 0);
    if (Rate <= Best)
      continue;
    Best = Rate;
    Fastest = Run;
    Shape = &G;
  }
  if (!Fastest)
    return 0;
  double Rate = measure([&] { Fastest(B, A, C, &Shape->Batch); },
                        getWork(*Shape), seconds);
  return seconds > SecondsPerSample ? Rate : std::max(Rate, Best * 1e-9);
}
