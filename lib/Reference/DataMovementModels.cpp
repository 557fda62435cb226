// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Ops that move, convert or group values, and constants.

#include "Dialect/Graph/IR/GraphOps.h"
#include "Elementwise.h"
#include "Parallel.h"
#include "Reference/ReferenceInterface.h"
#include "ReferenceModels.h"
#include "Rows.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace gc::graph;
using namespace gc::reference;
using namespace mlir;

namespace {

using Operands = ArrayRef<BoundedTensor>;
using Results = SmallVectorImpl<BoundedTensor>;

/// Applies a view to the value and to its bound.
template <typename View>
LogicalResult pushView(const BoundedTensor &source, Results &results,
                       View view) {
  BoundedTensor result;
  FailureOr<Tensor> value = view(source.value);
  if (failed(value))
    return failure();
  result.value = *value;
  if (source.bound) {
    value = view(source.bound);
    if (failed(value))
      return failure();
    result.bound = *value;
  }
  results.push_back(std::move(result));
  return success();
}

struct ReshapeModel
    : ReferenceOpInterface::ExternalModel<ReshapeModel, StaticReshapeOp> {
  Value getSource(Operation *op, unsigned) const { return op->getOperand(0); }

  LogicalResult evaluate(Operation *op, Operands operands, Evaluation &,
                         Results &results) const {
    auto type = cast<StaticReshapeOp>(op).getType();
    return pushView(operands[0], results,
                    [&](Tensor source) -> FailureOr<Tensor> {
                      if (!source.isContiguous()) {
                        FailureOr<Tensor> copy = source.clone();
                        if (failed(copy))
                          return op->emitOpError("cannot be evaluated: no "
                                                 "memory for its result");
                        source = *copy;
                      }
                      return source.withView(type.getShape(),
                                             getPlainStrides(type.getShape()));
                    });
  }
};

struct ConcatModel
    : ReferenceOpInterface::ExternalModel<ConcatModel, ConcatOp> {
  bool preservesZero(Operation *) const { return true; }

  LogicalResult evaluate(Operation *op, Operands operands,
                         Evaluation &evaluation, Results &results) const {
    auto concat = cast<ConcatOp>(op);
    FailureOr<BoundedTensor> result =
        evaluation.allocate(op, concat.getType(), isInexact(operands));
    if (failed(result))
      return failure();
    int64_t start = 0;
    for (const BoundedTensor &operand : operands) {
      copy(operand.value, result->value, concat.getDimension(), start);
      if (result->bound)
        copy(operand.bound ? operand.bound : operand.value, result->bound,
             concat.getDimension(), start, /*isZero=*/!operand.bound);
      start += operand.value.getShape()[concat.getDimension()];
    }
    results.push_back(std::move(*result));
    return success();
  }

private:
  /// Writes a tensor, or zeros in its place, from index `start` of a dimension
  /// on, row by row.
  static void copy(const Tensor &from, const Tensor &to, int64_t dim,
                   int64_t start, bool isZero = false) {
    ArrayRef<int64_t> shape = from.getShape();
    int64_t length = shape.empty() ? 1 : shape.back();
    int64_t rows = from.getNumElements() / std::max<int64_t>(length, 1);
    parallelFor(rows, [&](int64_t row) {
      int64_t source = 0, target = start * to.getStrides()[dim];
      for (int64_t i = int64_t(shape.size()) - 2; i >= 0; --i) {
        source += row % shape[i] * from.getStrides()[i];
        target += row % shape[i] * to.getStrides()[i];
        row /= shape[i];
      }
      std::vector<double> values(length);
      if (!isZero)
        loadElements(from.getType(), from.getData(), source,
                     from.getStrides().back(), length, values.data());
      storeElements(to.getType(), to.getData(), target, to.getStrides().back(),
                    length, values.data());
    });
  }
};

struct TransposeModel
    : ReferenceOpInterface::ExternalModel<TransposeModel, StaticTransposeOp> {
  Value getSource(Operation *op, unsigned) const { return op->getOperand(0); }

  LogicalResult evaluate(Operation *op, Operands operands, Evaluation &,
                         Results &results) const {
    SmallVector<int64_t> order = cast<StaticTransposeOp>(op).getPermutation();
    return pushView(operands[0], results,
                    [&](const Tensor &source) -> FailureOr<Tensor> {
                      SmallVector<int64_t> shape, strides;
                      for (int64_t dim : order) {
                        shape.push_back(source.getShape()[dim]);
                        strides.push_back(source.getStrides()[dim]);
                      }
                      return source.withView(shape, strides);
                    });
  }
};

/// A layout does not affect values.
struct ReorderModel
    : ReferenceOpInterface::ExternalModel<ReorderModel, ReorderOp> {
  Value getSource(Operation *op, unsigned) const { return op->getOperand(0); }

  LogicalResult evaluate(Operation *, Operands operands, Evaluation &,
                         Results &results) const {
    results.push_back(operands[0]);
    return success();
  }
};

struct TypeCastModel
    : ReferenceOpInterface::ExternalModel<TypeCastModel, TypeCastOp> {
  Value getSource(Operation *op, unsigned) const { return op->getOperand(0); }

  LogicalResult evaluate(Operation *op, Operands operands,
                         Evaluation &evaluation, Results &results) const {
    auto cast = mlir::cast<TypeCastOp>(op);
    ElementwiseFunction copy;
    copy.evaluate = [](ArrayRef<const double *> x, double *y, int64_t count) {
      std::copy_n(x[0], count, y);
    };
    auto from = getElementType(cast.getSrc().getType().getElementType());
    auto to = getElementType(cast.getType().getElementType());
    // Half a unit in the last place; one whole if the operand may be on either
    // side of a tie.
    bool narrows =
        from && to && getInfo(*to).unitRoundoff > getInfo(*from).unitRoundoff;
    // Integers that f32 does not hold may be rounded to it first.
    bool isWide = from == ElementType::S32;
    copy.roundings = !narrows ? 0 : operands[0].bound || isWide ? 2 : 1;
    return pushElementwise(op, operands, copy, evaluation, results);
  }
};

struct EndModel : ReferenceOpInterface::ExternalModel<EndModel, EndOp> {
  LogicalResult evaluate(Operation *, Operands, Evaluation &, Results &) const {
    return success();
  }
};

struct FusedModel : ReferenceOpInterface::ExternalModel<FusedModel, FusedOp> {
  Value getSource(Operation *op, unsigned result) const {
    return cast<FusedOp>(op).getYielded()[result];
  }

