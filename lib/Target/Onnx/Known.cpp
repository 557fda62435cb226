// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Known.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <cstring>

using namespace mlir;
using namespace gc::onnxio;

int64_t gc::onnxio::countElements(ArrayRef<int64_t> shape) {
  uint64_t count = 1;
  for (int64_t size : shape)
    count = llvm::SaturatingMultiply(count, uint64_t(size));
  return int64_t(std::min<uint64_t>(count, INT64_MAX));
}

std::optional<Known> gc::onnxio::getKnown(ElementsAttr tensor) {
  auto dense = dyn_cast_or_null<DenseElementsAttr>(tensor);
  if (!dense || dense.getNumElements() > kMaxFolded)
    return std::nullopt;
  Known known{cast<RankedTensorType>(dense.getType()), {}};
  known.values.reserve(dense.getNumElements());
  if (known.isFloat()) {
    for (APFloat value : dense.getValues<APFloat>()) {
      bool loses;
      value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                    &loses);
      known.values.push_back(Number::ofReal(value.convertToDouble()));
    }
    return known;
  }
  auto integer = dyn_cast<IntegerType>(dense.getElementType());
  if (!integer || integer.getWidth() > 64)
    return std::nullopt;
  for (const APInt &value : dense.getValues<APInt>())
    known.values.push_back(Number::of(integer.isSigned()
                                          ? value.getSExtValue()
                                          : int64_t(value.getZExtValue())));
  return known;
}

std::optional<Known> gc::onnxio::readKnown(ElementsAttr constant) {
  constexpr int64_t kMost = 1 << 20;
  auto tensor = dyn_cast_or_null<DenseResourceElementsAttr>(constant);
  if (!tensor)
    return getKnown(constant);
  auto type = cast<RankedTensorType>(tensor.getType());
  AsmResourceBlob *blob = tensor.getRawHandle().getBlob();
  auto floats = dyn_cast<FloatType>(type.getElementType());
  unsigned bits = type.getElementTypeBitWidth();
  int64_t count = type.getNumElements();
  if (!blob || count > kMost || bits % 8 != 0 || bits > 64 ||
      blob->getData().size() != uint64_t(count) * bits / 8)
    return std::nullopt;
  bool isSigned = type.getElementType().isSignedInteger();
  Known known{type, {}};
  known.values.reserve(count);
  for (int64_t i = 0; i < count; ++i) {
    uint64_t raw = 0;
    std::memcpy(&raw, blob->getData().data() + i * bits / 8, bits / 8);
    if (!floats) {
      known.values.push_back(
          Number::of(isSigned ? llvm::SignExtend64(raw, bits) : int64_t(raw)));
      continue;
    }
    APFloat value(floats.getFloatSemantics(), APInt(bits, raw));
    bool loses;
    value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &loses);
    known.values.push_back(Number::ofReal(value.convertToDouble()));
  }
  return known;
}

DenseElementsAttr gc::onnxio::getElements(const Known &known) {
  Type element = known.type.getElementType();
  if (auto floats = dyn_cast<FloatType>(element)) {
    SmallVector<APFloat> values;
    for (Number number : known.values) {
      APFloat value(number.f);
      bool loses;
      value.convert(floats.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                    &loses);
      values.push_back(value);
    }
    return DenseElementsAttr::get(known.type, values);
  }
  unsigned width = element.getIntOrFloatBitWidth();
  SmallVector<APInt> values;
  for (Number number : known.values)
    values.push_back(APInt(64, number.i, /*isSigned=*/true).trunc(width));
  return DenseElementsAttr::get(known.type, values);
}

void gc::onnxio::forEachIndex(ArrayRef<int64_t> shape,
                              function_ref<void(ArrayRef<int64_t>)> visit) {
  SmallVector<int64_t> index(shape.size(), 0);
  for (int64_t i = 0, count = countElements(shape); i < count; ++i) {
    visit(index);
    for (size_t dim = shape.size(); dim-- > 0;) {
      if (++index[dim] < shape[dim])
        break;
      index[dim] = 0;
    }
  }
}

