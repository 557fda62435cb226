// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Statements that share their outer loops: initialisation and update of a
// reduction with what is computed from it at the same point.

#ifndef GC_DIALECT_POLY_TRANSFORMS_CLUSTERS_H
#define GC_DIALECT_POLY_TRANSFORMS_CLUSTERS_H

#include "Dialect/Poly/IR/Scop.h"

namespace gc::poly {

struct ClusterMember {
  StatementOp statement;
  /// The statement's dimension that each common loop is.
  llvm::SmallVector<unsigned> dims;
};

/// Members in the scop's order; all of them have equally many common loops.
struct Cluster {
  llvm::SmallVector<ClusterMember> members;

  unsigned getRank() const { return members.front().dims.size(); }
};

/// Clusters in an order that respects all dependences. Within a cluster,
/// dependences have distance zero in the common loops: they can be tiled
/// without a look at what is inside.
///
/// A statement joins what it reads from unless that has fewer instances than
/// itself (a row that is broadcast is better computed again for each tile), or
/// the statement is a contraction, whose operands have another shape than its
/// tiles; `poly-fuse` brings such producers in.
llvm::FailureOr<llvm::SmallVector<Cluster>> findClusters(const isl::Ctx &ctx,
                                                         ScopOp scop);

/// Dependences of statements on other statements: writes composed with reads.
/// Arrays are written once, except by reductions, whose terms may be added in
/// any order: dependences of a statement on itself are left out.
isl::UnionMap getDependences(const isl::Ctx &ctx, ScopOp scop);

/// Number of instances of a statement, whose domain is a box; INT64_MAX if it
/// is larger.
int64_t countInstances(const isl::Ctx &ctx, StatementOp statement);

/// Dimensions of the statement that different written elements differ in: all
/// but those that a reduction runs over.
llvm::SmallVector<unsigned> getParallelDims(const isl::Ctx &ctx,
                                            StatementOp statement);

} // namespace gc::poly

#endif // GC_DIALECT_POLY_TRANSFORMS_CLUSTERS_H
