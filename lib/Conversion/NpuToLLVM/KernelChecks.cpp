// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What an NPU program may consist of when it becomes host code.

#include "Dialect/Npu/IR/NpuOps.h"
#include "NpuToLLVMImpl.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace gc::npu;

/// Control and arithmetic of the front end, and views of buffers. Everything
/// that touches memory is left out: the addresses are not the host's.
static bool isFrontEndOp(Operation *op) {
  if (isa<arith::ArithDialect>(op->getDialect()))
    return true;
  return isa<affine::AffineApplyOp, affine::AffineMaxOp, affine::AffineMinOp,
             func::ReturnOp, memref::CastOp, memref::CollapseShapeOp,
             memref::DimOp, memref::ExpandShapeOp, memref::ReinterpretCastOp,
             memref::SubViewOp, scf::ConditionOp, scf::ForOp, scf::IfOp,
             scf::IndexSwitchOp, scf::WhileOp, scf::YieldOp>(op);
}

static LogicalResult checkOp(Operation *op) {
  if (isa<TileOpInterface>(op))
    return op->emitOpError("is an op on whole tiles: run npu-expand-tiles "
                           "first");
  if (auto alloc = dyn_cast<AllocOp>(op); alloc && !alloc.getAddress())
    return alloc.emitOpError("has no address: run npu-plan-memory first");
  if (!isa<NpuDialect>(op->getDialect()) && !isFrontEndOp(op))
    return op->emitOpError("is not part of an NPU program");
  for (Value value : op->getResults())
    if (isa<VectorType, TensorType, UnrankedMemRefType>(value.getType()))
      return op->emitOpError() << "has a result of type " << value.getType()
                               << ", which no register of the front end holds";
  return success();
}

LogicalResult gc::npu::checkKernel(func::FuncOp kernel) {
  if (kernel.getName().starts_with("gc_npu_"))
    return kernel.emitOpError("has a name of the simulator's interface");
  if (failed(checkProgram(kernel)))
    return failure();
  auto result = kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op == kernel || succeeded(checkOp(op)))
      return WalkResult::advance();
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

/// Follows a value that depends on a load into the op that uses it: adds the
/// values that in turn depend on it, or fails.
static LogicalResult follow(OpOperand &use, SetVector<Value> &values) {
  Operation *op = use.getOwner();
  // The number itself is data of the vector unit.
  if (isa<VectorInstructionOp>(op) && !isa<MemRefType>(use.get().getType()))
    return success();
  if (isa<arith::ArithDialect>(op->getDialect()) ||
      isa<affine::AffineApplyOp, affine::AffineMaxOp, affine::AffineMinOp>(
          op)) {
    values.insert(op->result_begin(), op->result_end());
    return success();
  }
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    if (BlockArgument argument = loop.getTiedLoopRegionIterArg(&use)) {
      values.insert(argument);
      values.insert(loop.getTiedLoopResult(&use));
      return success();
    }
  }
  if (isa<scf::YieldOp>(op)) {
    Operation *parent = op->getParentOp();
    unsigned index = use.getOperandNumber();
    if (isa<scf::ForOp, scf::IfOp, scf::IndexSwitchOp>(parent)) {
      values.insert(parent->getResult(index));
      if (auto loop = dyn_cast<scf::ForOp>(parent))
        values.insert(loop.getRegionIterArg(index));
      return success();
    }
  }
  return op->emitOpError("has an address or a branch that depends on a value "
                         "loaded from UB, which cycles-only mode does not "
                         "know; run with values");
}

LogicalResult gc::npu::checkScalarsUnused(func::FuncOp kernel) {
  SetVector<Value> values;
  kernel.walk([&](LoadScalarOp load) { values.insert(load.getResult()); });
  for (size_t i = 0; i < values.size(); ++i)
    for (OpOperand &use : values[i].getUses())
      if (failed(follow(use, values)))
        return failure();
  return success();
}
