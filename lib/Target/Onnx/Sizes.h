// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sizes that vary, in the shapes of values and as elements of tensors that are
// known.

#ifndef GC_LIB_TARGET_ONNX_SIZES_H
#define GC_LIB_TARGET_ONNX_SIZES_H

#include "Dialect/Graph/IR/NamedDims.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"

namespace gc::onnxio {

using graph::SizeExpr;
using Sizes = llvm::SmallVector<SizeExpr, 4>;

/// The sizes of a graph that vary. As an element of a known tensor of s64, such
/// a size is a number that stands for it: what moves elements need not know.
class SizeTable {
public:
  /// The number itself if the size is one.
  int64_t encode(const SizeExpr &size);
  SizeExpr decode(int64_t element) const;
  /// Whether an element stands for a size that varies.
  bool varies(int64_t element) const;
  /// The first such element of a tensor.
  std::optional<SizeExpr> findVarying(mlir::ElementsAttr tensor) const;

  /// The sizes of a value's shape.
  Sizes getShape(mlir::Value value) const;
  void setShape(mlir::Value value, llvm::ArrayRef<SizeExpr> shape);
  /// Computes the shape of an op's results from those of its operands, as far
  /// as it is a sum of these: its own type inference is asked for shapes of
  /// numbers. Fails, without an error, if one of the sizes is something else.
  llvm::LogicalResult inferShapes(mlir::Operation *op);

private:
  std::vector<SizeExpr> elements;
  llvm::DenseMap<mlir::Value, Sizes> shapes;
};

SizeExpr getProduct(llvm::ArrayRef<SizeExpr> sizes);
bool isConstant(llvm::ArrayRef<SizeExpr> sizes);
/// The numbers, kDynamic where they vary.
llvm::SmallVector<int64_t> getNumbers(llvm::ArrayRef<SizeExpr> sizes);
/// The sizes of a shape that do not vary.
llvm::SmallVector<int64_t> dropVarying(llvm::ArrayRef<int64_t> shape);
/// "[batch, 12, 64]"
std::string print(llvm::ArrayRef<SizeExpr> sizes);

} // namespace gc::onnxio

#endif // GC_LIB_TARGET_ONNX_SIZES_H
