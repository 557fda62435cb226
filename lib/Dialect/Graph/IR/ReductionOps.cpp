// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reductions: inference, and how those that are not computed directly are
// decomposed.

#include "Decomposition.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace gc::graph;

SmallVector<int64_t> gc::graph::resolveAxes(ArrayRef<int64_t> axes,
                                            int64_t rank) {
  SmallVector<int64_t> resolved(axes);
  for (int64_t &axis : resolved)
    axis += axis < 0 ? rank : 0;
  llvm::sort(resolved);
  return resolved;
}

LogicalResult gc::graph::inferReductionType(std::optional<Location> loc,
                                            Type src, ArrayRef<int64_t> axes,
                                            bool keepDims,
                                            SmallVectorImpl<Type> &types,
                                            int64_t partSize) {
  auto type = cast<RankedTensorType>(src);
  int64_t rank = type.getRank();
  SmallVector<bool> reduced(rank, false);
  for (int64_t axis : axes) {
    int64_t dim = axis < 0 ? axis + rank : axis;
    if (dim < 0 || dim >= rank)
      return emitOptionalError(loc, "(C1) axis ", axis, " is not one of ", rank,
                               " dimensions");
    if (reduced[dim])
      return emitOptionalError(loc, "(C1) dimension ", dim,
                               " is reduced more than once");
    reduced[dim] = true;
  }
  if (partSize < 0)
    return emitOptionalError(loc, "(C2) part_size ", partSize, " is negative");
  if (partSize > 0 && (axes.empty() || !keepDims))
    return emitOptionalError(loc, "(C2) part_size needs ",
                             axes.empty() ? "an axis" : "keep_dims");
  SmallVector<int64_t> shape;
  bool isFirst = true;
  for (int64_t dim = 0; dim < rank; ++dim) {
    int64_t size = type.getDimSize(dim);
    if (reduced[dim] && !keepDims)
      continue;
    if (reduced[dim] && !(isFirst && partSize > 0))
      size = 1;
    else if (reduced[dim] && !ShapedType::isDynamic(size))
      size = llvm::divideCeil(size, partSize);
    isFirst &= !reduced[dim];
    shape.push_back(size);
  }
  types.push_back(RankedTensorType::get(shape, type.getElementType()));
  return success();
}

AffineMap gc::graph::getReductionMap(MLIRContext *context, int64_t rank,
                                     ArrayRef<int64_t> axes, bool keepDims,
                                     int64_t partSize) {
  SmallVector<AffineExpr> results;
  for (int64_t dim = 0; dim < rank; ++dim) {
    if (!llvm::is_contained(axes, dim))
      results.push_back(getAffineDimExpr(dim, context));
    else if (partSize > 0 && dim == axes.front())
      results.push_back(getAffineDimExpr(dim, context).floorDiv(partSize));
    else if (keepDims)
      results.push_back(getAffineConstantExpr(0, context));
  }
  return AffineMap::get(rank, 0, results, context);
}

FailureOr<SmallVector<Value>>
gc::graph::decomposeToKeptDims(RewriterBase &rewriter, Operation *op) {
  Decomposition b(rewriter, op);
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  auto axes = op->getAttrOfType<DenseI64ArrayAttr>("axes");
  // The pass gives the value it gets the type of the result; an operand keeps
  // its own type.
  if (!axes || axes.empty())
    return SmallVector<Value>{b.make<ReorderOp>(type, op->getOperand(0))};
  if (!type.hasStaticShape())
    return failure();
  Operation *kept = rewriter.clone(*op);
  auto src = cast<RankedTensorType>(op->getOperand(0).getType());
  SmallVector<int64_t> resolved = resolveAxes(axes.asArrayRef(), src.getRank());
  SmallVector<int64_t> shape(src.getShape());
  for (int64_t axis : resolved)
    shape[axis] = 1;
  kept->setAttr("axes", rewriter.getDenseI64ArrayAttr(resolved));
  kept->setAttr("keep_dims", rewriter.getBoolAttr(true));
  kept->getResult(0).setType(
      RankedTensorType::get(shape, type.getElementType()));
  return SmallVector<Value>{
      b.make<StaticReshapeOp>(kept->getResult(0), type.getShape())};
}

bool gc::graph::isOfWindows(Value value) {
  // Those right before; further back the windows are somebody else's.
  constexpr unsigned kMostOps = 16;
  llvm::SetVector<Operation *> ops;
  auto add = [&](Value value) {
    if (Operation *op = value.getDefiningOp(); op && ops.size() < kMostOps)
      ops.insert(op);
  };
  add(value);
  for (unsigned i = 0; i < ops.size(); ++i) {
    Operation *op = ops[i];
    auto fusible = dyn_cast<FusibleOpInterface>(op);
    if (fusible && fusible.getFusibleKind() == FusibleKind::windows)
      return true;
    if (op->hasTrait<KeepsShape>())
      add(op->getOperand(0));
    else if (fusible && isPointwise(fusible.getFusibleKind()))
      llvm::for_each(op->getOperands(), add);
  }
  return false;
}

