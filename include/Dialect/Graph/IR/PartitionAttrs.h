// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Attributes for the decisions of `graph-partition`, and for ops that importers
// do not know.

#ifndef GC_DIALECT_GRAPH_IR_PARTITIONATTRS_H
#define GC_DIALECT_GRAPH_IR_PARTITIONATTRS_H

#include "llvm/ADT/StringRef.h"

namespace gc::graph {

/// Of an op: the index of its partition.
constexpr llvm::StringLiteral kPartitionAttr = "graph.partition";

/// Of a function: one boolean per partition, whether the target runs it.
constexpr llvm::StringLiteral kPartitionSupportAttr = "graph.partition_support";

/// Of a `graph.wildcard`: the kind of the op that it stands for.
constexpr llvm::StringLiteral kUnknownKindAttr = "graph.unknown_kind";

} // namespace gc::graph

#endif // GC_DIALECT_GRAPH_IR_PARTITIONATTRS_H
