// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef GC_LIB_CAPI_DNNLGRAPH_TENSOR_H
#define GC_LIB_CAPI_DNNLGRAPH_TENSOR_H

#include "Engine.h"
#include "LogicalTensor.h"

/// A logical tensor with its elements, of the caller or its own.
struct dnnl_graph_tensor {
  explicit dnnl_graph_tensor(const gc::dnnlgraph::LT &lt)
      : lt(lt), bytes(gc::dnnlgraph::getAllocationBytes(lt)) {}

  const gc::dnnlgraph::LT lt;
  /// What `lt` says that it has; SIZE_MAX if it does not say.
  const size_t bytes;
  gc::dnnlgraph::EngineUser engine;
  void *handle = nullptr;
  /// What to free, and by which callbacks.
  void *owned = nullptr;
  gc::dnnlgraph::Allocator allocator;
  bool isScalar = false;
  alignas(8) char scalar[8] = {};

  void *getData() const {
    return isScalar ? const_cast<char *>(scalar) : handle;
  }
};

#endif // GC_LIB_CAPI_DNNLGRAPH_TENSOR_H
