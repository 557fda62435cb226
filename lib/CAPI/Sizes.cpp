// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Compiled graphs of sizes that vary between executions.

#include "Handles.h"

using namespace gc;
using namespace gc::capi;

namespace {

gc_error *checkGraph(const gc_compiled *compiled, const char *function) {
  return compiled ? nullptr
                  : makeError(GC_INVALID_ARGUMENT,
                              llvm::Twine(function) + ": a NULL argument");
}

gc_error *checkCount(const gc_compiled &compiled, size_t count) {
  size_t expected = compiled.dynamic ? compiled.dynamic->getDims().size() : 0;
  if (count != expected)
    return makeError(GC_INVALID_ARGUMENT,
                     "the graph has " + llvm::Twine(expected) +
                         " sizes that vary, not " + llvm::Twine(count));
  return nullptr;
}

/// The sizes of the caller. Without any, the graph has none.
gc_error *readSizes(const gc_compiled &compiled, const int64_t *sizes,
                    size_t count, DimSizes &result) {
  if (!sizes && count > 0)
    return makeError(GC_INVALID_ARGUMENT, "the sizes are NULL");
  if (gc_error *error = checkCount(compiled, count))
    return error;
  if (count > 0)
    result.assign(sizes, sizes + count);
  return nullptr;
}

/// The graph of these sizes, which are as many as there are.
gc_error *getGraph(gc_compiled &compiled, const DimSizes &sizes,
                   std::shared_ptr<CompiledGraph> &graph) {
  auto found = compiled.dynamic->get(sizes);
  if (!found)
    return makeError(found.takeError(), GC_INVALID_ARGUMENT);
  graph = std::move(*found);
  std::lock_guard<std::mutex> lock(compiled.mutex);
  if (!compiled.firstRemarks)
    compiled.firstRemarks.emplace(graph->getRemarks().begin(),
                                  graph->getRemarks().end());
  return nullptr;
}

gc_error *getShape(gc_compiled *compiled, bool isInput, const int64_t *sizes,
                   size_t numSizes, size_t index, int64_t *shape, size_t rank) {
  const char *what = isInput ? "input" : "output";
  llvm::ArrayRef<TensorInfo> infos =
      isInput ? compiled->inputs : compiled->outputs;
  if (index >= infos.size())
    return makeError(GC_INVALID_ARGUMENT, "index " + llvm::Twine(index) +
                                              " is out of range: there are " +
                                              llvm::Twine(infos.size()));
  const TensorInfo &info = infos[index];
  if (!shape && rank > 0)
    return makeError(GC_INVALID_ARGUMENT, "shape is NULL");
  if (rank != info.shape.size())
    return makeError(GC_INVALID_ARGUMENT,
                     llvm::Twine(what) + " " + llvm::Twine(index) + " '" +
                         info.name + "' has " + llvm::Twine(info.shape.size()) +
                         " dimensions, not " + llvm::Twine(rank));
  return guard([&]() -> gc_error * {
    DimSizes given;
    if (gc_error *error = readSizes(*compiled, sizes, numSizes, given))
      return error;
    std::vector<int64_t> result = info.shape;
    if (compiled->dynamic) {
      auto found = isInput ? compiled->dynamic->getInputShape(given, index)
                           : compiled->dynamic->getOutputShape(given, index);
      if (!found)
        return makeError(found.takeError(), GC_INVALID_ARGUMENT);
      result = std::move(*found);
    }
    std::copy(result.begin(), result.end(), shape);
    return nullptr;
  });
}

} // namespace

size_t gc_compiled_num_dims(const gc_compiled *compiled) {
  return compiled && compiled->dynamic ? compiled->dynamic->getDims().size()
                                       : 0;
}

gc_error *gc_compiled_dim(const gc_compiled *compiled, size_t index,
                          gc_dim_info *info) {
  if (gc_error *error = checkGraph(compiled, "gc_compiled_dim"))
    return error;
  size_t count = gc_compiled_num_dims(compiled);
  if (index >= count)
    return makeError(GC_INVALID_ARGUMENT, "index " + llvm::Twine(index) +
                                              " is out of range: there are " +
                                              llvm::Twine(count));
  const graph::NamedDim &dim = compiled->dynamic->getDims()[index];
  return copyTo(info, gc_dim_info{0, dim.name.c_str(), dim.min, dim.max},
                "info");
}

