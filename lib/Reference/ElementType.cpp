// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Reference/ElementType.h"
#include "mlir/IR/BuiltinTypes.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

using namespace gc::reference;

const ElementTypeInfo &gc::reference::getInfo(ElementType type) {
  // f16 results are rounded to multiples of 2^-24 near zero; the others lose
  // what is below their least normal number where hardware flushes it to zero.
  static const ElementTypeInfo infos[] = {
      {"f32", "f4", 4, true, 0x1p-24, 0x1p-126, -0x1.fffffep127,
       0x1.fffffep127},
      {"bf16", "V2", 2, true, 0x1p-8, 0x1p-126, -0x1.fep127, 0x1.fep127},
      {"f16", "f2", 2, true, 0x1p-11, 0x1p-24, -65504, 65504},
      {"f8E5M2", "u1", 1, true, 0x1p-3, 0x1p-16, -57344, 57344},
      {"f8E4M3FN", "u1", 1, true, 0x1p-4, 0x1p-9, -448, 448},
      {"f64", "f8", 8, true, 0x1p-53, 0x1p-1022,
       std::numeric_limits<double>::lowest(),
       std::numeric_limits<double>::max()},
      {"si32", "i4", 4, false, 0, 0, -2147483648.0, 2147483647.0},
      {"si8", "i1", 1, false, 0, 0, -128, 127},
      {"ui8", "u1", 1, false, 0, 0, 0, 255},
      {"si4", "i1", 1, false, 0, 0, -8, 7},
      {"ui4", "u1", 1, false, 0, 0, 0, 15},
      {"i1", "b1", 1, false, 0, 0, 0, 1},
      // The largest number that double holds as well.
      {"ui64", "u8", 8, false, 0, 0, 0, 0x1.fffffffffffffp63},
  };
  return infos[static_cast<unsigned>(type)];
}

