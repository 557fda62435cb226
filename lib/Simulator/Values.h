// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What instructions compute, by kind. See NpuModel/Instruction.h for their
// meaning; all instructions here are legal and inside all buffers.

#ifndef GC_LIB_SIMULATOR_VALUES_H
#define GC_LIB_SIMULATOR_VALUES_H

#include "NpuModel/Float16.h"
#include "NpuModel/Instruction.h"
#include "Simulator/Memory.h"

#include <cmath>
#include <cstring>

namespace gc::npu {

void executeDma(const Instruction &instruction, Memory &memory);
void executePack(const Instruction &instruction, Memory &memory);
void executeUnpack(const Instruction &instruction, Memory &memory);
void executeLoad2d(const Instruction &instruction, Memory &memory);
void executeLoad3d(const Instruction &instruction, Memory &memory);
void executeMad(const Instruction &instruction, Memory &memory);
void executeDrain(const Instruction &instruction, Memory &memory);
void executeVector(const Instruction &instruction, Memory &memory);

/// 16x16 elements of two bytes: to[j][i] = from[i][j], with rows of 16 elements
/// that are `toStride` and `fromStride` bytes apart. In place is allowed.
/// The same for 8x8 elements of four bytes.
void transposeWide(std::byte *to, int64_t toStride, const std::byte *from,
                   int64_t fromStride);
void transposeFractal(std::byte *to, int64_t toStride, const std::byte *from,
                      int64_t fromStride);

/// The integer nearest to `value`, to even on a tie, as a float.
inline float roundToEven(float value) {
  // From 2^23 on there are only integers; below, adding it leaves no fractional
  // digits.
  float shift = std::copysign(0x1p23f, value);
  return std::fabs(value) < 0x1p23f ? (value + shift) - shift : value;
}

/// To the nearest integer, saturating; NaN gives 0.
inline int32_t toS32(float value) {
  float rounded = roundToEven(value);
  return rounded >= 0x1p31f    ? INT32_MAX
         : rounded <= -0x1p31f ? INT32_MIN
         : rounded == rounded  ? static_cast<int32_t>(rounded)
                               : 0;
}
inline int8_t toS8(float value) {
  float rounded = roundToEven(value);
  return rounded >= 127       ? 127
         : rounded <= -128    ? -128
         : rounded == rounded ? static_cast<int8_t>(rounded)
                              : 0;
}

} // namespace gc::npu

#endif // GC_LIB_SIMULATOR_VALUES_H
