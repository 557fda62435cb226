// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "AttentionMask.h"
#include "Dialect/Graph/IR/ElementBounds.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

#include <limits>

using namespace mlir;

namespace gc::graph {

namespace {

/// Blocks in each direction that are looked at.
constexpr int64_t kCells = 16;
/// What is assumed to be left where that depends on numbers that nobody knows
/// yet.
constexpr double kLeastShare = 0.5;
/// The same where each key has a number of its own: padding is the smaller
/// part.
constexpr double kUnpaddedShare = 0.75;
/// Other logits are taken to be far above numbers like this one.
constexpr double kMasked = -1000;

/// Whether a value from outside of the region has a signed integer or a boolean
/// for each key that is the same for all rows.
bool isPerKey(AttentionOp op, Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  ArrayRef<int64_t> shape = type.getShape();
  return value.getParentRegion() != &op.getBody() && !shape.empty() &&
         shape.back() != 1 &&
         (shape.size() == 1 || shape[shape.size() - 2] == 1) &&
         (type.getElementType().isInteger(1) ||
          type.getElementType().isSignedInteger());
}

/// The highest logit of a block as code of a block of its own, whose arguments
/// are the lowest and the highest row and key.
class MaskCode {
public:
  explicit MaskCode(AttentionOp op) : op(op), builder(op.getContext()) {
    Type i32 = builder.getI32Type();
    block.addArguments({i32, i32, i32, i32},
                       SmallVector<Location>(4, op.getLoc()));
    builder.setInsertionPointToStart(&block);
    AttentionSizes sizes = getAttentionSizes(op);
    SmallVector<ElementBounds> indices;
    for (int64_t size : sizes.batch)
      indices.push_back({getInteger(0), getInteger(size - 1)});
    indices.push_back({block.getArgument(0), block.getArgument(1)});
    indices.push_back({block.getArgument(2), block.getArgument(3)});
    auto getOuter = [&](Value value) { return getOuterBounds(value); };
    high = BoundsBuilder(builder, op.getLoc(), &op.getBody().front(), indices,
                         getOuter)
               .get(op.getLogits())
               .high;
  }
  ~MaskCode() { block.clear(); }

  /// Whether no row of [row, lastRow] has a key of [key, lastKey].
  bool isEmpty(int64_t row, int64_t lastRow, int64_t key, int64_t lastKey) {
    llvm::DenseMap<Value, Attribute> constants;
    int64_t limits[] = {row, lastRow, key, lastKey};
    for (auto [argument, limit] : llvm::zip_equal(block.getArguments(), limits))
      constants[argument] = builder.getI32IntegerAttr(limit);
    for (Operation &inner : block) {
      SmallVector<Attribute> operands;
      for (Value operand : inner.getOperands())
        operands.push_back(constants.lookup(operand));
      SmallVector<OpFoldResult> results;
      if (failed(inner.fold(operands, results)) || results.empty())
        continue;
      auto value = dyn_cast<Value>(results[0]);
      constants[inner.getResult(0)] =
          value ? constants.lookup(value) : cast<Attribute>(results[0]);
    }
    auto number = dyn_cast_or_null<FloatAttr>(constants.lookup(high));
    return number && number.getValueAsDouble() <= kMasked;
  }

  /// At least this many scores are taken to be left, since the code depends on
  /// numbers that are not known; 0 if it does not.
  double leastShare = 0;

private:
  Value getInteger(int64_t value) {
    return arith::ConstantOp::create(builder, op.getLoc(),
                                     builder.getI32IntegerAttr(value));
  }

  /// Bounds of a value from outside of the region.
  ElementBounds getOuterBounds(Value value) {
    bool isOfKey = isPerKey(op, value);
    if (!op.isPerHead(value) && !isOfKey)
      return {};
    auto type = cast<RankedTensorType>(value.getType());
    Type wanted = getComputeType(type.getElementType());
    TypedAttr attr;
    SplatElementsAttr splat;
    if (matchPattern(value, m_Constant(&splat)))
      attr = getComputeScalar(splat);
    else if (isa<FloatType>(wanted))
      attr = builder.getF32FloatAttr(-std::numeric_limits<float>::infinity());
    else
      attr = builder.getIntegerAttr(wanted, 0);
    if (!splat)
      leastShare = std::max(leastShare, isOfKey ? kUnpaddedShare : kLeastShare);
    Value number = arith::ConstantOp::create(builder, op.getLoc(), attr);
    return {number, number};
  }

  AttentionOp op;
  OpBuilder builder;
  Block block;
  Value high;
};

/// The part of the cells in blocks of this many rows and columns of which any
/// cell is set.
double getShareOfBlocks(const std::vector<bool> &cells, int64_t rows,
                        int64_t columns) {
  int64_t left = 0;
  for (int64_t i = 0; i < kCells; i += rows)
    for (int64_t j = 0; j < kCells; j += columns) {
      int64_t endRow = std::min(i + rows, kCells);
      int64_t endColumn = std::min(j + columns, kCells);
      bool isLeft = false;
      for (int64_t row = i; row < endRow; ++row)
        for (int64_t column = j; column < endColumn; ++column)
          isLeft |= cells[row * kCells + column];
      left += isLeft * (endRow - i) * (endColumn - j);
    }
  return static_cast<double>(left) / (kCells * kCells);
}

} // namespace

UnmaskedScores::UnmaskedScores(AttentionOp op) : sizes(getAttentionSizes(op)) {
  // What depends neither on indices nor on keys is the same in all blocks.
  if (llvm::none_of(op.getBody().front(), [&](Operation &inner) {
        auto body = dyn_cast<ScalarBodyOpInterface>(inner);
        return (body && body.getIndexDim()) ||
               llvm::any_of(inner.getOperands(),
                            [&](Value value) { return isPerKey(op, value); });
      }))
    return;
  MaskCode mask(op);
  leastShare = mask.leastShare;
  std::vector<bool> cells;
  for (int64_t i = 0; i < kCells; ++i)
    for (int64_t j = 0; j < kCells; ++j) {
      int64_t row = i * sizes.m / kCells, endRow = (i + 1) * sizes.m / kCells;
      int64_t key = j * sizes.s / kCells, endKey = (j + 1) * sizes.s / kCells;
      cells.push_back(row < endRow && key < endKey &&
                      !mask.isEmpty(row, endRow - 1, key, endKey - 1));
    }
  for (int64_t rows = 1; rows <= kCells; ++rows)
    for (int64_t keys = 1; keys <= kCells; ++keys)
      shares.push_back(getShareOfBlocks(cells, rows, keys));
}

double UnmaskedScores::getShare(int64_t rows, int64_t keys) const {
  if (shares.empty())
    return 1;
  // Blocks smaller than a cell are as good as one.
  auto getStep = [](int64_t block, int64_t size) {
    return std::clamp<int64_t>(llvm::divideNearest(block * kCells, size), 1,
                               kCells);
  };
  double share = shares[(getStep(rows, sizes.m) - 1) * kCells +
                        getStep(keys, sizes.s) - 1];
  // Where the keys of a row end is known at run time, and is inside of a block.
  double block = std::min(1.0, static_cast<double>(keys) / sizes.s);
  double least = leastShare ? leastShare + (1 - leastShare) * block : 0;
  return std::max({share, least, 1.0 / (kCells * kCells)});
}

} // namespace gc::graph
