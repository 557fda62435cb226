// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CompiledPartition.h"
#include "Runtime/Runtime.h"
#include "Status.h"
#include "Tensor.h"
#include "Threadpool.h"
#include "llvm/ADT/SmallVector.h"

#include <cstring>

using namespace gc;
using namespace gc::dnnlgraph;

namespace {
using Tensors = const_dnnl_graph_tensor_t *;

/// Memory of an engine's allocator for one execution.
class Memory {
public:
  Memory(const Allocator &allocator, size_t bytes, size_t alignment)
      : allocator(allocator), data(allocator.allocate(bytes, alignment)) {}
  Memory(Memory &&other) noexcept
      : allocator(other.allocator), data(other.data) {
    other.data = nullptr;
  }
  ~Memory() {
    if (data)
      allocator.free(data);
  }
  void *get() const { return data; }

private:
  const Allocator &allocator;
  void *data;
};

class Execution {
public:
  explicit Execution(const dnnl_graph_compiled_partition &compiled)
      : compiled(compiled), code(*compiled.code),
        allocator(compiled.allocator) {}

  dnnl_status_t run(const_dnnl_stream_t stream, Tensors givenInputs,
                    Tensors givenOutputs, const_dnnl_graph_tensor_t scratchpad);

private:
  dnnl_status_t findBuffers(llvm::ArrayRef<Argument> arguments,
                            llvm::ArrayRef<size_t> positions, Tensors tensors,
                            llvm::SmallVectorImpl<void *> &buffers);
  void *unpack(const Argument &argument, const void *data);
  bool overlapsInput(size_t output) const;
  dnnl_status_t separateOutputs();
  dnnl_status_t findArena(const_dnnl_graph_tensor_t scratchpad);

  const dnnl_graph_compiled_partition &compiled;
  Code &code;
  const Allocator &allocator;
  llvm::SmallVector<void *, 16> inputs, outputs;
  void *arena = nullptr;
  /// Memory that lives as long as the execution.
  llvm::SmallVector<Memory, 2> memory;
  /// Outputs that overlap other inputs than their own: where they are computed
  /// is copied to where they belong.
  llvm::SmallVector<std::pair<size_t, void *>, 2> copies;
};
} // namespace

dnnl_status_t Execution::findBuffers(llvm::ArrayRef<Argument> arguments,
                                     llvm::ArrayRef<size_t> positions,
                                     Tensors tensors,
                                     llvm::SmallVectorImpl<void *> &buffers) {
  for (auto [argument, position] : llvm::zip_equal(arguments, positions)) {
    void *data = tensors[position]->getData();
    // A tensor that says what it is must be large enough.
    if (tensors[position]->bytes < argument.bytes)
      return fail(dnnl_invalid_arguments,
                  "tensor " + llvm::Twine(argument.lt.id) +
                      " is smaller than it was compiled for");
    if ((!data && argument.bytes > 0) ||
        reinterpret_cast<uintptr_t>(data) % argument.alignment)
      return fail(dnnl_invalid_arguments,
                  "tensor " + llvm::Twine(argument.lt.id) +
                      (data ? " is not aligned to its elements"
                            : " has no data handle"));
    if (data && getBits(argument.lt.data_type) < 8 && argument.bytes > 0) {
      data = unpack(argument, data);
      if (!data)
        return dnnl_out_of_memory;
    }
    buffers.push_back(data);
  }
  return dnnl_success;
}

/// Elements of 4 bits, of which compiled code expects one per byte.
void *Execution::unpack(const Argument &argument, const void *data) {
  auto *from = static_cast<const uint8_t *>(data);
  auto *to = static_cast<int8_t *>(
      memory.emplace_back(allocator, 2 * argument.bytes, kTensorAlignment)
          .get());
  int sign = argument.lt.data_type == dnnl_s4 ? 8 : 0;
  for (size_t i = 0; to && i < argument.bytes; ++i) {
    to[2 * i] = static_cast<int8_t>(((from[i] & 15) ^ sign) - sign);
    to[2 * i + 1] = static_cast<int8_t>(((from[i] >> 4) ^ sign) - sign);
  }
  return to;
}

bool Execution::overlapsInput(size_t output) const {
  auto begin = reinterpret_cast<uintptr_t>(outputs[output]);
  auto end = begin + code.outputs[output].bytes;
  for (auto [i, data] : llvm::enumerate(inputs)) {
    auto from = reinterpret_cast<uintptr_t>(data);
    if (from < end && begin < from + code.inputs[i].bytes &&
        !(from == begin && code.isInPlace(i, output)))
      return true;
  }
  return false;
}

