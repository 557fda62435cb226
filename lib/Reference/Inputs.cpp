// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Reference/Inputs.h"
#include "ChunkPlan.h"
#include "Dialect/Graph/IR/GraphDialect.h"
#include "Parallel.h"
#include "Reference/ReferenceInterface.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "llvm/ADT/SetVector.h"

#include <cmath>
#include <limits>

using namespace gc;
using namespace gc::reference;
using namespace mlir;

//===----------------------------------------------------------------------===//
// Domains
//===----------------------------------------------------------------------===//

/// The values that `use` passes its value on to.
static void followUse(OpOperand &use, llvm::SetVector<Value> &values) {
  Operation *op = use.getOwner();
  unsigned operand = use.getOperandNumber();
  if (op->hasTrait<OpTrait::IsTerminator>()) {
    // A region's op repeats what the region yields.
    op = op->getParentOp();
  } else if (auto call = dyn_cast<CallOpInterface>(op)) {
    auto callee = dyn_cast_or_null<func::FuncOp>(call.resolveCallable());
    if (callee && !callee.isExternal() && operand < callee.getNumArguments())
      values.insert(callee.getArgument(operand));
    return;
  }
  auto model = dyn_cast<ReferenceOpInterface>(op);
  if (!model)
    return;
  for (OpResult result : op->getResults())
    if (model.getSource(result.getResultNumber()) == use.get())
      values.insert(result);
}

/// How strict a domain is: the strictest of all uses decides.
static int getRank(ValueDomain domain) {
  switch (domain) {
  case ValueDomain::any:
    return 0;
  case ValueDomain::weight:
    return 1;
  case ValueDomain::mask:
    return 2;
  case ValueDomain::positive:
    return 3;
  case ValueDomain::divisor:
    return 4;
  case ValueDomain::probability:
    return 5;
  }
  return 0;
}

double gc::reference::getFactorLimit(Value result, double terms) {
  auto sums = dyn_cast<IntegerType>(getElementTypeOrSelf(result.getType()));
  if (!sums)
    return 0;
  unsigned width = sums.getWidth();
  for (Operation *user : result.getUsers())
    if (user->getNumResults() == 1)
      if (auto narrow = dyn_cast<IntegerType>(
              getElementTypeOrSelf(user->getResult(0).getType())))
        width = std::min(width, narrow.getWidth());
  if (width == sums.getWidth() || width < 2)
    return 0;
  // Sums of products of integers from -r to r have a standard deviation of
  // sqrt(terms) r (r + 1) / 3, which should be a quarter of the range.
  double product = 3 * std::ldexp(0.25, static_cast<int>(width)) /
                   std::sqrt(std::max(terms, 1.0));
  return std::max(std::floor(std::sqrt(product + 0.25) - 0.5), 1.0);
}

