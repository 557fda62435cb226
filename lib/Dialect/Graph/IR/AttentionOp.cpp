// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Attention as one op: type inference, verification, decomposition.

#include "Decomposition.h"
#include "Dialect/Graph/Templates/Templates.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace gc::graph;

LogicalResult
AttentionOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                              ValueRange operands, DictionaryAttr attributes,
                              OpaqueProperties properties, RegionRange regions,
                              SmallVectorImpl<Type> &types) {
  Adaptor adaptor(operands, attributes, properties, regions);
  auto getShape = [&](unsigned i) {
    return SmallVector<int64_t>(
        cast<RankedTensorType>(operands[i].getType()).getShape());
  };
  SmallVector<int64_t> query = getShape(0), key = getShape(1),
                       value = getShape(2);
  if (query.size() < 2 || key.size() < 2 || value.size() < 2)
    return emitOptionalError(
        loc, "(C1) operands of attention must have rank 2 or more");
  Type element = getElementTypeOrSelf(operands[0].getType());
  for (Value operand : operands)
    if (getElementTypeOrSelf(operand.getType()) != element)
      return emitOptionalError(loc, "(C4) element types ", element, " and ",
                               getElementTypeOrSelf(operand.getType()),
                               " differ");
  if (adaptor.getTransposeKey())
    std::swap(key[key.size() - 1], key[key.size() - 2]);
  auto differ = [](int64_t a, int64_t b) {
    return a != b && !ShapedType::isDynamic(a) && !ShapedType::isDynamic(b);
  };
  int64_t keyColumns = key[key.size() - 2], valueRows = value[value.size() - 2];
  if (differ(query.back(), keyColumns))
    return emitOptionalError(loc, "(C2) query has ", query.back(),
                             " columns, key ", keyColumns);
  if (differ(key.back(), valueRows))
    return emitOptionalError(loc, "(C2) key has ", key.back(), " rows, value ",
                             valueRows);
  auto leading = [](ArrayRef<int64_t> shape) { return shape.drop_back(2); };
  auto batch = broadcastShapes(leading(query), leading(key));
  if (!batch)
    return emitOptionalError(loc, "(C3) leading dimensions of query [", query,
                             "] and key [", key, "] do not broadcast");
  auto all = broadcastShapes(*batch, leading(value));
  if (!all || *all != *batch)
    return emitOptionalError(loc, "(C3) leading dimensions of value [", value,
                             "] do not broadcast to [", *batch, "]");
  batch->append({query[query.size() - 2], value.back()});
  types.push_back(RankedTensorType::get(*batch, element));
  return success();
}

/// The type of the scores that follows from the operands.
static RankedTensorType getScoresType(AttentionOp op) {
  SmallVector<int64_t> shape(op.getType().getShape());
  ArrayRef<int64_t> key = op.getKey().getType().getShape();
  shape.back() = key[key.size() - (op.getTransposeKey() ? 2 : 1)];
  return RankedTensorType::get(shape, op.getType().getElementType());
}

AttentionSizes gc::graph::getAttentionSizes(AttentionOp op) {
  AttentionSizes sizes;
  ArrayRef<int64_t> shape = op.getType().getShape();
  sizes.batch = llvm::to_vector(shape.drop_back(2));
  sizes.m = shape[shape.size() - 2];
  sizes.dv = shape.back();
  sizes.d = op.getQuery().getType().getShape().back();
  sizes.s = getScoresType(op).getShape().back();
  return sizes;
}

AttentionFactor gc::graph::getAttentionFactor(Value operand) {
  auto transpose = operand.getDefiningOp<StaticTransposeOp>();
  if (!transpose || !operand.hasOneUse() || getLayout(operand.getType()) ||
      !swapsMatrices(transpose.getPermutation()))
    return {operand, false};
  return {transpose.getSrc(), true};
}

bool AttentionOp::isPerHead(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  return value != getScores() &&
         llvm::all_of(type.getShape().take_back(2),
                      [](int64_t size) { return size == 1; });
}

Value AttentionOp::getLogits() {
  return getBody().front().getTerminator()->getOperand(0);
}

LogicalResult AttentionOp::verify() {
  if (!symbolizeSoftmaxMode(getMode()))
    return emitOpError("(C8) mode must be \"none\", \"inf_as_zero\" or "
                       "\"unshifted\", not \"")
           << getMode() << "\"";
  return verifyChosenTemplate(*this);
}

bool AttentionOp::keepsRows(unsigned operand) {
  return operand == 0 && haveSameRows(getQuery().getType(), getType());
}

/// Keys and values.
bool AttentionOp::packsByBlocks(unsigned operand) { return operand > 0; }

int64_t AttentionOp::getFlops() {
  AttentionSizes sizes = getAttentionSizes(*this);
  int64_t flops = 2 * sizes.m * sizes.s * (sizes.d + sizes.dv);
  for (int64_t size : sizes.batch)
    flops *= size;
  return flops;
}

