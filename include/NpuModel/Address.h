// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How an operand of an instruction names a place in memory, and the buffers of
// a core that such places belong to.

#ifndef GC_NPUMODEL_ADDRESS_H
#define GC_NPUMODEL_ADDRESS_H

#include "NpuModel/Machine.h"

#include <algorithm>

namespace gc::npu {

/// A place: one number, as in the C interface, so that adding bytes to it adds
/// to the offset. Space in bits 60 to 63, a number in bits 44 to 59, above the
/// byte offset, which is signed: an address before a tensor is still known to
/// be that tensor's. In global memory the number is the tensor's; in a buffer
/// of the core it says which buffer of the program the address belongs to
/// (starting at 1; 0: unknown), and the offset counts from the start of the
/// space.
struct Address {
  uint64_t bits = 0;

  Address() = default;
  explicit constexpr Address(uint64_t bits) : bits(bits) {}
  constexpr Address(Space space, int64_t offset, int number = 0)
      : bits((static_cast<uint64_t>(space) << kSpaceShift |
              static_cast<uint64_t>(number) << kNumberShift) +
             static_cast<uint64_t>(offset)) {}

  static constexpr int kSpaceShift = 60, kNumberShift = 44;
  static constexpr int kMaxNumber = 0xffff;
  /// Tensors have fewer bytes. Offsets up to eight times as large still
  /// identify the tensor.
  static constexpr int64_t kMaxBytes = int64_t(1) << 40;

  /// Of a checked address; a wrong number gives a value past Space::l0c.
  constexpr Space getSpace() const {
    return static_cast<Space>(withoutOffset() >> kSpaceShift);
  }
  constexpr bool isSpaceValid() const {
    return withoutOffset() >> kSpaceShift < kNumSpaces;
  }
  constexpr int getNumber() const {
    return static_cast<int>(withoutOffset() >> kNumberShift & kMaxNumber);
  }
  constexpr int getTensor() const { return getNumber(); }
  constexpr int64_t getOffset() const {
    return static_cast<int64_t>(bits << (64 - kNumberShift)) >>
           (64 - kNumberShift);
  }
  constexpr Address operator+(int64_t bytes) const {
    return Address(bits + static_cast<uint64_t>(bytes));
  }
  constexpr bool operator==(Address other) const { return bits == other.bits; }
  constexpr bool operator!=(Address other) const { return bits != other.bits; }

private:
  /// Rounded, so that an offset below zero has no effect.
  constexpr uint64_t withoutOffset() const {
    return bits + (uint64_t(1) << (kNumberShift - 1));
  }
};

/// A buffer of the core, or one of its slots.
struct Buffer {
  Space space;
  int64_t begin, bytes;
  /// Instructions may touch whole blocks, as far as the memory goes.
  int64_t end;
  /// Where the program last asked for it.
  int32_t location = -1;

  Buffer(const Machine &machine, Space space, int64_t begin, int64_t bytes)
      : space(space), begin(begin), bytes(bytes),
        end(std::min((begin + bytes + kBlockBytes - 1) / kBlockBytes *
                         kBlockBytes,
                     machine.getCapacity(space))) {}

  bool contains(int64_t offset, int64_t size) const {
    return size == 0 || (offset >= begin && offset + size <= end);
  }
};

} // namespace gc::npu

#endif // GC_NPUMODEL_ADDRESS_H
