// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The ops of the Graph dialect that have operators of ONNX, and the functions
// that export them.

#ifndef GC_LIB_TARGET_ONNX_EXPORTOPS_H
#define GC_LIB_TARGET_ONNX_EXPORTOPS_H

#include "NodeWriter.h"
#include "llvm/ADT/StringMap.h"

#include <functional>

namespace gc::onnxio {

struct ExportEntry {
  using Exporter = std::function<mlir::LogicalResult(NodeWriter &)>;
  using Condition = bool (*)(mlir::Operation *);

  ExportEntry() = default;
  ExportEntry(Exporter write, Condition covers = nullptr)
      : write(std::move(write)), covers(covers) {}

  Exporter write;
  /// Which ops it exports; others are decomposed. All if null.
  Condition covers = nullptr;
};

/// The entry for an op; null if there is none, or if it does not cover the op.
const ExportEntry *findExport(mlir::Operation *op);

/// Entries by the names of ops.
using ExportTable = llvm::StringMap<ExportEntry>;
void addElementwiseExports(ExportTable &ops);
void addMatrixExports(ExportTable &ops);
void addMovementExports(ExportTable &ops);
void addQuantizeExports(ExportTable &ops);
void addRowExports(ExportTable &ops);
void addWindowExports(ExportTable &ops);

/// An image with channels second and the permutations to and from there; a
/// permutation is empty if channels are second already.
struct ChannelOrder {
  ChannelOrder(llvm::StringRef format, int64_t rank);

  llvm::SmallVector<int64_t> toSecond, toLast;
};

/// The pads that a kernel takes along a dimension, of which there are `sizes`
/// elements and `results` of the op.
struct Pads {
  int64_t begin, end;
};
Pads getPads(llvm::StringRef autoPad, Pads given, int64_t size, int64_t results,
             int64_t stride, int64_t reach);

} // namespace gc::onnxio

#endif // GC_LIB_TARGET_ONNX_EXPORTOPS_H
