// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "BFloat16.h"
#include "Runtime/Runtime.h"

const gc_symbol *gc_runtime_symbols(int64_t *count) {
  static const gc_symbol Symbols[] = {
      {"__truncsfbf2",
       reinterpret_cast<void *>(gc::runtime::truncateToBFloat16)},
      {"gc_barrier_wait", reinterpret_cast<void *>(gc_barrier_wait)},
      {"gc_brgemm_dispatch", reinterpret_cast<void *>(gc_brgemm_dispatch)},
      {"gc_execute_module", reinterpret_cast<void *>(gc_execute_module)},
      {"gc_trace_begin", reinterpret_cast<void *>(gc_trace_begin)},
      {"gc_trace_end", reinterpret_cast<void *>(gc_trace_end)},
  };
  if (count)
    *count = sizeof(Symbols) / sizeof(Symbols[0]);
  return Symbols;
}
