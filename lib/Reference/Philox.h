// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Philox4x32-10, a random number generator without a state: J. Salmon,
// M. Moraes, R. Dror, D. Shaw, "Parallel random numbers: as easy as 1, 2, 3",
// 2011.

#ifndef GC_LIB_REFERENCE_PHILOX_H
#define GC_LIB_REFERENCE_PHILOX_H

#include <array>
#include <cstdint>

namespace gc::reference {

/// The four words of a counter and a key.
inline std::array<uint32_t, 4> philox(std::array<uint32_t, 4> counter,
                                      std::array<uint32_t, 2> key) {
  for (uint32_t round = 0; round < 10; ++round) {
    uint64_t first = uint64_t(0xD2511F53) * counter[0];
    uint64_t second = uint64_t(0xCD9E8D57) * counter[2];
    uint32_t left = key[0] + round * 0x9E3779B9;
    uint32_t right = key[1] + round * 0xBB67AE85;
    counter = {uint32_t(second >> 32) ^ counter[1] ^ left, uint32_t(second),
               uint32_t(first >> 32) ^ counter[3] ^ right, uint32_t(first)};
  }
  return counter;
}

/// The random number of an index, as graph.random_mask defines it.
inline uint32_t philox(uint64_t seed, uint64_t offset, uint64_t index) {
  uint64_t four = index - index % 4;
  return philox({uint32_t(offset), uint32_t(offset >> 32), uint32_t(four),
                 uint32_t(four >> 32)},
                {uint32_t(seed), uint32_t(seed >> 32)})[index % 4];
}

} // namespace gc::reference

#endif // GC_LIB_REFERENCE_PHILOX_H