InputDomain gc::reference::getInputDomain(BlockArgument argument) {
  InputDomain strictest;
  double limit = 0;
  llvm::SetVector<Value> values;
  values.insert(argument);
  for (size_t i = 0; i < values.size(); ++i) {
    for (OpOperand &use : values[i].getUses()) {
      followUse(use, values);
      auto model = dyn_cast<ReferenceOpInterface>(use.getOwner());
      if (!model)
        continue;
      InputDomain domain = model.getInputDomain(use.getOperandNumber());
      if (domain.limit && (!limit || domain.limit < limit))
        limit = domain.limit;
      // Reshapes and transposes move the dimensions.
      if (values[i] != argument && !isa<BlockArgument>(values[i]))
        domain.reducedDim = -1;
      int rank = getRank(domain.domain), best = getRank(strictest.domain);
      if (rank > best || (rank == best && domain.scale < strictest.scale))
        strictest = domain;
    }
  }
  strictest.limit = limit;
  return strictest;
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

/// The mixing function of splitmix64 (G. Steele, D. Lea, C. Flood, "Fast
/// splittable pseudorandom number generators", 2014).
static uint64_t mix(uint64_t state) {
  state = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9u;
  state = (state ^ (state >> 27)) * 0x94D049BB133111EBu;
  return state ^ (state >> 31);
}

static constexpr uint64_t kGamma = 0x9E3779B97F4A7C15u;

namespace {
/// Maps 64 random bits to a number of a domain.
struct Distribution {
  double center = 0, halfWidth = 1;
  /// Integers from `lowest`, this many.
  double lowest = 0;
  uint64_t range = 0;

  /// A number in (-1, 1), not 0, as a multiple of 2^-24.
  static int64_t drawUnit(uint64_t bits) {
    return static_cast<int64_t>(2 * (bits >> 40) + 1) - (1 << 24);
  }

  /// `mean` of the units, if there is one, moves to 0.
  double draw(uint64_t bits, double mean) const {
    if (range)
      return lowest + static_cast<double>((bits >> 32) * range >> 32);
    double unit = static_cast<double>(drawUnit(bits)) - mean;
    // Halfwidths with a center have few bits, so that the product is exact and
    // contraction to one instruction changes nothing.
    return center + halfWidth * (unit * 0x1p-24);
  }
};

/// The random bits of each element of a tensor.
struct Stream {
  uint64_t start;

  Stream(uint64_t seed, uint64_t stream)
      : start(mix(mix(seed + kGamma) + (stream + 1) * kGamma)) {}
  uint64_t getBits(int64_t element) const {
    return mix(start + static_cast<uint64_t>(element + 1) * kGamma);
  }
};

/// Means of the drawn units along one dimension of a tensor.
class Means {
public:
  Means(const Tensor &tensor, int64_t dim, const Stream &stream) {
    // Few terms would lose too much of their spread.
    if (dim < 0 || dim >= tensor.getRank() || tensor.getShape()[dim] < 8)
      return;
    size = tensor.getShape()[dim];
    for (int64_t after : tensor.getShape().drop_front(dim + 1))
      inner *= after;
    int64_t count = tensor.getNumElements();
    std::vector<int64_t> sums(count / size);
    for (int64_t i = 0; i < count; ++i)
      sums[getColumn(i)] += Distribution::drawUnit(stream.getBits(i));
    for (int64_t sum : sums)
      means.push_back(static_cast<double>(sum) / static_cast<double>(size));
  }

  double get(int64_t element) const {
    return means.empty() ? 0 : means[getColumn(element)];
  }

private:
  int64_t getColumn(int64_t element) const {
    return element / (size * inner) * inner + element % inner;
  }

  int64_t size = 1, inner = 1;
  std::vector<double> means;
};
} // namespace

static Distribution getDistribution(ElementType type,
                                    const InputDomain &domain) {
  const ElementTypeInfo &info = getInfo(type);
  bool positive = domain.domain == ValueDomain::positive ||
                  domain.domain == ValueDomain::divisor;
  Distribution result;
  if (!info.isFloat) {
    double lowest = std::max(info.lowest, -1000.0);
    if (positive)
      lowest = 1;
    double highest = std::min(info.highest, 1000.0);
    if (domain.domain == ValueDomain::mask) {
      lowest = std::max(lowest, domain.center - 8);
      highest = std::min(highest, domain.center + 8);
    }
    if (domain.limit) {
      lowest = std::max(lowest, -domain.limit);
      highest = std::min(highest, domain.limit);
    }
    result.lowest = lowest;
    result.range = highest - lowest + 1;
    return result;
  }
  switch (domain.domain) {
  case ValueDomain::any:
    result.halfWidth = domain.scale;
    break;
  case ValueDomain::positive: // [1/8, 2]
    result.center = 1.0625;
    result.halfWidth = 0.9375;
    break;
  case ValueDomain::divisor: // [1, 16]
    result.center = 8.5;
    result.halfWidth = 7.5;
    break;
  case ValueDomain::weight:
    result.halfWidth = std::sqrt(3.0) * domain.scale;
    break;
  case ValueDomain::mask: // [-1/2, 0]
    result.center = -0.25;
    result.halfWidth = 0.25;
    break;
  case ValueDomain::probability: // [0, 1/2]
    result.center = 0.25;
    result.halfWidth = 0.25;
    break;
  }
  return result;
}

void gc::reference::fillRandom(Tensor &tensor, const InputDomain &domain,
                               uint64_t seed, uint64_t stream) {
  if (tensor.getNumElements() == 0)
    return;
  if (!tensor.isContiguous() && getInfo(tensor.getType()).isFloat) {
    int64_t span = tensor.getBufferElements();
    Tensor gaps = tensor.withView({span}, {1});
    double nan = std::numeric_limits<double>::quiet_NaN();
    gaps.copyFrom(Tensor::borrow(ElementType::F64, {span}, {0}, &nan));
  }
  Distribution distribution = getDistribution(tensor.getType(), domain);
  Stream bits(seed, stream);
  Means means(tensor, domain.reducedDim, bits);
  ChunkPlan plan(tensor.getShape(), {tensor.getStrides()});
  auto fill = [&](int64_t i) {
    ChunkPlan::Chunk chunk = plan.getChunk(i);
    double values[ChunkPlan::kSize];
    for (int64_t k = 0; k < chunk.size; ++k)
      values[k] = distribution.draw(bits.getBits(chunk.begin + k),
                                    means.get(chunk.begin + k));
    storeElements(tensor.getType(), tensor.getData(), chunk.offsets[0],
                  plan.getInnerStride(0), chunk.size, values);
  };
  // Elements of a view may overlap: in order, so that the last one stays.
  if (!tensor.isContiguous())
    for (int64_t i = 0; i < plan.getNumChunks(); ++i)
      fill(i);
  else
    parallelFor(plan.getNumChunks(), fill);
}

FailureOr<std::vector<Tensor>> gc::reference::makeInputs(func::FuncOp function,
                                                         uint64_t seed) {
  std::vector<Tensor> inputs;
  for (BlockArgument argument : function.getArguments()) {
    unsigned index = argument.getArgNumber();
    if (function.getArgAttr(index, graph::GraphDialect::kFoldedAttr))
      continue;
    auto complain = [&]() {
      return emitError(argument.getLoc(), "no input for argument ")
             << index << ": ";
    };
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type)
      return complain() << argument.getType() << " is not a tensor";
    std::string error;
    FailureOr<Tensor> input = Tensor::create(type, &error);
    if (failed(input))
      return complain() << error;
    fillRandom(*input, getInputDomain(argument), seed, index);
    inputs.push_back(std::move(*input));
  }
  return inputs;
}
