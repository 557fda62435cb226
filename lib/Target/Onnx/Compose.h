// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What operators are composed of. Values are null after an error, as results
// of null operands are.

#ifndef GC_LIB_TARGET_ONNX_COMPOSE_H
#define GC_LIB_TARGET_ONNX_COMPOSE_H

#include "NodeBuilder.h"

namespace gc::onnxio {

/// The operand, or null after an error.
mlir::Value getValue(NodeBuilder &node, unsigned i);
mlir::RankedTensorType getTensorType(mlir::Value value);
mlir::Type getElement(mlir::Value value);

/// Shorthands for binary ops, with numpy broadcasting. A number becomes a
/// scalar of the other operand's type.
mlir::Value add(NodeBuilder &node, mlir::Value a, mlir::Value b);
mlir::Value subtract(NodeBuilder &node, mlir::Value a, mlir::Value b);
mlir::Value multiply(NodeBuilder &node, mlir::Value a, mlir::Value b);
mlir::Value divide(NodeBuilder &node, mlir::Value a, mlir::Value b);
mlir::Value maximum(NodeBuilder &node, mlir::Value a, mlir::Value b);
mlir::Value minimum(NodeBuilder &node, mlir::Value a, mlir::Value b);
mlir::Value makeScalar(NodeBuilder &node, double value, mlir::Value like);

/// a >= b as a boolean, of any types that the dialect has.
mlir::Value greaterEqual(NodeBuilder &node, mlir::Value a, mlir::Value b);
mlir::Value equal(NodeBuilder &node, mlir::Value a, mlir::Value b);
mlir::Value logicalNot(NodeBuilder &node, mlir::Value a);
mlir::Value logicalAnd(NodeBuilder &node, mlir::Value a, mlir::Value b);
mlir::Value logicalOr(NodeBuilder &node, mlir::Value a, mlir::Value b);

/// condition ? a : b, of any types that the dialect has.
mlir::Value select(NodeBuilder &node, mlir::Value condition, mlir::Value a,
                   mlir::Value b);

/// Rounded to nearest even; rounded down.
mlir::Value round(NodeBuilder &node, mlir::Value x);
mlir::Value floor(NodeBuilder &node, mlir::Value x);
mlir::Value truncate(NodeBuilder &node, mlir::Value x);

/// The value with another element type. Integers are rounded to nearest even
/// and saturated.
mlir::Value typeCast(NodeBuilder &node, mlir::Value x, mlir::Type element);
/// As the Cast operator does: floating-point numbers are truncated, booleans
/// are whether a number is not 0.
mlir::Value castTo(NodeBuilder &node, mlir::Value x, mlir::Type element);

/// Attributes.
mlir::NamedAttribute f32Attr(NodeBuilder &node, llvm::StringRef name,
                             double value);
mlir::NamedAttribute intAttr(NodeBuilder &node, llvm::StringRef name,
                             int64_t value);
mlir::NamedAttribute boolAttr(NodeBuilder &node, llvm::StringRef name,
                              bool value);

/// Fails if dimension `dim` of an operand has a size that varies.
llvm::LogicalResult checkFixed(NodeBuilder &node, unsigned operand,
                               int64_t dim);

mlir::Value reshape(NodeBuilder &node, mlir::Value x,
                    llvm::ArrayRef<int64_t> shape);
mlir::Value reshapeTo(NodeBuilder &node, mlir::Value x,
                      llvm::ArrayRef<SizeExpr> shape);
mlir::Value transpose(NodeBuilder &node, mlir::Value x,
                      llvm::ArrayRef<int64_t> order);
/// A reduction that keeps the dimensions.
mlir::Value reduce(NodeBuilder &node, llvm::StringRef op, mlir::Value x,
                   llvm::ArrayRef<int64_t> axes, bool keepDims = true);
/// The values next to each other along an axis.
mlir::Value concat(NodeBuilder &node, mlir::ValueRange values, int64_t axis);
/// A tensor that is known.
mlir::Value makeTensor(NodeBuilder &node, const Known &known);
/// Where an element of a shape has a property; null if the tensor is too large.
mlir::Value makeMask(NodeBuilder &node, llvm::ArrayRef<int64_t> shape,
                     llvm::function_ref<bool(llvm::ArrayRef<int64_t>)> has);

/// Which elements a result takes in each dimension: element p is element
/// (p * stride + offset) / spacing of the source. Where that is outside of it,
/// or has a remainder, it is `fill`, or, if clamped, the nearest element.
struct Slide {
  struct Dim {
    int64_t size, stride = 1, offset = 0, spacing = 1;
  };
  llvm::SmallVector<Dim> dims;
  bool clamps = false;
  Number fill = {0};

  /// Every element of a shape.
  explicit Slide(llvm::ArrayRef<int64_t> shape) {
    for (int64_t size : shape)
      dims.push_back({size});
  }
  llvm::SmallVector<int64_t> getShape() const;
};

mlir::Value slide(NodeBuilder &node, mlir::Value x, const Slide &by);
Known slide(const Known &x, const Slide &by);
/// Sets the result to what an operand is then, which stays known if it is.
mlir::LogicalResult setSlid(NodeBuilder &node, unsigned operand,
                            const Slide &by);
/// The elements from `begin` on along an axis.
mlir::Value slice(NodeBuilder &node, mlir::Value x, int64_t axis, int64_t begin,
                  int64_t size);
/// The value with sizes of 1 repeated; also adds dimensions in front.
mlir::Value expand(NodeBuilder &node, mlir::Value x,
                   llvm::ArrayRef<int64_t> shape);

/// x[:, indices, :], as slices with equal steps.
mlir::Value gatherKnown(NodeBuilder &node, mlir::Value x,
                        llvm::ArrayRef<int64_t> indices);
/// Indices that are known, counted from the first of `size` elements.
mlir::FailureOr<llvm::SmallVector<int64_t>>
getIndices(NodeBuilder &node, const Known &known, int64_t size);
/// The rows of a table that the indices in an operand name, one after the
/// other.
mlir::Value gatherRows(NodeBuilder &node, mlir::Value table, unsigned operand);
/// A reduction of the `kernel` elements from `offset` on at each element along
/// an axis; outside, elements are `fill`.
mlir::Value reduceWindows(NodeBuilder &node, llvm::StringRef op, mlir::Value x,
                          int64_t axis, int64_t kernel, int64_t offset,
                          double fill = 0);

} // namespace gc::onnxio

#endif // GC_LIB_TARGET_ONNX_COMPOSE_H
