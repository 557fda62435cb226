// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Emits the loops of one pass: rows outermost, so that a row stays in the L1
// cache from one stage to the next, reductions in vector registers.

#ifndef GC_LIB_CONVERSION_GRAPHTOTENSORIR_PASSEMISSION_H
#define GC_LIB_CONVERSION_GRAPHTOTENSORIR_PASSEMISSION_H

#include "Dialect/Graph/Transforms/SlidingDims.h"
#include "VectorEvaluator.h"

namespace gc {

class PassEmission {
public:
  PassEmission(RegionEmitter &emitter, PassPlan &plan,
               llvm::ArrayRef<mlir::Operation *> ops,
               llvm::ArrayRef<BoxDim> box, llvm::ArrayRef<Store> stores);

  llvm::LogicalResult emit();

private:
  using Values = llvm::SmallVector<mlir::Value>;

  /// A row of several that are worked on together, or as many rows as a vector
  /// of a columnwise pass has lanes.
  struct Unit {
    Position position;
    RowValues row;
  };
  /// An accumulator of each reduction: of a unit, for vectors of the given
  /// number of lanes, of the n-th unrolled step.
  struct Slot {
    int64_t unit;
    int64_t lanes;
    int64_t step;

    bool operator==(const Slot &other) const {
      return unit == other.unit && lanes == other.lanes && step == other.step;
    }
  };

  /// Has vectors that end a blocked dimension followed by zeros: kernels read
  /// whole vectors of the columns of B (docs/schedule.md, Padding).
  void padTails();
  llvm::LogicalResult check();
  /// Loops over the dimensions that rows differ in, from `dim` on.
  void emitRows(int64_t dim);
  void emitRowUnits();
  /// Says that rows are next: at once, or run by run if they are the units.
  void startRows(int64_t dim, const Coord &first, int64_t rows);
  void emitColumnUnits();
  /// Groups of vectors that cover the columns: the first column of each, and
  /// the lanes of its vectors.
  void
  forColumns(llvm::function_ref<void(const Coord &, llvm::ArrayRef<int64_t>)>
                 emitGroup);
  /// The reduced dimension along which the schedule has elements combined in
  /// blocks, over all columns.
  std::optional<int64_t> getSummedDim() const;
  /// Reductions along it with their accumulators in memory (PassSums.cpp).
  void emitSums(int64_t dim);
  /// Finds out where windows slide, and whether positions are worked on in the
  /// schedule's blocks.
  void findSliding();
  /// Vectors along positions of windows: at known positions where windows are
  /// partly outside.
  void emitSlidingVectors(
      llvm::function_ref<void(const Coord &, int64_t)> emitPiece,
      llvm::function_ref<void(const Coord &, llvm::ArrayRef<int64_t>)>
          emitGroup);
  const graph::SlidingDim *getSliding(int64_t dim) const;
  /// Loops over the positions of windows along a dimension: those at which
  /// windows are inside of their images apart from the others.
  void emitPositions(const graph::SlidingDim &sliding);
  void emitKnownPositions(const graph::SlidingDim &sliding);
  /// Neighbouring positions, from `from` on.
  void emitTogether(int64_t dim, const Coord &from, int64_t count);
  /// The same with two cases, by whether all windows are inside.
  void emitBothCases(const graph::SlidingDim &sliding, const Coord &from,
                     int64_t count);
  /// Positions of which some windows are partly outside. Where there is at most
  /// one block of them at either end, each has code of its own.
  void emitOutside(const graph::SlidingDim &sliding, const Coord &from,
                   int64_t count);
  /// Units that follow each other along a dimension.
  void emitUnits(int64_t dim, llvm::ArrayRef<int64_t> lanesOfUnits);
  void emitRow(llvm::MutableArrayRef<Unit> units);
  /// What precedes a stage's run: what is loaded, computed and stored per row.
  void startUnits(unsigned stage, llvm::MutableArrayRef<Unit> units);
  void emitRun(unsigned stage, llvm::MutableArrayRef<Unit> units);
  /// Vectors of a result in a cache line.
  int64_t getLineVectors(const PassPlan::Stage &stage) const;
  /// The nest over the inner dimensions from `dim` on, which carries the
  /// accumulators.
  Values emitInner(unsigned stage, llvm::MutableArrayRef<Unit> units,
                   int64_t dim, Values accumulators);
  Values emitColumns(unsigned stage, llvm::ArrayRef<Unit> units,
                     Values accumulators);
  Values emitChunk(unsigned stage, llvm::ArrayRef<Unit> units,
                   const Coord &start, int64_t size, Values accumulators);
  Values emitVector(unsigned stage, const Unit &unit, const Position &at,
                    Slot slot, Values accumulators);
  /// Fetches what is read of the row that the schedule says is fetched ahead.
  void emitAhead(const Position &at);
  /// Which elements of a window along a dimension neither windows of the row
  /// before see nor those of positions further on: the last rows, and as many
  /// of the columns as positions are apart.
  std::pair<int64_t, int64_t> getFirstSeen(const Access &access,
                                           int64_t dim) const;
  /// The same of windows: what those of the row ahead see first.
  void emitAheadOfWindows(llvm::ArrayRef<Unit> units);
  /// Combines the accumulators of a reduction to the row's value.
  mlir::Value finish(mlir::Operation *reduction,
                     llvm::ArrayRef<mlir::Value> accumulators);