/// Checks (C6) for one op of the region.
static LogicalResult verifyBodyOp(Operation *op, RankedTensorType scores) {
  auto fusible = dyn_cast<FusibleOpInterface>(op);
  if (!fusible || op->getNumResults() != 1)
    return op->emitOpError("(C6) is not fusible and cannot be in the region of "
                           "an attention");
  if (!isPointwise(fusible.getFusibleKind()))
    return op->emitOpError("(C6) is a ")
           << stringifyFusibleKind(fusible.getFusibleKind())
           << " and cannot be in the region of an attention";
  if (ArrayRef<int64_t>(fusible.getIterationSpace()) != scores.getShape())
    return op->emitOpError("(C6) iterates over [")
           << fusible.getIterationSpace() << "] instead of the scores ["
           << scores.getShape() << "]";
  for (OpOperand &operand : op->getOpOperands())
    if (operand.get().getParentBlock() == op->getBlock() &&
        !fusible.getOperandMap(operand.getOperandNumber()).isIdentity())
      return op->emitOpError(
          "(C6) reads the scores at other indices than its own");
  return success();
}

LogicalResult AttentionOp::verifyRegions() {
  Block &block = getBody().front();
  RankedTensorType scores = getScoresType(*this);
  auto isScores = [&](Type type) {
    return type == scores ||
           (areCompatibleTypes(type, scores) && !getLayout(type));
  };
  if (block.getNumArguments() != 1 || !isScores(block.getArgument(0).getType()))
    return emitOpError("(C5) has a region with the arguments (")
           << block.getArgumentTypes() << ") instead of the scores " << scores;
  auto type = cast<RankedTensorType>(block.getArgument(0).getType());
  for (Operation &op : block.without_terminator())
    if (failed(verifyBodyOp(&op, type)))
      return failure();
  auto yield = dyn_cast<YieldOp>(block.getTerminator());
  auto wide = RankedTensorType::get(type.getShape(),
                                    Float32Type::get(type.getContext()));
  if (!yield || yield.getNumOperands() != 1 ||
      !llvm::is_contained({Type(type), Type(wide)},
                          yield.getOperand(0).getType())) {
    InFlightDiagnostic diagnostic =
        emitOpError("(C7) has a region that does not yield one tensor ");
    diagnostic << type;
    if (type != wide)
      diagnostic << " or " << wide;
    return diagnostic;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Decomposition
//===----------------------------------------------------------------------===//

bool AttentionOp::isComplex() {
  int64_t columns = getQuery().getType().getShape().back();
  return !ShapedType::isDynamic(columns) &&
         !fillsGroups(columns, getType().getElementType());
}

AttentionParts gc::graph::buildAttention(RewriterBase &rewriter, AttentionOp op,
                                         bool sinkScale) {
  Decomposition b(rewriter, op);
  AttentionFactor query = getAttentionFactor(op.getQuery()),
                  values = getAttentionFactor(op.getValue());
  auto scores = MatmulOp::create(
      rewriter, b.loc, TypeRange{getScoresType(op)},
      ValueRange{query.value, op.getKey()},
      ArrayRef<NamedAttribute>{
          rewriter.getNamedAttr("transpose_a",
                                rewriter.getBoolAttr(query.isTransposed)),
          rewriter.getNamedAttr("transpose_b",
                                rewriter.getBoolAttr(op.getTransposeKey()))});
  IRMapping mapping;
  mapping.map(op.getScores(), scores.getResult());
  for (Operation &inner : op.getBody().front().without_terminator())
    rewriter.clone(inner, mapping);
  Value logits = mapping.lookupOrDefault(op.getLogits());
  Type element = op.getType().getElementType();
  int64_t axis = cast<RankedTensorType>(logits.getType()).getRank() - 1;
  auto [e, sum, max] =
      buildSoftmax(b, b.toF32(logits), axis, op.getSoftmaxMode());
  Value rows = sinkScale ? e : b.make<DivideOp>(e, sum);
  // The sums of products are divided before they are rounded.
  auto type = cast<RankedTensorType>(dropLayout(op.getType()));
  auto product = MatmulOp::create(
      rewriter, b.loc,
      TypeRange{sinkScale ? type.clone(rewriter.getF32Type()) : op.getType()},
      ValueRange{b.cast(rows, element), values.value},
      ArrayRef<NamedAttribute>{rewriter.getNamedAttr(
          "transpose_b", rewriter.getBoolAttr(values.isTransposed))});
  Value result = product;
  if (sinkScale)
    result = b.cast(b.make<DivideOp>(product, sum), element);
  return {scores, product, result};
}

FailureOr<SmallVector<Value>> AttentionOp::decompose(RewriterBase &rewriter) {
  return SmallVector<Value>{
      buildAttention(rewriter, *this, /*sinkScale=*/false).result};
}
