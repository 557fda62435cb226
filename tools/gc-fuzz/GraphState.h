// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A random graph while it grows, and the steps by which it does.

#ifndef GC_TOOLS_GC_FUZZ_GRAPHSTATE_H
#define GC_TOOLS_GC_FUZZ_GRAPHSTATE_H

#include "Dialect/Graph/IR/GraphOps.h"
#include "Random.h"
#include "Range.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

#include <vector>

namespace gc::fuzz {

/// The domain from which tools draw the values of an argument; it follows from
/// the ops that read it, so that an argument of one kind must not be read as
/// another.
enum class ArgumentKind { plain, positive, divisor };

/// A value of the graph.
struct Item {
  mlir::Value value;
  Range range;
  /// The argument whose elements these are, or -1 for computed values.
  int64_t root = -1;

  mlir::RankedTensorType getType() const {
    return mlir::cast<mlir::RankedTensorType>(value.getType());
  }
  llvm::ArrayRef<int64_t> getShape() const { return getType().getShape(); }
  bool isFloat() const {
    return mlir::isa<mlir::FloatType>(getType().getElementType());
  }
  bool isF32() const { return getType().getElementType().isF32(); }
};

class GraphState {
public:
  /// No tensor has more elements, no contraction more multiplications.
  static constexpr int64_t kMaxElements = 1 << 16;
  static constexpr int64_t kMaxProducts = 4 << 20;
  /// Typical values stay below.
  static constexpr double kMaxMagnitude = 1000;

  GraphState(mlir::func::FuncOp func, Random &random);

  //===--- Values --------------------------------------------------------===//

  /// Any value that `allowed` accepts, younger ones more often; null if there
  /// is none.
  const Item *pickItem(llvm::function_ref<bool(const Item &)> allowed);
  Item addArgument(llvm::ArrayRef<int64_t> shape, mlir::Type element,
                   ArgumentKind kind, bool isConstant);
  /// An argument of weights for a contraction over `reduced` elements.
  Item addWeights(llvm::ArrayRef<int64_t> shape, mlir::Type element,
                  int64_t reduced);
  /// A constant whose elements are in [low, high]; one number for all of them
  /// with `splat`.
  Item addConstant(llvm::ArrayRef<int64_t> shape, mlir::Type element,
                   double low, double high, bool splat);
  Item addItem(mlir::Value value, const Range &range, int64_t root = -1);
  /// Whether reading the value as a divisor keeps its argument's kind.
  bool mayDivide(const Item &item) const;

  template <typename Op>
  mlir::Value create(mlir::ValueRange operands,
                     llvm::ArrayRef<mlir::NamedAttribute> attributes = {}) {
    return Op::create(builder, builder.getUnknownLoc(), operands, attributes)
        ->getResult(0);
  }
  mlir::NamedAttribute attribute(llvm::StringRef name, mlir::Attribute value) {
    return builder.getNamedAttr(name, value);
  }
  mlir::NamedAttribute f32(llvm::StringRef name, double value) {
    return attribute(name, builder.getF32FloatAttr(value));
  }

  //===--- Shapes --------------------------------------------------------===//

  /// A size from the sets that the description of the generator explains.
  int64_t pickSize(int64_t limit);
  llvm::SmallVector<int64_t> pickShape(int64_t rank);
  /// A shape that numpy rules broadcast to `shape`.
  llvm::SmallVector<int64_t> pickBroadcastSource(llvm::ArrayRef<int64_t> shape);
  /// Strides that are not the row-major ones, each element in its own place
  /// unless `mayOverlap`; null if there are none for this shape.
  graph::LayoutAttr pickStrided(llvm::ArrayRef<int64_t> shape, bool mayOverlap);
  graph::LayoutAttr pickBlocked(llvm::ArrayRef<int64_t> shape);

  mlir::func::FuncOp func;
  Random &random;
  mlir::OpBuilder builder;
  std::vector<Item> items;
  std::vector<ArgumentKind> kinds;
};

/// Steps add one op, or two where the first makes the second sensible. They
/// return false, having added nothing but arguments, when no value suits.
bool addUnary(GraphState &state);
bool addBinary(GraphState &state);
bool addInteger(GraphState &state);
/// Brings large values back to about 1.
bool addScaling(GraphState &state);
/// A value that is safely above 0, for logarithms, roots and divisions.
bool addPositive(GraphState &state);
bool addBias(GraphState &state);
bool addMatmul(GraphState &state);
/// A matmul of bf16 or f16 tensors.
bool addNarrowMatmul(GraphState &state);
/// A convolution, often of an image that nothing else has computed.
bool addConvolution(GraphState &state);
/// The same in bf16 or f16.
bool addNarrowConvolution(GraphState &state);
/// A transposed convolution, or a gradient of one or of a convolution.
bool addReversedConvolution(GraphState &state);
bool addNarrowReversedConvolution(GraphState &state);
/// Maxima or means of windows, of any floating-point type.
bool addPooling(GraphState &state);
bool addPoolingGradient(GraphState &state);
/// An image in another size, or the gradient.
bool addInterpolation(GraphState &state);
/// Zeros at random places.
bool addDropout(GraphState &state);
bool addReshape(GraphState &state);
bool addTranspose(GraphState &state);
bool addReorder(GraphState &state);
/// Tensors one after the other, of any type.
bool addConcat(GraphState &state);
bool addCast(GraphState &state);
bool addSoftmax(GraphState &state);
bool addNorm(GraphState &state);
bool addReduction(GraphState &state);
bool addSelect(GraphState &state);
bool addGather(GraphState &state);
/// The gradient of an elementwise function.
bool addGradient(GraphState &state);
/// prelu or its gradients.
bool addPrelu(GraphState &state);
bool addBiasGradient(GraphState &state);
bool addSoftmaxGradient(GraphState &state);
/// Gradients of layer norm and batch norm, or batch norm for training.
bool addNormGradient(GraphState &state);
/// Matmul, scaling, mask, softmax, matmul and transpose, on arguments.
bool addAttention(GraphState &state);
/// bf16 or f16.
mlir::Type pickNarrowType(GraphState &state);
/// Attention in one of them.
bool addNarrowAttention(GraphState &state);
/// Attention of keys and values with few bits and scales for groups.
bool addCompressedAttention(GraphState &state);
/// Quantises and back.
bool addQuantize(GraphState &state);
/// A product with constant weights that are converted from a narrow type, by
/// scales for all, for each column or for groups.
bool addNarrowWeights(GraphState &state);

int64_t getNumElements(llvm::ArrayRef<int64_t> shape);

} // namespace gc::fuzz

#endif // GC_TOOLS_GC_FUZZ_GRAPHSTATE_H
