// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The sets, relations and trees of a scop as objects of isl. All of them are
// null if the text is wrong; the verifier makes sure that it is not.

#ifndef GC_DIALECT_POLY_IR_SCOP_H
#define GC_DIALECT_POLY_IR_SCOP_H

#include "Dialect/Poly/IR/PolyOps.h"
#include "Dialect/Poly/Isl/Isl.h"

namespace gc::poly {

/// An access of a statement: `reads` in the order of its region's arguments.
isl::Map getRead(const isl::Ctx &ctx, StatementOp statement, unsigned number);
isl::Map getWrite(const isl::Ctx &ctx, StatementOp statement);
isl::Set getDomain(const isl::Ctx &ctx, StatementOp statement);
isl::Set getDomain(const isl::Ctx &ctx, TileOp tile);

/// Of all statements of a scop: relations from instances to elements.
isl::UnionMap getReads(const isl::Ctx &ctx, ScopOp scop);
isl::UnionMap getWrites(const isl::Ctx &ctx, ScopOp scop);
/// All instances of all statements.
isl::UnionSet getDomain(const isl::Ctx &ctx, ScopOp scop);

/// All elements of an array, in a space of its name.
isl::Set getElements(const isl::Ctx &ctx, ArrayOp array);

isl::Schedule getSchedule(const isl::Ctx &ctx, ScopOp scop);
/// Replaces the tree; fails with an error at the scop if `schedule` is null.
mlir::LogicalResult setSchedule(const isl::Ctx &ctx, ScopOp scop,
                                const isl::Schedule &schedule,
                                llvm::StringRef step);

ArrayOp findArray(ScopOp scop, llvm::StringRef name);
StatementOp findStatement(ScopOp scop, llvm::StringRef name);

/// Whether the statement adds a product of two elements that it reads to what
/// it reads of the array that it writes: what the cube unit computes.
bool isContraction(StatementOp statement);
/// Whether the statement reads the element that it writes.
bool isUpdate(StatementOp statement);

} // namespace gc::poly

#endif // GC_DIALECT_POLY_IR_SCOP_H