  /// Blocks whose operands are contiguous along another dimension.
  void emitTransposed();
  /// Squares side by side, of which rows are stored one after the other.
  void emitTransposedSquares(const Position &first, int64_t rows,
                             llvm::ArrayRef<int64_t> widths);

  /// Loop with values carried from one iteration to the next.
  Values carry(int64_t size, int64_t step, Values init,
               llvm::function_ref<Values(mlir::Value, Values)> body);
  /// Enters iteration `by` of a dimension while the body is emitted.
  template <typename Body>
  void at(int64_t dim, const Coord &by, Body body) {
    Position before = position;
    position = position.shifted(dim, by);
    body();
    position = before;
  }
  size_t getSlot(Slot slot) const;
  mlir::Value makeIdentity(mlir::Operation *reduction, int64_t lanes);
  bool isIdentity(mlir::Operation *reduction, mlir::Value vector);
  mlir::Value combine(mlir::Operation *reduction, mlir::Value a, mlir::Value b);
  /// Combines the halves of a vector until it has `count` elements.
  mlir::Value narrow(mlir::Operation *reduction, mlir::Value value,
                     int64_t count);

  RegionEmitter &emitter;
  mlir::OpBuilder &builder;
  mlir::Location loc;
  PassPlan &plan;
  llvm::ArrayRef<mlir::Operation *> ops;
  llvm::ArrayRef<BoxDim> box;
  llvm::ArrayRef<Store> stores;
  VectorEvaluator evaluator;

  /// Vectors of a long computation that are worked on as one.
  static constexpr int64_t kWideVectors = 4;

  int64_t rank, vectorDim;
  /// Size of the vectors' dimension, of the pieces of it that are in one block
  /// of every tensor, and of the vectors.
  int64_t columns = 1, chunk = 1, lanes = 1;
  /// The current positions of the open loops.
  Position position;
  /// The rows that are the current units.
  std::optional<RegionEmitter::Rows> rowsOfUnits;
  llvm::SmallVector<Slot> slots;
  /// Steps of an iteration over columns, and the lanes of each.
  int64_t unroll = 1, wide = 1;
  /// What windows slide along, how many positions are worked on together along
  /// each dimension, and whether the loops over windows' elements are unrolled.
  llvm::SmallVector<graph::SlidingDim> sliding;
  std::optional<graph::SlidingDim> slidingVectors;
  llvm::SmallVector<int64_t> together;
  bool unrollsWindows = false;
  llvm::LogicalResult status = llvm::success();
};

} // namespace gc

#endif // GC_LIB_CONVERSION_GRAPHTOTENSORIR_PASSEMISSION_H
