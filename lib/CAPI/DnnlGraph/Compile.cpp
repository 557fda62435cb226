// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Compiling partitions, and what compiled ones say about themselves.

#include "CompiledPartition.h"
#include "Dump.h"
#include "Layouts.h"
#include "Settings.h"
#include "Status.h"
#include "Threadpool.h"

using namespace gc;
using namespace gc::dnnlgraph;

namespace {
/// Tensors of compile by the ports that they belong to.
struct Ports {
  /// One for each id, in the order of the ports.
  std::vector<LT> tensors;
  /// Where each was given.
  std::vector<size_t> positions;
};
} // namespace

static dnnl_status_t matchPorts(const std::vector<LT> &ports,
                                const std::vector<size_t> &first, size_t num,
                                const LT *const *given, llvm::StringRef what,
                                Ports &result) {
  if (num > 0 && !given)
    return dnnl_invalid_arguments;
  for (size_t i = 0; i < num; ++i)
    if (!given[i] || !isWellFormed(*given[i]))
      return dnnl_invalid_arguments;
  result.tensors.reserve(first.size());
  result.positions.reserve(first.size());
  // Most programs give the tensors in the order of the ports.
  size_t next = 0;
  for (size_t index : first) {
    const LT &port = ports[index];
    size_t position = next;
    if (position >= num || given[position]->id != port.id)
      position = std::find_if(given, given + num,
                              [&](const LT *lt) { return lt->id == port.id; }) -
                 given;
    next = position + 1;
    auto refuse = [&](const llvm::Twine &reason) {
      return fail(dnnl_invalid_arguments,
                  what + " tensor " + llvm::Twine(port.id) + " " + reason);
    };
    if (position == num)
      return refuse("is missing");
    if (given[position]->data_type != port.data_type)
      return refuse("has another element type than in the graph");
    result.tensors.push_back(*given[position]);
    if (port.property == dnnl_graph_tensor_property_constant)
      result.tensors.back().property = port.property;
    result.positions.push_back(position);
  }
  return dnnl_success;
}

static bool hasStrides(const LT &lt) {
  return std::all_of(lt.layout.strides, lt.layout.strides + lt.ndims,
                     [](int64_t stride) { return stride >= 0; });
}

/// Whether an opaque layout is not one that this library made for tensors of
/// as many dimensions.
static bool isForeign(const LT &lt) {
  return lt.layout_type == dnnl_graph_layout_type_opaque &&
         !isLayoutOf(lt.layout.layout_id, lt.ndims);
}

static dnnl_status_t checkInputs(std::vector<LT> &inputs) {
  for (LT &lt : inputs) {
    auto refuse = [&](const llvm::Twine &reason) {
      return fail(dnnl_invalid_arguments,
                  "input tensor " + llvm::Twine(lt.id) + " " + reason);
    };
    if (!hasShape(lt))
      return refuse("has unknown sizes");
    // A scalar has no layout.
    if (lt.ndims == 0)
      lt.layout_type = dnnl_graph_layout_type_strided;
    if (isForeign(lt))
      return refuse("has a layout of which this library knows nothing");
    if (lt.layout_type != dnnl_graph_layout_type_opaque &&
        (lt.layout_type != dnnl_graph_layout_type_strided || !hasStrides(lt)))
      return refuse("has an unknown layout");
    if (getAllocationBytes(lt) == SIZE_MAX)
      return refuse("is larger than memory can be");
  }
  return dnnl_success;
}

static dnnl_status_t checkOutputs(std::vector<LT> &outputs) {
  for (LT &lt : outputs) {
    auto refuse = [&](const llvm::Twine &reason) {
      return fail(dnnl_invalid_arguments,
                  "output tensor " + llvm::Twine(lt.id) + " " + reason);
    };
    if (isForeign(lt))
      return refuse("has a layout of which this library knows nothing");
    if (lt.layout_type != dnnl_graph_layout_type_strided || lt.ndims <= 0)
      continue;
    int64_t known =
        std::count_if(lt.layout.strides, lt.layout.strides + lt.ndims,
                      [](int64_t stride) { return stride >= 0; });
    bool unknown =
        std::all_of(lt.layout.strides, lt.layout.strides + lt.ndims,
                    [](int64_t stride) { return stride == kUnknown; });
    if (known != lt.ndims && !unknown)
      return refuse("has strides of which some are unknown or negative");
  }
  return dnnl_success;
}

static CodeKey makeKey(const std::shared_ptr<const PartitionData> &partition,
                       const Ports &inputs, const Ports &outputs,
                       dnnl_engine_t engine) {
  CodeKey key{partition, {}, 0};
  // About what tensors of four dimensions take.
  key.rest.reserve(96 * (inputs.tensors.size() + outputs.tensors.size() + 1));
  for (const Ports *ports : {&inputs, &outputs})
    for (const LT &lt : ports->tensors)
      appendKey(key.rest, lt);
  // The layout that is chosen is the one that the readers want.
  for (const LT &lt : outputs.tensors)
    if (lt.layout_type == dnnl_graph_layout_type_any)
      if (auto entry = partition->readers.find(lt.id);
          entry != partition->readers.end())
        for (const auto &reader : entry->second)
          key.rest += reader->key + reader->tensorsKey;
  const int64_t numbers[] = {reinterpret_cast<int64_t>(engine),
                             getCompileThreads()};
  key.rest.append(reinterpret_cast<const char *>(numbers), sizeof(numbers));
  key.hash = std::hash<std::string>()(key.rest) ^ (partition->keyHash * 31);
  return key;
}

