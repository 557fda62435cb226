// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Machine/KernelSpec.h"

#include "llvm/Support/FormatVariadic.h"

#include <tuple>

namespace gc {

llvm::StringRef getName(DataType type) {
  switch (type) {
  case DataType::f32:
    return "f32";
  case DataType::bf16:
    return "bf16";
  case DataType::f16:
    return "f16";
  case DataType::s8:
    return "s8";
  case DataType::u8:
    return "u8";
  case DataType::s32:
    return "s32";
  case DataType::s4:
    return "s4";
  case DataType::u4:
    return "u4";
  }
  return "unknown";
}

int64_t getBits(DataType type) {
  switch (type) {
  case DataType::f32:
  case DataType::s32:
    return 32;
  case DataType::bf16:
  case DataType::f16:
    return 16;
  case DataType::s8:
  case DataType::u8:
    return 8;
  case DataType::s4:
  case DataType::u4:
    return 4;
  }
  return 8;
}

bool isInteger(DataType type) {
  return type != DataType::f32 && type != DataType::bf16 &&
         type != DataType::f16;
}

DataType getAccumulatorType(DataType a) {
  return isInteger(a) ? DataType::s32 : DataType::f32;
}

int64_t getGroupSize(DataType type) {
  return getBits(getAccumulatorType(type)) / getBits(type);
}

llvm::StringRef getName(BatchForm form) {
  switch (form) {
  case BatchForm::stride:
    return "stride";
  case BatchForm::offset:
    return "offset";
  case BatchForm::address:
    return "address";
  }
  return "unknown";
}

KernelSpec KernelSpec::getDense(DataType type, int64_t m, int64_t n,
                                int64_t k) {
  KernelSpec spec;
  spec.a = spec.b = type;
  spec.c = spec.accumulator = getAccumulatorType(type);
  spec.m = m;
  spec.n = n;
  spec.k = k;
  spec.lda = k;
  spec.ldb = spec.ldc = n;
  spec.strideA = m * k;
  spec.strideB = k * n;
  return spec;
}

llvm::StringRef KernelSpec::findError() const {
  if (m < 1 || n < 1 || k < 1)
    return "(C1) m, n, k must be at least 1";
  // Rows of A may overlap, as windows of an image do.
  if (lda < (transposeA ? m : 1) || ldb < getColumnsB() || ldc < n)
    return "(C2) a leading dimension is smaller than a row";
  if (beta != 0 && beta != 1)
    return "(C3) beta must be 0 or 1";
  auto isInteger8 = [](DataType type) {
    return isInteger(type) && getBits(type) == 8;
  };
  bool fits = isInteger(a) ? isInteger8(a) && isInteger8(b)
                           : !isInteger(b) || widensB();
  if (!fits || b == DataType::s32)
    return "(C4) A and B must both be floating-point numbers or both be 8-bit "
           "integers, or A must be f32 and B an integer of 8 or 4 bits";
  if (accumulator != getAccumulatorType(a))
    return "(C5) sums must be in f32 for floating-point numbers and in s32 for "
           "integers";
  auto isPacking = [](int64_t pack, DataType type) {
    return pack == 1 || pack == getGroupSize(type);
  };
  if (!isPacking(packA, a) || !isPacking(packB, b))
    return "(C6) the packing must be 1 or as many elements as fill 32 bits";
  if ((packA != 1 && !transposeA) || (packB != 1 && transposeB))
    return "(C7) only an operand whose rows run across k can be packed";
  if (k % packA != 0)
    return "(C8) k must be a multiple of the packing of A";
  if (batch != BatchForm::stride && (strideA != 0 || strideB != 0))
    return "(C9) only blocks at a constant stride can have strides";
  auto isZeroPoint = [](int64_t value, DataType type) {
    return value == 0 || (isInteger(type) && value >= -128 && value <= 255);
  };
  if (!isZeroPoint(zeroPointA, a) || !isZeroPoint(zeroPointB, b))
    return "(C10) zero points must be from -128 to 255, and 0 unless elements "
           "are integers";
  if (ldScaleB != 0 && (!widensB() || !isInteger(b) || ldScaleB < n))
    return "(C11) only integers that are converted to f32 have scales, in rows "
           "of at least n";
  if (hasZeroPointsB && (ldScaleB == 0 || zeroPointB != 0))
    return "(C12) zero points in memory need scales, and none in the spec";
  if (getBits(c) < 8 || (getBits(b) < 8 && strideB % 2 != 0))
    return "(C13) C cannot have elements of 4 bits, and blocks of B that has "
           "them are an even number of elements apart";
  return "";
}

std::string KernelSpec::getName() const {
  std::string types =
      isOfType(a)
          ? gc::getName(a).str()
          : llvm::formatv("{0}{1}_{2}_{3}", gc::getName(a), gc::getName(b),
                          gc::getName(c), gc::getName(accumulator))
                .str();
  auto form = [&](llvm::StringRef name, int64_t pack, bool transposed) {
    if (pack != 1 || transposed)
      types += llvm::formatv("_{0}{1}{2}", name, transposed ? "t" : "",
                             pack == 1 ? "" : "p" + std::to_string(pack))
                   .str();
  };
  form("a", packA, transposeA);
  form("b", packB, transposeB);
  // A minus sign cannot be part of a symbol.
  if (zeroPointA != 0 || zeroPointB != 0)
    types +=
        llvm::formatv("_zp{0}_{1}", zeroPointA & 0xffff, zeroPointB & 0xffff)
            .str();
  if (ldScaleB != 0)
    types +=
        llvm::formatv("_s{0}{1}", ldScaleB, hasZeroPointsB ? "zp" : "").str();
  std::string blocks = batch == BatchForm::stride
                           ? llvm::formatv("sa{0}sb{1}", strideA, strideB).str()
                           : gc::getName(batch).str();
  return llvm::formatv("{0}_m{1}n{2}k{3}_lda{4}ldb{5}ldc{6}_{7}_beta{8}", types,
                       m, n, k, lda, ldb, ldc, blocks, beta)
      .str();
}

std::string KernelSpec::describe() const {
  auto operand = [](DataType type, int64_t pack, bool transposed,
                    int64_t zeroPoint) {
    return llvm::formatv("{0}{1}{2}{3}", gc::getName(type),
                         transposed ? " transposed" : "",
                         pack == 1 ? "" : " packed by " + std::to_string(pack),
                         zeroPoint == 0 ? ""
                                        : " minus " + std::to_string(zeroPoint))
        .str();
  };
  std::string blocks =
      batch == BatchForm::stride
          ? llvm::formatv("stride_a={0} stride_b={1}", strideA, strideB).str()
          : ("batch=" + gc::getName(batch)).str();
  return llvm::formatv(
             "{0} x {1} -> {2}, sums in {3}, m={4} n={5} k={6} "
             "lda={7} ldb={8} ldc={9} {10} beta={11}{12}",
             operand(a, packA, transposeA, zeroPointA),
             operand(b, packB, transposeB, zeroPointB), gc::getName(c),
             gc::getName(accumulator), m, n, k, lda, ldb, ldc, blocks, beta,
             ldScaleB == 0
                 ? ""
                 : llvm::formatv(" scales of B {0} apart{1}", ldScaleB,
                                 hasZeroPointsB ? ", zero points" : "")
                       .str())
      .str();
}

bool KernelSpec::operator==(const KernelSpec &other) const {
  auto fields = [](const KernelSpec &s) {
    return std::tie(s.a, s.b, s.c, s.accumulator, s.packA, s.packB,
                    s.zeroPointA, s.zeroPointB, s.transposeA, s.transposeB, s.m,
                    s.n, s.k, s.lda, s.ldb, s.ldc, s.batch, s.strideA,
                    s.strideB, s.beta, s.ldScaleB, s.hasZeroPointsB);
  };
  return fields(*this) == fields(other);
}

} // namespace gc
