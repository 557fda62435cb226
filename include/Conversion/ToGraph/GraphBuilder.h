// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Builds what an op of another dialect means as ops of the Graph dialect.

#ifndef GC_CONVERSION_TOGRAPH_GRAPHBUILDER_H
#define GC_CONVERSION_TOGRAPH_GRAPHBUILDER_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

#include <functional>
#include <optional>

namespace gc {

/// The type of a value in the Graph dialect: a tensor of static sizes, none of
/// them 0, whose integers have a sign. Null for values that have no such type.
mlir::RankedTensorType getGraphType(mlir::Type type, bool isUnsigned = false);

/// The elements of a tensor that is known: a constant, or filled with one. Null
/// for others.
mlir::ElementsAttr getKnownElements(mlir::Value value);

/// The number that all elements of a tensor are equal to, if it is known.
std::optional<llvm::APFloat> getKnownNumber(mlir::Value value);

/// Builds the graph ops for one op after another. Conversions ask for operands
/// with get(), so that it is known which ones they read: an op that only fills
/// the destination of another one, or pads its operand, need not be among them.
class GraphBuilder {
public:
  /// Makes a graph value of the given type for a value that no converted op
  /// defines.
  using MakeInput = std::function<mlir::Value(GraphBuilder &, mlir::Value,
                                              mlir::RankedTensorType)>;

  GraphBuilder(mlir::OpBuilder &builder, MakeInput makeInput)
      : builder(builder), makeInput(std::move(makeInput)) {}

  /// What is built from now on belongs to `op`.
  void begin(mlir::Operation *op);
  /// Erases what was built since begin().
  void undo();

  /// Fails the conversion of the op. The first reason is kept.
  mlir::LogicalResult fail(const llvm::Twine &reason);
  llvm::StringRef getReason() const { return reason; }
  /// The values that were asked for since begin(), without constants.
  llvm::ArrayRef<mlir::Value> getOperands() const {
    return operands.getArrayRef();
  }
  /// The ops that were built since begin().
  llvm::ArrayRef<mlir::Operation *> getBuilt() const { return built; }

  /// The graph value of a tensor. Constants become constants.
  mlir::FailureOr<mlir::Value> get(mlir::Value value, bool isUnsigned = false);
  /// Sets the graph value of a tensor from now on.
  void define(mlir::Value value, mlir::Value graphValue) {
    values[value] = graphValue;
  }
  mlir::Value lookup(mlir::Value value) const { return values.lookup(value); }

  mlir::OpBuilder &getBuilder() { return builder; }
  /// An op that was built with getBuilder(), for undo().
  void track(mlir::Operation *op) { built.push_back(op); }
  mlir::Location getLoc() const { return loc; }

  /// Builds an op and gives its one result the inferred shape and `element`, by
  /// default the element type of the first operand.
  mlir::FailureOr<mlir::Value>
  build(llvm::StringRef name, mlir::ValueRange operands,
        llvm::ArrayRef<mlir::NamedAttribute> attrs = {},
        mlir::Type element = nullptr);
  mlir::FailureOr<mlir::Value> reshape(mlir::Value value,
                                       llvm::ArrayRef<int64_t> shape);
  /// Dimension i of the result is dimension order[i].
  mlir::FailureOr<mlir::Value> transpose(mlir::Value value,
                                         llvm::ArrayRef<int64_t> order);
  /// A value of exactly this shape from one that broadcasts to it.
  mlir::FailureOr<mlir::Value> broadcast(mlir::Value value,
                                         llvm::ArrayRef<int64_t> shape);
  mlir::FailureOr<mlir::Value> cast(mlir::Value value, mlir::Type element);
  /// A product, or the quotient if one factor is the reciprocal of the sum of
  /// the other one: some frontends write softmax that way.
  mlir::FailureOr<mlir::Value> multiply(mlir::Value lhs, mlir::Value rhs);
  /// A tensor without dimensions.
  mlir::Value scalar(double value, mlir::Type element);
  mlir::Value constant(mlir::ElementsAttr value);

  mlir::NamedAttribute attr(llvm::StringRef name, mlir::Attribute value) {
    return builder.getNamedAttr(name, value);
  }
  mlir::NamedAttribute attr(llvm::StringRef name,
                            llvm::ArrayRef<int64_t> ints) {
    return attr(name, builder.getDenseI64ArrayAttr(ints));
  }
  mlir::NamedAttribute attr(llvm::StringRef name, bool value) {
    return attr(name, builder.getBoolAttr(value));
  }
  mlir::NamedAttribute attr(llvm::StringRef name, const char *value) {
    return attr(name, builder.getStringAttr(value));
  }

private:
  mlir::OpBuilder &builder;
  MakeInput makeInput;
  mlir::Location loc = builder.getUnknownLoc();
  std::string reason;
  llvm::DenseMap<mlir::Value, mlir::Value> values;
  llvm::SetVector<mlir::Value> operands;
  llvm::SmallVector<mlir::Operation *> built;
};

/// Sizes and element type of a graph value.
inline mlir::RankedTensorType getTensorType(mlir::Value value) {
  return mlir::cast<mlir::RankedTensorType>(value.getType());
}
inline llvm::ArrayRef<int64_t> getShape(mlir::Value value) {
  return getTensorType(value).getShape();
}
inline mlir::Type getElement(mlir::Value value) {
  return getTensorType(value).getElementType();
}

/// The sizes of an op's first result, a ranked tensor.
inline llvm::ArrayRef<int64_t> getResultShape(mlir::Operation *op) {
  return getShape(op->getResult(0));
}

} // namespace gc

#endif // GC_CONVERSION_TOGRAPH_GRAPHBUILDER_H
