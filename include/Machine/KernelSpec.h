// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a batch-reduce GEMM microkernel computes, in full: element types,
// packing, sizes, distances. The same description is used in the IR
// (#tir.kernel) and in the runtime's C ABI (gc_kernel_spec), and costs and the
// choice of an implementation depend on it.

#ifndef GC_MACHINE_KERNELSPEC_H
#define GC_MACHINE_KERNELSPEC_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>

namespace gc {

/// Element types of kernels; signedness included, since it decides which
/// instructions multiply.
enum class DataType : uint8_t { f32, bf16, f16, s8, u8, s32, s4, u4 };

/// "f32", "bf16", "s8", ...
llvm::StringRef getName(DataType type);
int64_t getBits(DataType type);
/// Of one element, or of two where two share a byte.
inline int64_t getBytes(DataType type) {
  return getBits(type) < 8 ? 1 : getBits(type) / 8;
}
bool isInteger(DataType type);
/// The type in which products of two types are summed: f32 for floating-point
/// numbers, s32 for integers.
DataType getAccumulatorType(DataType a);
/// Neighbours along k of one operand that fill an element of the sums, which
/// instructions for narrow types add up: 2 of bf16, 4 of s8, 8 of s4.
int64_t getGroupSize(DataType type);

/// How a kernel finds the blocks of its batch: at a constant stride; at byte
/// offsets from the first block, held in a list; or at addresses held in a
/// list.
enum class BatchForm : uint8_t { stride, offset, address };

llvm::StringRef getName(BatchForm form);

/// C[m, n] = beta * C + sum over i < batch of A_i[m, k] * B_i[k, n], on
/// row-major blocks. Leading dimensions and strides are in elements.
///
/// - A transposed operand is stored as its transpose: A as k rows of m, B as n
///   rows of k.
/// - A packed operand (`packA`, `packB` > 1: the VNNI form, 2 for 16-bit, 4 for
///   8-bit and 8 for 4-bit elements) has that many adjacent neighbours along k:
///   B is k / packB rows of n groups, rounded up; a row of groups takes
///   packB * ldb elements. Of two 4-bit elements in a byte, the first is the
///   lower half.
/// - Zero points are subtracted from the elements of A and B.
/// - If A is f32 and B is narrower, B is converted. B may then have scales and
///   zero points that the kernel reads: B_i[k, n] is (element - zp[i, n]) *
///   scale[i, n], with one row of them for each block of the batch.
struct KernelSpec {
  DataType a = DataType::f32, b = DataType::f32, c = DataType::f32;
  /// The type of the sums. C is converted to and from it if it differs.
  DataType accumulator = DataType::f32;
  int64_t packA = 1, packB = 1;
  int64_t zeroPointA = 0, zeroPointB = 0;
  bool transposeA = false, transposeB = false;
  int64_t m = 1, n = 1, k = 1;
  int64_t lda = 1, ldb = 1, ldc = 1;
  BatchForm batch = BatchForm::stride;
  /// Between consecutive blocks; 0 in the other forms.
  int64_t strideA = 0, strideB = 0;
  int64_t beta = 0;
  /// Elements between the rows of scales, and of zero points if there are any;
  /// 0: B has no scales. Both are f32.
  int64_t ldScaleB = 0;
  bool hasZeroPointsB = false;

  /// A kernel on dense blocks in one type.
  static KernelSpec getDense(DataType type, int64_t m, int64_t n, int64_t k);

  /// Rows of an operand as it is stored, and elements of each of them that the
  /// kernel reads; a row of groups counts as that many rows.
  int64_t getRowsA() const { return transposeA ? k : m; }
  int64_t getColumnsA() const { return transposeA ? m : k; }
  int64_t getRowsB() const { return transposeB ? n : k; }
  int64_t getColumnsB() const { return transposeB ? k : n; }

  bool isOfType(DataType type) const {
    return a == type && b == type && c == type && accumulator == type;
  }
  /// B is converted to the type of A.
  bool widensB() const { return a == DataType::f32 && b != a; }
  bool isPlain() const {
    return packA == 1 && packB == 1 && !transposeA && !transposeB;
  }

  /// The first rule that the spec breaks, as a labelled sentence ("(C2) ..."),
  /// or an empty string.
  llvm::StringRef findError() const;

  /// "f32_m32n64k64_lda64ldb64ldc64_sa2048sb4096_beta1": unique, for symbols.
  std::string getName() const;
  /// For messages: "f32 x f32 -> f32, sums in f32, m=32 n=64 ...", every field.
  std::string describe() const;

  bool operator==(const KernelSpec &other) const;
  bool operator!=(const KernelSpec &other) const { return !(*this == other); }
};

} // namespace gc

#endif // GC_MACHINE_KERNELSPEC_H
