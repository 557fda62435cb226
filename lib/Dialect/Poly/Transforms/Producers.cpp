// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Producers.h"
#include "NestPlan.h"
#include "VectorCost.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace gc;
using namespace gc::poly;

static StringRef getReadName(StatementOp statement, unsigned number) {
  return cast<FlatSymbolRefAttr>(statement.getReadArrays()[number]).getValue();
}

SmallVector<ArrayOp> gc::poly::getFactors(StatementOp contraction) {
  SmallVector<ArrayOp> factors;
  auto scop = contraction->getParentOfType<ScopOp>();
  for (unsigned i = 0; i < contraction.getReadArrays().size(); ++i)
    if (getReadName(contraction, i) != contraction.getWrittenArray())
      factors.push_back(findArray(scop, getReadName(contraction, i)));
  return factors;
}

llvm::DenseSet<Operation *> gc::poly::getAllProducers(ScopOp scop) {
  llvm::DenseSet<Operation *> producers;
  SmallVector<StatementOp> statements(scop.getOps<StatementOp>());
  if (llvm::count_if(statements, isContraction) != 1)
    return producers;
  llvm::StringSet<> needed;
  auto need = [&](StringRef name) {
    if (findArray(scop, name).isTemporary())
      needed.insert(name);
  };
  bool isBefore = false;
  for (StatementOp statement : llvm::reverse(statements)) {
    if (isContraction(statement)) {
      isBefore = true;
      for (ArrayOp factor : getFactors(statement))
        need(factor.getSymName());
    } else if (isBefore && needed.contains(statement.getWrittenArray())) {
      producers.insert(statement);
      for (unsigned i = 0; i < statement.getReadArrays().size(); ++i)
        need(getReadName(statement, i));
    }
  }
  return producers;
}

//===----------------------------------------------------------------------===//
// Statements and arrays
//===----------------------------------------------------------------------===//

SmallVector<int64_t> ProducedArray::getBox(ArrayRef<int64_t> factor) const {
  return llvm::map_to_vector(
      dims, [&](int dim) { return dim < 0 ? 1 : factor[dim]; });
}

/// For each dimension of the statement's iterations the factor's dimension.
static FailureOr<SmallVector<int>>
getIterationDims(const isl::Ctx &ctx, StatementOp statement,
                 const ProducedArray &written) {
  FailureOr<Projection> write = getProjection(getWrite(ctx, statement));
  isl::Set domain = getDomain(ctx, statement);
  SmallVector<int> own(isl_set_dim(domain.get(), isl_dim_set), -1);
  if (failed(write))
    return failure();
  for (auto [dim, iteration, shift] :
       llvm::zip(written.dims, write->dims, write->shifts)) {
    if (iteration < 0)
      continue;
    if (shift != 0)
      return failure();
    own[iteration] = dim;
  }
  return own;
}

/// Adds the arrays that a statement reads.
static LogicalResult addReads(const isl::Ctx &ctx, ScopOp scop,
                              StatementOp statement, Producers &producers,
                              bool isQuiet) {
  auto reject = [&](const Twine &reason) -> LogicalResult {
    if (isQuiet)
      return failure();
    return statement.emitOpError("computes a factor of a contraction, but ")
           << reason;
  };
  const ProducedArray written =
      producers.arrays.find(statement.getWrittenArray())->second;
  FailureOr<SmallVector<int>> own = getIterationDims(ctx, statement, written);
  if (failed(own) || isUpdate(statement) || isContraction(statement))
    return reject("not element by element");
  for (unsigned i = 0; i < statement.getReadArrays().size(); ++i) {
    StringRef name = getReadName(statement, i);
    isl::Map read = getRead(ctx, statement, i);
    FailureOr<Projection> access = getProjection(read);
    ProducedArray array{findArray(scop, name), {}, {}, false, ""};
    array.isLoaded = !array.array.isTemporary();
    if (failed(access))
      return reject("reads @" + name +
                    " in another way than by the dimensions of its result: " +
                    isl::str(read));
    for (auto [iteration, shift] : llvm::zip(access->dims, access->shifts)) {
      array.dims.push_back(iteration < 0 ? -1 : (*own)[iteration]);
      array.shifts.push_back(shift);
    }
    auto [known, isNew] = producers.arrays.try_emplace(name, array);
    if (!isNew && (known->second.dims != array.dims ||
                   known->second.shifts != array.shifts))
      return reject("reads @" + name +
                    " at other indices than another statement");
  }
  return success();
}

/// The dimensions of the factor that an array varies over, in whatever order.
static SmallVector<int> getFactorDims(const ProducedArray &array) {
  SmallVector<int> dims;
  llvm::copy_if(array.dims, std::back_inserter(dims),
                [](int dim) { return dim >= 0; });
  llvm::sort(dims);
  return dims;
}

