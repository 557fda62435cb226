// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Stands in where the ONNX libraries are missing.

#include "Target/Onnx/Onnx.h"
#include "mlir/IR/Diagnostics.h"

using namespace gc;

mlir::OwningOpRef<mlir::ModuleOp> gc::importOnnx(llvm::MemoryBufferRef model,
                                                 mlir::MLIRContext *context,
                                                 const OnnxOptions &options) {
  mlir::emitError(mlir::FileLineColLoc::get(
      context, model.getBufferIdentifier(), /*line=*/0, /*column=*/0))
      << "ONNX models are not read by this build, which lacks libonnx-dev and "
         "libprotobuf-dev";
  return nullptr;
}

mlir::OwningOpRef<mlir::ModuleOp>
gc::importOnnx(std::unique_ptr<llvm::MemoryBuffer> model,
               mlir::MLIRContext *context, const OnnxOptions &options) {
  return importOnnx(model->getMemBufferRef(), context, options);
}

llvm::LogicalResult gc::exportOnnx(mlir::ModuleOp module, llvm::raw_ostream &) {
  return module.emitError("ONNX models are not written by this build, which "
                          "lacks libonnx-dev and libprotobuf-dev");
}
