// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The graph that a file's ops form through the tensors they share: one
// description per tensor, an order of the ops, and what goes in and out.

#ifndef GC_LIB_TARGET_ONEDNNGRAPH_TOPOLOGY_H
#define GC_LIB_TARGET_ONEDNNGRAPH_TOPOLOGY_H

#include "Target/OneDNNGraph/GraphFile.h"

#include <unordered_map>

namespace gc::onednn {

/// A tensor of the graph. If the ops that mention it disagree, the producer's
/// description is used, else the first one's.
struct Tensor {
  const LogicalTensor *type;
  /// The op that mentions it first; its producer where it has one.
  const OpNode *owner;
  /// The op that produces it, as an index into the file's ops.
  std::optional<size_t> producer;
  /// Whether an op other than End consumes it, and whether an End does.
  bool consumed = false, ended = false;
  bool constant = false;
};

struct Topology {
  /// Tensors in the order in which the file first mentions them.
  std::vector<Tensor> tensors;
  /// Index into `tensors` by id.
  std::unordered_map<uint64_t, size_t> byId;
  /// Indices of the ops, each after the producers of its inputs; the file's
  /// order as far as possible.
  std::vector<size_t> order;
  /// What goes in and out, as indices into `tensors`.
  std::vector<size_t> inputs, outputs;
};

/// Builds the topology of `file`, which must outlive it. Duplicate op ids, two
/// producers of a tensor, disagreement about an element type, and cycles are
/// errors; disagreement about shape, stride or ports is a warning.
mlir::FailureOr<Topology> buildTopology(const GraphFile &file);

} // namespace gc::onednn

#endif // GC_LIB_TARGET_ONEDNNGRAPH_TOPOLOGY_H