/// The place of an index in row-major order. Dimensions of size 1 have only
/// one index.
static int64_t getPlace(ArrayRef<int64_t> shape, ArrayRef<int64_t> index) {
  int64_t place = 0;
  for (auto [size, i] : llvm::zip_equal(shape, index))
    place = place * size + (size == 1 ? 0 : i);
  return place;
}

Known gc::onnxio::rearrange(
    const Known &known, ArrayRef<int64_t> shape,
    function_ref<bool(ArrayRef<int64_t>, MutableArrayRef<int64_t>)> getSource,
    Number fill) {
  Known result{known.type.clone(shape), {}};
  SmallVector<int64_t> source(known.getShape().size(), 0);
  forEachIndex(shape, [&](ArrayRef<int64_t> index) {
    result.values.push_back(
        getSource(index, source)
            ? known.values[getPlace(known.getShape(), source)]
            : fill);
  });
  return result;
}

std::optional<SmallVector<int64_t>>
gc::onnxio::broadcastShapes(ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
  if (a.size() < b.size())
    std::swap(a, b);
  SmallVector<int64_t> shape(a);
  for (auto [size, other] : llvm::zip_equal(
           llvm::MutableArrayRef<int64_t>(shape).take_back(b.size()), b)) {
    if (size != other && size != 1 && other != 1)
      return std::nullopt;
    size = size == 1 ? other : size;
  }
  return shape;
}

/// `known` with the elements that broadcasting repeats.
static Known expand(const Known &known, ArrayRef<int64_t> shape) {
  return rearrange(known, shape, [&](auto index, auto source) {
    llvm::copy(index.take_back(source.size()), source.begin());
    return true;
  });
}

std::optional<Known> gc::onnxio::evaluate(const Evaluator &evaluator,
                                          ArrayRef<Known> operands) {
  SmallVector<int64_t> shape(operands[0].getShape());
  for (const Known &operand : operands) {
    if (operand.type.getElementType() != operands[0].type.getElementType())
      return std::nullopt;
    auto merged = broadcastShapes(shape, operand.getShape());
    if (!merged)
      return std::nullopt;
    shape = *merged;
  }
  bool isFloat = operands[0].isFloat();
  if (countElements(shape) > kMaxFolded ||
      (isFloat ? !evaluator.reals : !evaluator.ints))
    return std::nullopt;
  auto compute = [&](Number a, Number b) {
    Number result;
    if (!isFloat)
      result.i = evaluator.ints(a.i, b.i);
    else if (evaluator.givesBool)
      result.i = evaluator.reals(a.f, b.f) != 0;
    else
      result.f = evaluator.reals(a.f, b.f);
    return result;
  };
  if (evaluator.divides && !isFloat)
    for (const Known &operand : operands.drop_front())
      if (llvm::any_of(operand.values, [](Number by) { return by.i == 0; }))
        return std::nullopt;
  Known result = expand(operands[0], shape);
  if (evaluator.operands == 1)
    for (Number &number : result.values)
      number = compute(number, number);
  for (const Known &operand : operands.drop_front()) {
    Known other = expand(operand, shape);
    for (auto [number, with] : llvm::zip_equal(result.values, other.values))
      number = compute(number, with);
  }
  if (evaluator.givesBool)
    result.type =
        result.type.clone(IntegerType::get(result.type.getContext(), 1));
  return result;
}

std::optional<Known> gc::onnxio::convert(const Known &known, Type element) {
  Known result{RankedTensorType::get(known.getShape(), element), known.values};
  bool toFloat = isa<FloatType>(element), toBool = element.isInteger(1);
  for (Number &number : result.values) {
    if (known.isFloat() && toBool) {
      number.i = number.f != 0;
    } else if (known.isFloat() && !toFloat) {
      if (!(std::fabs(number.f) < 9.2e18))
        return std::nullopt;
      number.i = static_cast<int64_t>(number.f);
    } else if (!known.isFloat() && toFloat) {
      number.f = static_cast<double>(number.i);
    } else if (toBool) {
      number.i = number.i != 0;
    }
  }
  return result;
}
