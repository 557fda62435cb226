// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Functions of the nodes of a graph that are imported, if not all of them are.

#ifndef GC_LIB_TARGET_ONNX_PARTS_H
#define GC_LIB_TARGET_ONNX_PARTS_H

#include "NodeBuilder.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace gc::onnxio {

/// A node of the graph and what became of it.
struct PartNode {
  const ::onnx::NodeProto *proto;
  mlir::Location loc;
  bool isOutside = false;
  /// What computes it, in their order, apart from constants.
  llvm::SmallVector<mlir::Operation *> ops = {};
};

/// Splits `whole`, which computes all the nodes that are not outside and takes
/// the tensors named `arguments`, into functions in front of it: one for each
/// group of nodes that can run together and have tensors in common. Fails after
/// an error. `whole` stays as it is.
mlir::FailureOr<llvm::SmallVector<mlir::func::FuncOp>>
splitFunction(mlir::func::FuncOp whole, llvm::ArrayRef<std::string> arguments,
              llvm::ArrayRef<PartNode> nodes, const ::onnx::GraphProto &graph,
              GraphState &state, int64_t opset);

} // namespace gc::onnxio

#endif // GC_LIB_TARGET_ONNX_PARTS_H
