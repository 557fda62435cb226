// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A long entry function becomes calls of shorter ones: conversions and code
// generation take more than linear time for long functions.

#include "TensorIRToLLVMImpl.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace gc::tir {

namespace {

/// Whether the op may run any number of times, anywhere in the function: views,
/// index computations, and loads of values that do not change (arguments, the
/// team, handles of kernels).
bool isRepeatable(Operation *op) {
  if (op->getNumRegions() > 0)
    return false;
  if (auto load = dyn_cast<LLVM::LoadOp>(op))
    return load.getInvariant() ||
           load.getAddr().getDefiningOp<LLVM::AddressOfOp>();
  return isMemoryEffectFree(op);
}

class FunctionSplitting {
public:
  FunctionSplitting(ModuleOp module, func::FuncOp function, int64_t partOps)
      : symbols(module), module(module), function(function),
        body(function.getBody().front()), partOps(partOps) {}

  void split() {
    int64_t ops = collect();
    if (ops <= 2 * partOps)
      return;
    std::vector<std::vector<Operation *>> parts(1);
    int64_t size = 0, liveUntil = 0;
    for (const Step &step : steps) {
      parts.back().push_back(step.op);
      size += step.ops;
      liveUntil = std::max(liveUntil, step.lastUse);
      if (size < partOps || liveUntil > step.time || &step == &steps.back())
        continue;
      parts.emplace_back();
      size = 0;
    }
    if (parts.size() < 2)
      return;
    for (LLVM::AllocaOp stack : llvm::reverse(stacks)) {
      stack->moveBefore(&body, body.begin());
      stack.getArraySize().getDefiningOp()->moveBefore(stack);
    }
    for (ArrayRef<Operation *> part : parts)
      moveToFunction(part);
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
      if (isOpTriviallyDead(&op))
        op.erase();
  }

private:
  /// An op that has to run once, in its place.
  struct Step {
    Operation *op;
    int64_t time;
    /// The approximate number of ops in it, including those that compute its
    /// inputs.
    int64_t ops;
    /// The last use of its results.
    int64_t lastUse;
  };

  /// Finds the steps; returns the number of ops in them.
  int64_t collect() {
    DenseMap<Operation *, int64_t> times;
    for (Operation &op : body)
      times[&op] = times.size();
    DenseSet<Operation *> isStep;
    int64_t total = 0;
    for (Operation &op : body.without_terminator()) {
      // Memory of the function's frame is an argument of all parts.
      if (auto stack = dyn_cast<LLVM::AllocaOp>(op);
          stack && matchPattern(stack.getArraySize(), m_Constant())) {
        stacks.push_back(stack);
        continue;
      }
      bool usesStep = llvm::any_of(op.getOperands(), [&](Value operand) {
        return isStep.contains(operand.getDefiningOp());
      });
      if (!usesStep && isRepeatable(&op))
        continue;
      isStep.insert(&op);
      Step step{&op, times[&op], 2 * op.getNumOperands(), -1};
      op.walk([&](Operation *) { ++step.ops; });
      for (Operation *user : op.getUsers())
        step.lastUse =
            std::max(step.lastUse, times[body.findAncestorOpInBlock(*user)]);
      total += step.ops;
      steps.push_back(step);
    }
    return total;
  }

  /// The parameters of a part; nothing else is known there.
  SmallVector<Value> getShared() {
    SmallVector<Value> shared(body.getArguments());
    llvm::append_range(shared, stacks);
    return shared;
  }

  void moveToFunction(ArrayRef<Operation *> part) {
    SmallVector<Value> shared = getShared();
    auto b =
        ImplicitLocOpBuilder::atBlockEnd(function.getLoc(), module.getBody());
    auto callee = func::FuncOp::create(
        b, (function.getName() + kPartSuffix).str(),
        b.getFunctionType(TypeRange(ValueRange(shared)), {}));
    callee.setPrivate();
    symbols.insert(callee);
    b.setInsertionPoint(part.front());
    func::CallOp::create(b, callee, shared);

    Block *block = callee.addEntryBlock();
    b.setInsertionPointToEnd(block);
    func::ReturnOp::create(b);
    b.setInsertionPoint(block->getTerminator());
    IRMapping mapping;
    mapping.map(shared, block->getArguments());
    for (Operation *step : part) {
      step->moveBefore(block->getTerminator());
      b.setInsertionPoint(step);
      step->walk([&](Operation *op) {
        for (OpOperand &operand : op->getOpOperands())
          if (operand.get().getParentBlock() == &body)
            operand.set(repeat(operand.get(), b, mapping));
      });
    }
  }

  /// The value of the function's body in the part that is being made.
  Value repeat(Value value, OpBuilder &b, IRMapping &mapping) {
    if (Value known = mapping.lookupOrNull(value))
      return known;
    Operation *op = value.getDefiningOp();
    for (Value operand : op->getOperands())
      repeat(operand, b, mapping);
    b.clone(*op, mapping);
    return mapping.lookup(value);
  }

  SymbolTable symbols;
  ModuleOp module;
  func::FuncOp function;
  Block &body;
  int64_t partOps;
  std::vector<Step> steps;
  SmallVector<LLVM::AllocaOp> stacks;
};

} // namespace

void splitLongFunction(ModuleOp module, func::FuncOp function,
                       int64_t partOps) {
  FunctionSplitting(module, function, partOps).split();
}

} // namespace gc::tir
