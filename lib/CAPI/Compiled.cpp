// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Compiled graphs: their arguments, execution, and information about them.

#include "Dialect/Graph/IR/GraphOps.h"
#include "Dialect/Graph/IR/GraphTypes.h"
#include "Handles.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace gc;
using namespace gc::capi;

namespace {

struct ElementInfo {
  gc_dtype dtype;
  const char *name;
  size_t bytes;
};

std::optional<ElementInfo> getElementInfo(mlir::Type type) {
  if (type.isF32())
    return ElementInfo{GC_F32, "f32", 4};
  if (type.isBF16())
    return ElementInfo{GC_BF16, "bf16", 2};
  if (type.isF16())
    return ElementInfo{GC_F16, "f16", 2};
  if (mlir::isa<mlir::Float8E5M2Type>(type))
    return ElementInfo{GC_F8_E5M2, "f8_e5m2", 1};
  if (mlir::isa<mlir::Float8E4M3FNType>(type))
    return ElementInfo{GC_F8_E4M3, "f8_e4m3", 1};
  if (type.isUnsignedInteger(8))
    return ElementInfo{GC_U8, "u8", 1};
  if (type.isInteger(1))
    return ElementInfo{GC_BOOLEAN, "boolean", 1};
  if (type.isInteger(8))
    return ElementInfo{GC_S8, "s8", 1};
  if (type.isInteger(32) && !type.isUnsignedInteger(32))
    return ElementInfo{GC_S32, "s32", 4};
  if (type.isUnsignedInteger(64))
    return ElementInfo{GC_U64, "u64", 8};
  return std::nullopt;
}

/// Counts the forks of one execution.
struct CountingExecutor {
  explicit CountingExecutor(const gc_executor *inner)
      : inner(inner ? *inner : *gc_openmp_executor()) {
    outer.context = this;
    outer.threads = [](void *self) {
      const gc_executor &inner = static_cast<CountingExecutor *>(self)->inner;
      return inner.threads(inner.context);
    };
    outer.run = [](void *self, int64_t threads, gc_task task, void *argument) {
      auto *counting = static_cast<CountingExecutor *>(self);
      ++counting->forks;
      return counting->inner.run(counting->inner.context, threads, task,
                                 argument);
    };
  }

  const gc_executor &inner;
  gc_executor outer;
  int64_t forks = 0;
};

/// Why these pointers cannot be the arguments, or nothing.
gc_error *checkPointers(llvm::ArrayRef<TensorInfo> infos, const char *what,
                        void *const *pointers, size_t count) {
  if (count != infos.size())
    return makeError(GC_INVALID_ARGUMENT,
                     "the graph has " + llvm::Twine(infos.size()) + " " + what +
                         "s, not " + llvm::Twine(count));
  if (!pointers && count > 0)
    return makeError(GC_INVALID_ARGUMENT,
                     llvm::Twine("the ") + what + "s are NULL");
  for (size_t i = 0; i < count; ++i) {
    auto refuse = [&](const char *reason) {
      return makeError(GC_INVALID_ARGUMENT, llvm::Twine(what) + " " +
                                                llvm::Twine(i) + " '" +
                                                infos[i].name + "' " + reason);
    };
    if (!pointers[i] && (infos[i].bytes > 0 || infos[i].varies))
      return refuse("is NULL");
    if (reinterpret_cast<uintptr_t>(pointers[i]) % infos[i].elementSize)
      return refuse("is not aligned to its elements");
  }
  return nullptr;
}

gc_error *getInfo(llvm::ArrayRef<TensorInfo> infos, size_t index,
                  gc_tensor_info *to) {
  if (index >= infos.size())
    return makeError(GC_INVALID_ARGUMENT, "index " + llvm::Twine(index) +
                                              " is out of range: there are " +
                                              llvm::Twine(infos.size()));
  const TensorInfo &from = infos[index];
  return copyTo(to,
                gc_tensor_info{0, from.name.c_str(), from.dtype, from.dtypeName,
                               from.elementSize, from.shape.size(),
                               from.shape.data(), from.strides.data(),
                               from.bytes, from.isConstant},
                "info");
}

} // namespace

