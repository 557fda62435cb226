// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Attributes that convolution and pooling share.

#ifndef GC_LIB_TARGET_ONNX_WINDOW_H
#define GC_LIB_TARGET_ONNX_WINDOW_H

#include "NodeBuilder.h"

namespace gc::onnxio {

/// How a window moves over the dimensions after batch and channels.
struct Window {
  llvm::SmallVector<int64_t> kernel, strides, dilations, begin, end;
};

/// Reads and checks the attributes. Without that of the kernel's size it is
/// `kernel`.
mlir::FailureOr<Window> getWindow(NodeBuilder &node,
                                  mlir::RankedTensorType type,
                                  llvm::ArrayRef<int64_t> kernel);

/// The same for a convolution of these operands, and its attributes.
mlir::FailureOr<Window> getConvWindow(NodeBuilder &node, mlir::Value src,
                                      mlir::Value weights);
llvm::SmallVector<mlir::NamedAttribute>
getConvAttrs(NodeBuilder &node, const Window &window, int64_t groups,
             llvm::StringRef weightsFormat = "OIX");

} // namespace gc::onnxio

#endif // GC_LIB_TARGET_ONNX_WINDOW_H
