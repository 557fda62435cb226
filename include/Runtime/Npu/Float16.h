// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Numbers of 16 bits (IEEE 754 binary16) of the NPU: conversions to and from
// 32 bits, exact or rounded to nearest even. Subnormal numbers are kept, what
// is too large becomes infinity, NaN stays NaN with the upper bits of its
// payload and becomes quiet: bit for bit what the F16C instructions do.

#ifndef GC_RUNTIME_NPU_FLOAT16_H
#define GC_RUNTIME_NPU_FLOAT16_H

#include <cstdint>
#include <cstring>

namespace gc::npu {

namespace detail {
inline uint32_t getBits(float Value) {
  uint32_t Bits;
  std::memcpy(&Bits, &Value, sizeof(Bits));
  return Bits;
}
inline float fromBits(uint32_t Bits) {
  float Value;
  std::memcpy(&Value, &Bits, sizeof(Value));
  return Value;
}
} // namespace detail

/// The value of the 16 bits `Half`, exactly.
inline float toFloat(uint16_t Half) {
  uint32_t Sign = uint32_t(Half & 0x8000) << 16;
  uint32_t Magnitude = uint32_t(Half & 0x7fff) << 13;
  // Exponents 15 apart by 112 in the wider format. Infinity and NaN move twice,
  // to the wider format's own; subnormal numbers have the exponent of the
  // smallest normal one and no leading one, which subtracting removes.
  constexpr uint32_t Move = 112u << 23;
  uint32_t Normal = Magnitude + Move;
  uint32_t Special = Magnitude + 2 * Move;
  uint32_t Subnormal = detail::getBits(
      detail::fromBits(Magnitude + Move + (1u << 23)) -
      detail::fromBits(Move + (1u << 23)));
  uint32_t Quiet = Magnitude > 0x0f800000u ? 0x00400000u : 0;
  uint32_t Bits = Magnitude >= 0x0f800000u   ? Special | Quiet
                  : Magnitude < (1u << 23) ? Subnormal
                                             : Normal;
  return detail::fromBits(Sign | Bits);
}

/// The 16 bits nearest to `Value`, to even on a tie.
inline uint16_t toHalf(float Value) {
  uint32_t Bits = detail::getBits(Value);
  uint32_t Sign = (Bits >> 16) & 0x8000;
  uint32_t Magnitude = Bits & 0x7fffffff;
  // Adding half of the last place minus one, and one if that place is odd,
  // carries where rounding is upwards, into the exponent too.
  uint32_t Normal = (Magnitude - (112u << 23) + 0xfff +
                     ((Magnitude >> 13) & 1)) >> 13;
  // Adding 0.5 leaves as many places as a subnormal number has: the addition
  // rounds.
  uint32_t Subnormal =
      detail::getBits(detail::fromBits(Magnitude) + 0.5f) - 0x3f000000u;
  uint32_t Nan = 0x7e00 | ((Magnitude >> 13) & 0x3ff);
  uint32_t Result = Magnitude > 0x7f800000u    ? Nan
                    : Magnitude >= 0x47800000u ? 0x7c00u
                    : Magnitude < 0x38800000u  ? Subnormal
                                               : Normal;
  return static_cast<uint16_t>(Sign | Result);
}

/// `Count` numbers; with the host's instructions where it has them.
void toFloat(float *To, const uint16_t *From, int64_t Count);
void toHalf(uint16_t *To, const float *From, int64_t Count);

} // namespace gc::npu

#endif // GC_RUNTIME_NPU_FLOAT16_H
