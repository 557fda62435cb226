// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ColumnSums.h"
#include "NestPlan.h"
#include "Tree.h"
#include "VectorNest.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace gc;
using namespace gc::poly;

//===----------------------------------------------------------------------===//
// Recognition
//===----------------------------------------------------------------------===//

namespace {
class SumFinder {
public:
  SumFinder(const isl::Ctx &ctx, ScopOp scop) : ctx(ctx), scop(scop) {}

  std::optional<ColumnSums> run();

private:
  bool addUpdate(StatementOp update);
  unsigned getDegree(StatementOp statement, Value value);
  unsigned getDegreeOfArray(ArrayOp array);
  bool isIdentity(isl::Map map);
  bool addResults(StatementOp update, ColumnSum &sum);
  std::optional<SmallVector<int64_t>> getBoxAtOrigin(StatementOp statement);
  SmallVector<int64_t> getKept() const;

  const isl::Ctx &ctx;
  ScopOp scop;
  ColumnSums found;
  /// Statements that are part of what has been found.
  llvm::SmallPtrSet<Operation *, 8> used;
};
} // namespace

/// Whether each index is the iteration dimension of the same number.
static bool isIdentity(const Projection &access) {
  for (auto [dim, own] : llvm::enumerate(access.dims))
    if (own != int(dim) || access.shifts[dim] != 0)
      return false;
  return true;
}

bool SumFinder::isIdentity(isl::Map map) {
  FailureOr<Projection> access = getProjection(map);
  return succeeded(access) && access->dims.size() == found.extents.size() &&
         ::isIdentity(*access);
}

/// The sizes of a statement's domain if that is a box from index 0 on.
std::optional<SmallVector<int64_t>>
SumFinder::getBoxAtOrigin(StatementOp statement) {
  isl::Set domain = getDomain(ctx, statement);
  if (isl_set_is_box(domain.get()) != isl_bool_true)
    return std::nullopt;
  SmallVector<int64_t> extents;
  for (unsigned dim = 0, e = isl_set_dim(domain.get(), isl_dim_set); dim < e;
       ++dim) {
    if (isl::toInt(isl::Val(isl_set_dim_min_val(domain.copy(), dim))) != 0)
      return std::nullopt;
    extents.push_back(getExtent(ctx, statement, dim));
  }
  return extents;
}

/// The power of the input's element that an array has at the same indices; 0
/// for anything else.
unsigned SumFinder::getDegreeOfArray(ArrayOp array) {
  Type element = array.getTensorType().getElementType();
  if (array.getInputAttr()) {
    if (!element.isF16() || (found.input && found.input != array))
      return 0;
    found.input = array;
    return 1;
  }
  // What is not f32 has been rounded.
  if (!array.isTemporary() || !element.isF32())
    return 0;
  StatementOp writer;
  for (auto statement : scop.getOps<StatementOp>())
    if (statement.getWrittenArray() == array.getSymName()) {
      if (writer)
        return 0;
      writer = statement;
    }
  if (!writer || isUpdate(writer) || !isIdentity(getWrite(ctx, writer)))
    return 0;
  used.insert(writer);
  return getDegree(
      writer,
      cast<YieldOp>(writer.getBody().front().getTerminator()).getValue());
}

unsigned SumFinder::getDegree(StatementOp statement, Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    unsigned number = argument.getArgNumber();
    auto name = cast<FlatSymbolRefAttr>(statement.getReadArrays()[number]);
    if (!isIdentity(getRead(ctx, statement, number)))
      return 0;
    return getDegreeOfArray(findArray(scop, name.getValue()));
  }
  if (auto extend = value.getDefiningOp<arith::ExtFOp>())
    return getDegree(statement, extend.getIn());
  auto product = value.getDefiningOp<arith::MulFOp>();
  // A narrower product has been rounded.
  if (!product || !product.getType().isF32())
    return 0;
  unsigned lhs = getDegree(statement, product.getLhs());
  unsigned rhs = getDegree(statement, product.getRhs());
  return lhs == 1 && rhs == 1 ? 2 : 0;
}

