// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Numbers of 16 bits (IEEE 754 binary16) of the NPU: conversions to and from
// 32 bits, exact or rounded to nearest even. Subnormal numbers are kept,
// numbers that are too large become infinity, NaN stays NaN with the upper bits
// of its payload and becomes quiet: bit for bit what the F16C instructions do.

#ifndef GC_NPUMODEL_FLOAT16_H
#define GC_NPUMODEL_FLOAT16_H

#include <cstdint>
#include <cstring>

namespace gc::npu {

namespace detail {
inline uint32_t getBits(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}
inline float fromBits(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}
} // namespace detail

/// The value of the 16 bits `half`, exactly.
inline float toFloat(uint16_t half) {
  uint32_t sign = uint32_t(half & 0x8000) << 16;
  uint32_t magnitude = uint32_t(half & 0x7fff) << 13;
  // Exponents 15 apart by 112 in the wider format. Infinity and NaN move twice,
  // to the wider format's own; subnormal numbers have the exponent of the
  // smallest normal one and no leading one, which subtracting removes.
  constexpr uint32_t move = 112u << 23;
  uint32_t normal = magnitude + move;
  uint32_t special = magnitude + 2 * move;
  uint32_t subnormal =
      detail::getBits(detail::fromBits(magnitude + move + (1u << 23)) -
                      detail::fromBits(move + (1u << 23)));
  uint32_t quiet = magnitude > 0x0f800000u ? 0x00400000u : 0;
  uint32_t bits = magnitude >= 0x0f800000u ? special | quiet
                  : magnitude < (1u << 23) ? subnormal
                                           : normal;
  return detail::fromBits(sign | bits);
}

/// The 16 bits nearest to `value`, to even on a tie.
inline uint16_t toHalf(float value) {
  uint32_t bits = detail::getBits(value);
  uint32_t sign = (bits >> 16) & 0x8000;
  uint32_t magnitude = bits & 0x7fffffff;
  // Adding half of the last place minus one, and one if that place is odd,
  // carries where rounding is upwards, into the exponent too.
  uint32_t normal =
      (magnitude - (112u << 23) + 0xfff + ((magnitude >> 13) & 1)) >> 13;
  // Adding 0.5 leaves as many places as a subnormal number has: the addition
  // rounds.
  uint32_t subnormal =
      detail::getBits(detail::fromBits(magnitude) + 0.5f) - 0x3f000000u;
  uint32_t nan = 0x7e00 | ((magnitude >> 13) & 0x3ff);
  uint32_t result = magnitude > 0x7f800000u    ? nan
                    : magnitude >= 0x47800000u ? 0x7c00u
                    : magnitude < 0x38800000u  ? subnormal
                                               : normal;
  return static_cast<uint16_t>(sign | result);
}

} // namespace gc::npu

#endif // GC_NPUMODEL_FLOAT16_H
