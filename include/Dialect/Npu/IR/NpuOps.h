// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The NPU dialect: buffers, moves, the cube and the vector unit, flags.

#ifndef GC_DIALECT_NPU_IR_NPUOPS_H
#define GC_DIALECT_NPU_IR_NPUOPS_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "NpuModel/Instruction.h"
#include "NpuModel/Machine.h"

#include <functional>
#include <optional>

#include "Dialect/Npu/IR/NpuEnums.h.inc"

#include "Dialect/Npu/IR/NpuDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "Dialect/Npu/IR/NpuAttrs.h.inc"

namespace gc::npu {

/// The pipe that joins the memories that `op` reads and writes; S for an op
/// that only reads. None if no path of the machine joins them.
std::optional<PipeKind> getPipeOfSpaces(mlir::Operation *op);

/// The operands of `op` whose memory has `effect`.
llvm::SmallVector<mlir::OpOperand *>
getOperandsWithEffect(mlir::Operation *op, mlir::SideEffects::Effect *effect);

/// A number of an instruction that an operand of its op gives at run time and
/// that decides which bytes it touches.
struct RunTimeNumber {
  /// Null if no operand says what the number is.
  mlir::Value operand;
  /// Puts the number into the instruction that the op's getInstruction
  /// returned.
  std::function<void(Instruction &instruction, int64_t number)> set;
  /// With this number the instruction needs the same ordering as with any
  /// other, so it can stand in for an unknown one; none if there is no such
  /// number.
  std::optional<int64_t> strictest = std::nullopt;
};

} // namespace gc::npu

#include "Dialect/Npu/IR/NpuInterfaces.h.inc"

#define GET_OP_CLASSES
#include "Dialect/Npu/IR/NpuOps.h.inc"

namespace gc::npu {

/// The memory space of a memref of the dialect; none for other memrefs.
std::optional<MemorySpace> getSpace(mlir::Type type);
inline std::optional<MemorySpace> getSpace(mlir::Value value) {
  return getSpace(value.getType());
}

/// The model's name of an element type, or of a memref's; none if the machine
/// does not have it.
std::optional<DType> getDType(mlir::Type type);

/// Bytes that a value of this memref type spans from its first element on,
/// computed from its static shape and strides; none if they are not static.
std::optional<int64_t> getExtent(mlir::MemRefType type);

/// The buffer that a memref is a part of, through views and slots: an npu.alloc
/// or an argument of the kernel.
mlir::Value getBaseBuffer(mlir::Value memref);

/// Marks the numbers of an instruction that operands give at run time, so that
/// whoever writes it out finds the operands again.
class RunTimeTags {
public:
  RunTimeTags() = default;
  /// Puts marks into the instruction that the op gave.
  RunTimeTags(InstructionOpInterface op, Instruction &instruction);
  /// The operand that gives a number; null if it is a number.
  mlir::Value lookup(int64_t number) const;

private:
  llvm::SmallVector<mlir::Value, 4> operands;
};

/// Checks that a kernel can become code: a function with a body of one block
/// and no results, on row-major memrefs in gm of less than a TiB, without
/// constants that make a loop endless or a division one by zero. Emits one
/// error at the function or the op.
mlir::LogicalResult checkProgram(mlir::FunctionOpInterface kernel);

/// The machine that the module around `op` describes: entries of its DLTI
/// target device "NPU" by the names of NpuModel/Machine.h, gm64 for everything
/// it does not say. Emits an error for a name or a value that the machine does
/// not have.
mlir::FailureOr<Machine> getMachine(mlir::Operation *op);

} // namespace gc::npu

#endif // GC_DIALECT_NPU_IR_NPUOPS_H
