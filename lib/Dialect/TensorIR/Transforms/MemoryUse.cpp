// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "MemoryUse.h"
#include "Dialect/TensorIR/IR/TensorIROps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

namespace gc::tir {

Value getViewSource(Operation *op) {
  // Not every op of upstream that makes a view implements the interface.
  if (auto transpose = dyn_cast_or_null<memref::TransposeOp>(op))
    return transpose.getIn();
  if (auto view = dyn_cast_or_null<ViewLikeOpInterface>(op))
    return view.getViewSource();
  return {};
}

Value getBuffer(Value memref) {
  while (Value source = getViewSource(memref.getDefiningOp()))
    memref = source;
  if (auto argument = dyn_cast<BlockArgument>(memref))
    return isa<FunctionOpInterface>(argument.getOwner()->getParentOp())
               ? memref
               : Value();
  return isa<ScratchOp, memref::GetGlobalOp, memref::AllocOp, memref::AllocaOp>(
             memref.getDefiningOp())
             ? memref
             : Value();
}

void MemoryUse::add(Operation *op) {
  // Declared to write, so that it is not removed.
  if (isa<memref::PrefetchOp>(op))
    return;
  bool isRecursive = op->hasTrait<OpTrait::HasRecursiveMemoryEffects>();
  auto interface = dyn_cast<MemoryEffectOpInterface>(op);
  if (!isRecursive && !interface) {
    unknown = true;
    return;
  }
  if (isRecursive)
    for (Region &region : op->getRegions())
      for (Operation &inner : region.getOps())
        add(&inner);
  if (!interface)
    return;
  SmallVector<MemoryEffects::EffectInstance> effects;
  interface.getEffects(effects);
  for (const MemoryEffects::EffectInstance &effect : effects) {
    if (isa<MemoryEffects::Allocate>(effect.getEffect()))
      continue;
    Value buffer = effect.getValue() ? getBuffer(effect.getValue()) : Value();
    if (!buffer)
      unknown = true;
    else if (isa<MemoryEffects::Read>(effect.getEffect()))
      reads.insert(buffer);
    else
      writes.insert(buffer);
  }
}

bool MemoryUse::conflictsWith(const MemoryUse &other) const {
  if (isNone() || other.isNone())
    return false;
  if (unknown || other.unknown)
    return true;
  return llvm::any_of(writes,
                      [&](Value buffer) {
                        return other.reads.contains(buffer) ||
                               other.writes.contains(buffer);
                      }) ||
         llvm::any_of(other.writes,
                      [&](Value buffer) { return reads.contains(buffer); });
}

} // namespace gc::tir
