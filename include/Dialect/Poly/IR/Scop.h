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
/// Adds a statement with loops of its own, in the order of its dimensions,
/// after those of the tree, which is null before the first one.
void appendStatement(isl::Schedule &schedule, isl::Set domain);

ArrayOp findArray(ScopOp scop, llvm::StringRef name);
StatementOp findStatement(ScopOp scop, llvm::StringRef name);

/// Whether the statement adds a product of two elements that it reads to what
/// it reads of the array that it writes: what the cube unit computes.
bool isContraction(StatementOp statement);
/// Whether the statement reads the element that it writes.
bool isUpdate(StatementOp statement);

/// Elements of the array in the 32 bytes of a fractal's row.
int64_t getC0(ArrayOp array);
/// Equation (1): the elements of images [n, h, w, c] and of weights
/// [tap, c, column] that an instance [n, m, o, k] of a statement reads, or
/// [m, o, k] without `hasImages`.
isl::Map getImageAccess(const isl::Ctx &ctx, Img2colAttr img2col,
                        llvm::StringRef statement, bool hasImages,
                        ArrayOp image);
isl::Map getWeightAccess(const isl::Ctx &ctx, Img2colAttr img2col,
                         llvm::StringRef statement, bool hasImages,
                         ArrayOp weights);
/// (C5) of a statement with img2col, the rest of which is well-formed.
mlir::LogicalResult verifyImg2col(const isl::Ctx &ctx, StatementOp statement);

} // namespace gc::poly

#endif // GC_DIALECT_POLY_IR_SCOP_H
