// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Nests of statements of the vector unit: tiles of arrays in UB, loads, tile
// ops, stores.

#ifndef GC_LIB_DIALECT_POLY_TRANSFORMS_VECTORNEST_H
#define GC_LIB_DIALECT_POLY_TRANSFORMS_VECTORNEST_H

#include "NestPlan.h"
#include "TileProgram.h"
#include "VectorBody.h"
#include "llvm/ADT/StringMap.h"

namespace gc::poly {

class VectorNest {
public:
  VectorNest(TileProgram &program, const NestPlan &plan, TileNode *root)
      : program(program), plan(plan), root(root) {}

  /// What poly-promote decides: buffers, and tiles that are under way.
  mlir::LogicalResult decide();
  /// The tiles of the whole nest, after that; null after an error.
  isl::Schedule emit();

private:
  /// A tile of an array in UB. Dimensions of size 1 are left out.
  struct Tile {
    BufferOp buffer;
    const ArrayPlan *plan;
    llvm::SmallVector<unsigned> kept;
    /// The same dimensions in the order of the iterations that read them, and
    /// whether that is another one.
    llvm::SmallVector<unsigned> order;
    bool isMoved = false;
    /// Whether the buffer was that of another array before.
    bool isShared = false;

    /// The dimension that is the innermost one of the iterations.
    unsigned getLane() const { return order.back(); }
    /// Rows of the array become columns: the buffer has fractals.
    bool isPacked() const { return isMoved && getLane() != kept.back(); }
  };

  mlir::LogicalResult makeTiles();
  llvm::StringMap<llvm::StringRef> findTaken();
  int64_t getSlots(const npu::Machine &machine) const;
  isl::Schedule emitNode(TileNode *node);
  isl::Schedule emitLeaf(const LeafPlan &leaf);
  /// Loads before and stores after `body`, of the arrays that live at `home`,
  /// and the marks of their buffers.
  isl::Schedule wrap(TileNode *home, isl::Schedule body);
  isl::Schedule emitTransfer(const Tile &tile, bool isLoad);
  isl::Set getCounters(const ArrayPlan &array);

  mlir::LogicalResult fillLeaf(const LeafPlan &leaf,
                               mlir::ImplicitLocOpBuilder &b,
                               mlir::ValueRange counters);
  mlir::FailureOr<TileValue>
  view(const LeafPlan &leaf, mlir::ImplicitLocOpBuilder &b,
       const TileOrigin &origin, llvm::StringRef array,
       const Projection &access, const Box &box, llvm::ArrayRef<int> iteration);
  mlir::LogicalResult reduce(const LeafPlan &leaf, TileBuilder &tiles,
                             BodyEvaluator &body, const TileValue &target);

  /// Initialisations whose value a reduction does not need.
  void findDropped();

  // Arrays in another order than the iterations.
  mlir::LogicalResult findOrder(Tile &tile);
  llvm::SmallVector<int64_t> getTileShape(const Tile &tile) const;
  void emitPacks(const Tile &tile, mlir::ImplicitLocOpBuilder &b,
                 mlir::Value global, mlir::Value local) const;
  void moveBlocks(const Tile &tile, mlir::ImplicitLocOpBuilder &b,
                  mlir::Value source, mlir::Value target) const;
  mlir::Value reorder(const Tile &tile, mlir::ImplicitLocOpBuilder &b,
                      mlir::Value target);
  /// Emits a leaf that only moves a tile to another order; false if it does
  /// more.
  bool moveTile(const LeafPlan &leaf, mlir::ImplicitLocOpBuilder &b);
  mlir::FailureOr<TileValue> viewMoved(const LeafPlan &leaf, const Tile &tile,
                                       mlir::ImplicitLocOpBuilder &b,
                                       const Projection &access, const Box &box,
                                       llvm::ArrayRef<int> iteration);

  TileProgram &program;
  const NestPlan &plan;
  TileNode *root;
  llvm::MapVector<llvm::StringRef, Tile> tiles;
  /// Tiles that may be under way at a time.
  int64_t slots = 3;
  llvm::SmallPtrSet<const LeafPlan *, 4> dropped;
  /// Reductions that overwrite their target.
  llvm::SmallPtrSet<const LeafPlan *, 4> overwriting;
};

/// What an update combines with the element that it writes, and how.
struct Reduction {
  npu::ReduceKind kind;
  /// The argument that is the element, and what is added to it.
  mlir::Value element, value;
};
std::optional<Reduction> getReduction(StatementOp statement);

/// How many of the parts that are combined to a result of this many bytes one
/// instruction takes: fewer wait for each other then.
int64_t getPartGroup(int64_t resultBytes, int64_t parts);

} // namespace gc::poly

#endif // GC_LIB_DIALECT_POLY_TRANSFORMS_VECTORNEST_H
