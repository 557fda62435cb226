// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The Tensor IR dialect: parallel loops, barriers, temporaries, microkernels.

#ifndef GC_DIALECT_TENSORIR_IR_TENSORIROPS_H
#define GC_DIALECT_TENSORIR_IR_TENSORIROPS_H

#include "Machine/KernelSpec.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/RegionKindInterface.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "Dialect/TensorIR/IR/TensorIRDialect.h.inc"
#include "Dialect/TensorIR/IR/TensorIREnums.h.inc"

namespace gc {
/// Attributes are unique by the whole spec.
llvm::hash_code hash_value(const KernelSpec &spec);
} // namespace gc

#define GET_ATTRDEF_CLASSES
#include "Dialect/TensorIR/IR/TensorIRAttrs.h.inc"

namespace gc::tir {
/// The signless type that holds elements in memory.
mlir::Type getStorageType(mlir::MLIRContext *context, DataType type);
} // namespace gc::tir

#define GET_TYPEDEF_CLASSES
#include "Dialect/TensorIR/IR/TensorIRTypes.h.inc"

#define GET_OP_CLASSES
#include "Dialect/TensorIR/IR/TensorIROps.h.inc"

#endif // GC_DIALECT_TENSORIR_IR_TENSORIROPS_H
