// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What passes ask about schedule trees.

#ifndef GC_DIALECT_POLY_TRANSFORMS_TREE_H
#define GC_DIALECT_POLY_TRANSFORMS_TREE_H

#include "Dialect/Poly/IR/Scop.h"

namespace gc::poly {

/// Statements with instances in the set, in the order of the scop.
llvm::SmallVector<StatementOp> getStatements(ScopOp scop,
                                             const isl::UnionSet &instances);

/// The dimension of the statement that each loop of a band is; nothing where it
/// is not a dimension.
llvm::SmallVector<std::optional<unsigned>> getBandDims(const isl::Node &band,
                                                       StatementOp statement);

/// A band over dimensions of a statement, to be inserted into a tree.
isl::MultiUnionPwAff getBandOf(const isl::Ctx &ctx, StatementOp statement,
                               llvm::ArrayRef<unsigned> dims);

/// All instances of the statements, as a filter.
isl::UnionSet getFilter(const isl::Ctx &ctx,
                        llvm::ArrayRef<StatementOp> statements);

/// The number of values of a dimension of the statement.
int64_t getExtent(const isl::Ctx &ctx, StatementOp statement, unsigned dim);

/// The subtrees that follow each other: children of the sequence below the
/// domain, or else the only one. Each as the path to it: the number of the
/// child, or -1 for the node below the domain itself.
llvm::SmallVector<int> getParts(const isl::Schedule &schedule);
isl::Node getPart(const isl::Schedule &schedule, int part);

/// Inserts a mark above the node and returns it.
isl::Node insertMark(const isl::Ctx &ctx, isl::Node node, llvm::StringRef text);
/// Tiles a band without changing what its loops count: the tile band counts
/// tiles. Returns the band of tiles.
isl::Node tileBand(const isl::Ctx &ctx, isl::Node band,
                   llvm::ArrayRef<int64_t> sizes);
/// The text of a mark; empty for other nodes.
std::string getMark(const isl::Node &node);

/// Whether a statement of the list writes an output of the scop.
bool isLiveOut(ScopOp scop, llvm::ArrayRef<StatementOp> statements);

} // namespace gc::poly

#endif // GC_DIALECT_POLY_TRANSFORMS_TREE_H
