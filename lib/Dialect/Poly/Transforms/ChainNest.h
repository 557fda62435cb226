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
  /// Of a whole block of rows: [slot, bands, columns / 16, 16, 16]. Values of
  /// rows are [slot, bands, 16], or [slot, bands, 16, 16] if `isSpread`.
  BufferOp buffer;
  bool hasRows = false, hasColumns = false;
  /// Values of rows that are in all lanes of a block each; others are taken
  /// from registers.
  bool isSpread = false;
  /// Loaded from global memory: for a block, [slot, columns / 16, 16] if it has
  /// no rows, or for each step of columns, without a buffer here.
  bool isLoaded = false, isStepped = false;
  unsigned rowDim = 0, columnDim = 0;
  Box box;
};

/// How a block of rows is divided for the vector unit.
enum class ChainSteps {
  /// Not at all.
  whole,
  /// Columns of all rows.
  columns,
  /// Columns of a band of 16 rows.
  pieces,
  /// All columns of some rows of a band.
  rows
};

/// A part of a block of rows [bands, columns / 16, 16, 16].
struct ChainPart {
  mlir::OpFoldResult band, block, row;
  int64_t bands = 1, blocks = 1, rows = 16;
};

class ChainNest {
public:
  ChainNest(TileProgram &program, const NestPlan &plan)
      : program(program), plan(plan) {}

  /// What poly-promote decides: buffers and choices.
  mlir::LogicalResult decide();
  /// The tiles of the whole nest, after that; null after an error.
  isl::Schedule emit();

private:
  using Fill = llvm::function_ref<mlir::LogicalResult(
      mlir::ImplicitLocOpBuilder &, mlir::ValueRange)>;

  // What the nest consists of (ChainPlan.cpp).
  mlir::LogicalResult analyseLeaves();
  mlir::LogicalResult analyseProduct(ChainProduct &product);
  mlir::LogicalResult analyseLoops();
  mlir::LogicalResult analyseArrays();
  mlir::LogicalResult addArray(const LeafPlan &leaf, mlir::StringRef name,
                               const Projection &access, const Box &box);
  mlir::LogicalResult analyseReduction(LeafPlan &leaf);
  mlir::LogicalResult analysePrologue();

  // Steps and buffers (ChainBuffers.cpp).
  mlir::LogicalResult chooseSteps();
  void shareBuffers();
  void chooseLoads(const npu::Machine &machine);
  void chooseSpreads(const npu::Machine &machine);
  int64_t countUbBytes() const;
  void addBuffers();
  void addUbBuffers();
  /// Iterations from the load of a block's rows to its first product, what is
  /// done with that, and the second product.
  int64_t getFirstDelay() const { return prologue ? 2 : 1; }
  int64_t getLoadDelay() const { return getFirstDelay() + 1; }
  int64_t getRowsDelay() const { return getFirstDelay() + 2; }
  int64_t getSecondDelay() const { return getFirstDelay() + 3; }
  /// What is between the products, in order.
  llvm::SmallVector<LeafPlan *> getOrder() const;

  // Factors and products (ChainNest.cpp).
  isl::Schedule emitPack(const ChainProduct &product, bool isLeft);
  isl::Schedule emitPrologueLoad();
  isl::Schedule emitPrologue();
  isl::Schedule emitOnes();
  isl::Schedule emitLeft();
  isl::Schedule emitFirst();
  isl::Schedule emitSecond();
  void fillFirst(mlir::ImplicitLocOpBuilder &b, mlir::ValueRange counters);
  void fillSecondLoads(mlir::ImplicitLocOpBuilder &b,
                       mlir::ValueRange counters);

  // The order of everything (ChainOrder.cpp).
  isl::Schedule emitInOrder();
  isl::Schedule emitSkewed();
  isl::Schedule emitReductions();
  isl::Schedule takeMarked(llvm::SmallVector<isl::Schedule> phases);

