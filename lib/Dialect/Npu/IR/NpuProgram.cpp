// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What every kernel must satisfy before it becomes code of any kind.

#include "Dialect/Npu/IR/NpuOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace gc::npu;

/// Whether the simulator can address it.
static bool isAddressable(MemRefType type) {
  int64_t bytes = getBytes(*getDType(type));
  for (int64_t size : type.getShape()) {
    if (size == 0)
      return true;
    if (llvm::MulOverflow(bytes, size, bytes))
      return false;
  }
  return bytes < Address::kMaxBytes;
}

/// Numbers of the front end that are wrong whenever the op runs.
static LogicalResult checkConstants(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    if (std::optional<int64_t> step = getConstantIntValue(loop.getStep());
        step && *step <= 0)
      return op->emitOpError()
             << "has a step of " << *step << ", so it never ends";
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    if (getConstantIntValue(loop.getConditionOp().getCondition()).value_or(0))
      return op->emitOpError("has a condition that is always true, so it "
                             "never ends");
  if (isa<arith::DivSIOp, arith::DivUIOp, arith::CeilDivSIOp,
          arith::CeilDivUIOp, arith::FloorDivSIOp, arith::RemSIOp,
          arith::RemUIOp>(op) &&
      getConstantIntValue(op->getOperand(1)) == 0)
    return op->emitOpError("divides by zero");
  return success();
}

LogicalResult gc::npu::checkProgram(FunctionOpInterface kernel) {
  if (kernel.isExternal())
    return kernel->emitOpError("has no body");
  if (!kernel.getFunctionBody().hasOneBlock())
    return kernel->emitOpError("has branches; loops and branches of a program "
                               "are those of scf");
  if (kernel.getNumResults() != 0)
    return kernel->emitOpError("returns values; a program writes its outputs "
                               "to arguments");
  for (BlockArgument argument : kernel.getArguments()) {
    auto type = dyn_cast<MemRefType>(argument.getType());
    if (!type || getSpace(type) != MemorySpace::gm || !type.hasStaticShape() ||
        !type.getLayout().isIdentity() || !getDType(type))
      return kernel->emitOpError()
             << "argument " << argument.getArgNumber() << " is "
             << argument.getType()
             << "; a program takes row-major memrefs in gm of f16, f32, i8 or "
                "i32 with a static shape";
    if (!isAddressable(type))
      return kernel->emitOpError()
             << "argument " << argument.getArgNumber() << " has a TiB or more";
  }
  auto result = kernel->walk<WalkOrder::PreOrder>([](Operation *op) {
    return succeeded(checkConstants(op)) ? WalkResult::advance()
                                         : WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}
