// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef GC_LIB_CAPI_DNNLGRAPH_COMPILEDPARTITION_H
#define GC_LIB_CAPI_DNNLGRAPH_COMPILEDPARTITION_H

#include "Code.h"
#include "Engine.h"

/// A partition and, once it was compiled, its code.
struct dnnl_graph_compiled_partition {
  std::shared_ptr<const gc::dnnlgraph::PartitionData> partition;
  gc::dnnlgraph::EngineUser engine;
  gc::dnnlgraph::Allocator allocator;
  std::shared_ptr<gc::dnnlgraph::Code> code;
  /// Tensors of an execution come in the order of the compilation, among them
  /// some that are not ports. For each argument of the code its position.
  size_t numInputs = 0, numOutputs = 0;
  std::vector<size_t> inputs, outputs;
  std::vector<dnnl_graph_inplace_pair_t> inplace;
};

#endif // GC_LIB_CAPI_DNNLGRAPH_COMPILEDPARTITION_H
