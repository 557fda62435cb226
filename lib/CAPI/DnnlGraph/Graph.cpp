// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Graphs: ops are added, checked as a whole, and divided into partitions.

#include "Dump.h"
#include "Partition.h"
#include "Settings.h"
#include "Status.h"

#include <unordered_map>

using namespace gc;
using namespace gc::dnnlgraph;

struct dnnl_graph_graph {
  dnnl_engine_kind_t kind;
  dnnl_fpmath_mode_t fpmath;
  bool fpmathOnIntegers = false;
  bool isFinalized = false;
  /// In topological order once the graph is finalized.
  OpList ops;
  std::vector<std::shared_ptr<const PartitionData>> partitions;
};

dnnl_status_t dnnl_graph_graph_create(dnnl_graph_graph_t *graph,
                                      dnnl_engine_kind_t engine_kind) {
  dnnl_fpmath_mode_t mode = dnnl_fpmath_mode_strict;
  dnnl_get_default_fpmath_mode(&mode);
  return dnnl_graph_graph_create_with_fpmath_mode(graph, engine_kind, mode);
}

dnnl_status_t
dnnl_graph_graph_create_with_fpmath_mode(dnnl_graph_graph_t *graph,
                                         dnnl_engine_kind_t engine_kind,
                                         dnnl_fpmath_mode_t mode) {
  if (!graph || (engine_kind != dnnl_cpu && engine_kind != dnnl_gpu) ||
      !isValid(mode))
    return dnnl_invalid_arguments;
  return guard([&] {
    auto result = std::make_unique<dnnl_graph_graph>();
    result->kind = engine_kind;
    result->fpmath = mode;
    *graph = result.release();
    return dnnl_success;
  });
}

dnnl_status_t dnnl_graph_graph_destroy(dnnl_graph_graph_t graph) {
  delete graph;
  return dnnl_success;
}

dnnl_status_t dnnl_graph_graph_set_fpmath_mode(dnnl_graph_graph_t graph,
                                               dnnl_fpmath_mode_t mode,
                                               int apply_to_int) {
  if (!graph || !isValid(mode))
    return dnnl_invalid_arguments;
  if (graph->isFinalized)
    return dnnl_invalid_graph;
  graph->fpmath = mode;
  graph->fpmathOnIntegers = apply_to_int != 0;
  return dnnl_success;
}

dnnl_status_t dnnl_graph_graph_get_fpmath_mode(dnnl_graph_graph_t graph,
                                               dnnl_fpmath_mode_t *mode,
                                               int *apply_to_int) {
  if (!graph || !mode || !apply_to_int)
    return dnnl_invalid_arguments;
  if (graph->isFinalized)
    return dnnl_invalid_graph;
  *mode = graph->fpmath;
  *apply_to_int = graph->fpmathOnIntegers;
  return dnnl_success;
}

dnnl_status_t dnnl_graph_add_op(dnnl_graph_graph_t graph, dnnl_graph_op_t op) {
  if (!graph || !op)
    return dnnl_invalid_arguments;
  if (graph->isFinalized)
    return fail(dnnl_invalid_graph, "the graph is finalized");
  return guard([&]() -> dnnl_status_t {
    for (const auto &other : graph->ops)
      if (other->id == op->id)
        return dnnl_success;
    if (dnnl_status_t status = checkSchema(*op))
      return status;
    graph->ops.push_back(std::make_shared<const Op>(*op));
    return dnnl_success;
  });
}

dnnl_status_t dnnl_graph_graph_finalize(dnnl_graph_graph_t graph) {
  if (!graph)
    return dnnl_invalid_arguments;
  if (graph->isFinalized)
    return dnnl_success;
  return guard([&]() -> dnnl_status_t {
    std::unordered_map<size_t, const LT *> tensors;
    for (const auto &op : graph->ops)
      for (const auto *list : {&op->inputs, &op->outputs})
        for (const LT &lt : *list) {
          auto [entry, isNew] = tensors.try_emplace(lt.id, &lt);
          if (!isNew && !areEqual(*entry->second, lt))
            return fail(dnnl_invalid_graph,
                        describe(*op) + ": tensor " + llvm::Twine(lt.id) +
                            " is described in another way by another op");
        }
    OpList order;
    if (!sortOps(graph->ops, order))
      return fail(dnnl_invalid_graph,
                  "ops form a cycle, or two make the same tensor");
    graph->ops = std::move(order);
    graph->isFinalized = true;
    return dnnl_success;
  });
}

dnnl_status_t dnnl_graph_graph_is_finalized(dnnl_graph_graph_t graph,
                                            uint8_t *finalized) {
  if (!graph || !finalized)
    return dnnl_invalid_arguments;
  *finalized = graph->isFinalized;
  return dnnl_success;
}

dnnl_status_t dnnl_graph_graph_filter(dnnl_graph_graph_t graph,
                                      dnnl_graph_partition_policy_t policy) {
  if (!graph || (policy != dnnl_graph_partition_policy_fusion &&
                 policy != dnnl_graph_partition_policy_debug))
    return dnnl_invalid_arguments;
  if (!graph->isFinalized)
    return fail(dnnl_invalid_graph, "the graph is not finalized");
  return guard([&]() -> dnnl_status_t {
    std::vector<std::shared_ptr<const PartitionData>> partitions;
    if (dnnl_status_t status =
            divide(graph->ops, policy, graph->kind, graph->fpmath,
                   graph->fpmathOnIntegers, partitions))
      return status;
    graph->partitions = std::move(partitions);
    if (dumps(dnnl_graph_dump_mode_graph))
      dumpGraph(graph->ops, graph->partitions);
    return dnnl_success;
  });
}

dnnl_status_t dnnl_graph_graph_get_partition_num(const_dnnl_graph_graph_t graph,
                                                 size_t *num) {
  if (!graph || !num)
    return dnnl_invalid_arguments;
  *num = graph->partitions.size();
  return dnnl_success;
}

dnnl_status_t
dnnl_graph_graph_get_partitions(dnnl_graph_graph_t graph, size_t num,
                                dnnl_graph_partition_t *partitions) {
  if (!graph || !partitions)
    return dnnl_invalid_arguments;
  if (num == 0)
    return dnnl_invalid_graph;
  if (num > graph->partitions.size())
    return dnnl_invalid_arguments;
  return guard([&] {
    std::vector<std::unique_ptr<dnnl_graph_partition>> handles;
    for (size_t i = 0; i < num; ++i)
      handles.push_back(std::make_unique<dnnl_graph_partition>(
          dnnl_graph_partition{graph->partitions[i]}));
    for (auto &handle : handles)
      *partitions++ = handle.release();
    return dnnl_success;
  });
}
