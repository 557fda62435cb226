// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Graphs as users provide them: MLIR text, MLIR bytecode, oneDNN Graph JSON,
// ONNX models.

#ifndef GC_DRIVER_SOURCE_H
#define GC_DRIVER_SOURCE_H

#include "Target/OneDNNGraph/OneDNNGraph.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

namespace gc {

enum class SourceFormat {
  /// JSON if the first character says so, else MLIR.
  automatic,
  /// Text or bytecode.
  mlir,
  onednnGraph
};

/// Reads a graph; the buffer's name is the file name of locations and errors.
/// Input that MLIR's parser would crash on is refused (Support/ParserLimits.h).
llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
parseGraph(std::unique_ptr<llvm::MemoryBuffer> buffer, SourceFormat format,
           mlir::MLIRContext *context,
           UnknownKinds unknownKinds = UnknownKinds::Refused);

/// Reads a file by its extension: .mlir, .mlirbc, .json or .onnx. `settings`
/// say what an ONNX model leaves open, as OnnxOptions::add takes them; these
/// are errors for other files. For all files, `size=NAME=SIZE` fixes a named
/// dimension.
llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
readGraph(llvm::StringRef path, mlir::MLIRContext *context,
          UnknownKinds unknownKinds = UnknownKinds::Refused,
          llvm::ArrayRef<std::string> settings = {});

} // namespace gc

#endif // GC_DRIVER_SOURCE_H
