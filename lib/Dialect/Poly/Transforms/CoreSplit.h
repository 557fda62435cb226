// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A parallel loop of a scop divided among cores: which dimension of each
// statement and of each array it is.

#ifndef GC_LIB_DIALECT_POLY_TRANSFORMS_CORESPLIT_H
#define GC_LIB_DIALECT_POLY_TRANSFORMS_CORESPLIT_H

#include "Dialect/Poly/IR/Scop.h"
#include "llvm/ADT/MapVector.h"

namespace gc::poly {

/// Equal parts of a loop, the last of which may be shorter.
struct CoreParts {
  int64_t extent, length;

  int64_t getCount() const { return (extent + length - 1) / length; }
  int64_t getRest() const { return extent - (getCount() - 1) * length; }
};

class CoreSplit {
public:
  /// Divides dimension `dim` of the statement, and with it of every statement
  /// and array that has to be divided because of it. `getReason` says why this
  /// is not possible; it is empty if it is.
  CoreSplit(const isl::Ctx &ctx, ScopOp scop, StatementOp statement,
            unsigned dim);

  llvm::StringRef getReason() const { return reason; }
  int64_t getExtent() const { return extent; }
  /// Whether elements that are neighbours in memory go to different cores.
  bool dividesRows() const;
  /// At most `cores` parts, as even as possible: of whole packages or fractals
  /// where that costs next to nothing, and not of less than a block of 32
  /// bytes of a row.
  CoreParts getParts(int64_t cores) const;

  /// Makes `scop`, a copy of the scop or itself, what the cores from `first` on
  /// do: `cores` of them, `length` iterations each. `all` cores run in total.
  mlir::LogicalResult apply(ScopOp scop, const CoreParts &parts, int64_t first,
                            int64_t cores, int64_t length) const;

private:
  void assign(StatementOp statement, std::optional<unsigned> dim);
  void assign(ArrayOp array, std::optional<unsigned> dim);
  void propagate(ArrayOp array, StatementOp statement, const isl::Map &access);
  void check();
  void reject(const llvm::Twine &why);

  const isl::Ctx &ctx;
  ScopOp scop;
  int64_t extent = 0;
  std::string reason;
  /// The dimension that is divided; nothing where every core has all of it.
  llvm::MapVector<StatementOp, std::optional<unsigned>> statements;
  llvm::MapVector<ArrayOp, std::optional<unsigned>> arrays;
};

} // namespace gc::poly

#endif // GC_LIB_DIALECT_POLY_TRANSFORMS_CORESPLIT_H