std::optional<ElementType> gc::reference::getElementType(mlir::Type type) {
  if (type.isF32())
    return ElementType::F32;
  if (type.isBF16())
    return ElementType::BF16;
  if (type.isF16())
    return ElementType::F16;
  if (mlir::isa<mlir::Float8E5M2Type>(type))
    return ElementType::F8E5M2;
  if (mlir::isa<mlir::Float8E4M3FNType>(type))
    return ElementType::F8E4M3FN;
  if (type.isF64())
    return ElementType::F64;
  auto integer = mlir::dyn_cast<mlir::IntegerType>(type);
  if (!integer)
    return std::nullopt;
  bool isUnsigned = integer.isUnsigned();
  switch (integer.getWidth()) {
  case 1:
    return ElementType::Boolean;
  case 4:
    return isUnsigned ? ElementType::U4 : ElementType::S4;
  case 8:
    return isUnsigned ? ElementType::U8 : ElementType::S8;
  case 32:
    if (!isUnsigned)
      return ElementType::S32;
    break;
  case 64:
    if (isUnsigned)
      return ElementType::U64;
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Narrow floats
//===----------------------------------------------------------------------===//

template <typename To, typename From>
static To bitCast(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof(to));
  return to;
}

/// The bits of `value` as f32 rounded to odd: truncated, with the last bit set
/// if anything was lost. Rounding that to a narrower type rounds only once.
static uint32_t toOddBits(double value) {
  float nearest = static_cast<float>(value);
  auto bits = bitCast<uint32_t>(nearest);
  if (std::isnan(value) || static_cast<double>(nearest) == value)
    return bits;
  if (std::fabs(static_cast<double>(nearest)) > std::fabs(value))
    --bits;
  return bits | 1;
}

static uint16_t toBF16(double value) {
  uint32_t bits = toOddBits(value);
  if (std::isnan(value))
    return (bits >> 16) | 0x40;
  return (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16;
}

static float fromBF16(uint16_t bits) {
  return bitCast<float>(static_cast<uint32_t>(bits) << 16);
}

static uint16_t toF16(double value) {
  uint32_t bits = toOddBits(value);
  uint16_t sign = (bits >> 16) & 0x8000;
  bits &= 0x7FFFFFFF;
  if (std::isnan(value))
    return sign | 0x7E00;
  if (bits >= bitCast<uint32_t>(65520.0f))
    return sign | 0x7C00;
  if (bits < bitCast<uint32_t>(0x1p-14f)) // subnormal: a multiple of 2^-24
    return sign |
           static_cast<uint16_t>(std::nearbyint(std::fabs(value) * 0x1p24));
  bits += 0xFFF + ((bits >> 13) & 1);
  return sign | static_cast<uint16_t>((bits - (112u << 23)) >> 13);
}

static float fromF16(uint16_t bits) {
  float sign = bits & 0x8000 ? -1.0f : 1.0f;
  uint32_t exponent = (bits >> 10) & 0x1F, fraction = bits & 0x3FF;
  if (exponent == 0)
    return sign * static_cast<float>(fraction) * 0x1p-24f;
  uint32_t wide = exponent == 31 ? 255 : exponent + 112;
  return sign * bitCast<float>(wide << 23 | fraction << 13);
}

/// Floats of 8 bits, as the Open Compute Project specifies them (OFP8).
template <int fractionBits, ElementType type>
struct F8 {
  using Storage = uint8_t;
  static constexpr int bias = type == ElementType::F8E5M2 ? 15 : 7;
  static constexpr int least = 1 - bias;
  static constexpr uint8_t nan = type == ElementType::F8E5M2 ? 0x7E : 0x7F;
  /// Of results that are too large.
  static constexpr uint8_t overflow = type == ElementType::F8E5M2 ? 0x7C : nan;

  static double load(uint8_t bits) {
    double sign = bits & 0x80 ? -1 : 1;
    bits &= 0x7F;
    if (bits == overflow && overflow != nan)
      return sign * std::numeric_limits<double>::infinity();
    if (bits >= overflow)
      return std::copysign(std::numeric_limits<double>::quiet_NaN(), sign);
    int exponent = bits >> fractionBits;
    int fraction = bits & ((1 << fractionBits) - 1);
    if (exponent == 0)
      return sign * std::ldexp(fraction, least - fractionBits);
    return sign * std::ldexp(fraction | 1 << fractionBits,
                             exponent - bias - fractionBits);
  }
  static uint8_t store(double value) {
    uint8_t sign = std::signbit(value) ? 0x80 : 0;
    if (std::isnan(value))
      return sign | nan;
    value = std::fabs(value);
    if (std::isinf(value))
      return sign | overflow;
    int exponent = value == 0 ? least : std::max(std::ilogb(value), least);
    // In units of the last place; the sum carries into the exponent.
    double units = std::nearbyint(std::ldexp(value, fractionBits - exponent));
    double bits = units + std::ldexp(exponent - least, fractionBits);
    return sign | static_cast<uint8_t>(std::min<double>(bits, overflow));
  }
};

//===----------------------------------------------------------------------===//
// Conversion of arrays
//===----------------------------------------------------------------------===//

namespace {
/// How an element type is stored and converted.
template <typename T>
struct Plain {
  using Storage = T;
  static double load(T bits) { return static_cast<double>(bits); }
  static T store(double value) { return static_cast<T>(value); }
};
struct BF16 {
  using Storage = uint16_t;
  static double load(uint16_t bits) { return fromBF16(bits); }
  static uint16_t store(double value) { return toBF16(value); }
};
struct F16 {
  using Storage = uint16_t;
  static double load(uint16_t bits) { return fromF16(bits); }
  static uint16_t store(double value) { return toF16(value); }
};
template <typename T, ElementType type>
struct Integer {
  using Storage = T;
  static double load(T bits) { return static_cast<double>(bits); }
  static T store(double value) {
    const ElementTypeInfo &info = getInfo(type);
    if (std::isnan(value))
      return 0;
    value = std::nearbyint(value);
    value = value < info.lowest ? info.lowest : value;
    return static_cast<T>(value > info.highest ? info.highest : value);
  }
};
struct Boolean {
  using Storage = uint8_t;
  static double load(uint8_t bits) { return bits != 0; }
  static uint8_t store(double value) { return value != 0; }
};

/// Calls `function` with the conversion of `type`.
template <typename Function>
auto dispatch(ElementType type, Function function) {
  switch (type) {
  case ElementType::F32:
    return function(Plain<float>());
  case ElementType::BF16:
    return function(BF16());
  case ElementType::F16:
    return function(F16());
  case ElementType::F8E5M2:
    return function(F8<2, ElementType::F8E5M2>());
  case ElementType::F8E4M3FN:
    return function(F8<3, ElementType::F8E4M3FN>());
  case ElementType::F64:
    return function(Plain<double>());
  case ElementType::S32:
    return function(Integer<int32_t, ElementType::S32>());
  case ElementType::U64:
    return function(Integer<uint64_t, ElementType::U64>());
  case ElementType::S8:
    return function(Integer<int8_t, ElementType::S8>());
  case ElementType::U8:
    return function(Integer<uint8_t, ElementType::U8>());
  case ElementType::S4:
    return function(Integer<int8_t, ElementType::S4>());
  case ElementType::U4:
    return function(Integer<uint8_t, ElementType::U4>());
  case ElementType::Boolean:
    break;
  }
  return function(Boolean());
}
} // namespace

bool gc::reference::allowsAll(ElementType type, double value, double bound) {
  const ElementTypeInfo &info = getInfo(type);
  return std::isnan(bound) || std::isinf(bound) ||
         std::max(value - info.lowest, info.highest - value) <= bound;
}

double gc::reference::roundTo(ElementType type, double value) {
  return dispatch(type, [&](auto conversion) {
    return conversion.load(conversion.store(value));
  });
}

void gc::reference::loadElements(ElementType type, const void *base,
                                 int64_t offset, int64_t stride, int64_t count,
                                 double *values) {
  dispatch(type, [&](auto conversion) {
    using Storage = typename decltype(conversion)::Storage;
    const char *from =
        static_cast<const char *>(base) + offset * int64_t(sizeof(Storage));
    auto load = [&](int64_t at) {
      Storage bits;
      std::memcpy(&bits, from + at * int64_t(sizeof(Storage)), sizeof(bits));
      return conversion.load(bits);
    };
    if (stride == 1) { // a loop of its own, which vectorises
      for (int64_t i = 0; i < count; ++i)
        values[i] = load(i);
      return;
    }
    for (int64_t i = 0; i < count; ++i)
      values[i] = load(i * stride);
  });
}

void gc::reference::storeElements(ElementType type, void *base, int64_t offset,
                                  int64_t stride, int64_t count,
                                  const double *values) {
  dispatch(type, [&](auto conversion) {
    using Storage = typename decltype(conversion)::Storage;
    char *to = static_cast<char *>(base) + offset * int64_t(sizeof(Storage));
    for (int64_t i = 0; i < count; ++i) {
      Storage bits = conversion.store(values[i]);
      std::memcpy(to + i * stride * int64_t(sizeof(Storage)), &bits,
                  sizeof(bits));
    }
  });
}
