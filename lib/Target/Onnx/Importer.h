// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The state of an import.

#ifndef GC_LIB_TARGET_ONNX_IMPORTER_H
#define GC_LIB_TARGET_ONNX_IMPORTER_H

#include "Ops.h"
#include "Parts.h"
#include "RawData.h"
#include "Target/Onnx/Onnx.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <map>
#include <set>

namespace gc::onnxio {

/// The operator of a node, with its domain unless that is the standard one.
std::string getFullName(const ::onnx::NodeProto &node);

/// The type that a model and the options give to a tensor of an argument, or
/// the reason why it has none.
struct ArgumentType {
  mlir::RankedTensorType type;
  Sizes sizes;
  std::string problem = {};
  /// Whether the model or the options only have to say more.
  bool isOpen = false;
};

class Importer {
public:
  /// `split` has what was left out of the model, in bytes that `owner` keeps;
  /// null if nothing was.
  Importer(::onnx::ModelProto &model, mlir::Location loc,
           const OnnxOptions &options, llvm::StringRef folder,
           const SplitModel *split = nullptr,
           std::shared_ptr<const void> owner = nullptr);

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
  ArgumentType getType(const ::onnx::ValueInfoProto &tensor) const;
  /// Declares the sizes of the arguments that vary: all that the options have,
  /// or those of a part.
  mlir::LogicalResult declareSizes(mlir::func::FuncOp function,
                                   bool isPart = false);
  mlir::LogicalResult addValue(const ::onnx::ValueInfoProto &input,
                               llvm::ArrayRef<double> numbers);
  mlir::LogicalResult addInputs(mlir::func::FuncOp function);
  mlir::LogicalResult importNodes(Nodes &nodes, int64_t opset);
  mlir::Location getNextLoc(const ::onnx::NodeProto &proto);
  mlir::LogicalResult importNode(::onnx::NodeProto &proto, int64_t opset);
  mlir::LogicalResult importNode(NodeBuilder &node, ::onnx::NodeProto &proto,
                                 int64_t opset);
  mlir::LogicalResult addResults(mlir::func::FuncOp function);
  mlir::LogicalResult finishFunction(mlir::func::FuncOp function);
  mlir::LogicalResult importWhole(mlir::func::FuncOp function);
  void writeReport();

  // Functions and subgraphs (Functions.cpp).
  ::onnx::FunctionProto *findFunction(const ::onnx::NodeProto &node);
  /// The body in place of the call.
  mlir::LogicalResult importCall(NodeBuilder &node, ::onnx::NodeProto &proto,
                                 ::onnx::FunctionProto &function);
  mlir::FailureOr<llvm::SmallVector<Tensor>>
  importBranch(NodeBuilder &node, ::onnx::GraphProto &branch, int64_t opset);
  /// The branch that a known condition chooses.
  mlir::LogicalResult importIf(NodeBuilder &node, ::onnx::NodeProto &proto,
                               int64_t opset);

  // Models of which some nodes stay outside (Partition.cpp).
  /// Makes functions of the nodes that can be imported.
  mlir::LogicalResult importParts(mlir::func::FuncOp function);
  /// Imports a node, or leaves it outside with a remark. Fails where no
  /// partition helps.
  mlir::LogicalResult tryNode(::onnx::NodeProto &proto, PartNode &record);
  /// Makes an argument of a tensor that is computed outside, or returns why it
  /// cannot be one.
  std::string addOutside(mlir::func::FuncOp function, llvm::StringRef name,
                         Tensor &tensor);

  ::onnx::GraphProto &graph;
  ::onnx::ModelProto &model;
  const SplitModel *split;
  std::shared_ptr<const void> owner;
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
  /// What computes the tensors that are computed outside.
  llvm::StringMap<const ::onnx::NodeProto *> outside;
  /// Whether an error of a node is one of the model or the options.
  bool isModelError = false;
};

} // namespace gc::onnxio

#endif // GC_LIB_TARGET_ONNX_IMPORTER_H
