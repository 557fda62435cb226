// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Elementwise ops that each kernel which reads them computes again, instead of
// loading what another kernel has stored.

#include "JoinedProducts.h"
#include "KernelCutter.h"
#include "OpLoops.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace gc;
using namespace gc::graph;

/// At most this many ops are computed again.
static constexpr size_t kMostOps = 4;

static int64_t getBits(Value value) {
  auto type = cast<ShapedType>(value.getType());
  return type.getNumElements() * type.getElementTypeBitWidth();
}

/// The ops of a kernel that compute the op's operands, and the op, in order;
/// none if they are too many or read as much as the op writes.
static SmallVector<Operation *> findComputation(Operation *op,
                                                const Kernel &kernel) {
  llvm::SetVector<Operation *> ops;
  llvm::SetVector<Value> loaded;
  SmallVector<Operation *> pending{op};
  while (!pending.empty()) {
    Operation *next = pending.pop_back_val();
    if (!ops.insert(next))
      continue;
    for (Value operand : next->getOperands()) {
      Operation *producer = operand.getDefiningOp();
      if (producer && kernel.contains(producer) && isElementwise(producer))
        pending.push_back(producer);
      else if (!isNumber(producer))
        loaded.insert(operand);
    }
  }
  int64_t bits = 0;
  for (Value value : loaded)
    bits += getBits(value);
  if (ops.size() > kMostOps || bits >= getBits(op->getResult(0)))
    return {};
  SmallVector<Operation *> ordered = ops.takeVector();
  llvm::sort(ordered,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return ordered;
}

/// Adds copies of the ops to a kernel, where it reads the last one.
static void addCopies(ArrayRef<Operation *> ops, Kernel &kernel,
                      ArrayRef<OpOperand *> uses) {
  Operation *first = uses.front()->getOwner();
  for (OpOperand *use : uses)
    if (use->getOwner()->isBeforeInBlock(first))
      first = use->getOwner();
  OpBuilder builder(first);
  IRMapping mapping;
  SmallVector<Operation *> members = llvm::to_vector(kernel);
  for (Operation *op : ops)
    members.push_back(builder.clone(*op, mapping));
  for (OpOperand *use : uses)
    use->set(mapping.lookup(use->get()));
  llvm::sort(members,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  kernel = Kernel(members.begin(), members.end());
}

bool Cutter::recompute(Operation *op, unsigned home) {
  if (!isElementwise(op) || op->getNumResults() != 1 ||
      op->hasAttr(kJoinedAttr))
    return false;
  // If a kernel stores the result anyhow, others may as well load it.
  llvm::MapVector<unsigned, SmallVector<OpOperand *>> readers;
  for (OpOperand &use : op->getUses()) {
    auto reader = owner.find(use.getOwner());
    if (reader == owner.end())
      return false;
    if (reader->second != home)
      readers[reader->second].push_back(&use);
  }
  if (readers.empty())
    return false;
  SmallVector<Operation *> ops = findComputation(op, kernels[home]);
  if (ops.empty())
    return false;
  for (auto &[reader, uses] : readers) {
    SmallVector<Operation *> merged = llvm::to_vector(kernels[reader]);
    llvm::append_range(merged, ops);
    llvm::sort(merged, [](Operation *a, Operation *b) {
      return a->isBeforeInBlock(b);
    });
    if (findObstacle(Kernel(merged.begin(), merged.end())))
      return false;
  }
  for (auto &[reader, uses] : readers) {
    remark::passed(
        uses.front()->getOwner()->getLoc(),
        remark::RemarkOpts::name("Recompute").category("poly-cut-kernels"))
        << remark::add("'{0}' is computed again", op->getName().getStringRef())
        << remark::reason("{0}", "its result has more bytes than what it is "
                                 "computed from");
    addCopies(ops, kernels[reader], uses);
    for (Operation *member : kernels[reader])
      owner[member] = reader;
  }
  return true;
}

void Cutter::recompute() {
  for (unsigned home = 0; home < kernels.size(); ++home) {
    bool hasChanged = false;
    SmallVector<Operation *> ops = llvm::to_vector(kernels[home]);
    for (Operation *op : llvm::reverse(ops))
      hasChanged |= recompute(op, home);
    if (!hasChanged)
      continue;
    for (Operation *op : llvm::reverse(ops))
      if (op->use_empty()) {
        kernels[home].remove(op);
        owner.erase(op);
        op->erase();
      }
  }
}
