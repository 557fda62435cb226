// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The contents of memory: the local buffers of a core, and the tensors in
// global memory that all cores share.

#ifndef GC_SIMULATOR_MEMORY_H
#define GC_SIMULATOR_MEMORY_H

#include "NpuModel/Address.h"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace gc::npu {

/// A tensor in global memory. `data` belongs to the caller and may be null if
/// no values are computed.
struct Tensor {
  std::string name;
  std::byte *data = nullptr;
  int64_t bytes = 0;
  /// An input is not writable: writing it is an error.
  bool writable = true;
};

class Memory {
public:
  /// `tensors` is shared by all cores and outlives this.
  Memory(const Machine &machine, const std::vector<Tensor> &tensors);

  /// `bytes` bytes from `address` on, all inside the buffer or tensor (the
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

/// Computes what `instruction` does to memory. It has passed check() and stays
/// inside all buffers. Flags, barriers and scalar control do nothing. Vector
/// arithmetic is in fp32, rounded to nearest even to the destination; see
/// Instruction.h for the meaning of each.
void execute(const Instruction &instruction, Memory &memory);

/// The element at `address` as a scalar load gives it.
double loadScalar(Memory &memory, Address address, DType type);

} // namespace gc::npu

#endif // GC_SIMULATOR_MEMORY_H
