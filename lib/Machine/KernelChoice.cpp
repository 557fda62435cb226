// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Machine/KernelChoice.h"
#include "Machine/AmxPlan.h"
#include "Machine/VectorPlan.h"

#include <limits>

namespace gc {

namespace {

/// What a tile of libxsmm 1.17 (AVX2, f32) that is narrower than 32 columns or
/// lower than 3 rows takes, in terms of a whole tile: too few sums are in
/// flight to hide the latency of a multiply-add, so that its width hardly
/// matters. Measured on Zen 3.
constexpr double kNarrow = 0.65, kLow = 0.7;

/// Fraction of peak by the columns: tiles of 32, then 16, 8, 4 and single
/// columns; 24 when there is nothing else.
double getColumnEfficiency(int64_t n) {
  if (n == 24)
    return 0.98;
  int64_t rest = n % 32;
  int64_t narrow = (rest >= 16) + (rest % 16 >= 8) + (rest % 8 >= 4) + rest % 4;
  return n / 32.0 / (n / 32 + kNarrow * narrow);
}

/// Fraction of peak by the rows: tiles of 3, then one of the rest.
double getRowEfficiency(int64_t m) {
  return m / 3.0 / (m / 3 + (m % 3 ? kLow : 0.0));
}

/// libxsmm's generator puts byte offsets into 31 bits.
bool isOutOfReach(const KernelSpec &spec) {
  auto spans = [](int64_t rows, int64_t distance, DataType type) {
    int64_t most = std::numeric_limits<int32_t>::max() / getBytes(type);
    return distance < 0 || distance > most / rows;
  };
  return spans(1, spec.strideA, spec.a) || spans(1, spec.strideB, spec.b) ||
         spans(spec.getRowsA(), spec.lda, spec.a) ||
         spans(spec.getRowsB(), spec.ldb, spec.b) ||
         spans(spec.m, spec.ldc, spec.c);
}

} // namespace

llvm::StringRef getName(KernelKind kind) {
  return kind == KernelKind::library ? "library" : "vector";
}

llvm::StringRef getName(KernelPreference preference) {
  switch (preference) {
  case KernelPreference::automatic:
    return "auto";
  case KernelPreference::library:
    return "libxsmm";
  case KernelPreference::vector:
    return "vector";
  }
  llvm_unreachable("not a preference");
}

bool canReadUnpacked(DataType a, DataType b) {
  return getBits(a) == getBits(b) ||
         (a == DataType::f32 && getBits(b) >= 8 && b != DataType::s32);
}

/// Dot products read both operands along k, in whole groups.
static llvm::StringRef getDotRefusal(const KernelSpec &spec) {
  if (!canReadUnpacked(spec.a, spec.b) || spec.ldScaleB != 0)
    return "generated kernels read a transposed B only if its elements have "
           "as many bits as those of A, or 8 or 16 by f32, and no scales";
  if (spec.k % getGroupSize(spec.a) != 0)
    return "generated kernels read a transposed B only if k is a multiple of "
           "the elements that fill 32 bits";
  return "";
}

/// Generated kernels sum four-byte groups along k: one element of f32, or
/// several neighbours of a narrower type (VNNI), which B has packed, or in its
/// rows if it is transposed, and A has in its rows.
static llvm::StringRef getVectorRefusal(const KernelSpec &spec) {
  if (spec.packA != 1 || spec.transposeA)
    return "generated kernels do not support a transposed or packed A";
  if (spec.isOfType(DataType::f32))
    return "";
  if (spec.c != spec.accumulator)
    return "generated kernels write the sums themselves";
  bool isFloat = spec.accumulator == DataType::f32;
  if (isFloat && spec.a != spec.b && !spec.widensB())
    return "generated kernels multiply floating-point numbers of one type, or "
           "f32 by a narrower one";
  // A number for each row is on the stack.
  constexpr int64_t kMostRows = 1 << 16;
  if (!isFloat && spec.m > kMostRows)
    return "generated kernels of integers have at most 65536 rows";
  if (spec.transposeB)
    return getDotRefusal(spec);
  // Rows can be interleaved in registers.
  bool isUnpacked =
      spec.packB == 1 && canReadUnpacked(spec.a, spec.b) && spec.ldScaleB == 0;
  if (spec.packB * getBits(spec.b) != 32 && !isUnpacked)
    return "generated kernels read B of 4-bit types or with scales packed";
  return "";
}

llvm::StringRef getRefusal(const KernelSpec &spec, KernelKind kind) {
  if (llvm::StringRef error = spec.findError(); !error.empty())
    return error;
  if (kind == KernelKind::vector)
    return getVectorRefusal(spec);
  if (!spec.isOfType(DataType::f32))
    return "the library has kernels in f32 only";
  if (!spec.isPlain())
    return "kernels of the library do not support transposed or packed "
           "operands in "
           "f32";
  if (spec.lda < spec.k)
    return "kernels of the library do not support an A whose rows overlap";
  return "";
}

double getKernelEfficiency(const Machine &machine, const KernelSpec &spec,
                           KernelKind kind) {
  if (kind == KernelKind::vector) {
    // Two vectors of sums per cycle, or what AMX does.
    int64_t lanes = machine.getLanes(getBits(spec.accumulator));
    double ideal = 0.5 * spec.m * spec.n / lanes;
    std::optional<KernelTypes> types = getRateTypes(spec.a, spec.b);
    if (const KernelRate *amx = types ? getAmxRate(machine, *types) : nullptr)
      ideal = static_cast<double>(spec.m) * spec.n * getGroupSize(spec.a) /
              amx->macsPerCycle;
    return ideal / planVectorKernel(machine, spec).cyclesPerK;
  }
  // With AVX-512 tails are masked; a single column still fills one lane.
  if (machine.vectorBits >= 512)
    return spec.n == 1 ? 1.0 / machine.getLanes(getBits(spec.accumulator))
                       : 1.0;
  return getColumnEfficiency(spec.n) * getRowEfficiency(spec.m);
}

std::optional<KernelTypes> getRateTypes(DataType a, DataType b) {
  auto isByte = [](DataType type) {
    return isInteger(type) && getBits(type) == 8;
  };
  // Operands of u8 s8 kernels may be exchanged, and those of u8 u8 differ from
  // them by an instruction for each vector of B.
  if (isByte(a) && isByte(b))
    return a == DataType::s8 && b == DataType::s8 ? KernelTypes::s8s8
                                                  : KernelTypes::u8s8;
  if (a != b)
    return std::nullopt;
  switch (a) {
  case DataType::f32:
    return KernelTypes::f32;
  case DataType::bf16:
    return KernelTypes::bf16;
  case DataType::f16:
    return KernelTypes::f16;
  case DataType::s8:
  case DataType::u8:
  case DataType::s32:
  case DataType::s4:
  case DataType::u4:
    return std::nullopt;
  }
  return std::nullopt;
}

double getKernelCycles(const Machine &machine, const KernelSpec &spec,
                       KernelKind kind) {
  std::optional<KernelTypes> types = getRateTypes(spec.a, spec.b);
  const KernelRate *rate = types ? machine.getKernelRate(*types) : nullptr;
  if (!rate)
    return 0;
  double work = static_cast<double>(spec.m) * spec.n * spec.k;
  return work / (rate->macsPerCycle * getKernelEfficiency(machine, spec, kind));
}

KernelChoice chooseKernel(const Machine &machine, const KernelSpec &spec) {
  auto vector = [](llvm::StringRef reason, llvm::StringRef suggestion) {
    return KernelChoice{KernelKind::vector, reason, suggestion};
  };
  llvm::StringRef refusal = getRefusal(spec, KernelKind::library);
  if (!getRefusal(spec, KernelKind::vector).empty())
    return {};
  if (!refusal.empty())
    return vector(refusal, "");
  if (isOutOfReach(spec))
    return vector("libxsmm addresses at most 2 GiB from the first element",
                  "use a blocked layout");
  if (machine.vectorBits < 256)
    return vector("libxsmm needs AVX2 or AVX-512 to be fast",
                  "compile for a processor that has them");
  // Long rows of B that are apart, and little to do for each: hardware does not
  // fetch ahead across them.
  constexpr int64_t kFewRows = 8, kLongRow = 256;
  if (spec.m <= kFewRows && spec.n >= kLongRow && spec.ldb > spec.n)
    return vector("the library does not fetch ahead what is read once", "");
  // A libxsmm kernel takes no time to compile, one of vectors some 10 ms. A
  // small kernel is likely to be a tail, a small part of its op: for it vectors
  // have to be much better.
  constexpr int64_t small = 16 * 1024;
  double worth = spec.m * spec.n * spec.k < small ? 0.6 : 0.93;
  if (getKernelEfficiency(machine, spec, KernelKind::library) >=
      worth * getKernelEfficiency(machine, spec, KernelKind::vector))
    return {};
  if (spec.n == 1)
    return vector("libxsmm computes a single column one element at a time", "");
  if (getColumnEfficiency(spec.n) < getRowEfficiency(spec.m))
    return vector(
        "without AVX-512 libxsmm is slow in the columns past the last "
        "multiple of 32",
        "choose a block of columns that 32 divides");
  return vector("libxsmm has too few sums in flight in the rows past the last "
                "multiple of 3",
                "choose a block of more rows where there are more");
}

} // namespace gc
