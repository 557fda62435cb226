// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Assembly of schedule trees.

#ifndef GC_DIALECT_POLY_IR_SCHEDULESYNTAX_H
#define GC_DIALECT_POLY_IR_SCHEDULESYNTAX_H

#include "Dialect/Poly/IR/PolyOps.h"

namespace gc::poly {

mlir::ParseResult parseScheduleTree(mlir::OpAsmParser &parser,
                                    mlir::StringAttr &schedule);
void printScheduleTree(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                       mlir::StringAttr schedule);
/// The text with line breaks; empty if it is not a tree in isl's notation.
std::string layOutSchedule(llvm::StringRef text);

} // namespace gc::poly

#endif // GC_DIALECT_POLY_IR_SCHEDULESYNTAX_H
