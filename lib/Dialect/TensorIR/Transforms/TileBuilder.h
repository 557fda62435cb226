// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the bodies of vector kernels are built from: loads and stores of vectors
// whose lanes are groups of neighbours along k, and the walk through the blocks
// of a batch. Vectors are loaded through LLVM pointers, since a tile knows the
// distance of every row as a constant.

#ifndef GC_LIB_DIALECT_TENSORIR_TRANSFORMS_TILEBUILDER_H
#define GC_LIB_DIALECT_TENSORIR_TRANSFORMS_TILEBUILDER_H

#include "LowerMicrokernels.h"
#include "MultiplyAdd.h"

namespace gc::tir {

/// Sums that every accumulator is split into, over neighbouring steps of k.
int64_t getSplits(int64_t accumulators, int64_t steps);

/// Steps per loop iteration: a multiple of the splits; more only if it divides
/// the steps, so that no remainder has to be emitted.
int64_t getUnroll(int64_t accumulators, int64_t splits, int64_t steps);

/// Builds what all kinds of tile consist of. Sums are vectors of 32-bit lanes;
/// a lane of an operand is a group of neighbours along k that fills 32 bits.
class TileBuilder {
public:
  /// `partial` lanes are those of partial loads and stores. B is fetched
  /// `ahead` bytes before it is read, 0: not at all.
  TileBuilder(mlir::ImplicitLocOpBuilder &b, const KernelSpec &spec,
              int64_t lanes, int64_t partial, int64_t ahead = 0);

  mlir::Value getZero() { return zero; }
  /// True in the first lanes.
  mlir::Value getMask(int64_t count);
  mlir::Value constant(int64_t value);

  /// The address `offset` elements of the type past `base`.
  mlir::Value at(mlir::Value base, int64_t offset, DataType of);
  /// The address count * scale elements of the type past `base`.
  mlir::Value at(mlir::Value base, mlir::Value count, int64_t scale,
                 DataType of);

  mlir::Value load(mlir::Value address);
  /// Groups of neighbours along k whose elements are in rows `distance`
  /// elements apart: the first `count` elements of each, followed by zeros.
  mlir::Value loadInterleaved(mlir::Value address, DataType of,
                              int64_t distance, int64_t count);
  /// Fetches what follows an address in B into the L2 cache, or of rows that
  /// are apart the rows to come. It need not exist.
  void fetchAhead(mlir::Value address);
  /// The same for B whose columns are contiguous.
  void fetchColumnAhead(mlir::Value address);
  /// Neighbours in a B that is narrower than f32, as f32 less the zero point
  /// of the spec; whole vectors, or partial ones.
  mlir::Value loadWidened(mlir::Value address, bool whole);
  /// Whether memory that begins so many elements after a line begins one.
  static bool beginsLine(int64_t elements, DataType of);
  /// The other lanes are zero, and their memory is not touched.
  mlir::Value loadPartial(mlir::Value address) {
    return loadPartial(address, groups);
  }
  /// The same, of sums.
  mlir::Value loadSums(mlir::Value address) {
    return loadPartial(address, type);
  }
  /// A group, or a number like the sums, in all lanes.
  mlir::Value loadBroadcast(mlir::Value address) {
    return loadBroadcast(address, groups);
  }
  mlir::Value loadBroadcastSum(mlir::Value address) {
    return loadBroadcast(address, type);
  }
  /// The first `count` elements of a group, followed by zeros, in all lanes.
  mlir::Value loadCut(mlir::Value address, DataType of, int64_t count);
  /// With `masked` in one instruction, else in whole pieces, which is cheaper
  /// where masked stores are slow.
  void storePartial(mlir::Value value, mlir::Value address, bool masked);
  /// Element `index` of an array.
  mlir::Value loadListed(mlir::Type listed, mlir::Value list,
                         mlir::Value index);
  mlir::Value loadElement(mlir::Value address);
  void storeElement(mlir::Value value, mlir::Value address);

  /// for (i = 0; i < count; i += step) with accumulators that the body updates
  /// in place.
  void loop(mlir::Value count, int64_t step,
            llvm::SmallVectorImpl<mlir::Value> &sums,
            llvm::function_ref<void(mlir::Value)> body);