/// A result takes the place of an array of the same dimensions that nothing
/// reads after that: tiles have the factor's order.
static void shareBuffers(Producers &producers) {
  for (auto [number, own] : llvm::enumerate(producers.statements)) {
    StatementOp statement = own;
    ProducedArray &target =
        producers.arrays.find(statement.getWrittenArray())->second;
    for (unsigned i = 0; i < statement.getReadArrays().size(); ++i) {
      StringRef name = getReadName(statement, i);
      const ProducedArray &source = producers.arrays.find(name)->second;
      bool isLast = llvm::none_of(
          ArrayRef(producers.statements).drop_front(number + 1),
          [&](StatementOp later) {
            for (unsigned j = 0; j < later.getReadArrays().size(); ++j)
              if (getReadName(later, j) == name)
                return true;
            return false;
          });
      auto getType = [](const ProducedArray &array) {
        return ArrayOp(array.array).getTensorType().getElementType();
      };
      if (!isLast || getType(source) != getType(target) ||
          getFactorDims(source) != getFactorDims(target))
        continue;
      target.taken = name;
      break;
    }
  }
}

FailureOr<Producers> gc::poly::findProducers(const isl::Ctx &ctx, ScopOp scop,
                                             ArrayOp factor, bool isQuiet) {
  Producers producers;
  if (!factor.isTemporary())
    return producers;
  ProducedArray own{factor, {}, {}, false, ""};
  for (int dim = 0; dim < factor.getTensorType().getRank(); ++dim) {
    own.dims.push_back(dim);
    own.shifts.push_back(0);
  }
  producers.arrays.insert({factor.getSymName(), own});
  SmallVector<StatementOp> statements(scop.getOps<StatementOp>());
  for (StatementOp statement : llvm::reverse(statements)) {
    auto written = producers.arrays.find(statement.getWrittenArray());
    if (written == producers.arrays.end() || written->second.isLoaded)
      continue;
    if (failed(addReads(ctx, scop, statement, producers, isQuiet)))
      return failure();
    producers.statements.push_back(statement);
  }
  std::reverse(producers.statements.begin(), producers.statements.end());
  shareBuffers(producers);
  return producers;
}

//===----------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------===//

int64_t gc::poly::countPackages(RankedTensorType type, ArrayRef<int64_t> box) {
  int64_t run = 1, runs = 1;
  bool isWhole = true;
  for (unsigned i = box.size(); i-- > 0;) {
    (isWhole ? run : runs) *= box[i];
    isWhole &= box[i] == type.getDimSize(i);
  }
  int64_t bytes =
      llvm::divideCeil(run * type.getElementTypeBitWidth(), int64_t(8));
  return runs * npu::getPackages(bytes);
}

double Producers::getPackages(ArrayRef<int64_t> box) const {
  double packages = 0;
  for (auto &[name, array] : arrays)
    if (array.isLoaded)
      packages += countPackages(ArrayOp(array.array).getTensorType(),
                                array.getBox(box));
  return packages;
}

double Producers::getVectorCycles(const npu::Machine &machine, double elements,
                                  double pieces) const {
  double cycles = 0;
  if (hasScratch())
    pieces = std::max(pieces, elements * kScratchBytes /
                                  (machine.ubBytes * kScratchShare));
  // An instruction waits for the one before it.
  const npu::VectorCost &add = machine.getCost(npu::VectorOp::add);
  double latency = add.head + add.tail;
  for (StatementOp statement : statements) {
    auto [slope, instructions] = getBodyCost(statement, machine);
    int64_t bits = findArray(statement->getParentOfType<ScopOp>(),
                             statement.getWrittenArray())
                       .getTensorType()
                       .getElementTypeBitWidth();
    double own = slope * elements * bits / 8 / npu::kRepeatBytes +
                 pieces * instructions * latency;
    // As measured, with conversions between what is left to other operations.
    cycles += instructions > 1 ? 1.4 * own : own;
  }
  return cycles;
}

bool Producers::hasScratch() const {
  return llvm::any_of(statements, [](StatementOp statement) {
    return getBodySteps(statement).steps.size() > 1;
  });
}

double Producers::getBytes(double elements) const {
  int64_t bytes = 0, rank = arrays.front().second.dims.size();
  for (auto &[name, array] : arrays)
    if (array.taken.empty() && array.has(rank - 1) &&
        (rank < 2 || array.has(rank - 2)))
      bytes +=
          ArrayOp(array.array).getTensorType().getElementTypeBitWidth() / 8;
  return elements * bytes;
}
