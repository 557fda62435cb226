// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Operands of vector instructions as lanes of f32.

#ifndef GC_LIB_SIMULATOR_VALUESLANES_H
#define GC_LIB_SIMULATOR_VALUESLANES_H

#include "Values.h"

#include <algorithm>

namespace gc::npu {

constexpr int64_t kMaxLanes = kRepeatBytes / 2;

/// The elements of a repeat.
struct Lanes {
  alignas(64) float values[kMaxLanes];
  float &operator[](int64_t lane) { return values[lane]; }
  float operator[](int64_t lane) const { return values[lane]; }
};

/// Whether any of `count` lanes from `first` on, or all of them, are in the
/// mask. They stay within one word of the mask, or cover both.
inline uint64_t getBits(Mask mask, int64_t first, int64_t count) {
  uint64_t word = (first < 64 ? mask.low : mask.high) >> first % 64;
  return count >= 64 ? word : word & ((uint64_t(1) << count) - 1);
}
inline bool hasLane(Mask mask, int64_t first, int64_t count) {
  return getBits(mask, first, count) || (count > 64 && mask.high);
}
inline bool hasAllLanes(Mask mask, int64_t lanes) {
  return mask.low == ~uint64_t(0) && (lanes <= 64 || mask.high == ~uint64_t(0));
}

/// Blocks in UB, strided as the instruction says.
class LaneOperand {
public:
  LaneOperand(Memory &memory, Address address, DType type, int64_t blockStride,
              int64_t repeatStride)
      : memory(memory), address(address), type(type), size(getBytes(type)),
        blockStride(blockStride * kBlockBytes),
        repeatStride(repeatStride * kBlockBytes) {}

  /// The first byte of a repeat.
  std::byte *at(int64_t repeat) const {
    return memory.at(address + repeat * repeatStride);
  }
  int64_t getBlockStride() const { return blockStride; }

  /// Elements of blocks that have no lane in the mask are not touched, in
  /// memory or in `lanes`.
  void load(Lanes &to, int64_t repeat, int64_t lanes, Mask mask) const;
  void loadRaw(std::byte *to, int64_t repeat, int64_t lanes, Mask mask) const;

  /// Only lanes in the mask.
  void store(const Lanes &from, int64_t repeat, int64_t lanes, Mask mask) const;
  void storeRaw(const std::byte *from, int64_t repeat, int64_t lanes,
                Mask mask) const;
  void fill(int32_t value, int64_t repeat, int64_t lanes, Mask mask) const;

  /// Element `index` from the operand's start.
  void storeElement(float value, int64_t index) const;

private:
  void widen(float *to, const std::byte *from, int64_t count) const;
  void narrow(std::byte *to, const float *from, int64_t count) const;

  Memory &memory;
  Address address;
  DType type;
  int64_t size, blockStride, repeatStride;
};

/// Bits, eight per byte.
class BitOperand {
public:
  BitOperand(Memory &memory, Address address)
      : memory(memory), address(address) {}
  std::byte *at(int64_t bit) const { return memory.at(address + bit / 8); }

private:
  Memory &memory;
  Address address;
};

} // namespace gc::npu

#endif // GC_LIB_SIMULATOR_VALUESLANES_H
