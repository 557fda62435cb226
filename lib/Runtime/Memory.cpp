// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Memory.h"

#include "Error.h"
#include "Runtime/Runtime.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#if defined(__linux__)
#include <sys/mman.h>
#endif

using namespace gc::runtime;

namespace {

constexpr uint64_t HugePage = uint64_t(2) << 20;
// From this size on a whole huge page is worth its memory.
constexpr uint64_t LargeBytes = HugePage / 4;

// For tests of compiled code: it must not depend on memory that nobody has
// written.
bool isPoisoned() {
  static const bool Poisoned = [] {
    const char *Setting = std::getenv("GC_POISON");
    return Setting && *Setting && std::strcmp(Setting, "0") != 0;
  }();
  return Poisoned;
}

} // namespace

void *gc::runtime::allocate(uint64_t Bytes, uint64_t Alignment) {
  bool Large = Bytes >= LargeBytes;
  if (Large)
    Alignment = std::max(Alignment, HugePage);
  // Sizes that pointer arithmetic cannot span are not worth asking for.
  if (Bytes > PTRDIFF_MAX - 2 * Alignment)
    return nullptr;
  Bytes = std::max<uint64_t>(Bytes, 1);
  // The rest of the last huge page is not shared with anything else.
  if (Large)
    Bytes = (Bytes + HugePage - 1) / HugePage * HugePage;
  void *Memory = nullptr;
  if (posix_memalign(&Memory, Alignment, Bytes) != 0)
    return nullptr;
#if defined(__linux__)
  // Only a hint: without it, memory just has more pages.
  if (Large)
    madvise(Memory, Bytes, MADV_HUGEPAGE);
#endif
  // NaN in every floating-point type.
  if (isPoisoned())
    std::memset(Memory, 0xFF, Bytes);
  return Memory;
}

void gc::runtime::deallocate(void *Memory) { std::free(Memory); }

void *gc_allocate(uint64_t bytes, uint64_t alignment) {
  if (alignment & (alignment - 1)) {
    fail(GC_INVALID_ARGUMENT, "gc_allocate: %llu is not a power of two",
         static_cast<unsigned long long>(alignment));
    return nullptr;
  }
  void *Memory = allocate(bytes, effectiveAlignment(alignment));
  if (!Memory)
    fail(GC_OUT_OF_MEMORY, "no memory for a buffer of %llu bytes",
         static_cast<unsigned long long>(bytes));
  return Memory;
}

void gc_deallocate(void *memory) { deallocate(memory); }

uint64_t gc::runtime::effectiveAlignment(uint64_t Alignment) {
  return std::max<uint64_t>(Alignment, 64);
}
