// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One op of a graph, as the functions that export ops see it: operands as named
// tensors, nodes of an ONNX graph that are added one after the other.

#ifndef GC_LIB_TARGET_ONNX_NODEWRITER_H
#define GC_LIB_TARGET_ONNX_NODEWRITER_H

#include "OnnxProto.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

#include <variant>

namespace gc::onnxio {

/// A tensor of the ONNX graph; no name if a node failed.
struct Named {
  std::string name;
  mlir::Type element;

  explicit operator bool() const { return !name.empty(); }
};

/// An attribute of a node.
struct NodeAttr {
  llvm::StringRef name;
  std::variant<int64_t, float, std::string, llvm::SmallVector<int64_t>> value;
};

/// The ONNX graph that is written.
class GraphWriter {
public:
  explicit GraphWriter(::onnx::GraphProto &graph) : graph(graph) {}

  ::onnx::GraphProto &getGraph() { return graph; }
  /// `wanted`, or a name close to it that no tensor has yet.
  std::string getFreshName(llvm::StringRef wanted);
  /// Gives the tensor of a value a name.
  void define(mlir::Value value, llvm::StringRef name) {
    names[value] = name.str();
  }
  std::string getName(mlir::Value value) const { return names.lookup(value); }
  /// Adds an initializer.
  std::string addTensor(llvm::StringRef wanted, mlir::RankedTensorType type,
                        int32_t dataType, llvm::ArrayRef<char> bytes);

private:
  ::onnx::GraphProto &graph;
  llvm::DenseMap<mlir::Value, std::string> names;
  /// Names there are, and the number to try after each.
  llvm::StringMap<unsigned> taken;
};

class NodeWriter {
public:
  NodeWriter(GraphWriter &graph, mlir::Operation *op) : graph(graph), op(op) {}

  mlir::Operation *getOp() const { return op; }
  /// An error at the op. Only the first one is reported.
  mlir::LogicalResult fail(const llvm::Twine &reason);

  mlir::RankedTensorType getOperandType(unsigned i) const;
  mlir::RankedTensorType getResultType(unsigned i = 0) const;
  Named getOperand(unsigned i) const;
  /// The operand in f32 if it is bf16, for operators that have no bf16.
  Named getWidened(unsigned i);

  /// Adds a node with one result.
  Named add(llvm::StringRef type, llvm::ArrayRef<Named> inputs,
            mlir::Type element, llvm::ArrayRef<NodeAttr> attrs = {});
  /// The same with the element type of the first input.
  Named add(llvm::StringRef type, llvm::ArrayRef<Named> inputs,
            llvm::ArrayRef<NodeAttr> attrs = {}) {
    return add(type, inputs, inputs.front().element, attrs);
  }
  /// Adds a conversion unless `x` has that type; of numbers that the type has.
  Named cast(const Named &x, mlir::Type element);
  Named transpose(const Named &x, llvm::ArrayRef<int64_t> order);
  Named reshape(const Named &x, llvm::ArrayRef<int64_t> shape);
  /// Rounds and saturates to an integer type; NaN becomes 0.
  Named roundTo(const Named &x, mlir::IntegerType type);

  // Initializers.
  Named makeInts(llvm::ArrayRef<int64_t> values);
  Named makeScalar(double value, mlir::Type element);
  /// A list of numbers of an element type.
  Named makeList(llvm::ArrayRef<double> values, mlir::Type element);
  Named makeTensor(mlir::ElementsAttr value);

  /// The tensor that the result is, converted to its element type.
  mlir::LogicalResult setResult(Named tensor, unsigned i = 0);

  mlir::Type getF32() const { return mlir::Float32Type::get(op->getContext()); }

private:
  Named addRaw(mlir::RankedTensorType type, llvm::ArrayRef<char> bytes);

  GraphWriter &graph;
  mlir::Operation *op;
  bool failed = false;
};

/// Integer lists of attributes.
inline llvm::SmallVector<int64_t> toList(llvm::ArrayRef<int64_t> values) {
  return llvm::SmallVector<int64_t>(values);
}

} // namespace gc::onnxio

#endif // GC_LIB_TARGET_ONNX_NODEWRITER_H
