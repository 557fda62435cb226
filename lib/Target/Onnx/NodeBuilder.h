// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One node of a model, as the functions that import ops see it: operands that
// are values or known, attributes with their defaults, checked results.

#ifndef GC_LIB_TARGET_ONNX_NODEBUILDER_H
#define GC_LIB_TARGET_ONNX_NODEBUILDER_H

#include "Known.h"
#include "OnnxProto.h"
#include "Sizes.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/StringSet.h"

#include <functional>

namespace gc::onnxio {

/// A tensor of the model: computed when the graph runs, or known, or both once
/// an op needs the value of what is known. One that a node outside of the parts
/// of a partitioned import computes is neither before an op needs it.
struct Tensor {
  mlir::Value value;
  mlir::ElementsAttr constant;

  bool isOutside() const { return !value && !constant; }
  mlir::RankedTensorType getType() const;
};

/// What the nodes of a graph share.
struct GraphState {
  mlir::OpBuilder builder;
  llvm::StringMap<Tensor> tensors;
  std::string folder;
  /// What a tensor that is made at import may take up while it is made, and
  /// what all of them may still take up.
  int64_t maxFoldBytes = 0, foldBytes = maxFoldBytes;
  /// What varies.
  SizeTable sizes;
  /// Makes an argument of a tensor that is computed outside, or returns why it
  /// cannot be one.
  std::function<std::string(llvm::StringRef name, Tensor &tensor)> addOutside =
      nullptr;
};

class NodeBuilder {
public:
  NodeBuilder(GraphState &graph, ::onnx::NodeProto &node, int64_t opset,
              mlir::Location loc);

  /// The version of the operator set.
  int64_t getOpset() const { return opset; }
  mlir::OpBuilder &getBuilder() { return graph.builder; }
  mlir::MLIRContext *getContext() { return graph.builder.getContext(); }
  llvm::StringRef getFolder() const { return graph.folder; }
  mlir::Type getF32() { return graph.builder.getF32Type(); }
  mlir::Type getS32() { return graph.builder.getIntegerType(32, true); }

  /// An error at the node. Later ones of the same node say nothing, so that
  /// one diagnostic has the cause.
  mlir::LogicalResult fail(const llvm::Twine &reason);
  bool hasFailed() const { return failed; }
  mlir::Location getLoc() const { return loc; }
  /// "Relu 'act'", or "Relu of 'y'" if the node has no name.
  static std::string describe(const ::onnx::NodeProto &node);

  /// A tensor that is computed or known; null after an error if nothing before
  /// the node defines it.
  Tensor *findTensor(const std::string &name);

  // Operands. Those left out have empty names.
  unsigned getNumOperands() const { return node.input_size(); }
  bool hasOperand(unsigned i) const;
  /// The operand as a value, and all of them.
  mlir::FailureOr<mlir::Value> getOperand(unsigned i);
  mlir::FailureOr<llvm::SmallVector<mlir::Value>> getOperands();
  mlir::FailureOr<mlir::RankedTensorType> getType(unsigned i);
  /// Null if the operand is not known.
  mlir::ElementsAttr getConstant(unsigned i);
  /// The elements of the operand; none if it is not known, or large.
  std::optional<Known> getKnown(unsigned i) {
    return onnxio::getKnown(getConstant(i));
  }
  /// The same of a large one, which is not computed with.
  std::optional<Known> readKnown(unsigned i) {
    return onnxio::readKnown(getConstant(i));
  }
  /// The shape of the operand, of a value, or of a constant.
  mlir::FailureOr<Sizes> getShape(unsigned i);
  Sizes getShape(mlir::Value value) { return graph.sizes.getShape(value); }
  /// The operand as a list of integers that must be known, or sizes.
  mlir::FailureOr<Sizes> getSizes(unsigned i);
  /// Sizes as a tensor that is known, to be asked for with getSizes.
  mlir::DenseElementsAttr makeSizes(llvm::ArrayRef<int64_t> shape,
                                    llvm::ArrayRef<SizeExpr> sizes);
  /// Whether an element of the operand is a size that varies.
  bool isSizes(unsigned i) {
    return graph.sizes.findVarying(getConstant(i)).has_value();
  }
  /// Fails unless --max-fold-bytes allows a tensor whose elements take `bytes`
  /// each while it is made; what remains of it counts from then on.
  mlir::LogicalResult reserve(llvm::ArrayRef<int64_t> shape, mlir::Type element,
                              int64_t bytes);
  /// Fails if operand i has a shape, or elements, that vary.
  mlir::LogicalResult checkShape(unsigned i);
  mlir::LogicalResult checkElements(unsigned i);
  /// The operand as a list of integers that must be known.
  mlir::FailureOr<llvm::SmallVector<int64_t>> getInts(unsigned i);
  /// Axes: an attribute before operator set `since`, operand 1 from it on.
  mlir::FailureOr<llvm::SmallVector<int64_t>> getAxes(int since);
  /// The operand as a number that must be known.
  mlir::FailureOr<double> getNumber(unsigned i);

