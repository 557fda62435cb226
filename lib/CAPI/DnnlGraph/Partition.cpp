// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Partition.h"
#include "Status.h"

#include <atomic>
#include <queue>
#include <unordered_map>
#include <unordered_set>

using namespace gc;
using namespace gc::dnnlgraph;

/// Positions of those that are the first with their id.
static std::vector<size_t> findFirst(const std::vector<LT> &ports) {
  std::vector<size_t> positions;
  std::unordered_set<size_t> known;
  for (size_t i = 0; i < ports.size(); ++i)
    if (known.insert(ports[i].id).second)
      positions.push_back(i);
  return positions;
}

PartitionData::PartitionData(OpList ops, bool isSupported,
                             dnnl_engine_kind_t kind, dnnl_fpmath_mode_t fpmath,
                             bool fpmathOnIntegers,
                             llvm::function_ref<bool(size_t)> isUsedOutside)
    : ops(std::move(ops)), isSupported(isSupported), kind(kind) {
  static std::atomic<size_t> next{0};
  id = next.fetch_add(1, std::memory_order_relaxed);
  std::unordered_set<size_t> made, read;
  for (const auto &op : this->ops) {
    for (const LT &output : op->outputs)
      made.insert(output.id);
    for (const LT &input : op->inputs)
      read.insert(input.id);
  }
  for (const auto &op : this->ops) {
    for (const LT &input : op->inputs)
      if (!made.count(input.id))
        inputs.push_back(input);
    for (const LT &output : op->outputs)
      if (!read.count(output.id) || isUsedOutside(output.id))
        outputs.push_back(output);
    appendKey(key, *op);
    for (const auto *list : {&op->inputs, &op->outputs})
      for (const LT &lt : *list)
        appendKey(tensorsKey, lt);
  }
  firstInputs = findFirst(inputs);
  firstOutputs = findFirst(outputs);
  const int modes[] = {fpmath, fpmathOnIntegers, kind};
  key.append(reinterpret_cast<const char *>(modes), sizeof(modes));
  // Which tensors are outputs depends on the graph around.
  for (const LT &output : outputs)
    key.append(reinterpret_cast<const char *>(&output.id), sizeof(output.id));
  keyHash = std::hash<std::string>()(key);
}

PartitionData::~PartitionData() {
  // A long chain of partitions is freed in turn rather than recursively.
  std::vector<std::shared_ptr<PartitionData>> last;
  auto take = [&](PartitionData &from) {
    for (auto &[id, list] : from.readers)
      for (std::shared_ptr<PartitionData> &reader : list)
        last.push_back(std::move(reader));
    from.readers.clear();
  };
  take(*this);
  while (!last.empty()) {
    std::shared_ptr<PartitionData> reader = std::move(last.back());
    last.pop_back();
    if (reader.use_count() == 1)
      take(*reader);
  }
}

bool dnnlgraph::sortOps(const OpList &ops, OpList &order) {
  std::unordered_map<size_t, size_t> producers;
  for (size_t i = 0; i < ops.size(); ++i)
    for (const LT &output : ops[i]->outputs)
      if (!producers.try_emplace(output.id, i).second)
        return false;
  std::vector<size_t> missing(ops.size(), 0);
  std::vector<std::vector<size_t>> consumers(ops.size());
  for (size_t i = 0; i < ops.size(); ++i)
    for (const LT &input : ops[i]->inputs)
      if (auto entry = producers.find(input.id); entry != producers.end()) {
        consumers[entry->second].push_back(i);
        ++missing[i];
      }
  std::priority_queue<size_t, std::vector<size_t>, std::greater<size_t>> ready;
  for (size_t i = 0; i < ops.size(); ++i)
    if (missing[i] == 0)
      ready.push(i);
  while (!ready.empty()) {
    size_t op = ready.top();
    ready.pop();
    order.push_back(ops[op]);
    for (size_t consumer : consumers[op])
      if (--missing[consumer] == 0)
        ready.push(consumer);
  }
  return order.size() == ops.size();
}

