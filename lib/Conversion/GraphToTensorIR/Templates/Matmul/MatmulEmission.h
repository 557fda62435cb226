// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Emits the matmul template: puts loop nest, operands and epilogue together.

#ifndef GC_LIB_CONVERSION_GRAPHTOTENSORIR_MATMULEMISSION_H
#define GC_LIB_CONVERSION_GRAPHTOTENSORIR_MATMULEMISSION_H

#include "MatmulEpilogue.h"
#include "MatmulNest.h"
#include "MatmulOperand.h"
#include "MatmulPrefetch.h"
#include "MatmulWindows.h"

namespace gc {

class MatmulEmission {
public:
  MatmulEmission(RegionEmitter &emitter, graph::MatmulOp op)
      : emitter(emitter), builder(emitter.builder), loc(op.getLoc()), op(op),
        nest(emitter, op), a(nest, 0), b(nest, 1), prefetch(nest),
        epilogue(nest, prefetch), windows(nest, a, b, epilogue) {}

  llvm::LogicalResult emit();

private:
  /// Checks the anchors and what the template requires of its operands.
  llvm::LogicalResult prepare();
  /// The group that the region's loops merge into, or null; whether its loop
  /// over blocks of rows can merge; marks that loop, which has just been
  /// opened.
  mlir::IntegerAttr getMergeGroup();
  llvm::LogicalResult checkMerge();
  void markRowLoop();

  /// The single-core loops from `depth` on.
  void emitLoops(unsigned depth);
  void emitKernels();
  void emitKernel(int64_t rows, int64_t columns);
  /// Columns that a kernel computes for a block of `columns`: whole vectors,
  /// where B and C have room for them.
  int64_t getKernelColumns(int64_t columns);
  /// Emits a call of several that reduce k, for a first one of BS blocks, which
  /// overwrites C, and for others of `count` blocks, which add to it.
  void
  emitCalls(mlir::Value count,
            llvm::function_ref<void(mlir::Value blocks, bool accumulate)> emit);
  /// Reduces `count` blocks of k from `kBlock` on into the accumulator.
  void emitBrgemm(int64_t rows, int64_t columns, int64_t reduced,
                  mlir::Value count, const Coord &kBlock, bool accumulate);

  /// Where a microkernel reads and writes.
  struct Places {
    /// Block of k of the operands, and where it is in those that are packed.
    Coord kBlock, packedBlock;
    Buffer c;
    llvm::function_ref<llvm::SmallVector<mlir::Value>()> getIndicesOfC;
  };
  void emitBrgemmAt(const Places &places, int64_t rows, int64_t columns,
                    int64_t reduced, mlir::Value count, bool accumulate);

  /// The two loops of k-slicing (MatmulSlicing.cpp): partial sums of the
  /// slices, then their sum with the post-ops.
  void emitSliced();
  void emitSlice(unsigned depth, const Buffer &partial);
  void emitSliceKernel(int64_t rows, int64_t columns, const Buffer &partial);
  void emitSumOfSlices(const Buffer &partial, int64_t columns);

  RegionEmitter &emitter;
  mlir::OpBuilder &builder;
  mlir::Location loc;
  graph::MatmulOp op;

  MatmulNest nest;
  MatmulOperand a, b;
  MatmulPrefetch prefetch;
  MatmulEpilogue epilogue;
  MatmulWindows windows;
};

} // namespace gc

#endif // GC_LIB_CONVERSION_GRAPHTOTENSORIR_MATMULEMISSION_H
