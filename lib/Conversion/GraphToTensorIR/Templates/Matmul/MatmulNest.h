// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The loop nest of the matmul template (paper, figure 2) while it is emitted:
// how m, n and k are divided, and which loops are open.

#ifndef GC_LIB_CONVERSION_GRAPHTOTENSORIR_MATMULNEST_H
#define GC_LIB_CONVERSION_GRAPHTOTENSORIR_MATMULNEST_H

#include "Dialect/TensorIR/IR/TensorIROps.h"
#include "Machine/KernelSpec.h"
#include "RegionEmitter.h"

namespace gc {

/// The blocks of one dimension that one core works on, and the position of the
/// loop over them.
struct BlockLoop {
  int64_t size, block, parts;
  /// Number of blocks, and the most blocks that one core has.
  int64_t blocks, share;
  /// The first block of this core and how many it has, known only at run time
  /// if the parts differ.
  Coord first;
  mlir::Value count;
  /// Index of the loop over the core's blocks, null outside it.
  mlir::Value index;

  BlockLoop(int64_t size, int64_t block, int64_t parts)
      : size(size), block(block), parts(parts),
        blocks(llvm::divideCeil(size, block)),
        share(llvm::divideCeil(blocks, parts)) {}

  bool isOpen() const { return static_cast<bool>(index); }
  bool hasTail() const { return size % block != 0; }
  int64_t tail() const { return hasTail() ? size % block : block; }
  /// Number of the current block, and among those of the core.
  Coord current() const { return first + Coord(index, 1, share); }
  Coord local() const { return Coord(index, block, share); }
  /// The current block's first row or column.
  Coord start() const { return current() * block; }
};

class MatmulOperand;

class MatmulNest {
public:
  MatmulNest(RegionEmitter &emitter, graph::MatmulOp op);

  /// Checks that the operands have the layouts that the template reads.
  llvm::LogicalResult checkOperands() const;
  /// Finds the types of the kernels.
  llvm::LogicalResult prepareTypes();
  /// Of the sums.
  mlir::Type getAccumulatorElement() const;

  /// Gives a core its share: the part with this number.
  void setShare(BlockLoop &loop, mlir::Value part);
  /// A loop over the core's blocks around what body emits.
  void open(BlockLoop &loop, llvm::function_ref<void()> body);
  /// Code for each number of blocks from the core's first one on.
  void forShare(const BlockLoop &loop,
                llvm::function_ref<void(mlir::Value)> body);
  /// Runs body with the static size of the current block.
  void forSize(BlockLoop &loop, llvm::function_ref<void(int64_t size)> body);
  /// The current block's rows as a dimension of a pass; fewer in the last
  /// block. `local` is where they are in a local buffer.
  BoxDim getRows(const Coord &local);

  /// Computes how many calls reduce this core's slice of k.
  void setSliceChunks();
  /// How many whole blocks of k the slice has.
  mlir::Value getSliceBlocks();
  /// Code for the slice that also has the remainder of k; none if there is no
  /// remainder.
  void forRestOfSlices(llvm::function_ref<void()> body);
  /// The number of whole blocks before the remainder in its slice, which is one
  /// of those with fewer blocks.
  Coord getRestBlock() const { return Coord(slice.blocks / slice.parts); }

  /// Emits a parallel loop over the batch dimensions and `inner`.
  tir::ParallelOp
  emitParallel(llvm::ArrayRef<int64_t> inner,
               llvm::function_ref<void(mlir::ValueRange indices)> body);

  /// Sets the leading dimensions of B and C of a kernel with these sizes.
  void setDistances(KernelSpec &spec, const MatmulOperand &b,
                    mlir::RankedTensorType c) const;

  /// Whether the loop over one dimension is inside the loop over the other.
  bool isInside(graph::LoopDim outer, graph::LoopDim inner) const;
  bool isSliced() const { return params.getKPN() > 1; }
  /// The ops of the region at an anchor.
  llvm::SmallVector<mlir::Operation *> getOpsAt(graph::AnchorKind kind,
                                                unsigned index) const;
  /// Coordinates of a matrix element of a tensor of the operands' or result's
  /// rank: leading dimensions broadcast.
  llvm::SmallVector<Coord> getCoords(mlir::RankedTensorType type,
                                     const Coord &row, const Coord &column,
                                     bool transposed) const;

  RegionEmitter &emitter;
  mlir::OpBuilder &builder;
  mlir::Location loc;
  graph::MatmulOp op;
  graph::MatmulTemplateAttr params;
  graph::MatmulSizes sizes;
  /// What all kernels have in common: types and packing.
  KernelSpec types;

  /// Indices of the batch dimensions.
  llvm::SmallVector<Coord> batch;
  BlockLoop m, n;
  /// Whole blocks of k, the remainder, and the calls that reduce BS blocks
  /// each, at most; the number of the current call. Cores whose slices of k
  /// differ have a number of calls of their own.
  int64_t kFull, kTail, chunks;
  mlir::Value chunk, chunkCount;
  /// K-slicing: the blocks of k of this core, and the slice's number.
  BlockLoop slice;
  mlir::Value sliceIndex;
  /// The first failure of what has been emitted.
  llvm::LogicalResult status = llvm::success();
};

} // namespace gc

#endif // GC_LIB_CONVERSION_GRAPHTOTENSORIR_MATMULNEST_H
