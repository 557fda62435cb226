// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The memory hierarchy language applied to a scop, and that of a scop whose
// statements are tiles.

#ifndef GC_LIB_DIALECT_POLY_TRANSFORMS_KERNELHIERARCHY_H
#define GC_LIB_DIALECT_POLY_TRANSFORMS_KERNELHIERARCHY_H

#include "ColumnSums.h"
#include "Dialect/Poly/IR/Scop.h"
#include "Dialect/Poly/Transforms/Hierarchy.h"
#include "llvm/ADT/MapVector.h"

namespace gc::poly {

/// The hierarchy of the scop's attribute. Emits an error if the text is wrong,
/// names what the scop does not have, or is not what the machine has. What it
/// says about the core's memories is set on the scop, for `npu::getMachine`.
mlir::FailureOr<Hierarchy> prepareHierarchy(ScopOp scop);

/// The unit that the scop's attribute gives to a statement; nothing if it gives
/// none, or is wrong.
std::optional<HierarchyItem> getGivenUnit(ScopOp scop,
                                          llvm::StringRef statement);

/// Whether the cube unit adds up columns: as the hierarchy says, or else if
/// that takes fewer cycles.
bool prefersCube(ScopOp scop, const ColumnSums &sums,
                 const npu::Machine &machine);

/// An error at the scop that an item of its hierarchy cannot be had.
mlir::InFlightDiagnostic refuse(ScopOp scop, const HierarchyItem &item);

/// Whether each statement is on the cube unit, in the scop's order.
using UnitMap = llvm::MapVector<llvm::StringRef, bool>;

/// For a scop that has its buffers, tiles and statements: gives buffers the
/// slots that the hierarchy asks for, and replaces the attribute by all that
/// was chosen. Emits an error if it is not what was asked for.
mlir::LogicalResult finishHierarchy(ScopOp scop, const UnitMap &units,
                                    const isl::Schedule &schedule);

} // namespace gc::poly

#endif // GC_LIB_DIALECT_POLY_TRANSFORMS_KERNELHIERARCHY_H
