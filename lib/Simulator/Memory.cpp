// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Simulator/Memory.h"

#include <cstring>

using namespace gc::npu;

Memory::Memory(const Machine &machine, const std::vector<Tensor> &tensors)
    : tensors(tensors) {
  for (Space space :
       {Space::l1, Space::ub, Space::l0a, Space::l0b, Space::l0c}) {
    size_t bytes = static_cast<size_t>(machine.getCapacity(space));
    auto &buffer = local[static_cast<size_t>(space)];
    buffer.reset(new std::byte[bytes]);
    // Not a number in any float type: values that were never written stand out
    // when checks are off.
    std::memset(buffer.get(), 0xff, bytes);
  }
}
