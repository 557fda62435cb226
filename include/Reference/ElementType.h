// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Element types of host tensors: sizes, limits, rounding, and conversion to and
// from double, in which the reference computes.

#ifndef GC_REFERENCE_ELEMENTTYPE_H
#define GC_REFERENCE_ELEMENTTYPE_H

#include "mlir/IR/Types.h"

#include <cstdint>
#include <optional>

namespace gc::reference {

/// Element types. S4, U4 and Boolean occupy one byte per element.
enum class ElementType : uint8_t {
  F32,
  BF16,
  F16,
  F8E5M2,
  F8E4M3FN,
  F64,
  S32,
  S8,
  U8,
  S4,
  U4,
  Boolean,
  U64
};

/// What there is to know about an element type.
struct ElementTypeInfo {
  /// As the Graph dialect writes it.
  llvm::StringLiteral name;
  /// Type string of the .npy format (without byte order); f8, which numpy does
  /// not have, is bytes.
  llvm::StringLiteral npy;
  /// Bytes per element in memory.
  unsigned bytes;
  bool isFloat;
  /// Largest relative error of rounding to nearest; 0 for integers.
  double unitRoundoff;
  /// Absolute error that flushing or rounding tiny results may cause.
  double tiny;
  /// Least and greatest finite value.
  double lowest, highest;
};

const ElementTypeInfo &getInfo(ElementType type);

/// The element type of an MLIR type: f32 bf16 f16 f8E5M2 f8E4M3FN f64, si32
/// ui64 si8 ui8 si4 ui4 i1; signless integers count as signed. Nothing for
/// other types.
std::optional<ElementType> getElementType(mlir::Type type);

/// `value` as an element of `type` holds it: floats are rounded to nearest
/// even, integers too and saturate; NaN becomes 0 in an integer.
double roundTo(ElementType type, double value);

/// Whether no value of the type is further than `bound` from `value`, so that
/// the bound allows any. An infinite bound and NaN do.
bool allowsAll(ElementType type, double value, double bound);

/// Reads `count` elements into `values`, rounded where double does not hold
/// them (ui64). Offset and stride count elements; the address need not be
/// aligned.
void loadElements(ElementType type, const void *base, int64_t offset,
                  int64_t stride, int64_t count, double *values);

/// Writes `count` values, rounded as by roundTo.
void storeElements(ElementType type, void *base, int64_t offset, int64_t stride,
                   int64_t count, const double *values);

} // namespace gc::reference

#endif // GC_REFERENCE_ELEMENTTYPE_H
