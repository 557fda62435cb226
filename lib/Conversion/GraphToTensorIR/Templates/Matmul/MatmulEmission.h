// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The loop nest of the matmul template (paper, figures 2 and 3) while it is
// emitted: which loops are open, where operands and accumulator are.

#ifndef GC_LIB_CONVERSION_GRAPHTOTENSORIR_MATMULEMISSION_H
#define GC_LIB_CONVERSION_GRAPHTOTENSORIR_MATMULEMISSION_H

#include "Machine/KernelSpec.h"
#include "RegionEmitter.h"

namespace gc {

class MatmulEmission {
public:
  MatmulEmission(RegionEmitter &emitter, graph::MatmulOp op);

  llvm::LogicalResult emit();

private:
  /// The blocks of m or n that one core works on, and where the loop over them
  /// stands.
  struct Dim {
    int64_t size, block, parts;
    /// Number of blocks, and most blocks of one core.
    int64_t blocks, share;
    /// The first block of this core and how many it has, known at run time
    /// only where the parts differ.
    Coord first;
    mlir::Value count;
    /// Index of the loop over the core's blocks, null outside of it.
    mlir::Value index;
    /// The accumulator, where local, holds all blocks of the core rather than
    /// the current one.
    bool held = false;

    bool isOpen() const { return static_cast<bool>(index); }
    bool hasTail() const { return size % block != 0; }
    int64_t tail() const { return hasTail() ? size % block : block; }
    /// Number of the current block.
    Coord current() const { return first + Coord(index, 1, share); }
    /// The current block's first row or column.
    Coord start() const { return current() * block; }
  };

  void setShare(Dim &dim, mlir::Value part);
  void openLoop(Dim &dim, llvm::function_ref<void()> body);
  /// Runs body with the static size of the current block.
  void forSize(Dim &dim, llvm::function_ref<void(int64_t size)> body);
  /// The current block's rows as a dimension of a pass; fewer in the last
  /// block.
  BoxDim getRows(const Coord &local);
  /// Columns that a kernel computes for a block of so many: whole vectors,
  /// where B and C have room for them.
  int64_t getKernelColumns(int64_t columns);
  /// Sums in a vector, and their element type.
  int64_t getLanes() const;
  mlir::Type getAccumulatorElement() const;
  /// Where the current block lies in the accumulator.
  Coord getLocal(const Dim &dim) const;

  void emitLoops(unsigned depth);
  /// The two loops of k-slicing: partial sums of the slices, then their sum
  /// with the post-ops.
  void emitSliced();
  void emitSlice(unsigned depth);
  void emitSliceKernel(int64_t rows, int64_t columns);
  void emitSumOfSlices(const Buffer &partial, int64_t columns);
  void emitKernels();
  void emitKernel(int64_t rows, int64_t columns);
  void emitTailKernel(int64_t rows, int64_t columns, bool accumulate);
  void emitBrgemm(int64_t rows, int64_t columns, int64_t reduced,
                  mlir::Value batch, const Coord &kBlock, bool accumulate);

  /// Ops that compute and pack an operand right before it is read.
  struct PreOp {
    llvm::SmallVector<mlir::Operation *> ops;
    /// Number of single-core loops that are open around it.
    unsigned depth = 0;
    /// It packs the current block of m (operand 0) or n (operand 1) rather than
    /// all of the core's.
    bool ofBlock = false;
  };

  llvm::LogicalResult addPreOp(mlir::Operation *inner, unsigned index);
  /// The operand's buffer: packed slices are temporaries of the thread.
  Buffer makeOperand(unsigned operand);
  void emitPreOp(unsigned operand);
  void emitPreOpBlock(unsigned operand);
  void emitPreOpPass(unsigned operand, const BoxDim &row, const BoxDim &column);

  /// The input that an operand of the next product is read from if fetching it
  /// early pays, else an empty buffer.
  Buffer getPrefetchSource(unsigned operand);
  void findNextProduct();
  /// Fetches a part of the next product's operands: what goes along with one
  /// kernel call, or with rows of a pass.
  void emitPrefetch();
  void emitPrefetchOf(const Buffer &source);
  void emitRowPrefetch(const Coord &first, int64_t rows);
  /// So many lines from `line` on of so many rows from `row` on.
  void emitPrefetchOfLines(const Buffer &source, const Coord &row, int64_t rows,
                           const Coord &line, int64_t lines);

  void emitPostOps(unsigned anchor);
  /// The pass over whole rows (`wholeRows`), or tile by tile.
  void emitPostOpTiles(llvm::ArrayRef<mlir::Operation *> ops,
                       llvm::ArrayRef<Store> stores, bool wholeRows);
  void emitPostOpPass(llvm::ArrayRef<mlir::Operation *> ops,
                      llvm::ArrayRef<Store> stores, const BoxDim &columns);

  /// Checks the anchors and what the template demands of its operands.
  llvm::LogicalResult prepare();
  /// Finds the types of the kernels.
  llvm::LogicalResult prepareTypes();
  /// The group that the region's loops merge into, or null; whether its loop
  /// over blocks of rows can merge; marks that loop, which has just been
  /// opened.
  mlir::IntegerAttr getMergeGroup();
  llvm::LogicalResult checkMerge();
  void markRowLoop();
  /// Decides where the microkernels leave C: in a result of the region where
  /// tiles of it are matrices, else in a temporary of the thread.
  void placeAccumulator();
  /// Gives values that a later anchor reads a buffer.
  void placeIntermediates();

  /// Coordinates of a matrix element of an operand, batch dimensions included.
  llvm::SmallVector<Coord> getOperandCoords(const Buffer &buffer,
                                            const Coord &row,
                                            const Coord &column,
                                            bool transposed);
  llvm::SmallVector<mlir::Operation *> getOpsAt(graph::AnchorKind kind,
                                                unsigned index);
  bool isInside(graph::LoopDim outer, graph::LoopDim inner) const;

  RegionEmitter &emitter;
  mlir::OpBuilder &builder;
  mlir::Location loc;
  graph::MatmulOp op;
  graph::MatmulTemplateAttr params;
  graph::MatmulSizes sizes;
  /// What all kernels have in common: types and packing.
  KernelSpec types;

  llvm::SmallVector<Coord> batch;
  /// Coordinates of the product after this one; empty if it is not fetched.
  llvm::SmallVector<Coord> nextBatch;
  Dim m, n;
  int64_t kFull, kTail, chunks;
  mlir::Value chunk;
  /// K-slicing: the blocks of k of this core, and the slice's number.
  Dim slice;
  mlir::Value sliceIndex;

  PreOp preOps[2];
  Buffer a, b, c;
  llvm::LogicalResult status = llvm::success();
};

} // namespace gc

#endif // GC_LIB_CONVERSION_GRAPHTOTENSORIR_MATMULEMISSION_H
