// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Memory.h"

#include <algorithm>
#include <cstdlib>
#if defined(__linux__)
#include <sys/mman.h>
#endif

void *gc::runtime::allocate(uint64_t Bytes, uint64_t Alignment) {
  constexpr uint64_t HugePage = uint64_t(2) << 20;
  bool Huge = Bytes >= 2 * HugePage;
  if (Huge)
    Alignment = std::max(Alignment, HugePage);
  // Sizes that pointer arithmetic cannot span are not worth asking for.
  if (Bytes > PTRDIFF_MAX - Alignment)
    return nullptr;
  void *Memory = nullptr;
  if (posix_memalign(&Memory, Alignment, std::max<uint64_t>(Bytes, 1)) != 0)
    return nullptr;
#if defined(__linux__)
  if (Huge)
    madvise(Memory, Bytes, MADV_HUGEPAGE);
#endif
  return Memory;
}

void gc::runtime::deallocate(void *Memory) { std::free(Memory); }

uint64_t gc::runtime::effectiveAlignment(uint64_t Alignment) {
  return std::max<uint64_t>(Alignment, 64);
}
