// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef GC_LIB_DIALECT_GRAPH_TEMPLATES_ATTENTION_ATTENTIONMASK_H
#define GC_LIB_DIALECT_GRAPH_TEMPLATES_ATTENTION_ATTENTIONMASK_H

#include "Dialect/Graph/IR/GraphOps.h"

namespace gc::graph {

/// An estimate of the part of the scores, by blocks, that the masks in the
/// region leave; 1 if their bounds exclude no block. Of what is known only at
/// run time, integers and booleans are taken to be 0 and other numbers to be
/// -inf; at least half of the scores are taken to be left then.
double getUnmaskedShare(AttentionOp op);

} // namespace gc::graph

#endif // GC_LIB_DIALECT_GRAPH_TEMPLATES_ATTENTION_ATTENTIONMASK_H
