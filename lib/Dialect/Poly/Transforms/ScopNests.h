// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The nests of a scop, which poly-promote decides about and
// poly-tile-statements makes tiles of.

#ifndef GC_LIB_DIALECT_POLY_TRANSFORMS_SCOPNESTS_H
#define GC_LIB_DIALECT_POLY_TRANSFORMS_SCOPNESTS_H

#include "Dialect/Poly/IR/PolyOps.h"

namespace gc::poly {

/// On a scop between poly-promote and poly-tile-statements: whether what
/// several tiles read stays in the core.
constexpr llvm::StringLiteral kPromotedAttr = "promoted";

/// Adds the buffers of the scop's nests, and records the choices that are made
/// for them: panels that stay, tiles that are under way, parts. `skews` allows
/// work on a tile beside that on the next one.
mlir::LogicalResult promoteNests(ScopOp scop, bool promotes, bool skews);

/// Replaces the statements of a scop with buffers by tiles. An error if the
/// buffers are not those that promoteNests() adds.
mlir::LogicalResult tileNests(ScopOp scop);

} // namespace gc::poly

#endif // GC_LIB_DIALECT_POLY_TRANSFORMS_SCOPNESTS_H
