// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The cube unit, and the way from its accumulators to UB.
//
// The order of a mad's sums: for each element of C, k ascends one by one from
// the value that C has (0 if it is initialised), each sum rounded to f32.
// Products of f16 are exact in f32. A sequence of mads along K continues in the
// same way.

#include "Values.h"
#include "ValuesKernels.h"

#include <algorithm>
#include <vector>

using namespace gc::npu;

namespace {

/// Sums of s8 products are exact in f32 as long as they stay within 2^24.
constexpr int64_t kExactProducts = (1 << 24) / (128 * 128);
constexpr int64_t kTile = kFractalRows * 16;

/// Numbers of both operands as f32, and a tile of C.
struct Scratch {
  std::vector<float> a, b;
  alignas(64) float c[kTile];
};

void widen(float *to, const uint16_t *from, int64_t count) {
  toFloat(to, from, count);
}
void widen(float *to, const int8_t *from, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    to[i] = from[i];
}

void add(float *to, const float *from, int64_t count) {
  std::memcpy(to, from, count * sizeof(float));
}
void add(int32_t *to, const float *from, int64_t count) {
  // Wraps around.
  for (int64_t i = 0; i < count; ++i)
    to[i] = static_cast<int32_t>(
        static_cast<uint32_t>(to[i]) +
        static_cast<uint32_t>(static_cast<int32_t>(from[i])));
}

/// A mad on operands of type T with sums of type Sum.
template <typename T, typename Sum>
class Multiplier {
public:
  Multiplier(const Instruction &instruction, Memory &memory)
      : mad(instruction.mad), initialise(instruction.initialise),
        a(memory.as<T>(instruction.src0)), b(memory.as<T>(instruction.src1)),
        c(memory.as<Sum>(instruction.dst)) {}

  void run() {
    static thread_local Scratch scratch;
    // f32 sums continue from C in one sequence; s32 sums are exact in any
    // order.
    int64_t slice = std::is_same_v<Sum, float> ? mad.k : kExactProducts;
    bool overwrite = initialise;
    for (int64_t k = 0; k < mad.k; k += slice) {
      runSlice(scratch, k, std::min(slice, mad.k - k), overwrite);
      overwrite = false;
    }
  }

private:
  static constexpr int64_t k0 = kBlockBytes / sizeof(T);
  static constexpr int64_t fractal = 16 * k0;

  /// Rows of A as they are stored, [m / 16][k / K0][16][K0].
  void widenA(Scratch &scratch, int64_t first, int64_t blocks) {
    int64_t panel = blocks * fractal, panels = (mad.m + 15) / 16;
    scratch.a.resize(panels * panel);
    for (int64_t i = 0; i < panels; ++i) {
      const T *from = a + (i * mad.aStride + first) * fractal;
      // The last fractal's rows past m are unused: they are computed but never
      // stored.
      widen(&scratch.a[i * panel], from, panel);
    }
  }

  /// 16 columns of B as rows [k][16].
  void widenB(Scratch &scratch, int64_t n1, int64_t first, int64_t k) {
    scratch.b.resize((k + k0 - 1) / k0 * fractal);
    float numbers[fractal];
    for (int64_t outer = 0; outer < k; outer += k0) {
      int64_t k1 = first + outer / k0;
      widen(numbers, b + (k1 * mad.bStride + n1) * fractal, fractal);
      float *to = &scratch.b[outer * 16];
      for (int64_t inner = 0; inner < k0; ++inner)
        for (int64_t column = 0; column < 16; ++column)
          to[inner * 16 + column] = numbers[column * k0 + inner];
    }
  }

  void runSlice(Scratch &scratch, int64_t start, int64_t k, bool overwrite) {
    int64_t first = start / k0, blocks = (k + k0 - 1) / k0;
    widenA(scratch, first, blocks);
    for (int64_t n1 = 0; n1 * 16 < mad.n; ++n1) {
      widenB(scratch, n1, first, k);
      int64_t columns = std::min<int64_t>(16, mad.n - n1 * 16);
      for (int64_t m1 = 0; m1 * 16 < mad.m; ++m1)
        runTile(scratch, c + (n1 * mad.cStride + m1) * kTile,
                &scratch.a[m1 * blocks * fractal],
                std::min<int64_t>(16, mad.m - m1 * 16), columns, k, overwrite);
    }
  }

