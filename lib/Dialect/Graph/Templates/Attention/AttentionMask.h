// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef GC_LIB_DIALECT_GRAPH_TEMPLATES_ATTENTION_ATTENTIONMASK_H
#define GC_LIB_DIALECT_GRAPH_TEMPLATES_ATTENTION_ATTENTIONMASK_H

#include "Dialect/Graph/IR/GraphOps.h"

#include <vector>

namespace gc::graph {

/// An estimate of which scores the masks in the region of an attention leave.
/// Of what is known only at run time, integers and booleans are taken to be 0
/// and other numbers to be -inf; at least half of the scores are taken to be
/// left then.
class UnmaskedScores {
public:
  /// All scores.
  UnmaskedScores() = default;
  /// What bounds of the logits do not exclude.
  explicit UnmaskedScores(AttentionOp op);

  /// The part that is computed if scores are left out by blocks of this many
  /// rows and keys; 1 if no block can be left out.
  double getShare(int64_t rows, int64_t keys) const;

private:
  /// By the rows and keys of blocks, in cells; empty if all scores are left.
  std::vector<double> shares;
  AttentionSizes sizes;
  double leastShare = 0;
};

} // namespace gc::graph

#endif // GC_LIB_DIALECT_GRAPH_TEMPLATES_ATTENTION_ATTENTIONMASK_H
