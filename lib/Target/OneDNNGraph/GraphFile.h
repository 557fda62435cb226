// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The contents of a oneDNN Graph JSON file as written: checked field by field,
// not yet as a graph.

#ifndef GC_LIB_TARGET_ONEDNNGRAPH_GRAPHFILE_H
#define GC_LIB_TARGET_ONEDNNGRAPH_GRAPHFILE_H

#include "Dialect/Graph/IR/OpTable.h"
#include "mlir/IR/Attributes.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/Types.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>
#include <string>
#include <vector>

namespace llvm {
class SourceMgr;
} // namespace llvm

namespace gc::onednn {

/// Most dimensions of a tensor (the library's own limit).
constexpr unsigned kMaxRank = 12;

using graph::AttrType;

/// The format's name of an element type; empty if it has none.
llvm::StringRef getDtype(mlir::Type type);

enum class Property { Undef, Variable, Constant };

/// A mention of a tensor by an op.
struct LogicalTensor {
  uint64_t id;
  mlir::Type elementType;
  llvm::SmallVector<int64_t> shape;
  /// Element strides where the layout is strided.
  std::optional<llvm::SmallVector<int64_t>> strides;
  Property property;
};

struct OpAttr {
  std::string name;
  AttrType type;
  mlir::Attribute value;
};

struct OpNode {
  uint64_t id;
  std::string kind;
  mlir::Location loc;
  std::vector<OpAttr> attrs;
  std::vector<LogicalTensor> inputs;
  std::vector<LogicalTensor> outputs;

  /// Kind and id, for diagnostics: "MatMul (id 7)".
  std::string describe() const;
};

struct GraphFile {
  mlir::Location loc;
  std::string name;
  std::optional<llvm::SmallVector<uint64_t>> inputPorts;
  std::optional<llvm::SmallVector<uint64_t>> outputPorts;
  std::vector<OpNode> ops;
};

/// Reads the main buffer of `sources`. Sizes are not negative, sizes and
/// strides address less than 2^63 bytes, and strides match the rank; anything
/// else is an error. `context` only needs the builtin dialect.
mlir::FailureOr<GraphFile> readGraphFile(llvm::SourceMgr &sources,
                                         mlir::MLIRContext *context);

} // namespace gc::onednn

#endif // GC_LIB_TARGET_ONEDNNGRAPH_GRAPHFILE_H
