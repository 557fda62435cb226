// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Loops over independent work, shared among threads.

#ifndef GC_LIB_REFERENCE_PARALLEL_H
#define GC_LIB_REFERENCE_PARALLEL_H

#include <cstdint>

namespace gc::reference {

/// Calls body(i) for 0 <= i < count, in any order, from several threads if that
/// is worthwhile.
template <typename Body>
void parallelFor(int64_t count, Body body) {
#pragma omp parallel for schedule(dynamic, 4) if (count > 8)
  for (int64_t i = 0; i < count; ++i)
    body(i);
}

} // namespace gc::reference

#endif // GC_LIB_REFERENCE_PARALLEL_H
