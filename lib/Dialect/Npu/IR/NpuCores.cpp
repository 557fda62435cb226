// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/Npu/IR/NpuCores.h"
#include "Dialect/Npu/IR/NpuOps.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace gc::npu;

int64_t gc::npu::getNumCores(func::FuncOp kernel) {
  auto count = kernel->getAttrOfType<IntegerAttr>(NpuDialect::kCoresAttr);
  return count ? count.getInt() : 1;
}

int64_t gc::npu::getFirstCore(func::FuncOp kernel) {
  auto first = kernel->getAttrOfType<IntegerAttr>(kFirstCoreAttr);
  return first ? first.getInt() : 0;
}

SmallVector<func::FuncOp> gc::npu::getBeside(func::FuncOp kernel) {
  SmallVector<func::FuncOp> programs;
  for (auto other : kernel->getBlock()->getOps<func::FuncOp>())
    if (auto beside = other->getAttrOfType<FlatSymbolRefAttr>(kBesideAttr);
        beside && beside.getValue() == kernel.getName())
      programs.push_back(other);
  return programs;
}

LogicalResult gc::npu::checkBeside(func::FuncOp program) {
  auto name = program->getAttrOfType<FlatSymbolRefAttr>(kBesideAttr);
  auto kernel = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      program->getParentOp(), name);
  if (!kernel || !kernel->hasAttr(NpuDialect::kKernelAttr) ||
      kernel->hasAttr(kBesideAttr))
    return program->emitOpError()
           << "is beside " << name << ", which is not a kernel of its own";
  if (kernel.getArgumentTypes() != program.getArgumentTypes())
    return program->emitOpError()
           << "is beside " << name << ", but has other arguments";
  int64_t next = getNumCores(kernel);
  for (func::FuncOp other : getBeside(kernel)) {
    if (other == program)
      break;
    next += getNumCores(other);
  }
  if (getFirstCore(program) != next)
    return program->emitOpError()
           << "begins with core " << getFirstCore(program) << ", but beside "
           << name << " core " << next << " is the next one";
  return success();
}
