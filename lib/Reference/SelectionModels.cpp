// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Comparison, selection, indices, and quantisation, which is also a function of
// each element.

#include "Dialect/Graph/IR/GraphOps.h"
#include "Elementwise.h"
#include "Reference/ReferenceInterface.h"
#include "ReferenceModels.h"
#include "Rows.h"

#include <cmath>
#include <cstring>
#include <numeric>

using namespace gc::graph;
using namespace gc::reference;
using namespace mlir;

namespace {

using Operands = ArrayRef<BoundedTensor>;
using Results = SmallVectorImpl<BoundedTensor>;
using Values = ElementwiseFunction::Operands;

struct SelectModel
    : ReferenceOpInterface::ExternalModel<SelectModel, SelectOp> {
  bool preservesZero(Operation *) const { return true; }

  LogicalResult evaluate(Operation *op, Operands operands,
                         Evaluation &evaluation, Results &results) const {
    ElementwiseFunction function;
    function.roundings = 0;
    function.evaluate = [](Values x, double *y, int64_t count) {
      for (int64_t i = 0; i < count; ++i)
        y[i] = x[0][i] != 0 ? x[1][i] : x[2][i];
    };
    return pushElementwise(op, operands, function, evaluation, results);
  }
};

struct GreaterEqualModel
    : ReferenceOpInterface::ExternalModel<GreaterEqualModel, GreaterEqualOp> {
  bool saturates(Operation *) const { return true; }

  LogicalResult evaluate(Operation *op, Operands operands,
                         Evaluation &evaluation, Results &results) const {
    ElementwiseFunction function;
    function.roundings = 0;
    function.evaluate = [](Values x, double *y, int64_t count) {
      for (int64_t i = 0; i < count; ++i)
        y[i] = x[0][i] >= x[1][i];
    };
    return pushElementwise(op, operands, function, evaluation, results);
  }
};

struct GenIndexModel
    : ReferenceOpInterface::ExternalModel<GenIndexModel, GenIndexOp> {
  LogicalResult evaluate(Operation *op, Operands, Evaluation &evaluation,
                         Results &results) const {
    auto index = cast<GenIndexOp>(op);
    FailureOr<BoundedTensor> result =
        evaluation.allocate(op, index.getType(), /*bound=*/false);
    if (failed(result))
      return failure();
    ArrayRef<int64_t> shape = result->value.getShape();
    std::vector<double> line(shape[index.getDimension()]);
    std::iota(line.begin(), line.end(), 0);
    SmallVector<int64_t> strides(shape.size(), 0);
    strides[index.getDimension()] = 1;
    result->value.copyFrom(
        Tensor::borrow(ElementType::F64, shape, strides, line.data()));
    results.push_back(std::move(*result));
    return success();
  }
};

struct GatherModel
    : ReferenceOpInterface::ExternalModel<GatherModel, GatherOp> {
  bool preservesZero(Operation *) const { return true; }

  /// From the end, too.
  InputDomain getInputDomain(Operation *op, unsigned operand) const {
    InputDomain domain;
    if (operand == 1)
      domain.limit =
          double(cast<GatherOp>(op).getSrc().getType().getDimSize(0));
    return domain;
  }

  LogicalResult evaluate(Operation *op, Operands operands,
                         Evaluation &evaluation, Results &results) const {
    FailureOr<BoundedTensor> result = evaluation.allocate(
        op, cast<GatherOp>(op).getType(), isInexact(operands));
    if (failed(result))
      return failure();
    const Tensor &table = operands[0].value;
    int64_t rows = table.getShape()[0];
    std::vector<double> indices = operands[1].value.getValues(), errors;
    if (operands[1].bound)
      errors = operands[1].bound.getValues();
    for (auto [i, index] : llvm::enumerate(indices)) {
      auto row = int64_t(index) + (index < 0 ? rows : 0);
      row = std::clamp<int64_t>(row, 0, rows - 1);
      copyRow(table, row, result->value, i);
      if (!result->bound)
        continue;
      // An index that may be another one stands for any row.
      bool isUncertain = !errors.empty() && errors[i] != 0;
      if (operands[0].bound && !isUncertain)
        copyRow(operands[0].bound, row, result->bound, i);
      else
        fillRow(result->bound, i, isUncertain ? HUGE_VAL : 0);
    }
    results.push_back(std::move(*result));
    return success();
  }

private:
  /// Where row i is in a tensor whose last dimension are columns.
  static int64_t getRowOffset(const Tensor &tensor, int64_t i) {
    int64_t offset = 0;
    for (int64_t dim = tensor.getRank() - 2; dim >= 0; --dim) {
      offset += i % tensor.getShape()[dim] * tensor.getStrides()[dim];
      i /= tensor.getShape()[dim];
    }
    return offset;
  }

  /// Bit by bit: double does not hold all integers.
  static void copyRow(const Tensor &from, int64_t source, const Tensor &to,
                      int64_t target) {
    int64_t bytes = getInfo(from.getType()).bytes;
    const char *read =
        from.getData<char>() + getRowOffset(from, source) * bytes;
    char *write = to.getData<char>() + getRowOffset(to, target) * bytes;
    for (int64_t c = 0; c < from.getShape().back(); ++c)
      std::memcpy(write + c * to.getStrides().back() * bytes,
                  read + c * from.getStrides().back() * bytes, bytes);
  }

  static void fillRow(const Tensor &to, int64_t target, double value) {
    std::vector<double> values(to.getShape().back(), value);
    storeElements(to.getType(), to.getData(), getRowOffset(to, target),
                  to.getStrides().back(), int64_t(values.size()),
                  values.data());
  }
};

//===----------------------------------------------------------------------===//
// Quantisation
//===----------------------------------------------------------------------===//

/// round(x / scale + zp), or without zp; the result's type rounds.
ElementwiseFunction makeQuantize() {
  ElementwiseFunction function;
  // Of floating-point results: one whole unit in the last place, because what
  // is rounded may be on either side of a tie.
  function.roundings = 2;
  // A division and an addition in f32, or by a rounded reciprocal.
  function.approximation = 6;
  function.evaluate = [](Values x, double *y, int64_t count) {
    for (int64_t i = 0; i < count; ++i)
      y[i] = x[0][i] / x[1][i] + (x.size() > 2 ? x[2][i] : 0);
  };
  function.magnitude = [](Values x, double *y, int64_t count) {
    for (int64_t i = 0; i < count; ++i)
      y[i] = std::fabs(x[0][i] / x[1][i]) +
             (x.size() > 2 ? std::fabs(x[2][i]) : 0);
  };
  function.poles = {false, true, false};
  return function;
}

/// (x - zp) * scale.
ElementwiseFunction makeDequantize() {
  ElementwiseFunction function;
  function.roundings = 2;
  function.evaluate = [](Values x, double *y, int64_t count) {
    for (int64_t i = 0; i < count; ++i)
      y[i] = (x[0][i] - (x.size() > 2 ? x[2][i] : 0)) * x[1][i];
  };
  return function;
}

/// Shape that spreads one element per index of dimension `axis`.
SmallVector<int64_t> getChannelShape(int64_t rank, StringRef qtype,
                                     int64_t axis, int64_t count) {
  axis += axis < 0 ? rank : 0;
  SmallVector<int64_t> shape(qtype == "per_channel" ? rank - axis : 0, 1);
  if (!shape.empty())
    shape[0] = count;
  return shape;
}

template <typename Op>
struct ConstantScaleModel
    : ReferenceOpInterface::ExternalModel<ConstantScaleModel<Op>, Op> {
  LogicalResult evaluate(Operation *op, Operands operands,
                         Evaluation &evaluation, Results &results) const {
    auto quantize = cast<Op>(op);
    std::vector<double> scales(quantize.getScales().begin(),
                               quantize.getScales().end());
    std::vector<double> zps(quantize.getZps().begin(), quantize.getZps().end());
    SmallVector<BoundedTensor> all(operands);
    for (std::vector<double> *values : {&scales, &zps}) {
      if (values->empty())
        continue;
      SmallVector<int64_t> shape =
          getChannelShape(operands[0].value.getRank(), quantize.getQtype(),
                          quantize.getAxis(), values->size());
      all.push_back({Tensor::borrow(ElementType::F64, shape,
                                    getPlainStrides(shape), values->data()),
                     Tensor()});
    }
    constexpr bool quantizes = std::is_same_v<Op, QuantizeOp>;
    return pushElementwise(op, all,
                           quantizes ? makeQuantize() : makeDequantize(),
                           evaluation, results);
  }
};

/// scales and zps as views that broadcast to src.
template <typename Op>
SmallVector<BoundedTensor> spreadOperands(Op op, Operands operands) {
  SmallVector<BoundedTensor> all(operands);
  for (BoundedTensor &operand : MutableArrayRef(all).drop_front())
    operand = spreadAlongFirst(
        operand, getChannelShape(operands[0].value.getRank(), op.getQtype(),
                                 op.getAxis(), operand.value.getNumElements()));
  return all;
}

/// Scales are well away from 0, zero points small.
InputDomain getScaleDomain(unsigned operand) {
  InputDomain domain;
  if (operand == 1)
    domain.domain = ValueDomain::positive;
  if (operand == 2)
    domain.domain = ValueDomain::mask;
  return domain;
}

struct DynamicQuantizeModel
    : ReferenceOpInterface::ExternalModel<DynamicQuantizeModel,
                                          DynamicQuantizeOp> {
  InputDomain getInputDomain(Operation *op, unsigned operand) const {
    InputDomain domain = getScaleDomain(operand);
    // In the middle of the range, so that little saturates.
    auto type = cast<DynamicQuantizeOp>(op).getType().getElementType();
    if (operand == 2 && type.isUnsignedInteger())
      domain.center = 128;
    return domain;
  }

  LogicalResult evaluate(Operation *op, Operands operands,
                         Evaluation &evaluation, Results &results) const {
    return pushElementwise(
        op, spreadOperands(cast<DynamicQuantizeOp>(op), operands),
        makeQuantize(), evaluation, results);
  }
};

struct DynamicDequantizeModel
    : ReferenceOpInterface::ExternalModel<DynamicDequantizeModel,
                                          DynamicDequantizeOp> {
  InputDomain getInputDomain(Operation *, unsigned operand) const {
    return getScaleDomain(operand);
  }

  LogicalResult evaluate(Operation *op, Operands operands,
                         Evaluation &evaluation, Results &results) const {
    auto dequantize = cast<DynamicDequantizeOp>(op);
    if (dequantize.getQtype() != "per_group")
      return pushElementwise(op, spreadOperands(dequantize, operands),
                             makeDequantize(), evaluation, results);
    FailureOr<BoundedTensor> result =
        evaluation.allocate(op, dequantize.getType(), evaluation.wantsBounds());
    if (failed(result))
      return failure();
    // Values of a group: its element of scales and zps by integer division.
    ArrayRef<int64_t> groups = dequantize.getGroupShape();
    ArrayRef<int64_t> shape = result->value.getShape();
    double roundoff = getInfo(result->value.getType()).unitRoundoff;
    SmallVector<int64_t> index(shape.size(), 0), group(shape.size());
    for (int64_t i = 0; i < result->value.getNumElements(); ++i) {
      int64_t rest = i;
      for (int64_t dim = int64_t(shape.size()) - 1; dim >= 0; --dim) {
        index[dim] = rest % shape[dim];
        group[dim] = index[dim] / groups[dim];
        rest /= shape[dim];
      }
      double scale = operands[1].value.get(group);
      double zp = operands.size() > 2 ? operands[2].value.get(group) : 0;
      double centered = operands[0].value.get(index) - zp;
      double value = centered * scale;
      result->value.set(index, value);
      if (!result->bound)
        continue;
      double error = 2 * roundoff * std::fabs(value);
      if (operands[1].bound)
        error += std::fabs(centered) * operands[1].bound.get(group);
      result->bound.set(index,
                        finishBound(result->value.getType(), value, error));
    }
    results.push_back(std::move(*result));
    return success();
  }
};

} // namespace

void gc::reference::attachSelectionModels(MLIRContext *context) {
  DequantizeOp::attachInterface<ConstantScaleModel<DequantizeOp>>(*context);
  DynamicDequantizeOp::attachInterface<DynamicDequantizeModel>(*context);
  DynamicQuantizeOp::attachInterface<DynamicQuantizeModel>(*context);
  GatherOp::attachInterface<GatherModel>(*context);
  GenIndexOp::attachInterface<GenIndexModel>(*context);
  GreaterEqualOp::attachInterface<GreaterEqualModel>(*context);
  QuantizeOp::attachInterface<ConstantScaleModel<QuantizeOp>>(*context);
  SelectOp::attachInterface<SelectModel>(*context);
}
