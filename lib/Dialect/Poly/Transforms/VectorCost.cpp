// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "VectorCost.h"
#include "Dialect/Npu/IR/ReduceCost.h"
#include "TileModel.h"
#include "VectorBody.h"
#include "VectorNest.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/OwningOpRef.h"

using namespace mlir;
using namespace gc;
using namespace gc::poly;

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

/// The bytes of what a body yields, of those of its widest value from outside.
static double getShare(Block &body) {
  auto yield = cast<YieldOp>(body.getTerminator());
  double own = yield.getValue().getType().getIntOrFloatBitWidth(), most = own;
  for (Type type : body.getArgumentTypes())
    most = std::max<double>(most, type.getIntOrFloatBitWidth());
  return own / most;
}

static bool isConversion(Operation *op) {
  return isa<arith::ExtFOp, arith::TruncFOp, arith::SIToFPOp, arith::FPToSIOp,
             arith::ExtSIOp, arith::UIToFPOp>(op);
}

/// The argument of the body that `value` is, as it is or converted.
static std::optional<unsigned> getArgument(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isConversion(op))
      return std::nullopt;
    value = op->getOperand(0);
  }
  return cast<BlockArgument>(value).getArgNumber();
}

static npu::VectorOp getVectorOp(Operation &op) {
  bool hasConstant = llvm::any_of(op.getOperands(), [](Value operand) {
    return operand.getDefiningOp<arith::ConstantOp>();
  });
  if (isa<arith::AddFOp, arith::SubFOp>(op))
    return hasConstant ? npu::VectorOp::adds : npu::VectorOp::add;
  if (isa<arith::MulFOp>(op))
    return hasConstant ? npu::VectorOp::muls : npu::VectorOp::mul;
  if (isa<arith::MaximumFOp, arith::MinimumFOp>(op))
    return hasConstant ? npu::VectorOp::relu : npu::VectorOp::max;
  if (isa<arith::DivFOp>(op))
    return npu::VectorOp::div;
  if (isa<math::ExpOp, math::LogOp>(op))
    return npu::VectorOp::exp;
  return npu::VectorOp::select;
}

BodySteps gc::poly::getBodySteps(StatementOp statement) {
  OwningOpRef<StatementOp> expanded(statement.clone());
  Block &body = expanded->getBody().front();
  size_t operations = body.getOperations().size();
  expandFunctions(body);
  bool isExpanded = body.getOperations().size() != operations;
  BodySteps result;
  bool hasConversion = false;
  for (Operation &op : body.without_terminator()) {
    if (isConversion(&op))
      hasConversion = true;
    if (isConversion(&op) || isa<arith::ConstantOp>(op))
      continue;
    BodyStep step{getVectorOp(op)};
    // In the type of the result, unlike what is compared.
    if (isa<arith::SelectOp>(op))
      step.share = getShare(body);
    if (op.getNumOperands() == 2)
      step.arguments = {getArgument(op.getOperand(0)),
                        getArgument(op.getOperand(1))};
    result.steps.push_back(step);
  }
  if (result.steps.empty() && hasConversion)
    result.steps.push_back({npu::VectorOp::convert});
  Type element = cast<YieldOp>(body.getTerminator()).getValue().getType();
  if (isExpanded && element.isF16())
    result.factor = 2;
  return result;
}

std::pair<double, double> gc::poly::getBodyCost(StatementOp statement,
                                                const npu::Machine &machine) {
  BodySteps body = getBodySteps(statement);
  double slope = 0, count = body.steps.size();
  for (const BodyStep &step : body.steps)
    slope += machine.getCost(step.op).slope * step.share;
  if (isUpdate(statement)) {
    // Groups of a block first, which halve again and again.
    slope = 2 * machine.getCost(npu::VectorOp::groupSum).slope;
    count += 2;
  }
  return {slope * body.factor, count};
}

