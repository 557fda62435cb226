// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "BufferAccess.h"
#include "Dialect/TensorIR/Transforms/Passes.h"
#include "MemoryUse.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace gc::tir {

#define GEN_PASS_DEF_TIRFORWARDSTORES
#include "Dialect/TensorIR/Transforms/Passes.h.inc"

namespace {

/// What memref and vector loads and stores have in common.
struct SimpleAccess {
  Value buffer;
  OperandRange indices;
  /// The loaded or stored scalar or vector.
  Value value;
};

std::optional<SimpleAccess> getLoad(Operation *op) {
  if (auto load = dyn_cast<memref::LoadOp>(op))
    return SimpleAccess{load.getMemref(), load.getIndices(), load.getResult()};
  if (auto load = dyn_cast<vector::LoadOp>(op))
    return SimpleAccess{load.getBase(), load.getIndices(), load.getResult()};
  return std::nullopt;
}

std::optional<SimpleAccess> getStore(Operation *op) {
  if (auto store = dyn_cast<memref::StoreOp>(op))
    return SimpleAccess{store.getMemref(), store.getIndices(),
                        store.getValue()};
  if (auto store = dyn_cast<vector::StoreOp>(op))
    return SimpleAccess{store.getBase(), store.getIndices(),
                        store.getValueToStore()};
  return std::nullopt;
}

bool isSamePlace(const SimpleAccess &a, const SimpleAccess &b) {
  return a.buffer == b.buffer && a.value.getType() == b.value.getType() &&
         llvm::all_of(llvm::zip_equal(a.indices, b.indices), [](auto pair) {
           return isSameValue(std::get<0>(pair), std::get<1>(pair));
         });
}

/// Number of elements along the last dimension, or nothing for a vector of more
/// than one dimension.
std::optional<int64_t> getWidth(Value value) {
  auto vector = dyn_cast<VectorType>(value.getType());
  if (!vector)
    return 1;
  if (vector.getRank() != 1 || vector.isScalable())
    return std::nullopt;
  return vector.getNumElements();
}

/// Whether two accesses of a buffer certainly touch different elements.
bool areApart(const SimpleAccess &a, const SimpleAccess &b) {
  std::optional<int64_t> left = getWidth(a.value), right = getWidth(b.value);
  if (!left || !right)
    return false;
  for (size_t dim = 0, rank = a.indices.size(); dim < rank; ++dim) {
    IndexForm x(a.indices[dim]), y(b.indices[dim]);
    if (!x.hasSameTerms(y))
      continue;
    int64_t distance = y.constant - x.constant;
    bool isLast = dim + 1 == rank;
    if (distance >= (isLast ? *left : 1) || -distance >= (isLast ? *right : 1))
      return true;
  }
  return false;
}

using Stores = SmallVector<SimpleAccess>;

/// Replaces loads in a block, given the stores that are valid when it begins,
/// which are updated.
void forward(Block &block, Stores &stores) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (std::optional<SimpleAccess> load = getLoad(&op)) {
      for (const SimpleAccess &store : stores)
        if (isSamePlace(store, *load)) {
          load->value.replaceAllUsesWith(store.value);
          op.erase();
          break;
        }
      continue;
    }
    std::optional<SimpleAccess> store = getStore(&op);
    if (store && store->buffer.getDefiningOp<ScratchOp>()) {
      llvm::erase_if(stores, [&](const SimpleAccess &other) {
        return other.buffer == store->buffer && !areApart(other, *store);
      });
      stores.push_back(*store);
      continue;
    }
    if (isMemoryEffectFree(&op) && op.getNumRegions() == 0)
      continue;
    MemoryUse use(&op);
    llvm::erase_if(stores, [&](const SimpleAccess &store) {
      return use.doesWrite(store.buffer);
    });
    for (Region &region : op.getRegions())
      for (Block &inner : region) {
        // What other threads or earlier iterations do is not in the list.
        Stores copy = isa<ParallelOp>(op) ? Stores() : stores;
        forward(inner, copy);
      }
  }
}

/// Whether an op only writes to the memref operand.
bool isWrite(OpOperand &memref) {
  Operation *op = memref.getOwner();
  if (auto store = getStore(op))
    return memref.get() == store->buffer && store->value != memref.get();
  auto kernel = dyn_cast<BrgemmOp>(op);
  return kernel && &memref == &kernel.getCMutable();
}

struct ForwardStores : impl::TirForwardStoresBase<ForwardStores> {
  void runOnOperation() override {
    if (getOperation().isDeclaration())
      return;
    for (Block &block : getOperation().getBody()) {
      Stores stores;
      forward(block, stores);
    }
    // Once the ops that write to one temporary are gone, another may have no
    // readers.
    SmallVector<ScratchOp> temporaries;
    getOperation().walk([&](ScratchOp op) { temporaries.push_back(op); });
    for (bool changed = true; changed;) {
      changed = false;
      llvm::erase_if(temporaries, [&](ScratchOp op) {
        if (!llvm::all_of(op.getBuffer().getUses(), isWrite))
          return false;
        for (Operation *user :
             llvm::make_early_inc_range(op.getBuffer().getUsers()))
          user->erase();
        op.erase();
        changed = true;
        return true;
      });
    }
  }
};

} // namespace

} // namespace gc::tir