  /// Adds up the splits of accumulators 0 .. count-1 into the first of them;
  /// accumulator i of split s is sums[s * count + i].
  void joinSplits(llvm::SmallVectorImpl<mlir::Value> &sums, int64_t count);
  mlir::Value add(mlir::Value x, mlir::Value y);
  /// All lanes, in any order.
  mlir::Value sumLanes(mlir::Value sums);
  /// Adds up the lanes of four vectors: element i of the result is the sum of
  /// vector i. The order of the sums is free; it is the same in every run.
  mlir::Value sumLanesOfFour(llvm::ArrayRef<mlir::Value> sums);
  /// Groups of integers with zeros in the lanes of which partial loads touch no
  /// memory.
  mlir::Value keepValid(mlir::Value prepared);
  mlir::VectorType getGroups() const { return groups; }
  mlir::VectorType getType() const { return type; }

  mlir::ImplicitLocOpBuilder &b;

private:
  mlir::Value loadPartial(mlir::Value address, mlir::VectorType vector);
  mlir::Value loadBroadcast(mlir::Value address, mlir::VectorType vector);
  mlir::Value advance(mlir::Value base, mlir::LLVM::GEPArg count, DataType of);

  void prefetch(mlir::Value address, int64_t bytes);

  const KernelSpec &spec;
  int64_t partial, ahead;
  unsigned alignment;
  mlir::Type element, group;
  mlir::VectorType type, groups;
  mlir::Value zero, mask;
};

/// Walks through the blocks of a batch and, inside each, through `steps` steps
/// of `distanceA` and `distanceB` elements.
struct Walk {
  const KernelSpec &spec;
  mlir::Value batch;
  TilePointers at;
  int64_t steps, distanceA, distanceB;
  int64_t unroll, splits;

  /// step(a, b, split) once for each step, with the addresses where its
  /// elements begin; rest(a, b) after the steps of a block.
  using Step = llvm::function_ref<void(mlir::Value, mlir::Value, int64_t)>;
  using Rest = llvm::function_ref<void(mlir::Value, mlir::Value)>;

  /// All blocks.
  void emit(TileBuilder &t, llvm::SmallVectorImpl<mlir::Value> &sums, Step step,
            Rest rest) const;
  /// Block i.
  void emitBlock(TileBuilder &t, mlir::Value i,
                 llvm::SmallVectorImpl<mlir::Value> &sums, Step step,
                 Rest rest) const;

  /// Where the tile's part of block i of an operand begins.
  mlir::Value getA(TileBuilder &t, mlir::Value i) const {
    return getBlock(t, i, at.a, spec.strideA, spec.a);
  }
  mlir::Value getB(TileBuilder &t, mlir::Value i) const {
    return getBlock(t, i, at.b, spec.strideB, spec.b);
  }

private:
  mlir::Value getBlock(TileBuilder &t, mlir::Value i,
                       const BatchPointers &operand, int64_t stride,
                       DataType type) const;
};

/// The operands of a tile, group by group.
struct TileOperands {
  TileBuilder &t;
  const MultiplyAdd &multiplyAdd;
  const KernelSpec &spec;
  llvm::ArrayRef<int64_t> vectors;
  int64_t group = getGroupSize(spec.a);
  int64_t steps = spec.k / group;
  /// Elements of a last group that k cuts. Only those are read of A, and what
  /// follows them is taken out of B: nobody has written it.
  int64_t cut = spec.k % group;

  mlir::Value getA(mlir::Value a, int64_t row, bool isCut) const;
  mlir::Value getB(mlir::Value b, int64_t vector, bool isCut) const;

  /// step(a, b, split, isCut) for all groups of a batch. The groups are divided
  /// among `splits` sets of `count` accumulators.
  void
  forGroups(mlir::Value batch, const TilePointers &at, int64_t count,
            int64_t splits, llvm::SmallVectorImpl<mlir::Value> &sums,
            llvm::function_ref<void(mlir::Value, mlir::Value, int64_t, bool)>
                step) const;
};

} // namespace gc::tir

#endif // GC_LIB_DIALECT_TENSORIR_TRANSFORMS_TILEBUILDER_H
