// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A part of a graph that its owner compiles.

#ifndef GC_LIB_CAPI_DNNLGRAPH_PARTITION_H
#define GC_LIB_CAPI_DNNLGRAPH_PARTITION_H

#include "Op.h"

#include <memory>

namespace gc::dnnlgraph {

using OpList = std::vector<std::shared_ptr<const Op>>;

/// What all handles of a partition share; it does not change once the graph is
/// divided.
struct PartitionData {
  /// Takes the number of the next partition of the process. `isUsed` says
  /// whether something outside reads a tensor that an op of the partition
  /// makes.
  PartitionData(OpList ops, bool isSupported, dnnl_engine_kind_t kind,
                dnnl_fpmath_mode_t fpmath, bool fpmathOnIntegers,
                llvm::function_ref<bool(size_t)> isUsedOutside);
  ~PartitionData();

  size_t id;
  OpList ops;
  /// The ports, and positions of the first port of each tensor.
  std::vector<LT> inputs, outputs;
  std::vector<size_t> firstInputs, firstOutputs;
  bool isSupported;
  dnnl_engine_kind_t kind;
  /// All that code for it depends on, but for the shapes given to compile.
  std::string key;
  size_t keyHash;
  /// What the graph says about the tensors of the ops.
  std::string tensorsKey;
  /// The other partitions of the graph that read an output, by its id; also
  /// those that are not supported.
  std::map<size_t, std::vector<std::shared_ptr<PartitionData>>> readers;
};

/// The ops with the tensors that they share, each described once: as
/// `override` says, else as the op that mentions it first does.
onednn::GraphFile
describe(const OpList &ops,
         const std::map<size_t, onednn::LogicalTensor> &overrides,
         mlir::MLIRContext *context);

/// Divides ops, which are in topological order, into partitions, in topological
/// order. Fails with a reason.
dnnl_status_t divide(const OpList &ops, dnnl_graph_partition_policy_t policy,
                     dnnl_engine_kind_t kind, dnnl_fpmath_mode_t fpmath,
                     bool fpmathOnIntegers,
                     std::vector<std::shared_ptr<const PartitionData>> &result);

/// Fills `order` with the ops, each after those that make its inputs. False on
/// a cycle, or if two ops make one tensor.
bool sortOps(const OpList &ops, OpList &order);

} // namespace gc::dnnlgraph

struct dnnl_graph_partition {
  std::shared_ptr<const gc::dnnlgraph::PartitionData> data;
};

#endif // GC_LIB_CAPI_DNNLGRAPH_PARTITION_H
