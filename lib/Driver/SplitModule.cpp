// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SplitModule.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace {

/// The cost of another thread and another target machine, in ops.
constexpr int64_t kFewestOps = 300;

/// Approximate time of the code generator, in ops.
int64_t getWeight(LLVM::LLVMFuncOp function) {
  int64_t ops = 0;
  function.walk([&](Operation *) { ++ops; });
  return function.getOptimizeNone() ? ops / 2 : ops;
}

/// The functions that go to the second half.
SmallVector<LLVM::LLVMFuncOp> chooseFunctions(ModuleOp module) {
  struct Weighted {
    LLVM::LLVMFuncOp function;
    int64_t weight;
    size_t index;
  };
  SmallVector<Weighted> functions;
  for (auto function : module.getOps<LLVM::LLVMFuncOp>())
    if (!function.isExternal())
      functions.push_back({function, getWeight(function), functions.size()});
  llvm::sort(functions, [](const Weighted &a, const Weighted &b) {
    return std::tie(b.weight, a.index) < std::tie(a.weight, b.index);
  });
  int64_t first = 0, second = 0;
  SmallVector<LLVM::LLVMFuncOp> chosen;
  for (const Weighted &next : functions) {
    if (first <= second) {
      first += next.weight;
      continue;
    }
    second += next.weight;
    chosen.push_back(next.function);
  }
  if (std::min(first, second) < kFewestOps)
    chosen.clear();
  return chosen;
}

/// Makes a definition visible to the other half. It is not hidden: what the
/// other half knows to be in the same object it reaches by a distance of 32
/// bits, but halves are loaded wherever there is room.
template <typename Op>
void expose(Op definition) {
  LLVM::Linkage linkage = definition.getLinkage();
  if (linkage != LLVM::Linkage::Internal && linkage != LLVM::Linkage::Private)
    return;
  definition.setLinkage(LLVM::Linkage::External);
  definition.setDsoLocal(true);
}

/// A declaration of what may be far away.
template <typename Op>
void makeDistant(Op declaration) {
  declaration.setDsoLocal(false);
  declaration.setVisibility_(LLVM::Visibility::Default);
}

/// Declares `symbol` in `user`; it may be a definition of the other half.
void declare(ModuleOp user, Operation *symbol) {
  auto b = OpBuilder::atBlockBegin(user.getBody());
  if (auto function = dyn_cast<LLVM::LLVMFuncOp>(symbol)) {
    if (!function.isExternal())
      expose(function);
    auto copy = cast<LLVM::LLVMFuncOp>(b.insert(symbol->cloneWithoutRegions()));
    copy.setOptimizeNone(false);
    copy.setNoInline(false);
    makeDistant(copy);
  } else if (auto global = dyn_cast<LLVM::GlobalOp>(symbol)) {
    expose(global);
    auto copy = cast<LLVM::GlobalOp>(b.insert(symbol->cloneWithoutRegions()));
    copy.removeValueAttr();
    makeDistant(copy);
  }
}

void declareMissing(ModuleOp user, ModuleOp owner) {
  SymbolTable own(user), other(owner);
  llvm::SetVector<StringAttr> missing;
  user.walk([&](Operation *op) {
    op->getAttrDictionary().walk([&](SymbolRefAttr reference) {
      if (!own.lookup(reference.getRootReference()))
        missing.insert(reference.getRootReference());
    });
  });
  for (StringAttr name : missing)
    if (Operation *symbol = other.lookup(name))
      declare(user, symbol);
}

} // namespace

OwningOpRef<ModuleOp> gc::splitModule(ModuleOp module) {
  SmallVector<LLVM::LLVMFuncOp> functions = chooseFunctions(module);
  if (functions.empty())
    return nullptr;
  OwningOpRef<ModuleOp> half = ModuleOp::create(module.getLoc());
  (*half)->setAttrs(module->getAttrDictionary());
  for (LLVM::LLVMFuncOp function : functions)
    function->moveBefore(half->getBody(), half->getBody()->end());
  declareMissing(*half, module);
  declareMissing(module, *half);
  return half;
}
