// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Graphs as files in the working directory.

#ifndef GC_LIB_CAPI_DNNLGRAPH_DUMP_H
#define GC_LIB_CAPI_DNNLGRAPH_DUMP_H

#include "Partition.h"

namespace gc::dnnlgraph {

/// Writes graph-ID.json and graph-ID-partitioning.json, where ID is that of the
/// graph's first partition. A file that cannot be written is reported like an
/// error and otherwise ignored.
void dumpGraph(const OpList &ops,
               llvm::ArrayRef<std::shared_ptr<const PartitionData>> partitions);

/// Writes graph-ID-HASH.json with the shapes that a partition is compiled for.
void dumpCompiled(const PartitionData &partition,
                  const std::map<size_t, LT> &tensors, size_t hash);

} // namespace gc::dnnlgraph

#endif // GC_LIB_CAPI_DNNLGRAPH_DUMP_H
