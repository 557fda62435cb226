// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A scop before it is written down: spaces as sizes and accesses as affine
// maps, which are easier to change than sets.

#ifndef GC_CONVERSION_GRAPHTOPOLY_SCOPMODEL_H
#define GC_CONVERSION_GRAPHTOPOLY_SCOPMODEL_H

#include "Dialect/Poly/IR/PolyOps.h"
#include "mlir/IR/AffineMap.h"

#include <functional>

namespace gc {

struct ScopArray {
  std::string name;
  llvm::SmallVector<int64_t> shape;
  mlir::Type element;
  std::optional<int64_t> input, output;
};

struct ScopAccess {
  unsigned array;
  /// From the statement's space to indices of the array.
  mlir::AffineMap map;
  /// Indices may be outside of the array, where elements are 0.
  bool hasPads = false;
};

struct ScopStatement {
  llvm::SmallVector<int64_t> space;
  llvm::SmallVector<ScopAccess> reads;
  ScopAccess write;
  /// Builds the region: the written element from those that are read.
  std::function<mlir::Value(mlir::OpBuilder &, mlir::ValueRange)> buildBody;
  mlir::Location loc;

  /// All accesses, the write first.
  template <typename Visit>
  void forEachAccess(Visit visit) {
    visit(write);
    for (ScopAccess &read : reads)
      visit(read);
  }
};

/// Statements in the order in which they run, one after the other.
struct ScopModel {
  llvm::SmallVector<ScopArray> arrays;
  llvm::SmallVector<ScopStatement> statements;

  /// Adds a statement as statements of one operation each.
  void addDivided(const ScopStatement &statement);

  /// Removes dimensions of size 1 and merges neighbours that no access tells
  /// apart, in spaces and arrays: elementwise operators become flat, leading
  /// dimensions of a product one dimension of rows.
  void simplify();
  /// Values of rows that are computed in f32 and rounded to f16 stay f32 if all
  /// that read them are operations of the vector unit on f16 that take them
  /// from registers: those are f32.
  void keepWide();

  /// The scop as an operation before the insertion point, with the schedule of
  /// the statements' order. Null, with an error, if isl fails.
  poly::ScopOp build(mlir::OpBuilder &builder, mlir::Location loc,
                     llvm::StringRef name, llvm::StringRef reference) const;
};

} // namespace gc

#endif // GC_CONVERSION_GRAPHTOPOLY_SCOPMODEL_H
