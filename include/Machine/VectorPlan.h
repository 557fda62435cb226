// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How a generated kernel is tiled over registers: shared by the pass that
// generates it and the cost model.

#ifndef GC_MACHINE_VECTORPLAN_H
#define GC_MACHINE_VECTORPLAN_H

#include "Machine/KernelSpec.h"
#include "Machine/Machine.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <optional>

namespace gc {

/// `count` tiles of `size` rows, one after the other, from row `start`.
struct RowTiles {
  int64_t start, count, size;
};

/// `count` tiles of columns from column `start`, one every `step`, all with the
/// same body: vectors at the given columns of the tile. The last vector may
/// overlap the one before it, so that tails need no mask.
struct ColumnTiles {
  int64_t start, count, step;
  llvm::SmallVector<int64_t, 4> vectors;
  llvm::SmallVector<RowTiles, 2> rows;
};

/// Register tiles of a generated kernel.
struct VectorPlan {
  /// Lanes of the vectors of sums, and how many of them exist in memory: fewer
  /// only when the whole kernel is narrower than one vector.
  int64_t lanes = 1, valid = 1;
  /// Vectors run along k, which is contiguous in both operands: the columns of
  /// a tile are single ones, and each element of C has an accumulator.
  bool dot = false;
  /// Operands are exchanged: vectors run along the rows of C. The rows of A are
  /// packed, one in each lane, elements of B's columns are broadcast, and
  /// squares of sums are transposed before they are stored. A tile has `step`
  /// columns and is computed for one vector of rows after the other; `vectors`
  /// and `rows` are empty.
  bool exchanged = false;
  /// Sums are in AMX's tile registers: a vector of columns is a register of
  /// that many columns, and a tile has one register for every 16 rows of each
  /// vector.
  bool amx = false;
  /// A is f32 and B has 4-bit elements: the rows of a block of A are
  /// fixed-point numbers of kDigits digits of 8 bits each, which byte dot
  /// products multiply. A sum has an accumulator for each digit.
  bool fixedPoint = false;
  llvm::SmallVector<ColumnTiles, 3> columns;
  /// Estimated core cycles per step of k (of one block), a group of elements
  /// that fills 32 bits; load and multiply-add ports alone.
  double cyclesPerK = 0;
};

/// What multiplies in a generated kernel.
enum class KernelForm {
  /// Multiply-adds or dot products of vectors.
  vector,
  /// Dot products of bytes, after f32 rows of A have become digits of fixed
  /// point: see VectorPlan.
  fixedPoint,
  /// AMX.
  amx,
};

/// vector, fixed_point or amx.
llvm::StringRef getName(KernelForm form);
std::optional<KernelForm> findKernelForm(llvm::StringRef name);

/// The form that takes the fewest cycles; without `fixedPoint` another one.
KernelForm chooseKernelForm(const Machine &machine, const KernelSpec &spec,
                            bool fixedPoint = true);

/// Whether the machine has kernels of that form for a spec that
/// getRefusal(spec, KernelKind::vector) does not refuse.
bool hasKernelForm(const Machine &machine, const KernelSpec &spec,
                   KernelForm form);

/// Digits of a fixed-point number.
constexpr int64_t kDigits = 3;

/// Whether vectors of this many bits have the dot product of four u8 with four
/// s8 (VNNI).
bool hasByteDots(const Machine &machine, int64_t bits);

/// Tiles for a kernel that getRefusal(spec, KernelKind::vector) does not
/// refuse, of the fastest form.
VectorPlan planVectorKernel(const Machine &machine, const KernelSpec &spec);
/// Of a form that hasKernelForm says there is.
VectorPlan planVectorKernel(const Machine &machine, const KernelSpec &spec,
                            KernelForm form);

} // namespace gc

#endif // GC_MACHINE_VECTORPLAN_H
