// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Driver/ProcessMemory.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#ifdef __GLIBC__
#include <link.h>
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#endif

namespace {

constexpr size_t kMiB = size_t(1) << 20;
/// What most graphs take to compile.
constexpr size_t kHeapBytes = 32 * kMiB;

/// Extends the heap by a region that may have huge pages. Pages are taken from
/// the system when they are first written, as before.
void growHeap() {
  // These end glibc's own adjustment of its limits.
  mallopt(M_MMAP_THRESHOLD, int(4 * kMiB));
  mallopt(M_TRIM_THRESHOLD, int(2 * kHeapBytes));
  mallopt(M_TOP_PAD, int(kHeapBytes));
  auto getEnd = [] { return reinterpret_cast<uintptr_t>(sbrk(0)); };
  uintptr_t begin = getEnd();
  // Larger than what is free, so that the heap grows.
  void *volatile block = std::malloc(2 * kMiB);
  uintptr_t end = getEnd();
  std::free(block);
  mallopt(M_TOP_PAD, int(2 * kMiB));
  begin = (begin + 2 * kMiB - 1) / (2 * kMiB) * (2 * kMiB);
  if (begin < end)
    madvise(reinterpret_cast<void *>(begin), end - begin, MADV_HUGEPAGE);
}

/// Maps the code of the program, which comes first in the list of objects.
int mapCode(dl_phdr_info *object, size_t, void *) {
  const uintptr_t page = sysconf(_SC_PAGESIZE);
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr) &segment = object->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_X))
      continue;
    uintptr_t begin = object->dlpi_addr + segment.p_vaddr;
    uintptr_t end = begin + segment.p_filesz;
    begin = begin / page * page;
    madvise(reinterpret_cast<void *>(begin), end - begin, MADV_POPULATE_READ);
  }
  return 1;
}

} // namespace

void gc::prepareProcessMemory() {
  growHeap();
  dl_iterate_phdr(mapCode, nullptr);
}
#else
void gc::prepareProcessMemory() {}
#endif
