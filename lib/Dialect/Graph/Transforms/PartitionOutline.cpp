// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PartitionOutline.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace gc::graph;

PartitionOutline::PartitionOutline(ArrayRef<Operation *> ops, DeadOps &dead,
                                   function_ref<bool(Operation *)> isConstant) {
  Location loc = ops.front()->getLoc();
  Block *source = ops.front()->getBlock();
  OpBuilder builder(loc.getContext());
  function =
      func::FuncOp::create(loc, "partition", builder.getFunctionType({}, {}));
  Block *body = function->addEntryBlock();
  builder.setInsertionPointToStart(body);
  llvm::DenseSet<Operation *> own(ops.begin(), ops.end());
  IRMapping mapping;
  SmallVector<Value> results;
  for (auto [i, op] : llvm::enumerate(ops)) {
    // What an op's regions read from outside counts as well.
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands()) {
        if (operand.getParentBlock() != source || mapping.contains(operand))
          continue;
        Operation *maker = operand.getDefiningOp();
        if (maker && isConstant(maker))
          builder.clone(*maker, mapping);
        else
          mapping.map(operand,
                      body->addArgument(operand.getType(), operand.getLoc()));
      }
    });
    copies.push_back(builder.clone(*op, mapping));
    indices[copies.back()] = i;
    for (Value result : op->getResults())
      if (llvm::any_of(result.getUsers(), [&](Operation *user) {
            Operation *reader = source->findAncestorOpInBlock(*user);
            return !own.contains(reader) && !dead.contains(reader);
          }))
        results.push_back(mapping.lookup(result));
  }
  terminator = func::ReturnOp::create(builder, loc, results);
}

std::optional<unsigned> PartitionOutline::getMaker(Value value) const {
  auto entry = indices.find(value.getDefiningOp());
  return entry == indices.end() ? std::nullopt : std::optional(entry->second);
}

SmallVector<unsigned> PartitionOutline::remove(unsigned index) {
  Operation *op = copies[index];
  Block *body = op->getBlock();
  llvm::SmallSetVector<unsigned, 4> changed;
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands()) {
      auto maker = getMaker(operand);
      if (!maker)
        continue;
      changed.insert(*maker);
      if (!llvm::is_contained(operand.getUsers(), terminator))
        terminator->insertOperands(terminator->getNumOperands(), operand);
    }
  });
  for (Value result : op->getResults()) {
    for (Operation *user : result.getUsers())
      if (auto entry = indices.find(body->findAncestorOpInBlock(*user));
          entry != indices.end())
        changed.insert(entry->second);
    if (llvm::is_contained(result.getUsers(), terminator))
      terminator->eraseOperands(
          llvm::find(terminator->getOperands(), result).getIndex());
    if (!result.use_empty())
      result.replaceAllUsesWith(
          body->addArgument(result.getType(), result.getLoc()));
  }
  indices.erase(op);
  op->erase();
  copies[index] = nullptr;
  return changed.takeVector();
}
