// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// An operand of the matmul template: where the microkernels read it, in place
// or packed inside the loops by its pre-ops.

#ifndef GC_LIB_CONVERSION_GRAPHTOTENSORIR_MATMULOPERAND_H
#define GC_LIB_CONVERSION_GRAPHTOTENSORIR_MATMULOPERAND_H

#include "MatmulNest.h"

namespace gc {

class MatmulOperand {
public:
  /// Operand 0 is A, [m, k]; operand 1 is B, [k, n].
  MatmulOperand(MatmulNest &nest, unsigned number);

  /// Adds an op that computes and packs the operand at a pre-op anchor.
  llvm::LogicalResult addPreOp(mlir::Operation *inner, unsigned index);
  /// Finds the operand's buffer: packed slices are temporaries of the thread.
  void allocate();

  /// Emits the pre-ops that belong inside the given number of loops.
  void packAtDepth(unsigned depth);
  /// Emits them for this core's blocks of k.
  void packSlice();
  /// Whether pre-ops run before the loop over the blocks that a core has of the
  /// operand's own dimension (m or n).
  bool isPackedAround() const { return !preOps.empty() && depth == 0; }
  bool hasPreOps() const { return !preOps.empty(); }
  /// What the pre-ops read, or the operand.
  mlir::Value getSource() const;

  const Buffer &getBuffer() const { return buffer; }
  bool isTransposed() const { return transposed; }
  /// The dimension of the tensor that rows or columns of the matrix are counted
  /// in.
  int64_t getRowDim() const;
  int64_t getColumnDim() const;
  /// Indices of the current block of m or n and block `kBlock` of k; in a
  /// buffer that is packed here, that is its block `packedBlock`. Of the block,
  /// those of element `inBlock` along k.
  llvm::SmallVector<mlir::Value> getIndices(const Coord &kBlock,
                                            const Coord &packedBlock,
                                            int64_t inBlock = 0) const;

private:
  /// The dimension other than k.
  BlockLoop &getLoop() const { return number == 0 ? nest.m : nest.n; }
  void pack();
  void packBlock();
  void packPass(const BoxDim &row, const BoxDim &column);

  MatmulNest &nest;
  unsigned number;
  bool transposed;
  Buffer buffer;

  llvm::SmallVector<mlir::Operation *> preOps;
  /// Number of single-core loops that are open around them.
  unsigned depth = 0;
  /// They pack the current block of m or n rather than all of the core's.
  bool ofBlock = false;
  /// The part of k that they pack at a time.
  BoxDim packedK;
};

} // namespace gc

#endif // GC_LIB_CONVERSION_GRAPHTOTENSORIR_MATMULOPERAND_H