Value gc::graph::reduceInSteps(OpBuilder &builder, Operation *op,
                               ArrayRef<int64_t> later, int64_t partSize,
                               Type between) {
  auto parts = op->getAttrOfType<IntegerAttr>("part_size");
  auto axes = op->getAttrOfType<DenseI64ArrayAttr>("axes");
  auto keeps = op->getAttrOfType<BoolAttr>("keep_dims");
  if (!axes || (parts && parts.getInt() != 0) || !keeps || !keeps.getValue())
    return {};
  auto src = mlir::cast<RankedTensorType>(op->getOperand(0).getType());
  SmallVector<int64_t> first = resolveAxes(axes.asArrayRef(), src.getRank());
  SmallVector<int64_t> second(later);
  llvm::erase_if(first,
                 [&](int64_t dim) { return llvm::is_contained(later, dim); });
  if (partSize > 0)
    second.push_back(first.front());
  llvm::sort(second);
  auto cast = [&](Value value, Type element) -> Value {
    auto type = mlir::cast<RankedTensorType>(value.getType());
    if (type.getElementType() == element)
      return value;
    return TypeCastOp::create(builder, op->getLoc(),
                              RankedTensorType::get(type.getShape(), element),
                              value);
  };
  auto reduce = [&](Value value, ArrayRef<int64_t> dims, int64_t part) {
    auto type = mlir::cast<RankedTensorType>(value.getType());
    SmallVector<Type> types;
    (void)inferReductionType(std::nullopt, type, dims, true, types, part);
    IRMapping mapping;
    mapping.map(op->getOperand(0), value);
    Operation *step = builder.clone(*op, mapping);
    step->setAttr("axes", builder.getDenseI64ArrayAttr(dims));
    step->setAttr("part_size", builder.getI64IntegerAttr(part));
    step->getResult(0).setType(types[0]);
    return step->getResult(0);
  };
  if (!between)
    between = builder.getF32Type();
  Value partial = reduce(cast(op->getOperand(0), between), first, partSize);
  Value result = cast(reduce(partial, second, 0), src.getElementType());
  // It may have a layout.
  result.setType(op->getResult(0).getType());
  return result;
}

/// Decomposes a reduction that is a function of a sum, computed in f32.
template <typename Op>
static FailureOr<SmallVector<Value>>
decomposeAroundSum(RewriterBase &rewriter, Op op,
                   function_ref<Value(Decomposition &, Value)> before,
                   function_ref<Value(Decomposition &, Value)> after) {
  auto src = op.getSrc().getType(), type = op.getType();
  if (!src.hasStaticShape())
    return failure();
  Decomposition b(rewriter, op);
  Value value = before(b, b.toF32(op.getSrc()));
  SmallVector<int64_t> axes = op.getReducedAxes();
  if (!axes.empty())
    value = b.reduce<ReduceSumOp>(value, axes);
  value = after(b, value);
  value = b.cast(b.reshape(value, type.getShape()), type.getElementType());
  if (value == op.getSrc())
    value = b.make<ReorderOp>(type, value);
  return SmallVector<Value>{value};
}

bool ReduceMeanOp::isComplex() { return true; }
FailureOr<SmallVector<Value>> ReduceMeanOp::decompose(RewriterBase &rewriter) {
  return decomposeAroundSum(
      rewriter, *this, [](Decomposition &, Value value) { return value; },
      [&](Decomposition &b, Value sum) {
        double count = 1;
        for (int64_t axis : getReducedAxes())
          count *= getSrc().getType().getDimSize(axis);
        return count == 1 ? sum : b.multiply(sum, 1 / count);
      });
}

bool ReduceL1Op::isComplex() { return true; }
FailureOr<SmallVector<Value>> ReduceL1Op::decompose(RewriterBase &rewriter) {
  return decomposeAroundSum(
      rewriter, *this,
      [](Decomposition &b, Value value) { return b.make<AbsOp>(value); },
      [](Decomposition &, Value sum) { return sum; });
}

bool ReduceL2Op::isComplex() { return true; }
FailureOr<SmallVector<Value>> ReduceL2Op::decompose(RewriterBase &rewriter) {
  return decomposeAroundSum(
      rewriter, *this,
      [](Decomposition &b, Value value) { return b.multiply(value, value); },
      [](Decomposition &b, Value sum) { return b.make<SqrtOp>(sum); });
}
