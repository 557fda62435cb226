// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a nest of tile loops touches: boxes of its statements and arrays, where
// the last tile of each loop begins, and which array is loaded, kept or stored
// where.

#ifndef GC_LIB_DIALECT_POLY_TRANSFORMS_NESTPLAN_H
#define GC_LIB_DIALECT_POLY_TRANSFORMS_NESTPLAN_H

#include "TileTree.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/MapVector.h"

namespace gc::poly {

/// A loop over tiles of `tile` iterations. If they do not divide the extent,
/// the last tile is a whole one that ends where the extent does: what it shares
/// with the one before is computed twice, with the same result. Or it is a
/// shorter one, whose sizes ops take at run time.
struct LoopInfo {
  int64_t count = 1;
  /// 0 if no statement is divided by the loop.
  int64_t tile = 0, extent = 0;
  bool hasTail = false;

  bool isShifted() const { return tile != 0 && extent % tile != 0 && !hasTail; }
};

/// An access whose array dimensions are iteration dimensions or constants.
struct Projection {
  /// Of each dimension of the array: the iteration dimension, or -1.
  llvm::SmallVector<int> dims;
  /// Added to it.
  llvm::SmallVector<int64_t> shifts;
};

/// The access in that form; fails without an error if it has none.
mlir::FailureOr<Projection> getProjection(const isl::Map &access);

/// A statement in the nest.
struct LeafPlan {
  TileNode *node;
  /// Whether it computes a factor of the contraction, on slices of that: it has
  /// no boxes of its own.
  bool isProducer = false;
  /// Of its iterations, and of the elements of each read and of the write.
  Box box;
  llvm::SmallVector<Projection> reads;
  Projection write;
  llvm::SmallVector<Box> readBoxes;
  Box writeBox;

  StatementOp getStatement() const { return node->statement; }
};

/// An array in the nest.
struct ArrayPlan {
  ArrayOp array;
  /// All elements that a tile touches, at the depth of `home`.
  Box box;
  /// The loop in whose body the tile lives, null for the whole kernel.
  TileNode *home = nullptr;
  bool isWritten = false, isRead = false;
  llvm::SmallVector<LeafPlan *> users;
};

struct NestPlan {
  std::vector<std::unique_ptr<LeafPlan>> leaves;
  llvm::DenseMap<TileNode *, LoopInfo> loops;
  llvm::MapVector<llvm::StringRef, ArrayPlan> arrays;

  LeafPlan *lookup(TileNode *leaf) const;
};

/// Analyses the nest below `root`. Arrays that are read live outside of the
/// loops in which they stay the same if that is wanted (`promotes`), or if the
/// cube unit works on the nest. Emits an error at the statement that has no
/// form in tiles.
mlir::FailureOr<NestPlan> planNest(const isl::Ctx &ctx, ScopOp scop,
                                   TileNode *root, bool promotes);

/// The loops around a node, outermost first.
llvm::SmallVector<TileNode *> getLoops(TileNode *node);

/// The values of linear functions at a tile, in order to index arrays.
class TileOrigin {
public:
  /// `loops` are those that `counters` count.
  TileOrigin(mlir::ImplicitLocOpBuilder &b, const NestPlan &plan,
             llvm::ArrayRef<TileNode *> loops, mlir::ValueRange counters);

  /// A further loop, of which `value` is the counter times `unit`.
  void addLoop(mlir::Value value, int64_t unit = 1) {
    places.push_back({value, unit});
  }

  mlir::OpFoldResult get(const Linear &function) const;
  llvm::SmallVector<mlir::OpFoldResult> get(const Box &box) const;
  /// box - base, dimension by dimension.
  llvm::SmallVector<mlir::OpFoldResult> get(const Box &box,
                                            const Box &base) const;

private:
  mlir::ImplicitLocOpBuilder &b;
  struct Place {
    mlir::Value value;
    /// Iterations that one step of `value` stands for.
    int64_t unit;
  };
  llvm::SmallVector<Place> places;
};

} // namespace gc::poly

#endif // GC_LIB_DIALECT_POLY_TRANSFORMS_NESTPLAN_H
