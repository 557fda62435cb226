// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Memory of the primitive interface.

#ifndef GC_LIB_CAPI_DNNLGRAPH_MEMORY_H
#define GC_LIB_CAPI_DNNLGRAPH_MEMORY_H

#include "Engine.h"
#include "LogicalTensor.h"
#include "oneapi/dnnl/dnnl.h"

/// Shape, element type and strides, all of them known.
struct dnnl_memory_desc {
  gc::dnnlgraph::LT lt;
};

struct dnnl_memory {
  dnnl_memory_desc desc;
  gc::dnnlgraph::EngineUser engine;
  void *handle = nullptr;
  /// What to free.
  void *owned = nullptr;
};

namespace gc::dnnlgraph {

/// Copies the elements of `from` to `to`, which has the same shape, converted
/// to its element type: rounded to nearest even, saturated in integers.
void copyElements(const LT &from, const void *source, const LT &to,
                  void *target);

/// Whether copyElements() knows the type.
bool canCopy(dnnl_data_type_t type);

} // namespace gc::dnnlgraph

#endif // GC_LIB_CAPI_DNNLGRAPH_MEMORY_H
