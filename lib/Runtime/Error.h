// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The thread-local message behind gc_last_error.

#ifndef GC_LIB_RUNTIME_ERROR_H
#define GC_LIB_RUNTIME_ERROR_H

#include "Runtime/Runtime.h"

namespace gc::runtime {

/// Longest message kept, with its terminator.
constexpr int MaxMessage = 512;

/// Sets the calling thread's message (printf style) and returns Status.
gc_status fail(gc_status Status, const char *Format, ...)
    __attribute__((format(printf, 2, 3)));

/// Forgets the calling thread's message.
void clearError();

} // namespace gc::runtime

#endif // GC_LIB_RUNTIME_ERROR_H
