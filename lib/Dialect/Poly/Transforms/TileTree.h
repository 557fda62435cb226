// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A scheduled scop read as loops over tiles with statements as leaves, whose
// instances of a tile are a set that depends on the loops' counters.

#ifndef GC_LIB_DIALECT_POLY_TRANSFORMS_TILETREE_H
#define GC_LIB_DIALECT_POLY_TRANSFORMS_TILETREE_H

#include "Dialect/Poly/IR/PolyOps.h"
#include "Dialect/Poly/IR/Scop.h"

#include <memory>
#include <vector>

namespace gc::poly {

/// An affine function of the counters of the tile loops.
struct Linear {
  llvm::SmallVector<int64_t> factors;
  int64_t constant = 0;

  int64_t getFactor(unsigned loop) const {
    return loop < factors.size() ? factors[loop] : 0;
  }
  /// The loop that it is a multiple of the counter of; none for other
  /// functions.
  std::optional<unsigned> getOnlyLoop() const;
  bool operator==(const Linear &other) const;
};

/// A box of elements for each point of the tile loops: `offsets` depend on
/// their counters, sizes do not.
struct Box {
  llvm::SmallVector<Linear> offsets;
  llvm::SmallVector<int64_t> sizes;

  unsigned getRank() const { return sizes.size(); }
  /// Number of outermost loops after which the box does not change.
  unsigned getDepth() const;
};

/// The largest coordinate of a bounded set in a dimension.
std::optional<int64_t> getLargest(const isl::Set &set, unsigned dim);

/// The box around the elements that each point of the domain is related to. The
/// error says `what` has none.
mlir::FailureOr<Box>
getBox(const isl::Ctx &ctx, const isl::Map &map,
       llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
       llvm::StringRef what);

/// A node of the tree.
struct TileNode {
  enum Kind { loop, sequence, leaf };

  Kind kind;
  TileNode *parent = nullptr;
  /// Number of loops around it.
  unsigned depth = 0;
  /// Marks directly above it, outermost first, those of loops left out.
  std::vector<std::string> marks;
  std::vector<std::unique_ptr<TileNode>> children;
  /// Of a loop: the text of its mark after `tile:`.
  std::string level;
  /// Of a leaf: its statement, and its instances by the counters of all loops
  /// around it.
  StatementOp statement;
  isl::Map instances;

  bool hasMark(llvm::StringRef mark) const;
  /// Leaves in order of execution.
  void getLeaves(llvm::SmallVectorImpl<TileNode *> &leaves);
};

/// Reads the tree of a scop as poly-map-units leaves it. Emits an error for a
/// tree that is not of that form.
mlir::FailureOr<std::unique_ptr<TileNode>> readTileTree(const isl::Ctx &ctx,
                                                        ScopOp scop);

} // namespace gc::poly

#endif // GC_LIB_DIALECT_POLY_TRANSFORMS_TILETREE_H
