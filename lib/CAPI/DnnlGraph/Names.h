// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the specification calls the numbers of the interface.

#ifndef GC_LIB_CAPI_DNNLGRAPH_NAMES_H
#define GC_LIB_CAPI_DNNLGRAPH_NAMES_H

#include "Dialect/Graph/IR/OpTable.h"
#include "oneapi/dnnl/dnnl_graph_types.h"

namespace gc::dnnlgraph {

/// "MatMul"; empty if it is not a kind.
llvm::StringRef getKindName(dnnl_graph_op_kind_t kind);

struct AttrName {
  dnnl_graph_op_attr_t attr;
  llvm::StringLiteral name;
  graph::AttrType type;
};

/// Null if there is no such attribute.
const AttrName *findAttr(dnnl_graph_op_attr_t attr);

} // namespace gc::dnnlgraph

#endif // GC_LIB_CAPI_DNNLGRAPH_NAMES_H
