// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Aligned memory for arenas and folded constants.

#ifndef GC_LIB_RUNTIME_MEMORY_H
#define GC_LIB_RUNTIME_MEMORY_H

#include <cstdint>

namespace gc::runtime {

/// At least Bytes bytes (at least one) aligned to Alignment, a power of two, or
/// nullptr. Not initialized. Blocks of half a megabyte and more ask for huge
/// pages: packed weights are read through once per execution, the rows of a
/// head of attention are a page apart, and page walks are noticeable.
void *allocate(uint64_t Bytes, uint64_t Alignment);
void deallocate(void *Memory);

/// The alignment a module's arena and folded buffers get.
uint64_t effectiveAlignment(uint64_t Alignment);

} // namespace gc::runtime

#endif // GC_LIB_RUNTIME_MEMORY_H
