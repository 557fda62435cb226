// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Graphs as users provide them: MLIR text, MLIR bytecode, oneDNN Graph JSON,
// ONNX models.

#ifndef GC_DRIVER_SOURCE_H
#define GC_DRIVER_SOURCE_H

#include "Dialect/Graph/IR/NamedDims.h"
#include "Target/OneDNNGraph/OneDNNGraph.h"
#include "Target/Onnx/Onnx.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

namespace gc {

/// How a file is kept whose bytes a graph refers to, such as the weights of an
/// ONNX model.
enum class FileAccess {
  /// In memory of its own: the file may change or vanish.
  copied,
  /// Mapped, which is faster and takes no memory of its own. Nobody may change
  /// the file while the graph, or code compiled from it, is in use.
  mapped
};

enum class SourceFormat {
  /// JSON if the first character says so, else MLIR.
  automatic,
  /// Text or bytecode.
  mlir,
  onednnGraph
};

/// Reads a graph; the buffer's name is the file name of locations and errors.
/// Input that MLIR's parser would crash on is refused (Support/ParserLimits.h).
/// Large resources of the graph are shared (SharedResources.h): a compiled
/// graph does not copy them.
llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
parseGraph(std::unique_ptr<llvm::MemoryBuffer> buffer, SourceFormat format,
           mlir::MLIRContext *context,
           UnknownKinds unknownKinds = UnknownKinds::Refused);

/// What a file leaves open and the caller fixes.
struct SourceSettings {
  /// Of an ONNX model.
  OnnxOptions onnx;
  /// Of the named dimensions (`graph.dims`) of any graph.
  graph::NamedSizes sizes;

  /// Adds `NAME=SIZE` to the sizes.
  llvm::Error addSize(llvm::StringRef text);
  /// Reads texts such as `dim=NAME=SIZE`: `dim`, `shape`, `value` as
  /// OnnxOptions takes them, or `size`. An error says what is wrong with which
  /// of them.
  static llvm::Expected<SourceSettings>
  parse(llvm::ArrayRef<std::string> texts);
};

/// Reads a file by its extension: .mlir, .mlirbc, .json or .onnx. Settings for
/// ONNX models are errors for other files. Files of external weights are mapped
/// in any case.
llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
readGraph(llvm::StringRef path, mlir::MLIRContext *context,
          UnknownKinds unknownKinds = UnknownKinds::Refused,
          const SourceSettings &settings = {},
          FileAccess access = FileAccess::copied);

} // namespace gc

#endif // GC_DRIVER_SOURCE_H