SmallVector<int64_t> SumFinder::getKept() const {
  SmallVector<int64_t> kept;
  for (auto [extent, isReduced] : llvm::zip(found.extents, found.isReduced))
    if (!isReduced)
      kept.push_back(extent);
  return kept;
}

ArrayOp ColumnSum::getOutput() const {
  for (Result result : results)
    if (result.array.getOutputAttr())
      return result.array;
  return nullptr;
}

/// The sums, and what statements compute from them alone, one by one.
bool SumFinder::addResults(StatementOp update, ColumnSum &sum) {
  ArrayOp sums = findArray(scop, update.getWrittenArray());
  if (!sums.getTensorType().getElementType().isF32())
    return false;
  sum.results.push_back({sums, nullptr});
  auto isResult = [&](Attribute name) {
    return llvm::any_of(sum.results, [&](ColumnSum::Result result) {
      return result.array.getSymName() ==
             cast<FlatSymbolRefAttr>(name).getValue();
    });
  };
  for (auto statement : scop.getOps<StatementOp>()) {
    Value value =
        cast<YieldOp>(statement.getBody().front().getTerminator()).getValue();
    if (statement.getWrittenArray() == sums.getSymName()) {
      if (statement == update)
        continue;
      auto zero = value.getDefiningOp<arith::ConstantOp>();
      auto number = zero ? dyn_cast<FloatAttr>(zero.getValue()) : FloatAttr();
      if (!number || !number.getValue().isZero())
        return false;
      used.insert(statement);
    } else if (llvm::any_of(statement.getReadArrays(), isResult)) {
      FailureOr<Projection> from = getProjection(getRead(ctx, statement, 0));
      FailureOr<Projection> to = getProjection(getWrite(ctx, statement));
      std::optional<SmallVector<int64_t>> own = getBoxAtOrigin(statement);
      if (statement.getReadArrays().size() != 1 || failed(from) || failed(to) ||
          from->dims != to->dims || from->shifts != to->shifts || !own ||
          *own != getKept() || !::isIdentity(*from))
        return false;
      sum.results.push_back(
          {findArray(scop, statement.getWrittenArray()), statement});
      used.insert(statement);
    }
  }
  return bool(sum.getOutput());
}

bool SumFinder::addUpdate(StatementOp update) {
  std::optional<Reduction> reduction = getReduction(update);
  FailureOr<Projection> write = getProjection(getWrite(ctx, update));
  if (!reduction || reduction->kind != npu::ReduceKind::sum || failed(write))
    return false;
  std::optional<SmallVector<int64_t>> extents = getBoxAtOrigin(update);
  if (!extents)
    return false;
  unsigned rank = extents->size();
  SmallVector<bool> isReduced(rank, true);
  int previous = -1;
  for (auto [dim, shift] : llvm::zip(write->dims, write->shifts)) {
    if (dim <= previous || shift != 0)
      return false;
    previous = dim;
    isReduced[dim] = false;
  }
  // Columns, rows, and rows of another dimension.
  if (rank < 2 || isReduced.back() || !isReduced[rank - 2] ||
      llvm::count(isReduced, true) > 2)
    return false;
  if (!found.extents.empty() &&
      (found.extents != *extents || found.isReduced != isReduced))
    return false;
  found.extents = *extents;
  found.isReduced = isReduced;
  unsigned degree = getDegree(update, reduction->value);
  ColumnSum sum{update, degree == 2, {}};
  if (degree == 0 || !addResults(update, sum))
    return false;
  used.insert(update);
  found.sums.push_back(sum);
  return true;
}

std::optional<ColumnSums> SumFinder::run() {
  for (auto statement : scop.getOps<StatementOp>())
    if (isUpdate(statement) && !addUpdate(statement))
      return std::nullopt;
  if (found.sums.empty())
    return std::nullopt;
  for (auto statement : scop.getOps<StatementOp>())
    if (!used.contains(statement))
      return std::nullopt;
  return found;
}

std::optional<ColumnSums> gc::poly::findColumnSums(const isl::Ctx &ctx,
                                                   ScopOp scop) {
  return SumFinder(ctx, scop).run();
}

//===----------------------------------------------------------------------===//
// Sizes and costs
//===----------------------------------------------------------------------===//