  // What the vector unit does (ChainRows.cpp).
  struct Segment {
    /// Statements on steps of columns, and the reduction at the end of it.
    llvm::SmallVector<LeafPlan *> statements;
    LeafPlan *reduction = nullptr;
  };
  isl::Schedule emitDrain();
  isl::Schedule emitStatement(const LeafPlan &leaf);
  isl::Schedule emitMove();
  /// What is loaded for whole blocks; null if nothing is.
  isl::Schedule emitLoads();
  mlir::LogicalResult fillStatement(const LeafPlan &leaf,
                                    mlir::ImplicitLocOpBuilder &b,
                                    mlir::ValueRange counters);
  mlir::Value load(const ChainArray &array, mlir::ImplicitLocOpBuilder &b,
                   mlir::ValueRange counters, mlir::StringRef name);
  TileValue view(mlir::StringRef name, mlir::ImplicitLocOpBuilder &b,
                 mlir::ValueRange counters, const ChainPart &part);
  ChainPart getPart(mlir::ImplicitLocOpBuilder &b, ChainSteps steps,
                    mlir::ValueRange counters) const;
  /// Number of steps; 0 for the whole.
  int64_t getCount(ChainSteps steps) const;
  ChainSteps getSteps(const LeafPlan &leaf) const;

  // Tiles that wait for each other, one after the other (ChainReduce.cpp,
  // ChainResult.cpp). Null after an error.
  using Phases = llvm::SmallVector<isl::Schedule>;
  Phases emitReduction(const LeafPlan &reduction);
  void emitFold(const LeafPlan &reduction, BufferOp partials, Phases &phases);
  void emitSpread(const LeafPlan &reduction, BufferOp lanes, Phases &phases);
  Phases emitResult();
  isl::Schedule emitInverse();
  mlir::LogicalResult fillPost(const LeafPlan &leaf,
                               mlir::ImplicitLocOpBuilder &b);
  void fillStore(const LeafPlan &post, BufferOp buffer,
                 mlir::ImplicitLocOpBuilder &b, mlir::Value t);

  /// A tile at every block of rows, or every step of every block.
  isl::Schedule addTile(mlir::StringRef name, int64_t steps, Fill fill,
                        bool isFirstOfPanel = false);
  /// The values of the nest's loops at block `t`.
  TileOrigin getOrigin(mlir::ImplicitLocOpBuilder &b, mlir::Value t) const;
  /// The slot of a buffer: block (or panel, for `divisor` blocks) mod slots.
  mlir::Value slot(mlir::ImplicitLocOpBuilder &b, BufferOp buffer,
                   mlir::Value t, int64_t divisor = 1);
  mlir::Value stepSlot(mlir::ImplicitLocOpBuilder &b, BufferOp buffer,
                       mlir::ValueRange counters, int64_t size);
  /// A part of a memref from `start` (times the counter, if there is one) in
  /// one dimension.
  static mlir::Value part(mlir::ImplicitLocOpBuilder &b, mlir::Value memref,
                          unsigned dim, mlir::Value counter, int64_t factor,
                          int64_t size);
  /// The band of a memref [bands, ...], without that dimension.
  static mlir::Value getBand(mlir::ImplicitLocOpBuilder &b, mlir::Value memref,
                             int64_t band);
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
  /// The statement that computes the first product's left factor.
  LeafPlan *prologue = nullptr;
  /// Iterations by which the tiles that are added come later, and those of all.
  int64_t delay = 0;
  llvm::StringMap<int64_t> delays;
  /// Whether a block's second product comes iterations after its first one, and
  /// slots of the right factors.
  bool isSkewed = false;
  int64_t panelSlots = 1, panelDelay = 0;
  /// Rows of a block and rounded up, bands of 16 of them; blocks, and those of
  /// one panel.
  int64_t rows = 0, paddedRows = 0, bands = 1, blocks = 1, panelBlocks = 1;
  /// Columns of a step of the first product, terms of one of the second, and
  /// columns and rows of the steps on the vector unit.
  int64_t columnStep = 0, termStep = 0, vectorStep = 0, pieceStep = 0,
          rowStep = 16;
  llvm::MapVector<mlir::StringRef, ChainArray> arrays;
  /// The array whose buffer an array takes.
  llvm::StringMap<mlir::StringRef> owners;
  /// Buffers of what the statements after the second product write.
  llvm::StringMap<BufferOp> results;
  /// Those of the phases that were emitted last.
  llvm::SmallVector<BufferOp> phaseBuffers;
  /// What the left factor is computed from.
  llvm::SmallVector<BufferOp> prologueUb;
  BufferOp leftUb, leftL1, leftL0, panels[2], rightL0, sumsL0c, operandL1,
      operandL0, factorsL0, resultL0c, resultUb, inverseUb;
  /// Statements that multiply by the inverse of the sums of rows.
  llvm::DenseSet<mlir::Operation *> inverted;
};

} // namespace gc::poly

#endif // GC_LIB_DIALECT_POLY_TRANSFORMS_CHAINNEST_H