  void runTile(Scratch &scratch, Sum *tile, const float *rowsOfA, int64_t rows,
               int64_t columns, int64_t k, bool overwrite) {
    constexpr bool isFloat = std::is_same_v<Sum, float>;
    if (overwrite)
      for (int64_t r = 0; r < rows; ++r)
        std::fill_n(tile + r * 16, columns, Sum(0));
    if constexpr (isFloat)
      if (columns == 16 && rows % kKernelRows == 0) {
        for (int64_t r = 0; r < rows; r += kKernelRows)
          multiplyRows(tile + r * 16, rowsOfA + r * k0, scratch.b.data(), k,
                       k0);
        return;
      }
    // Only elements inside m and n are written.
    if (isFloat && !overwrite)
      std::memcpy(scratch.c, tile, sizeof(scratch.c));
    else
      std::fill_n(scratch.c, kTile, 0.0f);
    for (int64_t r = 0; r < rows; r += kKernelRows)
      multiplyRows(scratch.c + r * 16, rowsOfA + r * k0, scratch.b.data(), k,
                   k0);
    if (columns == 16)
      return add(tile, scratch.c, rows * 16);
    for (int64_t r = 0; r < rows; ++r)
      add(tile + r * 16, scratch.c + r * 16, columns);
  }

  const Instruction::Mad &mad;
  bool initialise;
  const T *a, *b;
  Sum *c;
};

} // namespace

void gc::npu::executeMad(const Instruction &instruction, Memory &memory) {
  if (instruction.type == DType::s8)
    Multiplier<int8_t, int32_t>(instruction, memory).run();
  else
    Multiplier<uint16_t, float>(instruction, memory).run();
}

//===----------------------------------------------------------------------===//
// L0C to UB
//===----------------------------------------------------------------------===//

namespace {

void narrow(float *to, const float *from, int64_t count) {
  std::memcpy(to, from, count * sizeof(float));
}
void narrow(uint16_t *to, const float *from, int64_t count) {
  toHalf(to, from, count);
}
void narrow(int32_t *to, const int32_t *from, int64_t count) {
  std::memcpy(to, from, count * sizeof(int32_t));
}
void narrow(int8_t *to, const int32_t *from, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    to[i] = static_cast<int8_t>(from[i] > 127    ? 127
                                : from[i] < -128 ? -128
                                                 : from[i]);
}
void narrow(uint16_t *to, const int32_t *from, int64_t count) {
  // Integers that f32 cannot hold are infinity in f16.
  for (int64_t i = 0; i < count; ++i)
    to[i] = toHalf(static_cast<float>(from[i]));
}

template <typename To, typename From>
void drain(const Instruction &instruction, Memory &memory) {
  const Instruction::Drain &drain = instruction.drain;
  To *to = memory.as<To>(instruction.dst);
  const From *from = memory.as<From>(instruction.src0);
  From numbers[16];
  for (int64_t n = 0, count; n < drain.n; n += count) {
    // As many columns as are adjacent on both sides.
    count = std::min({16 - n % 16, drain.width - n % drain.width, drain.n - n});
    const From *column = from + n / 16 * drain.srcStride * kTile + n % 16;
    To *target =
        to + n / drain.width * drain.dstRows * drain.width + n % drain.width;
    for (int64_t m = 0; m < drain.m; ++m) {
      std::memcpy(numbers, column + m * 16, count * sizeof(From));
      if (instruction.relu)
        for (int64_t i = 0; i < count; ++i)
          numbers[i] = numbers[i] <= 0 ? 0 : numbers[i]; // NaN stays
      narrow(target + m * drain.width, numbers, count);
    }
  }
}

} // namespace

void gc::npu::executeDrain(const Instruction &instruction, Memory &memory) {
  if (instruction.type == DType::f32) {
    if (instruction.dstType == DType::f16)
      return drain<uint16_t, float>(instruction, memory);
    return drain<float, float>(instruction, memory);
  }
  switch (instruction.dstType) {
  case DType::s8:
    return drain<int8_t, int32_t>(instruction, memory);
  case DType::f16:
    return drain<uint16_t, int32_t>(instruction, memory);
  default:
    return drain<int32_t, int32_t>(instruction, memory);
  }
}