gc_error *gc_compiled_sizes(const gc_compiled *compiled,
                            const int64_t *const *shapes, const size_t *ranks,
                            size_t num_inputs, int64_t *sizes,
                            size_t num_sizes) {
  if (gc_error *error = checkGraph(compiled, "gc_compiled_sizes"))
    return error;
  if (num_inputs != compiled->inputs.size())
    return makeError(GC_INVALID_ARGUMENT,
                     "the graph has " + llvm::Twine(compiled->inputs.size()) +
                         " inputs, not " + llvm::Twine(num_inputs));
  if ((!shapes && num_inputs > 0) || (!sizes && num_sizes > 0))
    return makeError(GC_INVALID_ARGUMENT, "gc_compiled_sizes: a NULL argument");
  return guard([&]() -> gc_error * {
    std::vector<llvm::ArrayRef<int64_t>> given;
    for (size_t i = 0; i < num_inputs; ++i) {
      size_t rank = ranks ? ranks[i] : compiled->inputs[i].shape.size();
      if (!shapes[i] && rank > 0)
        return makeError(GC_INVALID_ARGUMENT,
                         "gc_compiled_sizes: the shape of input " +
                             llvm::Twine(i) + " is NULL");
      given.emplace_back(shapes[i], rank);
    }
    if (gc_error *error = checkCount(*compiled, num_sizes))
      return error;
    if (!compiled->dynamic)
      return nullptr;
    auto found = compiled->dynamic->getSizes(given);
    if (!found)
      return makeError(found.takeError(), GC_INVALID_ARGUMENT);
    std::copy(found->begin(), found->end(), sizes);
    return nullptr;
  });
}

gc_error *gc_compiled_input_shape(gc_compiled *compiled, const int64_t *sizes,
                                  size_t num_sizes, size_t index,
                                  int64_t *shape, size_t rank) {
  if (gc_error *error = checkGraph(compiled, "gc_compiled_input_shape"))
    return error;
  return getShape(compiled, /*isInput=*/true, sizes, num_sizes, index, shape,
                  rank);
}

gc_error *gc_compiled_output_shape(gc_compiled *compiled, const int64_t *sizes,
                                   size_t num_sizes, size_t index,
                                   int64_t *shape, size_t rank) {
  if (gc_error *error = checkGraph(compiled, "gc_compiled_output_shape"))
    return error;
  return getShape(compiled, /*isInput=*/false, sizes, num_sizes, index, shape,
                  rank);
}

gc_error *gc_compiled_prepare(gc_compiled *compiled, const int64_t *sizes,
                              size_t num_sizes) {
  if (gc_error *error = checkGraph(compiled, "gc_compiled_prepare"))
    return error;
  return guard([&]() -> gc_error * {
    DimSizes given;
    if (gc_error *error = readSizes(*compiled, sizes, num_sizes, given))
      return error;
    std::shared_ptr<CompiledGraph> graph;
    return compiled->dynamic ? getGraph(*compiled, given, graph) : nullptr;
  });
}

gc_error *gc_compiled_execute_sizes(gc_compiled *compiled, const int64_t *sizes,
                                    size_t num_sizes, void *const *inputs,
                                    size_t num_inputs, void *const *outputs,
                                    size_t num_outputs,
                                    const gc_executor *executor,
                                    int64_t threads, int64_t version) {
  if (gc_error *error = checkGraph(compiled, "gc_compiled_execute_sizes"))
    return error;
  return guard([&]() -> gc_error * {
    DimSizes given;
    if (gc_error *error = readSizes(*compiled, sizes, num_sizes, given))
      return error;
    if (gc_error *error = checkPointers(*compiled, inputs, num_inputs, outputs,
                                        num_outputs, executor))
      return error;
    if (!compiled->dynamic)
      return execute(*compiled, *compiled->graph, inputs, outputs, executor,
                     threads, version);
    std::shared_ptr<CompiledGraph> graph;
    if (gc_error *error = getGraph(*compiled, given, graph))
      return error;
    return execute(*compiled, *graph, inputs, outputs, executor, threads,
                   version);
  });
}

gc_error *gc_compiled_set_size_capacity(gc_compiled *compiled, int64_t count) {
  if (gc_error *error = checkGraph(compiled, "gc_compiled_set_size_capacity"))
    return error;
  if (count < 1)
    return makeError(GC_INVALID_ARGUMENT,
                     "gc_compiled_set_size_capacity: less than 1 size");
  if (compiled->dynamic)
    compiled->dynamic->setCapacity(count);
  return nullptr;
}