llvm::Expected<TensorInfo> capi::describe(const ValueInfo &value) {
  auto refuse = [&](const llvm::Twine &reason) {
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "'" + value.name + "' " + reason);
  };
  TensorInfo info;
  info.name = value.name;
  info.isConstant = value.isConstant;
  auto element = getElementInfo(value.type.getElementType());
  if (!element) {
    std::string text;
    llvm::raw_string_ostream(text) << value.type.getElementType();
    return refuse("has elements of type " + text +
                  ", for which there is no gc_dtype");
  }
  info.dtype = element->dtype;
  info.dtypeName = element->name;
  info.elementSize = element->bytes;
  info.shape.assign(value.type.getShape().begin(), value.type.getShape().end());
  graph::LayoutAttr layout = graph::getLayout(value.type);
  llvm::SmallVector<int64_t> strides(info.shape.size());
  if (layout && layout.isStrided())
    strides.assign(layout.getStrides().begin(), layout.getStrides().end());
  else if (value.type.hasStaticShape())
    strides = graph::getPlainStrides(info.shape);
  info.strides.assign(strides.begin(), strides.end());
  info.varies = !value.type.hasStaticShape();
  if (info.varies) {
    // Layouts have fixed sizes: this one is row-major.
    int64_t stride = 1;
    for (size_t i = info.shape.size(); i-- > 0;) {
      info.strides[i] = stride;
      bool isOpen = mlir::ShapedType::isDynamic(info.shape[i]);
      if (isOpen)
        info.shape[i] = GC_SIZE_VARIES;
      if (isOpen || stride == GC_SIZE_VARIES ||
          llvm::MulOverflow(stride, info.shape[i], stride))
        stride = GC_SIZE_VARIES;
    }
    return info;
  }

  // From the first to the last element.
  int64_t last = 0, bytes = 0;
  bool overflow = false, isEmpty = false;
  for (auto [size, stride] : llvm::zip_equal(info.shape, info.strides)) {
    int64_t distance = 0;
    isEmpty |= size == 0;
    overflow |= llvm::MulOverflow(size - 1, stride, distance) != 0;
    overflow |= llvm::AddOverflow(last, distance, last) != 0;
  }
  if (isEmpty)
    return info;
  overflow |= llvm::MulOverflow(last + 1, int64_t(info.elementSize), bytes);
  if (overflow)
    return refuse("is larger than the address space");
  info.bytes = bytes;
  return info;
}

void gc_compiled_destroy(gc_compiled *compiled) { delete compiled; }

size_t gc_compiled_num_inputs(const gc_compiled *compiled) {
  return compiled ? compiled->inputs.size() : 0;
}

size_t gc_compiled_num_outputs(const gc_compiled *compiled) {
  return compiled ? compiled->outputs.size() : 0;
}

gc_error *gc_compiled_input(const gc_compiled *compiled, size_t index,
                            gc_tensor_info *info) {
  if (!compiled)
    return makeError(GC_INVALID_ARGUMENT, "gc_compiled_input: a NULL argument");
  return getInfo(compiled->inputs, index, info);
}

gc_error *gc_compiled_output(const gc_compiled *compiled, size_t index,
                             gc_tensor_info *info) {
  if (!compiled)
    return makeError(GC_INVALID_ARGUMENT,
                     "gc_compiled_output: a NULL argument");
  return getInfo(compiled->outputs, index, info);
}

gc_error *gc_compiled_execute(gc_compiled *compiled, void *const *inputs,
                              size_t num_inputs, void *const *outputs,
                              size_t num_outputs, const gc_executor *executor,
                              int64_t threads) {
  return gc_compiled_execute_version(compiled, inputs, num_inputs, outputs,
                                     num_outputs, executor, threads,
                                     /*version=*/0);
}

gc_error *capi::checkPointers(const gc_compiled &compiled, void *const *inputs,
                              size_t numInputs, void *const *outputs,
                              size_t numOutputs, const gc_executor *executor) {
  if (gc_error *error =
          ::checkPointers(compiled.inputs, "input", inputs, numInputs))
    return error;
  if (gc_error *error =
          ::checkPointers(compiled.outputs, "output", outputs, numOutputs))
    return error;
  if (executor && (!executor->threads || !executor->run))
    return makeError(GC_INVALID_ARGUMENT,
                     "gc_compiled_execute: a NULL function in the executor");
  return nullptr;
}

gc_error *capi::execute(gc_compiled &compiled, CompiledGraph &graph,
                        void *const *inputs, void *const *outputs,
                        const gc_executor *executor, int64_t threads,
                        int64_t version) {
  gc_instance *instance = graph.getInstance();
  CountingExecutor counting(executor);
  int64_t folds = gc_instance_fold_count(instance);
  gc_status status = gc_execute_version(
      instance, &counting.outer, threads > 0 ? threads : compiled.threads,
      inputs, outputs, /*arena=*/nullptr, /*trace=*/nullptr, version);
  if (status != GC_OK)
    return makeError(status, gc_last_error());
  // Folding forks too. If another thread folded meanwhile, too many are
  // subtracted, and the number is unknown.
  folds = gc_instance_fold_count(instance) - folds;
  if (counting.forks > folds)
    compiled.forks.store(counting.forks - folds, std::memory_order_relaxed);
  return nullptr;
}

gc_error *gc_compiled_execute_version(gc_compiled *compiled,
                                      void *const *inputs, size_t num_inputs,
                                      void *const *outputs, size_t num_outputs,
                                      const gc_executor *executor,
                                      int64_t threads, int64_t version) {
  if (!compiled)
    return makeError(GC_INVALID_ARGUMENT,
                     "gc_compiled_execute: a NULL argument");
  if (compiled->dynamic)
    return makeError(GC_INVALID_ARGUMENT,
                     "the graph has sizes that vary, which "
                     "gc_compiled_execute_sizes takes");
  if (gc_error *error = capi::checkPointers(*compiled, inputs, num_inputs,
                                            outputs, num_outputs, executor))
    return error;
  return execute(*compiled, *compiled->graph, inputs, outputs, executor,
                 threads, version);
}

