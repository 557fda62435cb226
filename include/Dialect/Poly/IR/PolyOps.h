// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The Poly dialect: scops with their arrays, statements, tiles and schedule
// trees.

#ifndef GC_DIALECT_POLY_IR_POLYOPS_H
#define GC_DIALECT_POLY_IR_POLYOPS_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/RegionKindInterface.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "Dialect/Poly/IR/PolyDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "Dialect/Poly/IR/PolyAttrs.h.inc"

#define GET_OP_CLASSES
#include "Dialect/Poly/IR/PolyOps.h.inc"

#endif // GC_DIALECT_POLY_IR_POLYOPS_H
