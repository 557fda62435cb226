// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Nests with two contractions, where the second one multiplies what is computed
// from the first one's sums: blocks of rows go from L0C through UB to L1 and
// back to the cube unit.

#ifndef GC_LIB_DIALECT_POLY_TRANSFORMS_CHAINNEST_H
#define GC_LIB_DIALECT_POLY_TRANSFORMS_CHAINNEST_H

#include "NestPlan.h"
#include "TileProgram.h"
#include "VectorBody.h"
#include "llvm/ADT/StringMap.h"

namespace gc::poly {

/// One of the two contractions.
struct ChainProduct {
  LeafPlan *sums = nullptr;
  /// Iteration dimensions.
  int rowDim = -1, columnDim = -1, termDim = -1;
  /// Sizes in a block of rows, and rounded up to fractals.
  int64_t columns = 0, terms = 0, paddedColumns = 0, paddedTerms = 0;
  /// Numbers of the reads of both factors; the left one has the rows.
  unsigned left = 0, right = 0;
  ArrayOp leftArray, rightArray;

  StatementOp getStatement() const { return sums->getStatement(); }
};

/// An array of the chain in UB.
struct ChainArray {
  /// Of a whole block of rows: [slot, columns / 16, rows, 16].
  BufferOp buffer;
  bool hasRows = false, hasColumns = false;
  /// Loaded from global memory, for each step.
  bool isLoaded = false;
  unsigned rowDim = 0, columnDim = 0;
  Box box;
};

class ChainNest {
public:
  ChainNest(TileProgram &program, const NestPlan &plan)
      : program(program), plan(plan) {}

  /// The tiles of the whole nest; null after an error.
  isl::Schedule emit();

private:
  using Fill = llvm::function_ref<mlir::LogicalResult(
      mlir::ImplicitLocOpBuilder &, mlir::ValueRange)>;

  // What the nest consists of (ChainPlan.cpp).
  mlir::LogicalResult analyse();
  mlir::LogicalResult analyseLeaves();
  mlir::LogicalResult analyseProduct(ChainProduct &product);
  mlir::LogicalResult analyseLoops();
  mlir::LogicalResult analyseArrays();
  mlir::LogicalResult addArray(const LeafPlan &leaf, mlir::StringRef name,
                               const Projection &access, const Box &box);
  mlir::LogicalResult analyseReduction(LeafPlan &leaf);
  mlir::LogicalResult chooseSteps();
  void addBuffers();

  // Factors and products (ChainNest.cpp).
  isl::Schedule emitPack(const ChainProduct &product, bool isLeft);
  isl::Schedule emitOnes();
  isl::Schedule emitLeft();
  isl::Schedule emitFirst();
  /// The steps from `begin` on, in the buffers of one of the halves.
  isl::Schedule emitSecond(int64_t begin, int64_t steps, unsigned half);
  void fillFirst(mlir::ImplicitLocOpBuilder &b, mlir::ValueRange counters);
  void fillSecondLoads(mlir::ImplicitLocOpBuilder &b, mlir::Value t,
                       mlir::Value step, unsigned half);
  isl::Schedule emitInOrder();
  isl::Schedule emitSkewed();

  // What the vector unit does (ChainRows.cpp).
  struct Segment {
    /// Statements on steps of columns, and the reduction at the end of it.
    llvm::SmallVector<LeafPlan *> statements;
    LeafPlan *reduction = nullptr;
  };
  isl::Schedule emitDrain();
  isl::Schedule emitStatement(const LeafPlan &leaf);
  isl::Schedule emitReduction(const LeafPlan &leaf);
  isl::Schedule emitMove();
  isl::Schedule emitFold(const LeafPlan &reduction);
  /// Everything of a segment with a reduction, from the statements on.
  isl::Schedule emitReduced(const Segment &segment);
  isl::Schedule emitResult();
  mlir::LogicalResult fillStatement(const LeafPlan &leaf,
                                    mlir::ImplicitLocOpBuilder &b,
                                    mlir::ValueRange counters);
  mlir::LogicalResult fillPost(const LeafPlan &leaf,
                               mlir::ImplicitLocOpBuilder &b);
  mlir::Value load(const ChainArray &array, mlir::ImplicitLocOpBuilder &b,
                   mlir::ValueRange counters, mlir::StringRef name);
  mlir::FailureOr<TileValue> view(mlir::StringRef name,
                                  mlir::ImplicitLocOpBuilder &b,
                                  mlir::ValueRange counters);

  /// A tile at every block of rows, or every step of every block.
  isl::Schedule addTile(mlir::StringRef name, int64_t steps, Fill fill,
                        bool isFirstOfPanel = false);
  /// The values of the nest's loops at block `t`.
  TileOrigin getOrigin(mlir::ImplicitLocOpBuilder &b, mlir::Value t) const;
  /// The slot of a buffer: block (or panel, for `divisor` blocks) mod slots.
  mlir::Value slot(mlir::ImplicitLocOpBuilder &b, BufferOp buffer,
                   mlir::Value t, int64_t divisor = 1);
  /// A part of a memref from `start` (times the counter, if there is one) in
  /// one dimension.
  static mlir::Value part(mlir::ImplicitLocOpBuilder &b, mlir::Value memref,
                          unsigned dim, mlir::Value counter, int64_t factor,
                          int64_t size);
  bool isPartOfOnes(const LeafPlan &leaf) const;

  TileProgram &program;
  const NestPlan &plan;
  llvm::SmallVector<TileNode *> loops;
  ChainProduct first, second;
  llvm::SmallVector<Segment> segments;
  llvm::SmallVector<LeafPlan *> posts;
  /// The statement that only converts the first sums: the drain does that.
  LeafPlan *conversion = nullptr;
  /// Sums of the rows of the second product's left factor: its product with
  /// ones.
  LeafPlan *rowSums = nullptr;
  /// Iterations by which the tiles that are added come later, and those of all.
  int64_t delay = 0;
  llvm::StringMap<int64_t> delays;
  /// Whether a block's second product comes iterations after its first one, and
  /// slots of the right factors.
  bool isSkewed = false;
  int64_t panelSlots = 1, panelDelay = 0;
  /// Rows of a block and rounded up; blocks, and those of one panel.
  int64_t rows = 0, paddedRows = 0, blocks = 1, panelBlocks = 1;
  /// Columns of a step of the first product, terms of one of the second, and
  /// columns of a step on the vector unit.
  int64_t columnStep = 0, termStep = 0, vectorStep = 0;
  llvm::MapVector<mlir::StringRef, ChainArray> arrays;
  /// Buffers of what the statements after the second product write.
  llvm::StringMap<BufferOp> results;
  BufferOp leftL1, leftL0, panels[2], ones, rightL0, sumsL0c, operandL1,
      operandL0[2], factorsL0[2], resultL0c, resultUb, partials;
};

} // namespace gc::poly

#endif // GC_LIB_DIALECT_POLY_TRANSFORMS_CHAINNEST_H