  LogicalResult evaluate(Operation *op, Operands, Evaluation &evaluation,
                         Results &results) const {
    return evaluation.runRegion(cast<FusedOp>(op).getBody(), {}, results);
  }
};

struct ConstantModel
    : ReferenceOpInterface::ExternalModel<ConstantModel, ConstantOp> {
  LogicalResult evaluate(Operation *op, Operands, Evaluation &evaluation,
                         Results &results) const;
};

} // namespace

/// The bytes of a constant as the tensor stores them: one element after
/// another, or a single one of a splat. Empty if the attribute holds them
/// otherwise.
static ArrayRef<char> getBytes(ElementsAttr value, ElementType type,
                               bool isSplat) {
  int64_t count = isSplat ? 1 : value.getNumElements();
  ArrayRef<char> bytes;
  // MLIR may pack types below a byte.
  unsigned width = value.getShapedType().getElementTypeBitWidth();
  if (width < 8)
    return {};
  if (auto dense = dyn_cast<DenseElementsAttr>(value))
    bytes = dense.getRawData();
  else if (auto resource = dyn_cast<DenseResourceElementsAttr>(value))
    if (AsmResourceBlob *blob = resource.getRawHandle().getBlob())
      bytes = blob->getData();
  if (static_cast<int64_t>(bytes.size()) != count * getInfo(type).bytes)
    return {};
  return bytes;
}

LogicalResult ConstantModel::evaluate(Operation *op, Operands,
                                      Evaluation &evaluation,
                                      Results &results) const {
  ElementsAttr value = cast<ConstantOp>(op).getValue();
  ShapedType type = value.getShapedType();
  auto element = getElementType(type.getElementType());
  if (!element)
    return op->emitOpError("has the unsupported element type ")
           << type.getElementType();
  // The bytes belong to the context, which outlives the interpretation.
  ArrayRef<int64_t> shape = type.getShape();
  bool isSplat = isa<SplatElementsAttr>(value);
  ArrayRef<char> bytes = getBytes(value, *element, isSplat);
  // What is not aligned cannot be read in place.
  if (reinterpret_cast<uintptr_t>(bytes.data()) % getInfo(*element).bytes) {
    FailureOr<BoundedTensor> result = evaluation.allocate(op, type, false);
    if (failed(result))
      return failure();
    std::memcpy(result->value.getData(), bytes.data(), bytes.size());
    results.push_back(*result);
    return success();
  }
  if (!bytes.empty() || value.getNumElements() == 0) {
    SmallVector<int64_t> strides = getPlainStrides(shape);
    if (isSplat)
      strides.assign(shape.size(), 0);
    results.push_back(
        {Tensor::borrow(*element, shape, strides, bytes.data()), Tensor()});
    return success();
  }
  auto dense = dyn_cast<DenseIntElementsAttr>(value);
  if (!dense)
    return op->emitOpError("has data that does not match the size of its type ")
           << type;
  FailureOr<BoundedTensor> result = evaluation.allocate(op, type, false);
  if (failed(result))
    return failure();
  std::vector<double> values;
  bool isSigned = getInfo(*element).lowest < 0;
  for (const APInt &bits : dense.getValues<APInt>())
    values.push_back(isSigned ? static_cast<double>(bits.getSExtValue())
                              : static_cast<double>(bits.getZExtValue()));
  result->value.setValues(values);
  results.push_back(std::move(*result));
  return success();
}

void gc::reference::attachDataMovementModels(MLIRContext *context) {
  ConcatOp::attachInterface<ConcatModel>(*context);
  ConstantOp::attachInterface<ConstantModel>(*context);
  EndOp::attachInterface<EndModel>(*context);
  FusedOp::attachInterface<FusedModel>(*context);
  ReorderOp::attachInterface<ReorderModel>(*context);
  StaticReshapeOp::attachInterface<ReshapeModel>(*context);
  StaticTransposeOp::attachInterface<TransposeModel>(*context);
  TypeCastOp::attachInterface<TypeCastModel>(*context);
}