gc_error *gc_compiled_invalidate(gc_compiled *compiled) {
  if (!compiled)
    return makeError(GC_INVALID_ARGUMENT,
                     "gc_compiled_invalidate: a NULL argument");
  gc_status status =
      compiled->dynamic
          ? compiled->dynamic->invalidate()
          : gc_instance_invalidate(compiled->graph->getInstance());
  return status == GC_OK ? nullptr : makeError(status, gc_last_error());
}

gc_error *gc_compiled_set_capacity(gc_compiled *compiled, int64_t sets) {
  if (!compiled)
    return makeError(GC_INVALID_ARGUMENT,
                     "gc_compiled_set_capacity: a NULL argument");
  if (compiled->dynamic && sets < 1)
    return makeError(GC_INVALID_ARGUMENT,
                     "gc_compiled_set_capacity: less than 1 set");
  gc_status status =
      compiled->dynamic
          ? compiled->dynamic->setConstantCapacity(sets)
          : gc_instance_set_capacity(compiled->graph->getInstance(), sets);
  return status == GC_OK ? nullptr : makeError(status, gc_last_error());
}

/// Of a graph of sizes that vary: those of what was compiled first.
static llvm::ArrayRef<Remark> getRemarks(const gc_compiled &compiled) {
  if (compiled.graph)
    return compiled.graph->getRemarks();
  std::lock_guard<std::mutex> lock(compiled.mutex);
  return compiled.firstRemarks ? llvm::ArrayRef<Remark>(*compiled.firstRemarks)
                               : llvm::ArrayRef<Remark>();
}

size_t gc_compiled_num_remarks(const gc_compiled *compiled) {
  return compiled ? getRemarks(*compiled).size() : 0;
}

gc_error *gc_compiled_remark(const gc_compiled *compiled, size_t index,
                             gc_remark *remark) {
  if (!compiled)
    return makeError(GC_INVALID_ARGUMENT,
                     "gc_compiled_remark: a NULL argument");
  llvm::ArrayRef<Remark> remarks = getRemarks(*compiled);
  if (index >= remarks.size())
    return makeError(GC_INVALID_ARGUMENT, "there is no remark " +
                                              llvm::Twine(index) + " of " +
                                              llvm::Twine(remarks.size()));
  const Remark &from = remarks[index];
  return copyTo(remark,
                gc_remark{0, from.kind.c_str(), from.category.c_str(),
                          from.name.c_str(), from.function.c_str(),
                          from.message.c_str(), from.reason.c_str(),
                          from.suggestion.c_str(), from.location.c_str()},
                "remark");
}

/// What there is to say about a graph of fixed sizes.
static void writeGraph(const gc_compiled &compiled, const CompiledGraph &graph,
                       llvm::json::OStream &json) {
  bool folded = gc_instance_fold_count(graph.getInstance()) > 0;
  json.attribute("fold_ms", folded ? llvm::json::Value(gc_instance_fold_ms(
                                         graph.getInstance()))
                                   : llvm::json::Value(nullptr));
  json.attribute("arena_bytes", graph.getArenaBytes(compiled.threads));
  json.attribute("constant_bytes", graph.getConstantBytes());
  json.attribute(
      "constant_bytes_held",
      static_cast<int64_t>(gc_instance_constant_bytes(graph.getInstance())));
  json.attribute("fused_ops", graph.getFusedOps());
  json.attribute("parallel_regions", graph.getParallelRegions());
}

gc_error *gc_compiled_report(const gc_compiled *compiled, gc_buffer **buffer) {
  if (!compiled || !buffer)
    return makeError(GC_INVALID_ARGUMENT,
                     "gc_compiled_report: a NULL argument");
  return guard([&]() -> gc_error * {
    auto result = std::make_unique<gc_buffer>();
    llvm::raw_string_ostream os(result->data);
    llvm::json::OStream json(os);
    int64_t forks = compiled->forks.load(std::memory_order_relaxed);
    json.object([&] {
      json.attribute("name", llvm::json::fixUTF8(compiled->name));
      json.attribute("target", "cpu");
      json.attribute("threads", compiled->threads);
      if (compiled->graph) {
        json.attribute("compile_ms", compiled->graph->getTimes().total);
        json.attribute("flops", compiled->flops);
        writeGraph(*compiled, *compiled->graph, json);
      } else {
        DynamicGraph::Statistics statistics =
            compiled->dynamic->getStatistics();
        json.attribute("compile_ms", statistics.compileMs);
        json.attribute("compilations", statistics.compilations);
        json.attribute("sizes", statistics.sizes);
        json.attribute("weight_bytes", statistics.constantBytes);
        json.attribute("shared_constant_bytes", statistics.foldedBytes);
        json.attribute("unshared_constant_bytes", statistics.unsharedBytes);
        if (auto latest = compiled->dynamic->getLatest())
          writeGraph(*compiled, *latest, json);
      }
      json.attribute("forks", forks < 0 ? llvm::json::Value(nullptr)
                                        : llvm::json::Value(forks));
    });
    *buffer = result.release();
    return nullptr;
  });
}
