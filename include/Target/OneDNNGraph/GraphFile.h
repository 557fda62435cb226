// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A graph as the oneDNN Graph specification describes it: ops that name the
// tensors between them. It is what a JSON file contains, checked field by
// field, and what a program builds through the Graph API; not yet checked as a
// graph.

#ifndef GC_TARGET_ONEDNNGRAPH_GRAPHFILE_H
#define GC_TARGET_ONEDNNGRAPH_GRAPHFILE_H

#include "Dialect/Graph/IR/OpTable.h"
#include "Target/OneDNNGraph/OneDNNGraph.h"
#include "mlir/IR/Attributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/OwningOpRef.h"
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
  /// An unknown size, which no file has, is ShapedType::kDynamic.
  llvm::SmallVector<int64_t> shape;
  /// Element strides where the layout is strided.
  std::optional<llvm::SmallVector<int64_t>> strides;
  Property property;
  /// Whether the number of dimensions is known. In files it is.
  bool isRanked = true;
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

/// What importGraph() does with the shapes of what ops produce.
enum class ResultShapes {
  Given,    ///< they must be those that follow from the operands
  Inferred, ///< they follow from the operands; the given ones are not read
  Unchecked ///< they are taken as they are, unknown ones as well
};

/// Builds the module that importOneDNNGraph() returns for a file. Unchecked
/// shapes may contradict what the ops mean: such a module is not verified, and
/// good for nothing but `graph-partition`. Ops of a block are in topological
/// order, in that of the graph as far as possible. Emits a diagnostic on any
/// error.
mlir::OwningOpRef<mlir::ModuleOp>
importGraph(const GraphFile &graph, mlir::MLIRContext *context,
            ResultShapes resultShapes = ResultShapes::Given,
            UnknownKinds unknownKinds = UnknownKinds::Refused);

/// A number of 32 bits as JSON: nine digits give every one back. JSON has no
/// infinities: a number beyond all doubles stands for one; and no NaN, for
/// which there is null, which nothing reads as a number.
std::string printNumber(float number);

/// A tensor that the specification allows after the others of an op, and that
/// the dialect does not have: no target runs such an op.
struct ExtraTensor {
  llvm::StringLiteral kind;
  bool isOutput;
  /// Inputs or outputs before it.
  size_t position;
  llvm::StringLiteral element;
  /// Also that of the attribute whose place an input takes.
  llvm::StringLiteral name;
};

/// The extra tensor of an op of this kind with this many tensors, or null.
const ExtraTensor *findExtraTensor(llvm::StringRef kind, size_t numInputs,
                                   size_t numOutputs);

/// The row of a kind, whose case does not matter and which may be one of the
/// names of the specification's first versions; null if there is none.
const graph::OpSpec *findOp(llvm::StringRef kind);

} // namespace gc::onednn

#endif // GC_TARGET_ONEDNNGRAPH_GRAPHFILE_H
