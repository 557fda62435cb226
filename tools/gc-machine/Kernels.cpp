// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernels.h"
#include "Team.h"
#include "llvm/ADT/Twine.h"

#include <algorithm>
#include <cstring>
#include <memory>

using namespace llvm;
using namespace gc;

namespace {

using Kernel = void (*)(const void *, const void *, void *,
                        const unsigned long long *);

/// Operands of f32 kernels: zeros, never denormal.
struct Operands {
  static constexpr int64_t kBytes = 64 << 10;
  std::unique_ptr<char, void (*)(void *)> memory;

  Operands()
      : memory(static_cast<char *>(gc_allocate(3 * kBytes, 4096)),
               gc_deallocate) {
    if (memory)
      std::memset(memory.get(), 0, 3 * kBytes);
  }

  /// Seconds of one call, the least of the windows that fit `seconds`.
  double time(Kernel kernel, unsigned long long batch, double seconds) const {
    constexpr int kCalls = 2000;
    const char *a = memory.get(), *b = a + kBytes;
    char *c = memory.get() + 2 * kBytes;
    double best = 0, start = machine::getSeconds(), now = start;
    do {
      double begin = now;
      for (int i = 0; i < kCalls; ++i)
        kernel(b, a, c, &batch);
      now = machine::getSeconds();
      double each = (now - begin) / kCalls;
      best = best == 0 ? each : std::min(best, each);
    } while (now - start < seconds);
    return best;
  }
};

Kernel dispatch(int64_t m, int64_t n, int64_t k) {
  gc_kernel_spec spec = {};
  spec.version = GC_KERNEL_SPEC_VERSION;
  spec.a_type = spec.b_type = spec.c_type = spec.accumulator_type = GC_F32;
  spec.pack_a = spec.pack_b = 1;
  spec.m = m;
  spec.n = spec.ldb = spec.ldc = n;
  spec.k = spec.lda = k;
  spec.stride_a = m * k;
  spec.stride_b = k * n;
  return reinterpret_cast<Kernel>(gc_brgemm_dispatch(&spec));
}

} // namespace

double machine::measureLibraryRate(KernelTypes types) {
  // Products of narrow types are those of generated kernels.
  if (types != KernelTypes::f32)
    return 0;
  return gc_peak_gflops(GC_F32, /*seconds=*/0) / 2 * 1e9;
}

Expected<machine::CallTimes>
machine::measureCalls(const KernelRate &rate, int64_t lanes, double seconds) {
  constexpr int64_t kSteps = 32;
  constexpr unsigned long long kBatches = 5;
  Kernel tile = dispatch(rate.tileRows, rate.tileVectors * lanes, kSteps);
  Kernel chain = dispatch(1, lanes, kSteps);
  Operands operands;
  if (!tile || !chain)
    return createStringError(inconvertibleErrorCode(), gc_last_error());
  if (!operands.memory)
    return createStringError(inconvertibleErrorCode(),
                             Twine("no memory to measure with: ") +
                                 gc_last_error());
  auto fit = [&](Kernel kernel) {
    double one = operands.time(kernel, 1, seconds / 4);
    double many = operands.time(kernel, kBatches, seconds / 4);
    double each = std::max(0.0, many - one) / (kBatches - 1);
    return std::pair(each / kSteps, std::max(0.0, one - each));
  };
  CallTimes times;
  times.call = fit(tile).second;
  times.latency = fit(chain).first;
  return times;
}
