// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which ops of a graph become one partition.

#ifndef GC_DIALECT_GRAPH_TRANSFORMS_PARTITIONGROWTH_H
#define GC_DIALECT_GRAPH_TRANSFORMS_PARTITIONGROWTH_H

#include "mlir/IR/Operation.h"

#include <vector>

namespace gc::graph {

/// What matters of an op.
enum class PartitionRole {
  /// Not supported; a partition of its own.
  alone,
  /// A convolution, of which a partition has at most one.
  convolution,
  /// A product of matrices, which is never with a convolution.
  matmul,
  /// Changes how elements are stored, for the op that follows.
  preparation,
  /// Turns small integers into the numbers they stand for, for the op that
  /// follows.
  dequantization,
  other
};

struct PartitionNode {
  mlir::Operation *op;
  PartitionRole role;
  /// Nodes whose results it reads, without repetition.
  llvm::SmallVector<unsigned> producers;
};

/// The partition of each node. Nodes are in topological order, and so are the
/// partitions, which are connected and do not depend on each other in cycles.
///
/// Each op joins the partitions of its producers, where no path through another
/// partition leads from these to the op:
/// - without convolutions, all of them;
/// - an op after convolutions joins the last one's;
/// - a convolution joins what only prepares its operands; such ops join
///   whatever reads them.
std::vector<unsigned> growPartitions(llvm::ArrayRef<PartitionNode> nodes);

} // namespace gc::graph

#endif // GC_DIALECT_GRAPH_TRANSFORMS_PARTITIONGROWTH_H
