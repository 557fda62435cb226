// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Reduce.h"
#include "Dialect/Graph/IR/GraphOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace gc::graph;

namespace gc::fuzz {

namespace {

func::FuncOp getMain(ModuleOp module) {
  return module.lookupSymbol<func::FuncOp>("main");
}

/// Removes unused values and makes the function's type fit again.
void clean(func::FuncOp func) {
  Block &block = func.getBody().front();
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (op.getNumResults() == 1 && op.use_empty())
      op.erase();
  for (unsigned i = func.getNumArguments(); i-- > 0;)
    if (func.getArgument(i).use_empty())
      (void)func.eraseArgument(i);
  func.setFunctionType(
      FunctionType::get(func.getContext(), block.getArgumentTypes(),
                        block.getTerminator()->getOperandTypes()));
}

/// Candidate edits; each returns false where it does not apply to entry `i`.
using Edit = bool (*)(func::FuncOp, unsigned i);

bool dropResult(func::FuncOp func, unsigned i) {
  Operation *terminator = func.getBody().front().getTerminator();
  if (i >= terminator->getNumOperands() || terminator->getNumOperands() == 1)
    return false;
  terminator->eraseOperand(i);
  return true;
}

Operation *getOp(func::FuncOp func, unsigned i) {
  auto ops = func.getBody().front().without_terminator();
  for (Operation &op : ops)
    if (i-- == 0)
      return &op;
  return nullptr;
}

/// The graph begins at the result of op `i`.
bool cutAbove(func::FuncOp func, unsigned i) {
  Operation *op = getOp(func, i);
  if (!op || op->getNumResults() != 1)
    return op != nullptr;
  Value value = op->getResult(0);
  auto type = cast<RankedTensorType>(value.getType());
  LayoutAttr layout = getLayout(type);
  if (layout && !layout.isStrided())
    type = cast<RankedTensorType>(dropLayout(type));
  unsigned index = func.getNumArguments();
  (void)func.insertArgument(index, type, {}, op->getLoc());
  value.replaceAllUsesWith(func.getArgument(index));
  return true;
}

/// The graph ends at the result of op `i`.
bool cutBelow(func::FuncOp func, unsigned i) {
  Operation *op = getOp(func, i);
  if (!op || op->getNumResults() != 1)
    return op != nullptr;
  LayoutAttr layout = getLayout(op->getResult(0).getType());
  if (layout && layout.isBlocked())
    return true;
  Operation *terminator = func.getBody().front().getTerminator();
  terminator->setOperands(op->getResult(0));
  return true;
}

/// Op `i` is replaced by an operand of the same type.
bool bypass(func::FuncOp func, unsigned i) {
  Operation *op = getOp(func, i);
  if (!op)
    return false;
  if (op->getNumResults() == 0) {
    op->erase();
    return true;
  }
  for (Value operand : op->getOperands())
    if (operand.getType() == op->getResult(0).getType()) {
      op->getResult(0).replaceAllUsesWith(operand);
      return true;
    }
  return true;
}

/// The result of op `i` becomes plain.
bool dropOpLayout(func::FuncOp func, unsigned i) {
  Operation *op = getOp(func, i);
  if (!op)
    return false;
  for (Value result : op->getResults())
    result.setType(cast<RankedTensorType>(dropLayout(result.getType())));
  return true;
}

/// Argument `i` becomes plain and varies between calls.
bool simplifyArgument(func::FuncOp func, unsigned i) {
  if (i >= func.getNumArguments())
    return false;
  BlockArgument argument = func.getArgument(i);
  argument.setType(dropLayout(argument.getType()));
  func.removeArgAttr(i, GraphDialect::kConstArgAttr);
  return true;
}

std::string print(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module.print(os);
  return text;
}

} // namespace

OwningOpRef<ModuleOp> reduceGraph(ModuleOp module,
                                  function_ref<bool(ModuleOp)> fails) {
  OwningOpRef<ModuleOp> best = module.clone();
  ScopedDiagnosticHandler silent(module.getContext(),
                                 [](Diagnostic &) { return success(); });
  bool changed = true;
  while (changed) {
    changed = false;
    for (Edit edit : {cutBelow, dropResult, cutAbove, bypass, dropOpLayout,
                      simplifyArgument}) {
      for (unsigned i = 0;;) {
        OwningOpRef<ModuleOp> candidate = best->clone();
        if (!edit(getMain(*candidate), i))
          break;
        clean(getMain(*candidate));
        if (print(*candidate) != print(*best) &&
            succeeded(verify(*candidate)) && fails(*candidate)) {
          best = std::move(candidate);
          changed = true;
        } else {
          ++i;
        }
      }
    }
  }
  return best;
}

} // namespace gc::fuzz
