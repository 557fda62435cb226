// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The result of the matmul template: where the microkernels leave it, and the
// post-ops that run on it.

#ifndef GC_LIB_CONVERSION_GRAPHTOTENSORIR_MATMULEPILOGUE_H
#define GC_LIB_CONVERSION_GRAPHTOTENSORIR_MATMULEPILOGUE_H

#include "MatmulNest.h"

namespace gc {

class MatmulPrefetch;

class MatmulEpilogue {
public:
  MatmulEpilogue(MatmulNest &nest, MatmulPrefetch &prefetch)
      : nest(nest), prefetch(prefetch) {}

  /// Decides where the microkernels leave C: in a result of the region where
  /// tiles of it are matrices, else in a temporary of the thread. Gives buffers
  /// to values that a later anchor reads.
  void allocate();
  /// Emits the ops that are committed at a post-op anchor, and stores what is a
  /// result there.
  void emitPostOps(unsigned anchor);

  const Buffer &getBuffer() const { return c; }
  /// Indices of an element of the current block.
  llvm::SmallVector<mlir::Value>
  getIndices(const Coord &row = Coord(0), const Coord &column = Coord(0)) const;
  /// Whether a block of `columns` columns has room for `whole` of them.
  bool hasRoom(int64_t columns, int64_t whole) const;
  /// Stores a vector at a place in the current block.
  void store(mlir::Value vector, const Coord &row, const Coord &column) const;

private:
  bool placeInResult(bool mayOverwrite);
  void placeIntermediates();
  /// Where the current block is in the accumulator.
  Coord getLocal(const BlockLoop &loop, bool isHeld) const {
    return isHeld ? loop.local() : Coord(0);
  }
  /// The pass over whole rows (`wholeRows`), or tile by tile.
  void emitTiles(unsigned anchor, llvm::ArrayRef<mlir::Operation *> ops,
                 llvm::ArrayRef<Store> stores, bool wholeRows);
  void emitPass(unsigned anchor, llvm::ArrayRef<mlir::Operation *> ops,
                llvm::ArrayRef<Store> stores, const BoxDim &columns);

  MatmulNest &nest;
  MatmulPrefetch &prefetch;
  Buffer c;
  /// A local accumulator holds all blocks of the core in this dimension rather
  /// than the current one.
  bool holdsRows = false, holdsColumns = false;
};

} // namespace gc

#endif // GC_LIB_CONVERSION_GRAPHTOTENSORIR_MATMULEPILOGUE_H