  // Attributes. Those that nothing asks for are refused at the end.
  bool hasAttr(llvm::StringRef name);
  int64_t getIntAttr(llvm::StringRef name, int64_t byDefault);
  float getFloatAttr(llvm::StringRef name, float byDefault);
  std::string getStringAttr(llvm::StringRef name, llvm::StringRef byDefault);
  llvm::SmallVector<int64_t> getIntsAttr(llvm::StringRef name);
  ::onnx::AttributeProto *findAttr(llvm::StringRef name,
                                   ::onnx::AttributeProto::AttributeType type);
  /// For attributes that change nothing.
  void ignoreAttr(llvm::StringRef name) { read.insert(name); }

  /// An axis of `rank` dimensions, negative ones counted from the end.
  mlir::FailureOr<int64_t> getAxis(int64_t axis, int64_t rank);

  /// Builds an op and gives its one result the inferred shape and `element`,
  /// by default the element type of the first operand.
  mlir::FailureOr<mlir::Value>
  build(llvm::StringRef op, mlir::ValueRange operands,
        llvm::ArrayRef<mlir::NamedAttribute> attrs = {},
        mlir::Type element = nullptr);
  mlir::FailureOr<mlir::Value> reshape(mlir::Value value,
                                       llvm::ArrayRef<int64_t> shape);
  mlir::FailureOr<mlir::Value> reshapeTo(mlir::Value value,
                                         llvm::ArrayRef<SizeExpr> shape);
  /// The same for compositions: null after an error, as for null operands.
  mlir::Value make(llvm::StringRef op, mlir::ValueRange operands,
                   llvm::ArrayRef<mlir::NamedAttribute> attrs = {},
                   mlir::Type element = nullptr);
  /// A tensor that is known. int64 becomes s32.
  mlir::FailureOr<mlir::Value> makeConstant(mlir::ElementsAttr constant);
  /// A scalar of a floating-point type or of s32.
  mlir::Value createScalar(double value, mlir::Type element);

  unsigned getNumResults() const;
  mlir::LogicalResult setResult(mlir::FailureOr<mlir::Value> value);
  mlir::LogicalResult setConstant(mlir::ElementsAttr constant);
  mlir::LogicalResult setKnown(const Known &known);
  /// Leaves out a result, which the model must not use.
  mlir::LogicalResult skipResult();
  mlir::LogicalResult setTensor(const Tensor &tensor) { return define(tensor); }
  /// Tries to compute the node from known operands. Floating-point numbers are
  /// left to the graph unless there are few of them.
  mlir::FailureOr<bool> evaluate(const Evaluator &evaluator);

  /// Fails if an attribute was not read or a result not set.
  mlir::LogicalResult finish();

  mlir::NamedAttribute attr(llvm::StringRef name, mlir::Attribute value) {
    return getBuilder().getNamedAttr(name, value);
  }
  mlir::NamedAttribute attr(llvm::StringRef name,
                            llvm::ArrayRef<int64_t> ints) {
    return attr(name, getBuilder().getDenseI64ArrayAttr(ints));
  }

private:
  mlir::FailureOr<bool> evaluateSizes(const Evaluator &evaluator,
                                      llvm::ArrayRef<Known> operands);
  Tensor *find(unsigned i);
  mlir::LogicalResult define(Tensor tensor);

  GraphState &graph;
  ::onnx::NodeProto &node;
  int64_t opset;
  mlir::Location loc;
  llvm::StringSet<> read;
  bool failed = false;
  int numSet = 0;
};

} // namespace gc::onnxio

#endif // GC_LIB_TARGET_ONNX_NODEBUILDER_H
