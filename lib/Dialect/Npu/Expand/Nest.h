// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tiles of a tile op as one loop nest, and the emission of a plan for it:
// instructions on boxes of the tiles, in loops where there are many.

#ifndef GC_LIB_DIALECT_NPU_EXPAND_NEST_H
#define GC_LIB_DIALECT_NPU_EXPAND_NEST_H

#include "../IR/Verify.h"

namespace gc::npu {

/// How an operand advances when a dimension of the nest advances by one: by
/// `count` indices of its dimension `dim`; not at all (-1) if it is broadcast.
struct Step {
  int dim = -1;
  int64_t count = 0;
};

/// A dimension of the nest; one step for each operand.
struct Dim {
  int64_t size = 1;
  llvm::SmallVector<Step, 4> steps;

  /// Every `factor`-th index of it, `newSize` of them.
  Dim every(int64_t factor, int64_t newSize) const;
  Dim withSize(int64_t newSize) const { return every(1, newSize); }
};

/// An operand whose dimensions without gaps between them are one.
struct NestOperand {
  mlir::Value memref;
  Tile tile;
};

/// Part of a nest: instructions on a box, one for each iteration of `loops`.
struct Piece {
  /// First index of each dimension of each operand.
  llvm::SmallVector<llvm::SmallVector<int64_t, 4>, 4> offsets;
  llvm::SmallVector<Dim, 4> loops, box;

  void advance(const Dim &dim, int64_t index);
  int64_t getNumInstructions() const;
};

struct Nest {
  llvm::SmallVector<NestOperand, 4> operands;
  /// From the outermost to the innermost, those of size 1 left out. In
  /// `fromTiles` nests the last one is contiguous in all operands.
  llvm::SmallVector<Dim, 4> dims;

  /// The nest over all elements of `memrefs`, the first of which has the whole
  /// shape; others may be broadcast.
  static Nest fromTiles(mlir::OpBuilder &builder, mlir::Location loc,
                        llvm::ArrayRef<mlir::Value> memrefs);
  /// Operands as they are, no dimensions yet.
  static Nest fromMemrefs(llvm::ArrayRef<mlir::Value> memrefs);

  Piece getWhole() const;
  /// Bytes by which operand `index` advances with each index of `dim`.
  int64_t getStride(const Dim &dim, size_t index) const;
};

/// Receives views of the operands that begin at the box and span it.
using EmitFn = llvm::function_ref<void(mlir::OpBuilder &builder,
                                       llvm::ArrayRef<mlir::Value> views)>;

/// Emits the instructions of `piece`: one after the other, or in scf.for loops
/// if there are many.
void emit(mlir::OpBuilder &builder, mlir::Location loc, const Nest &nest,
          const Piece &piece, EmitFn fn);

} // namespace gc::npu

#endif // GC_LIB_DIALECT_NPU_EXPAND_NEST_H
