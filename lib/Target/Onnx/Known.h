// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Small tensors whose elements are known when a model is imported, and what
// is computed with them: mostly shapes.

#ifndef GC_LIB_TARGET_ONNX_KNOWN_H
#define GC_LIB_TARGET_ONNX_KNOWN_H

#include "Dialect/Graph/IR/NamedDims.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace gc::onnxio {

/// Most elements of a tensor that is computed with at import.
constexpr int64_t kMaxFolded = 1 << 16;

/// One element: `i` of integers and booleans, `f` of floating-point numbers.
union Number {
  int64_t i;
  double f;

  static Number of(int64_t value) { return {value}; }
  static Number ofReal(double value) {
    Number number;
    number.f = value;
    return number;
  }
};

struct Known {
  mlir::RankedTensorType type;
  llvm::SmallVector<Number, 4> values;

  bool isFloat() const {
    return llvm::isa<mlir::FloatType>(type.getElementType());
  }
  llvm::ArrayRef<int64_t> getShape() const { return type.getShape(); }
};

/// The elements of a tensor; none if it is null, large or of another type.
std::optional<Known> getKnown(mlir::ElementsAttr tensor);

/// The same of a tensor of up to 2^20 elements that stays where the file has
/// it: for scales and zero points, which are attributes. Nothing is computed
/// with it.
std::optional<Known> readKnown(mlir::ElementsAttr tensor);

/// The tensor of the elements, which are rounded to its element type. Integers
/// keep their lowest bits.
mlir::DenseElementsAttr getElements(const Known &known);

/// An operator of one or two operands, on integers and on floating-point
/// numbers; null where there is no such thing.
struct Evaluator {
  int64_t (*ints)(int64_t, int64_t) = nullptr;
  double (*reals)(double, double) = nullptr;
  bool givesBool = false;
  /// 0: one or more.
  unsigned operands = 2;
  /// Whether integers are divided by the second operand, which may not be 0.
  bool divides = false;
  /// The same on sizes that vary; nothing where the result is not a size.
  std::optional<graph::SizeExpr> (*sizes)(const graph::SizeExpr &,
                                          const graph::SizeExpr &) = nullptr;
};

/// The result of an elementwise operator with numpy broadcasting, of two
/// operands or, from the left, of any number; none if shapes do not fit or the
/// result is large.
std::optional<Known> evaluate(const Evaluator &evaluator,
                              llvm::ArrayRef<Known> operands);

/// The shape that shapes broadcast to.
std::optional<llvm::SmallVector<int64_t>>
broadcastShapes(llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b);

/// The elements with another type, as the Cast operator converts them; none
/// if a floating-point number is not a number of an integer type.
std::optional<Known> convert(const Known &known, mlir::Type element);

/// A tensor whose element at an index is the element of `known` at the index
/// that `getSource` returns for it, or `fill` where that is null.
Known rearrange(const Known &known, llvm::ArrayRef<int64_t> shape,
                llvm::function_ref<bool(llvm::ArrayRef<int64_t> index,
                                        llvm::MutableArrayRef<int64_t> source)>
                    getSource,
                Number fill = {0});

/// Calls `visit` with every index below `shape` in row-major order.
void forEachIndex(
    llvm::ArrayRef<int64_t> shape,
    llvm::function_ref<void(llvm::ArrayRef<int64_t> index)> visit);

/// The number of elements, or the largest integer if it is larger.
int64_t countElements(llvm::ArrayRef<int64_t> shape);

} // namespace gc::onnxio

#endif // GC_LIB_TARGET_ONNX_KNOWN_H
