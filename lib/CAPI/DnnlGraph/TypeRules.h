// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which element types of an op's tensors go together, as far as that does not
// depend on shapes.

#ifndef GC_LIB_CAPI_DNNLGRAPH_TYPERULES_H
#define GC_LIB_CAPI_DNNLGRAPH_TYPERULES_H

#include "Dialect/Graph/IR/OpTable.h"
#include "Op.h"

namespace gc::dnnlgraph {

/// Why the types of the tensors of an op do not go together; empty if they do.
/// Each tensor has a type that its row in the table has for it.
std::string findTypeConflict(const Op &op, const graph::OpSpec &spec);

} // namespace gc::dnnlgraph

#endif // GC_LIB_CAPI_DNNLGRAPH_TYPERULES_H
