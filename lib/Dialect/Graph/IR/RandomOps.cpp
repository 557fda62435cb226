// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Random numbers, which are functions of a seed and an index.

#include "Decomposition.h"
#include "Dialect/Graph/IR/RandomNumbers.h"
#include "ScalarMath.h"

using namespace mlir;
using namespace gc::graph;

/// Reports (C1) unless the operands from the second on have one element.
static LogicalResult checkParameters(std::optional<Location> loc,
                                     ValueRange operands, int64_t mostDims) {
  constexpr StringLiteral names[] = {"seed", "offset", "probability"};
  for (auto [name, operand] : llvm::zip_equal(names, operands.drop_front())) {
    auto type = cast<RankedTensorType>(operand.getType());
    if (llvm::any_of(type.getShape(), [](int64_t size) {
          return size != 1 && !ShapedType::isDynamic(size);
        }))
      return emitOptionalError(loc, "(C1) ", name, " of shape [",
                               type.getShape(), "] does not have one element");
    if (type.getRank() > mostDims)
      return emitOptionalError(loc, "(C1) ", name, " has ", type.getRank(),
                               " dimensions, index has ", mostDims);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Dropout
//===----------------------------------------------------------------------===//

LogicalResult DropoutOp::inferReturnTypes(MLIRContext *,
                                          std::optional<Location> loc,
                                          ValueRange operands, DictionaryAttr,
                                          OpaqueProperties, RegionRange,
                                          SmallVectorImpl<Type> &types) {
  auto src = cast<RankedTensorType>(operands[0].getType());
  if (failed(
          checkParameters(loc, operands, std::numeric_limits<int64_t>::max())))
    return failure();
  int64_t count = 1;
  for (int64_t size : src.getShape()) {
    if (ShapedType::isDynamic(size))
      continue;
    if (size > 0 && count > std::numeric_limits<int32_t>::max() / size)
      return emitOptionalError(loc, "(C2) src of shape [", src.getShape(),
                               "] has 2^31 elements or more");
    count *= size;
  }
  types.push_back(dropLayout(src));
  return success();
}

/// The index of each element of a tensor in row-major order.
static Value makeRowMajorIndex(Decomposition &b, Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  Type si32 = b.rewriter.getIntegerType(32, /*isSigned=*/true);
  auto scalar = RankedTensorType::get({}, si32);
  auto number = [&](int64_t value) {
    return b.make<ConstantOp>(
        scalar,
        DenseElementsAttr::get(scalar, b.rewriter.getIntegerAttr(si32, value)));
  };
  Value sum;
  for (auto [dim, stride] : llvm::enumerate(getPlainStrides(type.getShape()))) {
    if (type.getDimSize(dim) == 1)
      continue;
    Value index = b.make<GenIndexOp>(tensor, static_cast<int64_t>(dim));
    if (stride != 1)
      index = b.multiply(index, number(stride));
    sum = sum ? b.make<AddOp>(sum, index, "numpy",
                              /*no_overflow=*/true)
              : index;
  }
  if (sum)
    return sum;
  // A tensor of one element.
  auto one = RankedTensorType::get(type.getShape(), si32);
  return b.make<ConstantOp>(
      one, DenseElementsAttr::get(one, b.rewriter.getIntegerAttr(si32, 0)));
}

FailureOr<SmallVector<Value>> DropoutOp::decompose(RewriterBase &rewriter) {
  auto type = getSrc().getType();
  if (!type.hasStaticShape())
    return failure();
  Decomposition b(rewriter, *this);
  Value seed = b.reshape(getSeed(), {}), offset = b.reshape(getOffset(), {});
  Value probability = b.reshape(getProbability(), {});
  Value mask = b.make<RandomMaskOp>(makeRowMajorIndex(b, getSrc()), seed,
                                    offset, probability);
  // Where p is 1 the factor is infinite, and no element takes it.
  Value bounded = b.make<ClampOp>(probability, b.f32(0), b.f32(1));
  Value factor =
      b.make<ReciprocalOp>(b.subtract(b.scalar(1, probability), bounded));
  Value scaled = b.multiply(getSrc(), factor);
  Value kept = b.make<SelectOp>(mask, scaled, b.scalar(0, scaled));
  return finish(b, kept, getType());
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

LogicalResult RandomMaskOp::inferReturnTypes(MLIRContext *context,
                                             std::optional<Location> loc,
                                             ValueRange operands,
                                             DictionaryAttr, OpaqueProperties,
                                             RegionRange,
                                             SmallVectorImpl<Type> &types) {
  auto index = cast<RankedTensorType>(operands[0].getType());
  if (failed(checkParameters(loc, operands, index.getRank())))
    return failure();
  types.push_back(
      RankedTensorType::get(index.getShape(), IntegerType::get(context, 1)));
  return success();
}

namespace {
/// Numbers of 32 and 64 bits, as scalars or vectors like the indices.
struct Words : ScalarMath {
  Type words;

  Words(OpBuilder &builder, Location loc, Type words)
      : ScalarMath{builder, loc}, words(words) {}

  Value word(uint32_t value) { return integer(APInt(32, value), words); }
  Value low(Value wide) { return make<arith::TruncIOp>(words, wide); }
  Value high(Value wide) {
    return low(
        make<arith::ShRUIOp>(wide, integer(APInt(64, 32), wide.getType())));
  }
  Value mix(Value a, Value b, Value c) {
    return make<arith::XOrIOp>(make<arith::XOrIOp>(a, b), c);
  }

  /// Ten rounds of Philox4x32 on the counter. Words are the lower halves of 64
  /// bits, whose upper halves do not matter: products of two words are whole.
  void philox(Value (&counter)[4], Value (&key)[2]) {
    Type wide = withElement(words, builder.getI64Type());
    auto number = [&](uint64_t value) {
      return integer(APInt(64, value), wide);
    };
    Value lower = number(0xFFFFFFFF), half = number(32);
    for (Value &value : counter)
      value = make<arith::ExtUIOp>(wide, value);
    auto multiply = [&](Value word, uint32_t by) {
      return make<arith::MulIOp>(make<arith::AndIOp>(word, lower), number(by));
    };
    for (int round = 0; round < 10; ++round) {
      if (round > 0) {
        key[0] = make<arith::AddIOp>(key[0], word(0x9E3779B9));
        key[1] = make<arith::AddIOp>(key[1], word(0xBB67AE85));
      }
      Value first = multiply(counter[0], 0xD2511F53);
      Value second = multiply(counter[2], 0xCD9E8D57);
      auto mixHigh = [&](Value product, Value other, Value key) {
        return mix(make<arith::ShRUIOp>(product, half), other,
                   make<arith::ExtUIOp>(wide, key));
      };
      counter[0] = mixHigh(second, counter[1], key[0]);
      counter[1] = second;
      counter[2] = mixHigh(first, counter[3], key[1]);
      counter[3] = first;
    }
    for (Value &value : counter)
      value = low(value);
  }

  Value isBitSet(Value value, uint32_t bit) {
    return make<arith::CmpIOp>(arith::CmpIPredicate::ne,
                               make<arith::AndIOp>(value, word(bit)), word(0));
  }

  Value limit(Value probability) {
    Value one = constant(1, probability), zero = constant(0, probability);
    Value bounded = select(arith::CmpFPredicate::UNO, probability, probability,
                           one, min(max(probability, zero), one));
    Value wide =
        make<arith::ExtFOp>(withElement(words, builder.getF64Type()), bounded);
    return make<arith::FPToUIOp>(words,
                                 mul(wide, constant(4294967295.0, wide)));
  }
};
} // namespace

std::array<Value, 4> gc::graph::buildRandomNumbers(OpBuilder &builder,
                                                   Location loc, Value index,
                                                   Value seed, Value offset) {
  Words m(builder, loc, index.getType());
  Value counter[] = {m.low(offset), m.high(offset),
                     m.make<arith::AndIOp>(index, m.word(~3u)), m.word(0)};
  Value key[] = {m.low(seed), m.high(seed)};
  m.philox(counter, key);
  return {counter[0], counter[1], counter[2], counter[3]};
}

Value gc::graph::buildDropLimit(OpBuilder &builder, Location loc,
                                Value probability) {
  Type words =
      ScalarMath::withElement(probability.getType(), builder.getI32Type());
  return Words(builder, loc, words).limit(probability);
}

// Two multiplications of 32 by 32 bits and four other operations in a round, of
// ten, for four neighbours.
int64_t RandomMaskOp::getBodyCost() { return 30; }

SmallVector<Value> RandomMaskOp::buildBody(OpBuilder &builder, Location loc,
                                           ValueRange x) {
  Words m(builder, loc, x[0].getType());
  auto [first, second, third, fourth] =
      buildRandomNumbers(builder, loc, x[0], x[1], x[2]);
  auto choose = [&](uint32_t bit, Value yes, Value no) {
    return m.make<arith::SelectOp>(m.isBitSet(x[0], bit), yes, no);
  };
  Value number = choose(2, choose(1, fourth, third), choose(1, second, first));
  return {m.make<arith::CmpIOp>(arith::CmpIPredicate::ugt, number,
                                buildDropLimit(builder, loc, x[3]))};
}