static dnnl_status_t
compile(const std::shared_ptr<const PartitionData> &partition,
        dnnl_graph_compiled_partition &compiled, size_t numInputs,
        const LT *const *givenInputs, size_t numOutputs,
        const LT *const *givenOutputs, dnnl_engine_t engine) {
  if (!partition->isSupported)
    return fail(dnnl_invalid_arguments, "the partition is not supported");
  if (getKind(engine) != partition->kind)
    return fail(dnnl_invalid_arguments,
                "the graph is for an engine of another kind");
  Ports inputs, outputs;
  if (dnnl_status_t status =
          matchPorts(partition->inputs, partition->firstInputs, numInputs,
                     givenInputs, "input", inputs))
    return status;
  if (dnnl_status_t status =
          matchPorts(partition->outputs, partition->firstOutputs, numOutputs,
                     givenOutputs, "output", outputs))
    return status;
  if (dnnl_status_t status = checkInputs(inputs.tensors))
    return status;
  if (dnnl_status_t status = checkOutputs(outputs.tensors))
    return status;

  CodeKey key = makeKey(partition, inputs, outputs, engine);
  std::shared_ptr<Code> code = findCode(key);
  if (!code) {
    if (dnnl_status_t status =
            generate({*partition, inputs.tensors, outputs.tensors}, code))
      return status;
    if (dumps(dnnl_graph_dump_mode_subgraph))
      dumpCompiled(*partition, code->tensors, key.hash);
    keepCode(std::move(key), code);
  }

  compiled.inplace.clear();
  for (auto [input, output] : code->inplace)
    compiled.inplace.push_back(
        {code->inputs[input].lt.id, code->outputs[output].lt.id});
  compiled.engine = EngineUser(engine);
  compiled.allocator = getAllocator(engine);
  compiled.code = std::move(code);
  compiled.numInputs = numInputs;
  compiled.numOutputs = numOutputs;
  compiled.inputs = std::move(inputs.positions);
  compiled.outputs = std::move(outputs.positions);
  return dnnl_success;
}

dnnl_status_t dnnl_graph_compiled_partition_create(
    dnnl_graph_compiled_partition_t *compiled_partition,
    dnnl_graph_partition_t partition) {
  if (!compiled_partition || !partition)
    return dnnl_invalid_arguments;
  return guard([&] {
    auto result = std::make_unique<dnnl_graph_compiled_partition>();
    result->partition = partition->data;
    *compiled_partition = result.release();
    return dnnl_success;
  });
}

dnnl_status_t dnnl_graph_compiled_partition_destroy(
    dnnl_graph_compiled_partition_t compiled_partition) {
  delete compiled_partition;
  return dnnl_success;
}

dnnl_status_t
dnnl_graph_partition_compile(dnnl_graph_partition_t partition,
                             dnnl_graph_compiled_partition_t compiled_partition,
                             size_t in_num, const LT **inputs, size_t out_num,
                             const LT **outputs, dnnl_engine_t engine) {
  if (!partition || !compiled_partition || !engine)
    return dnnl_invalid_arguments;
  return guard([&] {
    return compile(partition->data, *compiled_partition, in_num, inputs,
                   out_num, outputs, engine);
  });
}

dnnl_status_t dnnl_graph_compiled_partition_query_logical_tensor(
    const_dnnl_graph_compiled_partition_t compiled_partition, size_t tid,
    LT *lt) {
  if (!compiled_partition || !compiled_partition->code || !lt)
    return dnnl_invalid_arguments;
  const Code &code = *compiled_partition->code;
  for (const auto *list : {&code.inputs, &code.outputs})
    for (const Argument &argument : *list)
      if (argument.lt.id == tid) {
        *lt = argument.lt;
        return dnnl_success;
      }
  return dnnl_graph_logical_tensor_init(
      lt, SIZE_MAX, dnnl_data_type_undef, DNNL_GRAPH_UNKNOWN_NDIMS,
      dnnl_graph_layout_type_undef, dnnl_graph_tensor_property_undef);
}

dnnl_status_t dnnl_graph_compiled_partition_get_inplace_ports(
    const_dnnl_graph_compiled_partition_t compiled_partition,
    size_t *num_inplace_pairs,
    const dnnl_graph_inplace_pair_t **inplace_pairs) {
  if (!compiled_partition || !compiled_partition->code || !num_inplace_pairs ||
      !inplace_pairs)
    return dnnl_invalid_arguments;
  *num_inplace_pairs = compiled_partition->inplace.size();
  *inplace_pairs = compiled_partition->inplace.data();
  return dnnl_success;
}

dnnl_status_t dnnl_graph_compiled_partition_get_scratchpad_logical_tensor(
    const_dnnl_graph_compiled_partition_t compiled_partition, LT *lt) {
  if (!compiled_partition || !compiled_partition->code || !lt)
    return dnnl_invalid_arguments;
  const Code &code = *compiled_partition->code;
  // The memory may have any alignment.
  int64_t bytes = code.arenaBytes ? code.arenaBytes + code.arenaAlignment : 0;
  return dnnl_graph_logical_tensor_init_with_dims(
      lt, /*tid=*/0, dnnl_u8, /*ndims=*/1, &bytes,
      dnnl_graph_layout_type_strided, dnnl_graph_tensor_property_undef);
}