/// Compiled code must not write where it reads, unless it is a pair of in-place
/// tensors that begin at one address.
dnnl_status_t Execution::separateOutputs() {
  for (size_t i = 0; i < outputs.size(); ++i) {
    size_t bytes = code.outputs[i].bytes;
    if (bytes == 0 || !overlapsInput(i))
      continue;
    void *target = outputs[i];
    outputs[i] = memory.emplace_back(allocator, bytes, kTensorAlignment).get();
    if (!outputs[i])
      return dnnl_out_of_memory;
    // What strides leave out keeps its content.
    std::memcpy(outputs[i], target, bytes);
    copies.push_back({i, target});
  }
  return dnnl_success;
}

dnnl_status_t Execution::findArena(const_dnnl_graph_tensor_t scratchpad) {
  if (code.arenaBytes == 0)
    return dnnl_success;
  void *data = nullptr;
  size_t bytes = code.arenaBytes + code.arenaAlignment;
  if (scratchpad) {
    data = scratchpad->getData();
    if (!data || scratchpad->bytes < bytes)
      return fail(dnnl_invalid_arguments, "the scratchpad is too small");
  } else if (allocator.isCustom()) {
    data = memory.emplace_back(allocator, bytes, code.arenaAlignment).get();
    if (!data)
      return dnnl_out_of_memory;
  } else {
    // The runtime keeps arenas of its own.
    return dnnl_success;
  }
  arena = reinterpret_cast<void *>(
      llvm::alignTo(reinterpret_cast<uintptr_t>(data), code.arenaAlignment));
  return dnnl_success;
}

dnnl_status_t Execution::run(const_dnnl_stream_t stream, Tensors givenInputs,
                             Tensors givenOutputs,
                             const_dnnl_graph_tensor_t scratchpad) {
  if (dnnl_status_t status =
          findBuffers(code.inputs, compiled.inputs, givenInputs, inputs))
    return status;
  if (dnnl_status_t status =
          findBuffers(code.outputs, compiled.outputs, givenOutputs, outputs))
    return status;
  if (!code.graph)
    return dnnl_success;
  if (dnnl_status_t status = separateOutputs())
    return status;
  if (dnnl_status_t status = findArena(scratchpad))
    return status;
  int64_t version =
      code.graph->getModule()->num_folded > 0 ? code.constants.getVersion() : 0;
  StreamThreads threads = getThreads(stream);
  gc_executor executor = makeExecutor(threads.pool);
  gc_status status = gc_execute_version(
      code.graph->getInstance(), threads.isOwn ? nullptr : &executor,
      code.threads, inputs.data(), outputs.data(), arena, /*trace=*/nullptr,
      version);
  if (status != GC_OK)
    return fail(status == GC_OUT_OF_MEMORY ? dnnl_out_of_memory
                                           : dnnl_runtime_error,
                gc_last_error());
  for (auto [output, target] : copies)
    std::memcpy(target, outputs[output], code.outputs[output].bytes);
  return dnnl_success;
}

dnnl_status_t dnnl_graph_compiled_partition_execute_v2(
    const_dnnl_graph_compiled_partition_t compiled_partition,
    dnnl_stream_t stream, size_t num_inputs, Tensors inputs, size_t num_outputs,
    Tensors outputs, const_dnnl_graph_tensor_t scratchpad) {
  if (!compiled_partition || !compiled_partition->code || !stream ||
      (!inputs && num_inputs > 0) || (!outputs && num_outputs > 0))
    return dnnl_invalid_arguments;
  const dnnl_graph_compiled_partition &compiled = *compiled_partition;
  if (getEngine(stream) != compiled.engine.get())
    return fail(dnnl_invalid_arguments,
                "the stream is of another engine than the compiled partition");
  if (num_inputs != compiled.numInputs || num_outputs != compiled.numOutputs)
    return fail(dnnl_invalid_arguments,
                "there are not as many tensors as compile was given");
  auto isNull = [](const_dnnl_graph_tensor_t tensor) { return !tensor; };
  if (std::any_of(inputs, inputs + num_inputs, isNull) ||
      std::any_of(outputs, outputs + num_outputs, isNull))
    return dnnl_invalid_arguments;
  return guard([&] {
    return Execution(compiled).run(stream, inputs, outputs, scratchpad);
  });
}

dnnl_status_t dnnl_graph_compiled_partition_execute(
    const_dnnl_graph_compiled_partition_t compiled_partition,
    dnnl_stream_t stream, size_t num_inputs, Tensors inputs, size_t num_outputs,
    Tensors outputs) {
  return dnnl_graph_compiled_partition_execute_v2(
      compiled_partition, stream, num_inputs, inputs, num_outputs, outputs,
      /*scratchpad=*/nullptr);
}
