// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What code generators call where a processor has no instruction for it.

#ifndef GC_LIB_RUNTIME_BFLOAT16_H
#define GC_LIB_RUNTIME_BFLOAT16_H

#include <cstdint>
#include <cstring>

namespace gc::runtime {

/// Rounds to bf16, which is returned as the low half of the register that a
/// float is returned in. Code generators call it as __truncsfbf2 where a bf16
/// stays in a register; not every system library has it.
inline float truncateToBFloat16(float X) {
  uint32_t Bits;
  std::memcpy(&Bits, &X, sizeof Bits);
  if (X != X)
    Bits = Bits >> 16 | 0x40;
  else
    Bits = (Bits + 0x7fff + (Bits >> 16 & 1)) >> 16;
  std::memcpy(&X, &Bits, sizeof X);
  return X;
}

} // namespace gc::runtime

#endif // GC_LIB_RUNTIME_BFLOAT16_H