dnnl_status_t
dnnl_graph_partition_create_with_op(dnnl_graph_partition_t *partition,
                                    const_dnnl_graph_op_t op,
                                    dnnl_engine_kind_t ekind) {
  if (!partition || !op || (ekind != dnnl_cpu && ekind != dnnl_gpu))
    return dnnl_invalid_arguments;
  return guard([&]() -> dnnl_status_t {
    if (dnnl_status_t status = checkSchema(*op))
      return status;
    dnnl_fpmath_mode_t fpmath = dnnl_fpmath_mode_strict;
    dnnl_get_default_fpmath_mode(&fpmath);
    std::vector<std::shared_ptr<const PartitionData>> partitions;
    if (dnnl_status_t status =
            divide({std::make_shared<const Op>(*op)},
                   dnnl_graph_partition_policy_debug, ekind, fpmath,
                   /*fpmathOnIntegers=*/false, partitions))
      return status;
    *partition = new dnnl_graph_partition{partitions.front()};
    return dnnl_success;
  });
}

dnnl_status_t dnnl_graph_partition_destroy(dnnl_graph_partition_t partition) {
  delete partition;
  return dnnl_success;
}

dnnl_status_t
dnnl_graph_partition_get_op_num(const_dnnl_graph_partition_t partition,
                                size_t *num) {
  if (!partition || !num)
    return dnnl_invalid_arguments;
  *num = partition->data->ops.size();
  return dnnl_success;
}

dnnl_status_t dnnl_graph_partition_get_ops(dnnl_graph_partition_t partition,
                                           size_t num, size_t *ids) {
  if (!partition || !ids || num != partition->data->ops.size())
    return dnnl_invalid_arguments;
  for (const auto &op : partition->data->ops)
    *ids++ = op->id;
  return dnnl_success;
}

dnnl_status_t
dnnl_graph_partition_get_id(const_dnnl_graph_partition_t partition,
                            size_t *id) {
  if (!partition || !id)
    return dnnl_invalid_arguments;
  *id = partition->data->id;
  return dnnl_success;
}

static dnnl_status_t getPorts(const std::vector<LT> &from, size_t num, LT *to) {
  if (num != from.size() || (!to && num > 0))
    return dnnl_invalid_arguments;
  std::copy(from.begin(), from.end(), to);
  return dnnl_success;
}

dnnl_status_t
dnnl_graph_partition_get_input_ports_num(const_dnnl_graph_partition_t partition,
                                         size_t *num) {
  if (!partition || !num)
    return dnnl_invalid_arguments;
  *num = partition->data->inputs.size();
  return dnnl_success;
}

dnnl_status_t
dnnl_graph_partition_get_input_ports(const_dnnl_graph_partition_t partition,
                                     size_t num, LT *inputs) {
  return partition ? getPorts(partition->data->inputs, num, inputs)
                   : dnnl_invalid_arguments;
}

dnnl_status_t dnnl_graph_partition_get_output_ports_num(
    const_dnnl_graph_partition_t partition, size_t *num) {
  if (!partition || !num)
    return dnnl_invalid_arguments;
  *num = partition->data->outputs.size();
  return dnnl_success;
}

dnnl_status_t
dnnl_graph_partition_get_output_ports(const_dnnl_graph_partition_t partition,
                                      size_t num, LT *outputs) {
  return partition ? getPorts(partition->data->outputs, num, outputs)
                   : dnnl_invalid_arguments;
}

dnnl_status_t
dnnl_graph_partition_is_supported(const_dnnl_graph_partition_t partition,
                                  uint8_t *is_supported) {
  if (!partition || !is_supported)
    return dnnl_invalid_arguments;
  *is_supported = partition->data->isSupported;
  return dnnl_success;
}

dnnl_status_t
dnnl_graph_partition_get_engine_kind(const_dnnl_graph_partition_t partition,
                                     dnnl_engine_kind_t *kind) {
  if (!partition || !kind)
    return dnnl_invalid_arguments;
  *kind = partition->data->kind;
  return dnnl_success;
}
