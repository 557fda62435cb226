// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The state of an import.

#ifndef GC_LIB_TARGET_ONNX_IMPORTER_H
#define GC_LIB_TARGET_ONNX_IMPORTER_H

#include "Ops.h"
#include "Target/Onnx/Onnx.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <map>
#include <set>

namespace gc::onnxio {

class Importer {
public:
  Importer(::onnx::ModelProto &model, mlir::Location loc,
           const OnnxOptions &options, llvm::StringRef folder);

  mlir::OwningOpRef<mlir::ModuleOp> import();

private:
  using Nodes = google::protobuf::RepeatedPtrField<::onnx::NodeProto>;

  mlir::LogicalResult findOpset();
  mlir::LogicalResult checkOps();
  /// Adds the operators of nodes, and of the functions they call, that are not
  /// imported.
  void addUnsupported(const Nodes &nodes, int64_t opset);
  mlir::LogicalResult checkSettings();
  mlir::LogicalResult addConstants(::onnx::GraphProto &of);
  std::optional<SizeExpr> getSize(llvm::StringRef name) const;
  mlir::FailureOr<mlir::RankedTensorType>
  getInputType(const ::onnx::ValueInfoProto &input, Sizes &sizes);
  mlir::LogicalResult declareSizes(mlir::func::FuncOp function);
  mlir::LogicalResult addValue(const ::onnx::ValueInfoProto &input,
                               llvm::ArrayRef<double> numbers);
  mlir::LogicalResult addInputs(mlir::func::FuncOp function);
  mlir::LogicalResult importNodes(Nodes &nodes, int64_t opset);
  mlir::LogicalResult importNode(::onnx::NodeProto &proto, int64_t opset);
  mlir::LogicalResult addResults(mlir::func::FuncOp function);
  void writeReport();

  // Functions and subgraphs (Functions.cpp).
  ::onnx::FunctionProto *findFunction(const ::onnx::NodeProto &node);
  /// The body in place of the call.
  mlir::LogicalResult importCall(NodeBuilder &node, ::onnx::NodeProto &proto,
                                 ::onnx::FunctionProto &function);
  /// The branch that a known condition chooses.
  mlir::LogicalResult importIf(NodeBuilder &node, ::onnx::NodeProto &proto,
                               int64_t opset);

  ::onnx::GraphProto &graph;
  ::onnx::ModelProto &model;
  mlir::Location loc;
  const OnnxOptions &options;
  GraphState state;
  int64_t opset = 0;
  /// Calls and branches around what is imported, and the nodes that may follow:
  /// functions that call functions would be without end.
  int depth = 0;
  int64_t nodesLeft = 1 << 20;
  /// Nodes that have been imported.
  unsigned numNodes = 0;
  llvm::SmallVector<std::string> argumentNames;
  std::map<std::string, int> unsupported, mapped, folded;
  std::set<const ::onnx::FunctionProto *> checked;
};

} // namespace gc::onnxio

#endif // GC_LIB_TARGET_ONNX_IMPORTER_H