std::optional<unsigned> ColumnSums::getOuterRows() const {
  for (unsigned dim = 0; dim + 2 < extents.size(); ++dim)
    if (isReduced[dim])
      return dim;
  return std::nullopt;
}

bool ColumnSums::hasSquares() const {
  return llvm::any_of(sums, [](const ColumnSum &sum) { return sum.isSquare; });
}

ColumnSums::Slices ColumnSums::getSlices(const npu::Machine &machine) const {
  // Rows of whole packages if there are as many columns.
  constexpr int64_t kColumns = 128;
  Slices s;
  s.columns = std::min(getColumns(), kColumns);
  s.blocks = llvm::divideCeil(s.columns, int64_t(16));
  // Two slots of a step of the matrix and one of ones are in L0A, two of the
  // matrix in L0B; four slices are in L1.
  int64_t bytes = npu::kFractalBytes;
  int64_t most = std::max<int64_t>(
      1, std::min(machine.l0aBytes / (bytes * (2 * s.blocks + 1)),
                  machine.l0bBytes / (bytes * 2 * s.blocks)));
  int64_t slice = std::max<int64_t>(
      most, std::min<int64_t>(100, machine.l1Bytes / (4 * bytes)) / s.blocks);
  int64_t fractals = llvm::divideCeil(getRows(), int64_t(16));
  s.rowCount = llvm::divideCeil(fractals, slice);
  fractals = llvm::divideCeil(fractals, s.rowCount);
  s.rows = std::min(fractals * 16, getRows());
  s.outer = 1;
  std::optional<unsigned> outer = getOuterRows();
  int64_t count = outer ? extents[*outer] : 1;
  for (int64_t size = 2; size <= count && s.rowCount == 1; ++size)
    if (count % size == 0 && size * fractals <= slice)
      s.outer = size;
  s.outerCount = count / s.outer;
  if (s.outer == 1) {
    // Rows of zeros do not cost a transfer.
    s.steps = llvm::divideCeil(fractals, most);
    s.step = llvm::divideCeil(fractals, s.steps);
    s.padded = s.steps * s.step * 16;
    return s;
  }
  s.padded = fractals * 16;
  s.steps = llvm::divideCeil(s.outer * fractals, most);
  while (s.outer * fractals % s.steps != 0)
    ++s.steps;
  s.step = s.outer * fractals / s.steps;
  return s;
}

static double getTransferCycles(const ColumnSums &sums,
                                const npu::Machine &machine, int64_t columns) {
  double elements = 1;
  for (int64_t extent : sums.extents)
    elements *= extent;
  int64_t run = columns;
  if (columns == sums.getColumns())
    run *= sums.getRows();
  return elements / run * npu::getPackages(run * 2) * machine.packageCycles;
}

double ColumnSums::getCubeCycles(const npu::Machine &machine) const {
  Slices s = getSlices(machine);
  double fractals = double(s.padded) * s.outer * s.rowCount * s.outerCount / 16;
  for (auto [extent, reduced] : llvm::zip(extents, isReduced))
    if (!reduced)
      fractals *= extent;
  fractals /= 16;
  double moves =
      fractals * npu::kFractalBytes *
      (1.0 / machine.l1ToL0b + (hasSquares() ? 1.0 / machine.l1ToL0a : 0));
  // Ones, and the mask of the diagonal of squares, come first.
  constexpr double kSetup = 600;
  return std::max(getTransferCycles(*this, machine, s.columns), moves) +
         kSetup + 2 * machine.latency;
}

double ColumnSums::getVectorCycles(const npu::Machine &machine) const {
  double repeats = 4.0 / npu::kRepeatBytes;
  for (int64_t extent : extents)
    repeats *= extent;
  double slope = machine.getCost(npu::VectorOp::convert).slope;
  for (const ColumnSum &sum : sums)
    slope += machine.getCost(npu::VectorOp::add).slope +
             (sum.isSquare ? machine.getCost(npu::VectorOp::mul).slope : 0);
  return std::max(repeats * slope,
                  getTransferCycles(*this, machine, getColumns())) +
         2 * machine.latency;
}
