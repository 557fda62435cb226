// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sums of f16 that need not be rounded to f16: the vector unit takes a value
// for each row from a register of f32.

#include "ScopModel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace gc;

namespace {
class WideKeeper {
public:
  explicit WideKeeper(ScopModel &scop) : scop(scop) {}

  void run() {
    for (unsigned i = 0; i < scop.statements.size();)
      if (!replace(i))
        ++i;
  }

private:
  /// Removes statement `number` and what it writes if that is an array in f16
  /// of values that another array has in f32, and registers for all that read
  /// it.
  bool replace(unsigned number);
  bool isRounding(const ScopStatement &statement) const;
  bool isRegister(const ScopStatement &statement, unsigned read) const;
  /// What the body of a statement yields.
  Value buildBody(const ScopStatement &statement, Block &body) const;

  ScopModel &scop;
};
} // namespace

Value WideKeeper::buildBody(const ScopStatement &statement, Block &body) const {
  for (const ScopAccess &read : statement.reads)
    body.addArgument(scop.arrays[read.array].element, statement.loc);
  OpBuilder builder(statement.loc.getContext());
  builder.setInsertionPointToStart(&body);
  return statement.buildBody(builder, body.getArguments());
}

static bool isTemporary(const ScopArray &array) {
  return !array.input && !array.output;
}

/// Whether the statement only rounds all of a temporary array to another one.
bool WideKeeper::isRounding(const ScopStatement &statement) const {
  if (statement.reads.size() != 1)
    return false;
  const ScopAccess &from = statement.reads.front(), &to = statement.write;
  const ScopArray &wide = scop.arrays[from.array],
                  &narrow = scop.arrays[to.array];
  if (!isTemporary(wide) || !isTemporary(narrow) || !wide.element.isF32() ||
      !narrow.element.isF16() || from.map != to.map || !to.map.isIdentity() ||
      narrow.shape != statement.space)
    return false;
  Block body;
  auto round = buildBody(statement, body).getDefiningOp<arith::TruncFOp>();
  return round && isa<BlockArgument>(round.getIn());
}

/// Whether the operand is one value for a whole row of an operation on f16 that
/// takes a register.
bool WideKeeper::isRegister(const ScopStatement &statement,
                            unsigned read) const {
  if (statement.space.empty() || statement.reads.size() != 2)
    return false;
  unsigned last = statement.space.size() - 1;
  const ScopAccess &other = statement.reads[1 - read];
  if (statement.space[last] == 1 ||
      statement.reads[read].map.isFunctionOfDim(last) ||
      !other.map.isIdentity() || !statement.write.map.isIdentity() ||
      statement.reads[read].array == other.array ||
      statement.write.array == other.array)
    return false;
  Block body;
  auto round = buildBody(statement, body).getDefiningOp<arith::TruncFOp>();
  Operation *op = round ? round.getIn().getDefiningOp() : nullptr;
  return isa_and_nonnull<arith::AddFOp, arith::SubFOp, arith::MulFOp,
                         arith::DivFOp>(op) &&
         llvm::all_of(op->getOperands(), [](Value operand) {
           auto widen = operand.getDefiningOp<arith::ExtFOp>();
           return widen && widen.getIn().getType().isF16() &&
                  isa<BlockArgument>(widen.getIn());
         });
}

bool WideKeeper::replace(unsigned number) {
  const ScopStatement &rounding = scop.statements[number];
  if (!isRounding(rounding))
    return false;
  unsigned wide = rounding.reads.front().array, narrow = rounding.write.array;
  for (auto [i, statement] : llvm::enumerate(scop.statements)) {
    if (i != number && statement.write.array == narrow)
      return false;
    for (auto [read, access] : llvm::enumerate(statement.reads))
      if (access.array == narrow && !isRegister(statement, read))
        return false;
  }
  scop.statements.erase(scop.statements.begin() + number);
  for (ScopStatement &statement : scop.statements)
    statement.forEachAccess([&](ScopAccess &access) {
      if (access.array == narrow)
        access.array = wide;
      if (access.array > narrow)
        --access.array;
    });
  scop.arrays.erase(scop.arrays.begin() + narrow);
  return true;
}

void ScopModel::keepWide() { WideKeeper(*this).run(); }
