// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The facts about a machine that decisions depend on: cores, caches, vector
// units. Knows no MLIR; Support/ModuleMachine.h reads the description that a
// module carries.

#ifndef GC_MACHINE_MACHINE_H
#define GC_MACHINE_MACHINE_H

#include <cstdint>

namespace gc {

/// Sizes in bytes; caches are what one core can use, L3 is shared by all.
struct Machine {
  int64_t cores = 1;
  int64_t l1Bytes = 32 * 1024;
  int64_t l2Bytes = 1024 * 1024;
  int64_t l3Bytes = 32 * 1024 * 1024;
  int64_t vectorBits = 128;
  int64_t vectorRegisters = 16;

  /// Lanes of a vector of elements of `bits` bits.
  int64_t getLanes(int64_t bits) const { return vectorBits / bits; }

  /// Facts of the machine the compiler runs on, read once per process.
  static const Machine &host();
};

} // namespace gc

#endif // GC_MACHINE_MACHINE_H
