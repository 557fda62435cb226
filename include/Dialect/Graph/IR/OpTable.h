// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The operations of the dialect as data, generated from their definitions, for
// importers, exporters and lists of operations. The verifier of an op decides
// which combinations of types it takes.

#ifndef GC_DIALECT_GRAPH_IR_OPTABLE_H
#define GC_DIALECT_GRAPH_IR_OPTABLE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace gc::graph {

/// Types of attributes, with the MLIR attribute of each.
enum class AttrType {
  Bool,    // BoolAttr
  S64,     // IntegerAttr, i64
  S64List, // DenseI64ArrayAttr
  F32,     // FloatAttr, f32
  F32List, // DenseF32ArrayAttr
  String   // StringAttr
};

/// The name of an attribute type in oneDNN Graph.
llvm::StringRef stringify(AttrType type);

enum class AttrUse {
  Required, // the specification has no default
  Optional, // the dialect's default where it is missing
  Hint      // checked and dropped: any value allows what the dialect does
};

/// An attribute that is also in oneDNN Graph's operation set.
struct AttrSpec {
  llvm::StringLiteral name;
  AttrType type;
  AttrUse use;
  /// A string whose case does not matter; the dialect has it in lower case.
  bool anyCase;
  /// The default as a C++ expression; empty if there is none.
  llvm::StringLiteral defaultValue;
};

enum class Arity { One, Optional, Any };

/// An operand or a result.
struct ValueSpec {
  llvm::StringLiteral name;
  /// Element types, by their names in oneDNN Graph.
  llvm::StringLiteral elements;
  Arity arity;
};

struct OpSpec {
  /// The kind as oneDNN Graph spells it; empty for extensions.
  llvm::StringLiteral kind;
  /// The op's full name in the dialect.
  llvm::StringLiteral opName;
  llvm::StringLiteral summary;
  llvm::ArrayRef<ValueSpec> operands, results;
  llvm::ArrayRef<AttrSpec> attrs;
  /// Whether attributes that are not listed are dropped without an error.
  bool anyAttrs;
};

/// The minimum and maximum number of values that a list of them represents.
unsigned getLeast(llvm::ArrayRef<ValueSpec> values);
unsigned getMost(llvm::ArrayRef<ValueSpec> values);

/// All operations, sorted by name.
llvm::ArrayRef<OpSpec> getOpTable();

/// The row of an op; null if it is not an op of the dialect.
const OpSpec *findOp(llvm::StringRef opName);

/// The row of a oneDNN Graph kind, whose case does not matter; null if there is
/// none.
const OpSpec *findOpOfKind(llvm::StringRef kind);

} // namespace gc::graph

#endif // GC_DIALECT_GRAPH_IR_OPTABLE_H
