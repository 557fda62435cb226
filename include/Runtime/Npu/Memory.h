// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a core of the NPU can address: its local buffers, and the tensors in
// global memory that all cores share.

#ifndef GC_RUNTIME_NPU_MEMORY_H
#define GC_RUNTIME_NPU_MEMORY_H

#include "Runtime/Npu/Machine.h"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace gc::npu {

/// A place: one number, as in the C interface, so that adding bytes to it adds
/// to the offset. Space in bits 56 to 63, tensor in bits 40 to 55 (global
/// memory), byte offset in bits 0 to 39.
struct Address {
  uint64_t bits = 0;

  Address() = default;
  explicit constexpr Address(uint64_t bits) : bits(bits) {}
  constexpr Address(Space space, int64_t offset, int tensor = 0)
      : bits(static_cast<uint64_t>(space) << 56 |
             static_cast<uint64_t>(tensor) << 40 |
             (static_cast<uint64_t>(offset) & kOffsetMask)) {}

  static constexpr uint64_t kOffsetMask = (uint64_t(1) << 40) - 1;

  /// Of a checked address; a wrong number gives a value past Space::l0c.
  constexpr Space getSpace() const { return static_cast<Space>(bits >> 56); }
  constexpr bool isSpaceValid() const { return bits >> 56 < kNumSpaces; }
  constexpr int getTensor() const {
    return static_cast<int>(bits >> 40 & 0xffff);
  }
  constexpr int64_t getOffset() const {
    return static_cast<int64_t>(bits & kOffsetMask);
  }
  constexpr Address operator+(int64_t bytes) const {
    return Address(bits + static_cast<uint64_t>(bytes));
  }
  constexpr bool operator==(Address other) const { return bits == other.bits; }
  constexpr bool operator!=(Address other) const { return bits != other.bits; }
};

/// A tensor in global memory. `data` belongs to the caller and may be null if
/// no values are computed.
struct Tensor {
  std::string name;
  std::byte *data = nullptr;
  int64_t bytes = 0;
  /// An input is not: writing it is an error.
  bool writable = true;
};

class Memory {
public:
  /// `tensors` is shared by all cores and outlives this.
  Memory(const Machine &machine, const std::vector<Tensor> &tensors);

  /// `bytes` bytes from `address` on, all inside of the buffer or tensor (the
  /// caller has checked that).
  std::byte *at(Address address) {
    Space space = address.getSpace();
    std::byte *base = space == Space::gm
                          ? tensors[address.getTensor()].data
                          : local[static_cast<size_t>(space)].get();
    return base + address.getOffset();
  }
  template <typename T>
  T *as(Address address) {
    return reinterpret_cast<T *>(at(address));
  }

private:
  const std::vector<Tensor> &tensors;
  std::unique_ptr<std::byte[]> local[kNumSpaces];
};

struct Instruction;

/// Computes what `instruction` does to memory. It has passed check() and lies
/// inside of all buffers. Flags, barriers and scalar control do nothing.
/// Vector arithmetic is in fp32, rounded to nearest even to the destination;
/// see Instruction.h for the meaning of each.
void execute(const Instruction &instruction, Memory &memory);

/// The element at `address` as a scalar load gives it.
double loadScalar(Memory &memory, Address address, DType type);

} // namespace gc::npu

#endif // GC_RUNTIME_NPU_MEMORY_H
