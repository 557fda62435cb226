// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Statements of several operations as statements of one: what is between them
// is in arrays, whose buffers are used again, and values of rows are registers.

#include "ScopModel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace gc;

namespace {
class Divider {
public:
  Divider(ScopModel &scop, const ScopStatement &statement);

  void run();

private:
  bool isOfWholeSpace(Value value) const;
  void add(Value value, ScopAccess write);

  ScopModel &scop;
  const ScopStatement &statement;
  /// The statements that are made clone parts of it.
  std::shared_ptr<Block> body = std::make_shared<Block>();
  Value result;
  /// Values that arrays have.
  llvm::DenseMap<Value, ScopAccess> stored;
};
} // namespace

Divider::Divider(ScopModel &scop, const ScopStatement &statement)
    : scop(scop), statement(statement) {
  for (const ScopAccess &read : statement.reads)
    stored[body->addArgument(scop.arrays[read.array].element, statement.loc)] =
        read;
  OpBuilder builder(statement.loc.getContext());
  builder.setInsertionPointToStart(body.get());
  result = statement.buildBody(builder, body->getArguments());
}

/// Whether a value differs along all dimensions; others are computed where they
/// are used, as smaller tiles.
bool Divider::isOfWholeSpace(Value value) const {
  llvm::SmallBitVector dims(statement.space.size());
  for (auto [dim, size] : llvm::enumerate(statement.space))
    if (size == 1)
      dims.set(dim);
  SmallVector<Value> pending{value};
  llvm::DenseSet<Value> seen;
  while (!pending.empty()) {
    Value next = pending.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    if (auto access = stored.find(next); access != stored.end()) {
      for (unsigned dim = 0; dim < dims.size(); ++dim)
        if (access->second.map.isFunctionOfDim(dim))
          dims.set(dim);
    } else {
      llvm::append_range(pending, next.getDefiningOp()->getOperands());
    }
  }
  return dims.all();
}

void Divider::add(Value value, ScopAccess write) {
  llvm::MapVector<Value, unsigned> leaves;
  llvm::DenseSet<Operation *> needed;
  ScopStatement made{statement.space, {}, write, {}, statement.loc};
  SmallVector<Value> pending{value};
  while (!pending.empty()) {
    Value next = pending.pop_back_val();
    if (auto access = stored.find(next); access != stored.end()) {
      if (leaves.try_emplace(next, leaves.size()).second)
        made.reads.push_back(access->second);
    } else if (needed.insert(next.getDefiningOp()).second) {
      llvm::append_range(pending,
                         llvm::reverse(next.getDefiningOp()->getOperands()));
    }
  }
  SmallVector<Operation *> ordered;
  for (Operation &op : *body)
    if (needed.contains(&op))
      ordered.push_back(&op);
  made.buildBody = [=, body = body](OpBuilder &builder, ValueRange read) {
    IRMapping mapping;
    for (auto [leaf, number] : leaves)
      mapping.map(leaf, read[number]);
    for (Operation *op : ordered)
      builder.clone(*op, mapping);
    return mapping.lookup(value);
  };
  scop.statements.push_back(std::move(made));
}

void Divider::run() {
  auto identity = AffineMap::getMultiDimIdentityMap(statement.space.size(),
                                                    statement.loc.getContext());
  for (Operation &op : *body) {
    // Conversions are part of what reads them, and so are the bits of
    // comparisons.
    if (isa<arith::ExtFOp, arith::TruncFOp, arith::CmpFOp>(op) ||
        op.hasTrait<OpTrait::ConstantLike>())
      continue;
    Value value = op.getResult(0);
    if (value.hasOneUse())
      if (auto round = dyn_cast<arith::TruncFOp>(*value.user_begin()))
        value = round.getResult();
    if (value == result || !isOfWholeSpace(value))
      continue;
    ScopAccess access{unsigned(scop.arrays.size()), identity};
    scop.arrays.push_back({"T" + std::to_string(access.array), statement.space,
                           value.getType(), std::nullopt, std::nullopt});
    add(value, access);
    stored[value] = access;
  }
  add(result, statement.write);
}

void ScopModel::addDivided(const ScopStatement &statement) {
  Divider(*this, statement).run();
}
