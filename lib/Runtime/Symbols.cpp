// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Runtime/Runtime.h"

#include <cstring>

/// Rounds to bf16, which is returned as the low half of the register that a
/// float is returned in. Code generators call it by this name where a bf16
/// stays in a register; not every system library has it.
static float truncateToBFloat16(float x) {
  uint32_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  if (x != x)
    bits = bits >> 16 | 0x40;
  else
    bits = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

const gc_symbol *gc_runtime_symbols(int64_t *count) {
  static const gc_symbol Symbols[] = {
      {"__truncsfbf2", reinterpret_cast<void *>(truncateToBFloat16)},
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
