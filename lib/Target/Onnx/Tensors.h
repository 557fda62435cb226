// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tensors that a model has the values of.

#ifndef GC_LIB_TARGET_ONNX_TENSORS_H
#define GC_LIB_TARGET_ONNX_TENSORS_H

#include "OnnxProto.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/Support/Error.h"

#include <memory>

namespace gc::onnxio {

/// Most dimensions of a tensor, as in oneDNN Graph.
constexpr size_t kMaxRank = 12;

/// The element type of a TensorProto::DataType; null for those that no
/// attribute or op of ours has.
mlir::Type getElementType(int32_t dataType, mlir::MLIRContext *context);

/// The TensorProto::DataType of an element type, if there is one.
std::optional<int32_t> getDataType(mlir::Type element);

/// "int64", "string": the name of a TensorProto::DataType.
std::string getTypeName(int32_t dataType);

/// Reads a tensor. The bytes of a large one are taken out of it; those of an
/// external one are mapped from a file below `folder`. No memory is used that
/// the file's bytes do not account for.
llvm::Expected<mlir::ElementsAttr> takeTensor(::onnx::TensorProto &tensor,
                                              llvm::StringRef folder,
                                              mlir::MLIRContext *context);

/// The same for a tensor whose raw data, unless it is null, is elsewhere
/// (RawData.h), where it stays: `owner` keeps it. It need not be aligned to the
/// elements.
llvm::Expected<mlir::ElementsAttr> takeTensor(::onnx::TensorProto &tensor,
                                              const llvm::StringRef *rawData,
                                              std::shared_ptr<const void> owner,
                                              llvm::StringRef folder,
                                              mlir::MLIRContext *context);

/// The values of a tensor of integers or booleans; none for other types and
/// for tensors too large to be a shape.
std::optional<llvm::SmallVector<int64_t>> getInts(mlir::ElementsAttr tensor);

/// The bytes of a tensor; `storage` is for those of a splat.
std::optional<llvm::ArrayRef<char>> getRawBytes(mlir::ElementsAttr tensor,
                                                std::vector<char> &storage);

} // namespace gc::onnxio

#endif // GC_LIB_TARGET_ONNX_TENSORS_H