std::optional<npu::VectorOp> gc::poly::getRegisterForm(npu::VectorOp op) {
  switch (op) {
  case npu::VectorOp::add:
  case npu::VectorOp::sub:
    return npu::VectorOp::adds;
  case npu::VectorOp::mul:
  case npu::VectorOp::div:
    return npu::VectorOp::muls;
  default:
    return std::nullopt;
  }
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

namespace {
/// A member of a cluster with given sizes of its tile.
class MemberCost {
public:
  MemberCost(const TileModel::Member &member, const TileSizes &sizes,
             const npu::Machine &machine)
      : member(member), machine(machine) {
    for (auto [dim, extent] : llvm::enumerate(member.extents)) {
      tile.push_back(member.loops[dim] ? sizes[*member.loops[dim]] : extent);
      elements *= tile.back();
    }
    last = tile.empty() ? 1 : tile.back();
  }

  double getCycles() const;
  /// Of a reduction of the last dimension; none of others.
  std::optional<npu::ReduceCost> getReduction() const;
  /// What is combined along outer dimensions for a result of whole rows: how
  /// many parts there are along the longest one, how many an instruction takes,
  /// and the bytes of what these leave.
  struct Parts {
    int64_t count = 1, group = 1, groupBytes = 0;
  };
  Parts getParts() const;

private:
  /// How many of a tile's values an argument has.
  double countValues(const llvm::BitVector &dims) const {
    double result = 1;
    for (unsigned dim : dims.set_bits())
      result *= tile[dim];
    return result;
  }
  double getRepeats(double count) const {
    return std::ceil(count * member.bytes / npu::kRepeatBytes);
  }
  /// Whether the argument has one value for all of the last dimension.
  bool isRowValue(std::optional<unsigned> argument) const {
    return argument && last > 1 &&
           !member.argumentDims[*argument].test(tile.size() - 1);
  }

  double getStep(const BodyStep &step) const;
  /// `op` on each of `rows` rows by itself, with a register or without.
  double getRowCycles(npu::VectorOp op, double rows, double columns,
                      bool hasRegister = true) const;
  double getComparison() const;
  double getUpdate() const;

  const TileModel::Member &member;
  const npu::Machine &machine;
  SmallVector<int64_t> tile;
  double elements = 1;
  int64_t last;
};
} // namespace

/// Cycles until what an instruction that waits for the one before it leaves is
/// visible, without those of its repeats.
static double getLatency(const npu::VectorCost &cost) {
  return cost.head + cost.tail;
}

double MemberCost::getRowCycles(npu::VectorOp op, double rows, double columns,
                                bool hasRegister) const {
  // An instruction for the whole repeats of a row and one for the rest, in each
  // iteration of a loop of the front end, which may load a value before. The
  // unit waits for it where rows are short.
  const npu::VectorCost &cost = machine.getCost(op);
  double bytes = columns * member.bytes;
  double instructions =
      (bytes >= npu::kRepeatBytes) + (std::fmod(bytes, npu::kRepeatBytes) != 0);
  double front = machine.iterationCycles + instructions * machine.issueCycles +
                 (hasRegister ? machine.registerLoadCycles : 0);
  double unit = instructions * std::min(cost.head, machine.busyHeadV) +
                cost.slope * getRepeats(columns);
  return rows * std::max(front, unit) + getLatency(cost);
}

double MemberCost::getStep(const BodyStep &step) const {
  bool isRow[] = {isRowValue(step.arguments[0]), isRowValue(step.arguments[1])};
  const npu::VectorCost &cost = machine.getCost(step.op);
  double cycles =
      cost.slope * step.share * getRepeats(elements) + getLatency(cost);
  if (isRow[0] == isRow[1])
    return cycles;
  double rows = countValues(member.argumentDims[*step.arguments[isRow[1]]]);
  if (std::optional<npu::VectorOp> form = getRegisterForm(step.op))
    return getRowCycles(*form, rows, elements / rows);
  return cycles + getRowCycles(npu::VectorOp::dup, rows, elements / rows);
}

/// Values of rows are spread before they are compared.
double MemberCost::getComparison() const {
  double cycles = 0;
  for (const BodyStep &step : member.body.steps) {
    const npu::VectorCost &cost = machine.getCost(step.op);
    cycles +=
        cost.slope * step.share * elements * member.bytes / npu::kRepeatBytes +
        getLatency(cost);
  }
  unsigned rowValue = 0, count = member.argumentDims.size();
  while (rowValue < count && !isRowValue(rowValue))
    ++rowValue;
  if (rowValue == count)
    return cycles;
  double rows = countValues(member.argumentDims[rowValue]);
  // Rows of one repeat each: the values of 16 of them become blocks by one
  // transposition.
  const npu::VectorCost &transpose = machine.getCost(npu::VectorOp::transpose);
  if (last * member.bytes == npu::kRepeatBytes && int64_t(rows) % 16 == 0)
    return cycles + getLatency(transpose) + transpose.slope * rows / 16;
  // Rows whose bits are whole blocks: a repeat of each value.
  if (last % (npu::kBlockBytes * 8) == 0)
    return cycles + getRowCycles(npu::VectorOp::dup, rows,
                                 npu::kRepeatBytes / member.bytes);
  // Else all of both sides, row by row.
  cycles += getRowCycles(npu::VectorOp::dup, rows, last);
  for (const llvm::BitVector &dims : member.argumentDims)
    if (dims.test(tile.size() - 1) && countValues(dims) < elements)
      cycles += getRowCycles(npu::VectorOp::copy, elements / countValues(dims),
                             countValues(dims), /*hasRegister=*/false);
  return cycles;
}

std::optional<npu::ReduceCost> MemberCost::getReduction() const {
  StatementOp statement = member.statement;
  std::optional<Reduction> reduction = poly::getReduction(statement);
  if (!reduction || last == 1 || member.resultDims.test(tile.size() - 1))
    return std::nullopt;
  Value value = reduction->value;
  Type result = reduction->element.getType();
  if (auto extend = value.getDefiningOp<arith::ExtFOp>()) {
    value = extend.getIn();
    // A larger or smaller element has the type of the others.
    if (reduction->kind != npu::ReduceKind::sum)
      result = value.getType();
  }
  auto source = npu::getDType(value.getType()), target = npu::getDType(result);
  if (!source || !target)
    return std::nullopt;
  return npu::getReduceCost(machine, reduction->kind, *source, *target,
                            int64_t(elements) / last, last);
}

MemberCost::Parts MemberCost::getParts() const {
  Parts parts;
  StatementOp statement = member.statement;
  std::optional<Reduction> reduction = poly::getReduction(statement);
  if (!reduction || tile.empty() || !member.resultDims.test(tile.size() - 1))
    return parts;
  for (auto [dim, size] : llvm::enumerate(tile))
    if (!member.resultDims.test(dim))
      parts.count = std::max(parts.count, size);
  int64_t bytes = reduction->element.getType().getIntOrFloatBitWidth() / 8;
  int64_t rows = int64_t(countValues(member.resultDims)) / last;
  int64_t row = llvm::alignTo(last, 16) * bytes;
  parts.group = getPartGroup(rows * row, parts.count);
  if (parts.group > 1)
    parts.groupBytes = parts.group * rows * row;
  return parts;
}

double MemberCost::getUpdate() const {
  double cycles = 0, results = countValues(member.resultDims);
  double parts = elements / results;
  if (std::optional<npu::ReduceCost> reduction = getReduction()) {
    cycles += reduction->cycles;
    parts /= last;
    // All elements of a row at once need not be added to others.
    if (parts == 1)
      return cycles;
  }
  const npu::VectorCost &add = machine.getCost(npu::VectorOp::add);
  auto [count, group, bytes] = getParts();
  if (group == 1)
    return cycles + parts * (add.slope * getRepeats(results) + getLatency(add));
  double instructions = parts / count * std::ceil(double(count) / group) +
                        std::ceil(std::log2(double(group)));
  return cycles + add.slope * getRepeats(elements + group * results) +
         instructions * getLatency(add);
}

double MemberCost::getCycles() const {
  StatementOp statement = member.statement;
  if (isUpdate(statement))
    return getUpdate();
  if (member.scratch > 0)
    return getComparison();
  double cycles = 0;
  for (const BodyStep &step : member.body.steps)
    cycles += member.body.factor * getStep(step);
  return cycles;
}

double TileModel::getVectorCycles(const TileSizes &sizes, size_t first) const {
  double cycles = 0;
  for (const Member &member : ArrayRef(members).drop_front(first))
    if (!StatementOp(member.statement).getReadArrays().empty() &&
        !isContraction(member.statement))
      cycles += MemberCost(member, sizes, machine).getCycles();
  return cycles;
}

int64_t TileModel::getReductionBytes(const Member &member,
                                     const TileSizes &sizes) const {
  if (!isUpdate(member.statement) || isContraction(member.statement))
    return 0;
  MemberCost own(member, sizes, machine);
  auto cost = own.getReduction();
  return cost ? cost->bytes : own.getParts().groupBytes;
}
