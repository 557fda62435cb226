// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The code of a partition for one set of shapes, which compiled partitions
// share, and the cache that they are found in.

#ifndef GC_LIB_CAPI_DNNLGRAPH_CODE_H
#define GC_LIB_CAPI_DNNLGRAPH_CODE_H

#include "ConstantCache.h"
#include "Driver/Driver.h"
#include "Partition.h"

namespace gc::dnnlgraph {

/// A buffer of the code.
struct Argument {
  LT lt;
  /// From the first to the last element.
  size_t bytes = 0;
  size_t alignment = 1;
};

/// Compiled code and what an execution needs to know about it.
struct Code {
  /// Null where every output is empty: there is nothing to compute.
  std::unique_ptr<CompiledGraph> graph;
  std::vector<Argument> inputs, outputs;
  int64_t threads = 1;
  size_t arenaBytes = 0;
  size_t arenaAlignment = 64;
  /// Positions in `inputs` and `outputs` of what an application may give the
  /// same memory. For the first ones the code reads each element before it
  /// writes in its place; the outputs of others are computed elsewhere and
  /// copied.
  std::vector<std::pair<size_t, size_t>> inplace;
  size_t numWithoutCopy = 0;

  bool isInPlace(size_t input, size_t output) const {
    return llvm::is_contained(
        llvm::ArrayRef(inplace).take_front(numWithoutCopy),
        std::pair(input, output));
  }
  /// What depends on constant inputs alone.
  ConstantUse constants;
  /// All tensors with their shapes, by id; only where these are dumped.
  std::map<size_t, LT> tensors;
};

/// What a partition is compiled for: one tensor for each id, complete for
/// inputs.
struct CompileRequest {
  const PartitionData &partition;
  std::vector<LT> inputs, outputs;
};

/// Compiles, or fails with the status that says why.
dnnl_status_t generate(const CompileRequest &request,
                       std::shared_ptr<Code> &code);

/// What identifies code.
struct CodeKey {
  std::shared_ptr<const PartitionData> partition;
  /// Shapes, layouts, engine and threads.
  std::string rest;
  size_t hash;

  bool operator==(const CodeKey &other) const {
    return hash == other.hash && rest == other.rest &&
           partition->key == other.partition->key;
  }
};

/// Code of this key, or null.
std::shared_ptr<Code> findCode(const CodeKey &key);
/// Keeps code, as far as the capacity allows.
void keepCode(CodeKey key, std::shared_ptr<Code> code);

} // namespace gc::dnnlgraph

#endif // GC_LIB_CAPI_DNNLGRAPH_CODE_H
