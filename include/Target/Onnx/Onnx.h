// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Import of ONNX models.

#ifndef GC_TARGET_ONNX_ONNX_H
#define GC_TARGET_ONNX_ONNX_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MemoryBuffer.h"

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace gc {

/// What a model leaves open, and how it is imported.
struct OnnxOptions {
  /// Sizes by the name that the model gives to a dimension (`dim_param`).
  llvm::StringMap<int64_t> dims;
  /// The bounds of those that stay open: they become named dimensions
  /// (`graph.dims`) of the arguments.
  llvm::StringMap<std::pair<int64_t, int64_t>> ranges;
  /// Shapes by the name of an input of the graph.
  llvm::StringMap<llvm::SmallVector<int64_t>> shapes;
  /// Numbers of inputs of the graph that are none: shapes, axes, scales.
  llvm::StringMap<llvm::SmallVector<double>> values;
  /// Most bytes of all the tensors that are computed when a model is imported.
  int64_t maxFoldBytes = int64_t(1) << 25;
  /// Where to say how many nodes of each operator became operations, were
  /// folded, or are not supported; may be null.
  llvm::raw_ostream *report = nullptr;
  /// Nodes that are not supported stay outside, one remark each; the others
  /// become functions, `@part0`, `@part1`..., in an order in which they and the
  /// nodes outside can be executed. See importOnnx.
  bool partition = false;

  /// Adds `NAME=SIZE` to the dimensions, or `NAME=MIN..MAX` to the ranges; an
  /// error says what is wrong with it.
  llvm::Error addDim(llvm::StringRef text);
  /// Adds `INPUT=2x3x4` to the shapes; nothing after `=` is a scalar.
  llvm::Error addShape(llvm::StringRef text);
  /// Adds `INPUT=1,2` to the values; nothing after `=` is an empty list.
  llvm::Error addValue(llvm::StringRef text);
  /// Whether no size, shape or value is given.
  bool isEmpty() const {
    return dims.empty() && ranges.empty() && shapes.empty() && values.empty();
  }
};

/// Returns a module with one public function, `@main`, whose arguments are the
/// graph's inputs in their order (as `graph.name`: their names) and whose
/// results are its outputs. Initializers become `graph.constant`, also those
/// that a caller could override. Tensors outside of the model are read from the
/// folder of the file that `model` is named after, and from nowhere else.
///
/// With `partition`, the module has one function or more. `graph.name` says
/// which tensor of the model each argument and each result is: arguments are
/// inputs of the graph, outputs of nodes outside, and results of parts before;
/// results are what nodes outside, later parts and the graph's outputs need.
/// Constants, and what is computed from them only, are in all parts that use
/// them. If the whole graph is supported, `@part0` is what `@main` would be. It
/// is an error if nothing is, or if the model does not state the type of a
/// tensor that is computed outside and read in a part.
///
/// Returns null on any error, after one diagnostic that names the node and the
/// reason. Without the ONNX libraries at build time, this is always an error.
mlir::OwningOpRef<mlir::ModuleOp> importOnnx(llvm::MemoryBufferRef model,
                                             mlir::MLIRContext *context,
                                             const OnnxOptions &options = {});

/// The same for a buffer of its own memory, or a mapped file, which the
/// module's constants may keep: large ones stay where they are, whatever their
/// alignment, and their pages go back to the system when nobody reads them any
/// more. No other copy of the weights is made.
mlir::OwningOpRef<mlir::ModuleOp>
importOnnx(std::unique_ptr<llvm::MemoryBuffer> model,
           mlir::MLIRContext *context, const OnnxOptions &options = {});

/// Registers the translation `--import-onnx`. `options` are read when it runs.
void registerOnnxTranslation(const OnnxOptions &options);

/// Writes the one public function of a module as an ONNX model of operator set
/// 17. Arguments become inputs, with the names that `graph.name` gives them,
/// and results outputs; layouts are left out. Ops that no operator corresponds
/// to are replaced by what they decompose to. Fails after one diagnostic that
/// names the op and the reason; nothing is written then.
llvm::LogicalResult exportOnnx(mlir::ModuleOp module, llvm::raw_ostream &os);

/// Registers the translation `--export-onnx`.
void registerOnnxExport();

} // namespace gc

#endif // GC_TARGET_ONNX_ONNX_H
