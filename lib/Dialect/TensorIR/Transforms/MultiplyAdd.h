// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sums of products along k, lane by lane, by the best instructions of the
// machine for the types of a kernel. A lane has 32 bits: one f32, or two or
// four neighbours along k of a narrower type. Integers are exact: no form
// saturates.

#ifndef GC_LIB_DIALECT_TENSORIR_TRANSFORMS_MULTIPLYADD_H
#define GC_LIB_DIALECT_TENSORIR_TRANSFORMS_MULTIPLYADD_H

#include "Machine/KernelSpec.h"
#include "Machine/Machine.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace gc::tir {

class MultiplyAdd {
public:
  /// `groups` is the vector type in which lanes of operands are loaded. With
  /// `amx` products are AMX's, which takes all signs, and only sums of elements
  /// are left.
  MultiplyAdd(mlir::ImplicitLocOpBuilder &b, const Machine &machine,
              const KernelSpec &spec, mlir::VectorType groups,
              bool amx = false);

  /// What is done once to a loaded vector, however often it is multiplied.
  mlir::Value prepareA(mlir::Value loaded) const;
  mlir::Value prepareB(mlir::Value loaded) const;

  /// A prepared vector with zeros in place of all but the first `count`
  /// elements of each lane.
  mlir::Value keepFirst(mlir::Value prepared, int64_t count) const;

  /// sum + a * b in every lane, over the elements of the lane.
  mlir::Value add(mlir::Value a, mlir::Value b, mlir::Value sum) const;

  /// By how much prepared elements are too large: a zero point is not
  /// subtracted from them, and dot products of u8 with s8 serve other signs,
  /// too, after a shift of one operand by 128. With the excesses p of A and q
  /// of B,
  ///   sum of (a - p) (b - q) = sum of a b - q sum of a - p sum of b + k p q.
  /// The second term is the same for a row of the result, the third for a
  /// column.
  int64_t getExcessA() const;
  int64_t getExcessB() const;
  /// sum + the elements of a prepared vector.
  mlir::Value addElementsOfA(mlir::Value prepared, mlir::Value sum) const;
  mlir::Value addElementsOfB(mlir::Value prepared, mlir::Value sum) const;
  /// A vector of 32-bit integers times a number.
  mlir::Value scale(mlir::Value sum, int64_t factor) const;

private:
  enum class Form {
    /// One f32 per lane.
    f32,
    /// Pairs of bf16: the dot product of AVX512-BF16, or two multiply-adds of
    /// the halves as f32.
    bf16Dot,
    bf16Halves,
    /// Pairs of f16, converted to f32.
    f16Halves,
    /// Four bytes: the dot product of u8 and s8 of VNNI, products of 16-bit
    /// numbers, or of 32-bit ones.
    vnni,
    words,
    bytes,
    /// Products are AMX's; sums of bytes are those of VNNI.
    amx
  };

  mlir::Value call(llvm::StringRef intrinsic, mlir::Type result,
                   mlir::ValueRange operands) const;
  mlir::Value splat(int64_t value) const;
  /// "name.512", by the bits of a vector.
  std::string withBits(llvm::StringRef name) const;
  /// sum + the bytes of x, which have the sign of the type.
  mlir::Value addBytes(mlir::Value x, DataType type, mlir::Value sum) const;
  /// sum + dot product of the bytes; the first operand is unsigned.
  mlir::Value dotBytes(mlir::Value x, mlir::Value y, mlir::Value sum) const;
  /// The bytes `byte`, `byte + every`, ... of each lane, in fields of
  /// 8 * every bits, with the sign of the type.
  mlir::Value getBytesAt(mlir::Value lanes, DataType type, unsigned byte,
                         unsigned every) const;

  mlir::ImplicitLocOpBuilder &b;
  const KernelSpec &spec;
  mlir::VectorType groups, f32;
  Form form;
  int64_t bits;
};

} // namespace gc::tir

#endif // GC_LIB_DIALECT_TENSORIR_TRANSFORMS_MULTIPLYADD_H
