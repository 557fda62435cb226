// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Runs a graph through the C++ header and compares with the reference
// interpreter.

#ifndef GC_UNITTESTS_CAPI_DNNLGRAPH_APIRUN_H
#define GC_UNITTESTS_CAPI_DNNLGRAPH_APIRUN_H

#include "Reference/Tensor.h"
#include "Target/OneDNNGraph/GraphFile.h"
#include "oneapi/dnnl/dnnl_graph.hpp"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace gc::dnnltest {

/// How the program differs from the plain one.
struct ApiOptions {
  dnnl::graph::partition::policy policy =
      dnnl::graph::partition::policy::fusion;
  /// Ops that the program adds as wildcards and computes itself: the absolute
  /// values of their input.
  std::set<uint64_t> wildcards;
  /// Tensors to be marked by an end, and those of which the graph does not say
  /// the shape.
  std::set<uint64_t> ended, unknown;
  /// Tensors of which the graph says the rank, but not the sizes.
  std::set<uint64_t> unknownSizes;
  /// The number of an opaque layout that tensors of two dimensions between
  /// partitions may be asked for in.
  std::optional<size_t> blocks;
  /// Draws from 0 to `count` - 1: how outputs are laid out, whether they are in
  /// place.
  std::function<unsigned(unsigned count)> choose = [](unsigned) { return 0u; };
};

struct ApiResult {
  /// Why the library did not run the graph; empty if it did.
  std::string refusal;
  /// What is wrong; empty if nothing is.
  std::string error;
  size_t partitions = 0, inplace = 0;
  /// Tensors between partitions that had an opaque layout.
  size_t opaque = 0;
};

/// Checks that partitions are what they must be and that all outputs of the
/// graph agree with the reference.
ApiResult runThroughApi(onednn::GraphFile graph, mlir::MLIRContext *context,
                        const ApiOptions &options = {});

} // namespace gc::dnnltest

#endif // GC_UNITTESTS_CAPI_DNNLGRAPH_APIRUN_H
