// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Bandwidth.h"
#include "Team.h"
#include "llvm/ADT/Twine.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

using namespace llvm;
using namespace gc;

namespace {

using Memory = std::unique_ptr<char, void (*)(void *)>;

Expected<Memory> allocate(int64_t bytes) {
  Memory memory(static_cast<char *>(gc_allocate(bytes, 4096)), gc_deallocate);
  if (!memory)
    return createStringError(inconvertibleErrorCode(),
                             Twine("no memory to measure with: ") +
                                 gc_last_error());
  // Pages exist once they are written.
  std::memset(memory.get(), 0, bytes);
  return std::move(memory);
}

/// Bytes that readers read at a time; sizes are multiples of this.
constexpr int64_t kStep = 512;

using Reader = void (*)(const char *, int64_t);

#if defined(__x86_64__)
// Several chains, or the latency of the maximum would be the limit.
__attribute__((target("avx512f"))) void readAvx512(const char *data,
                                                   int64_t bytes) {
  __m512 values[8];
  for (__m512 &value : values)
    value = _mm512_setzero_ps();
  for (int64_t i = 0; i < bytes; i += kStep)
    for (int j = 0; j < 8; ++j)
      values[j] = _mm512_max_ps(values[j], _mm512_load_ps(data + i + 64 * j));
  for (__m512 &value : values)
    asm volatile("" : "+v"(value));
}

__attribute__((target("avx2"))) void readAvx2(const char *data, int64_t bytes) {
  __m256 values[8];
  for (__m256 &value : values)
    value = _mm256_setzero_ps();
  for (int64_t i = 0; i < bytes; i += kStep / 2)
    for (int j = 0; j < 8; ++j)
      values[j] = _mm256_max_ps(
          values[j],
          _mm256_load_ps(reinterpret_cast<const float *>(data + i + 32 * j)));
  for (__m256 &value : values)
    asm volatile("" : "+x"(value));
}
#endif

void readWords(const char *data, int64_t bytes) {
  uint64_t values[4] = {};
  for (int64_t i = 0; i < bytes; i += 32)
    for (int j = 0; j < 4; ++j) {
      uint64_t word;
      std::memcpy(&word, data + i + 8 * j, 8);
      values[j] |= word;
    }
  for (uint64_t &value : values)
    asm volatile("" : "+r"(value));
}

/// Writes zeros. Not a call of memset: its string instructions take lines over
/// without reading them, which the stores of kernels cannot.
using Writer = void (*)(char *, int64_t);

#if defined(__x86_64__)
__attribute__((target("avx512f"))) void writeAvx512(char *data, int64_t bytes) {
  __m512 zero = _mm512_setzero_ps();
  for (int64_t i = 0; i < bytes; i += 64) {
    _mm512_store_ps(data + i, zero);
    asm volatile("" ::: "memory");
  }
}

__attribute__((target("avx2"))) void writeAvx2(char *data, int64_t bytes) {
  __m256 zero = _mm256_setzero_ps();
  for (int64_t i = 0; i < bytes; i += 32) {
    _mm256_store_ps(reinterpret_cast<float *>(data + i), zero);
    asm volatile("" ::: "memory");
  }
}
#endif

void writeWords(char *data, int64_t bytes) {
  for (int64_t i = 0; i < bytes; i += 8) {
    uint64_t zero = 0;
    std::memcpy(data + i, &zero, 8);
    asm volatile("" ::: "memory");
  }
}

Writer getWriter() {
#if defined(__x86_64__)
  if (gc_host_has_feature("avx512f"))
    return writeAvx512;
  if (gc_host_has_feature("avx2"))
    return writeAvx2;
#endif
  return writeWords;
}

Reader getReader() {
#if defined(__x86_64__)
  if (gc_host_has_feature("avx512f"))
    return readAvx512;
  if (gc_host_has_feature("avx2"))
    return readAvx2;
#endif
  return readWords;
}

} // namespace

Expected<double> machine::measureReading(int64_t threads, int64_t bytes,
                                         double seconds) {
  constexpr int64_t kBytesPerWindow = 1 << 20;
  bytes = std::max(kStep, bytes / kStep * kStep);
  int64_t passes = std::max<int64_t>(1, kBytesPerWindow / bytes);
  Reader read = getReader();
  auto memory = allocate(bytes * threads);
  if (!memory)
    return memory.takeError();
  std::vector<double> rates(threads);
  auto work = [&](const gc_team &team) {
    const char *own = memory->get() + team.thread * bytes;
    // Caches are filled by the thread that reads.
    read(own, bytes);
    gc_barrier_wait(&team);
    double &rate = rates[team.thread];
    double start = getSeconds(), now = start;
    do {
      double begin = now;
      for (int64_t i = 0; i < passes; ++i)
        read(own, bytes);
      now = getSeconds();
      rate = std::max(rate, passes * bytes / (now - begin));
    } while (now - start < seconds);
  };
  if (Error error = runTeam(threads, work))
    return std::move(error);
  double sum = 0;
  for (double rate : rates)
    sum += rate;
  return sum;
}

Expected<double> machine::measureExchange(int64_t bytes, double seconds) {
  bytes = std::max(kStep, bytes / kStep * kStep);
  auto memory = allocate(2 * bytes);
  if (!memory)
    return memory.takeError();
  Reader read = getReader();
  Writer write = getWriter();
  // The typical time counts: in the best one the other thread was late, or both
  // of them were on one core.
  std::vector<double> times;
  std::atomic<bool> goOn{true};
  auto work = [&](const gc_team &team) {
    if (team.size < 2)
      return;
    char *own = memory->get() + team.thread * bytes;
    const char *other = memory->get() + (1 - team.thread) * bytes;
    double start = getSeconds();
    do {
      double begin = getSeconds();
      write(own, bytes);
      double middle = getSeconds();
      gc_barrier_wait(&team);
      double again = getSeconds();
      read(other, bytes);
      double end = getSeconds();
      if (team.thread == 0) {
        times.push_back(end - again + middle - begin);
        goOn = end - start < seconds;
      }
      gc_barrier_wait(&team);
    } while (goOn);
  };
  if (Error error = runTeam(2, work))
    return std::move(error);
  if (times.empty())
    return 0.0;
  auto middle = times.begin() + times.size() / 2;
  std::nth_element(times.begin(), middle, times.end());
  return bytes / *middle;
}

Expected<double> machine::measurePacking(int64_t bytes, double seconds) {
  // Pieces of two cache lines: the blocks of columns of a register tile.
  constexpr int64_t kPiece = 128, kRowPieces = 16;
  int64_t rows = std::max<int64_t>(1, bytes / (kPiece * kRowPieces));
  auto from = allocate(rows * kRowPieces * kPiece);
  auto to = allocate(rows * kRowPieces * kPiece);
  if (!from)
    return from.takeError();
  if (!to)
    return to.takeError();
  double best = 0;
  double start = getSeconds(), now = start;
  do {
    double begin = now;
    char *target = to->get();
    for (int64_t piece = 0; piece < kRowPieces; ++piece)
      for (int64_t row = 0; row < rows; ++row, target += kPiece)
        std::memcpy(target, from->get() + (row * kRowPieces + piece) * kPiece,
                    kPiece);
    asm volatile("" ::: "memory");
    now = getSeconds();
    double each = (now - begin) / (rows * kRowPieces * kPiece);
    best = best == 0 ? each : std::min(best, each);
  } while (now - start < seconds);
  return best;
}
