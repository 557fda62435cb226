// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reading graphs, compiling them, writing what the compiler makes of them.

#include "Dialect/Graph/IR/GraphOps.h"
#include "Driver/Source.h"
#include "Handles.h"
#include "Transforms/Register.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace gc;
using namespace gc::capi;

static llvm::Error invalid(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

llvm::Expected<CompileOptions>
capi::readOptions(const gc_compile_options *options, std::string &entry) {
  gc_compile_options given = GC_COMPILE_OPTIONS_INIT;
  if (options) {
    size_t size = options->struct_size;
    // All members have the same size: a part of one would be an invalid
    // pointer.
    if (size < sizeof(size_t) || size % sizeof(size_t) || size > (1 << 16))
      return invalid("options->struct_size is not set; start from "
                     "GC_COMPILE_OPTIONS_INIT");
    memcpy(&given, options, std::min(size, sizeof(given)));
  }
  auto text = [](const char *string) {
    return std::string(string ? string : "");
  };
  CompileOptions result;
  auto pipeline = CpuPipelineOptions::parse(text(given.pipeline));
  if (!pipeline)
    return pipeline.takeError();
  result.pipeline = *pipeline;
  if (std::string machine = text(given.machine); !machine.empty())
    result.pipeline.machine = machine;
  if (llvm::Error error =
          Processor::parse(text(given.cpu), text(given.features))
              .moveInto(result.processor))
    return std::move(error);
  entry = text(given.entry);
  int64_t threads =
      given.threads ? given.threads : result.pipeline.threads.getValue();
  constexpr int64_t maxThreads = 1024;
  if (threads < 0 || threads > maxThreads)
    return invalid("threads must be from 1 to " + llvm::Twine(maxThreads) +
                   ", or 0 for the default; not " + llvm::Twine(threads));
  result.pipeline.threads = threads;
  return result;
}

llvm::Error capi::resolveThreads(mlir::ModuleOp module, bool runsHere,
                                 CompileOptions &options) {
  if (options.pipeline.threads > 0)
    return llvm::Error::success();
  auto machine = getMachine(module, options);
  if (!machine)
    return machine.takeError();
  options.pipeline.threads = getDefaultThreads(*machine, runsHere);
  return llvm::Error::success();
}

template <typename Read>
static gc_error *readWith(gc_graph **graph, Read read) {
  return guard([&]() -> gc_error * {
    mlir::DialectRegistry registry;
    registerAllGraphCompilerDialects(registry);
    auto result = std::make_unique<gc_graph>();
    result->state = std::make_shared<GraphState>(registry);
    auto module = read(&result->state->context);
    if (!module)
      return makeError(module.takeError(), GC_INVALID_ARGUMENT);
    result->state->module = std::move(*module);
    *graph = result.release();
    return nullptr;
  });
}

gc_error *gc_graph_read_file(const char *path, gc_graph **graph) {
  if (!path || !graph)
    return makeError(GC_INVALID_ARGUMENT,
                     "gc_graph_read_file: a NULL argument");
  return readWith(graph, [&](mlir::MLIRContext *context) {
    return readGraph(path, context);
  });
}

gc_error *gc_graph_read_onnx(const char *path, const char *const *settings,
                             size_t count, gc_graph **graph) {
  auto isNull = [](const char *setting) { return !setting; };
  if (!path || !graph || (count > 0 && !settings) ||
      std::any_of(settings, settings + count, isNull))
    return makeError(GC_INVALID_ARGUMENT,
                     "gc_graph_read_onnx: a NULL argument");
  using Module = llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>;
  return readWith(graph, [&](mlir::MLIRContext *context) -> Module {
    auto parsed = SourceSettings::parse(
        std::vector<std::string>(settings, settings + count));
    if (!parsed)
      return parsed.takeError();
    return readGraph(path, context, UnknownKinds::Refused, *parsed);
  });
}

gc_error *gc_graph_read_text(const char *data, size_t size,
                             gc_graph_format format, const char *name,
                             gc_graph **graph) {
  if ((!data && size > 0) || !graph)
    return makeError(GC_INVALID_ARGUMENT,
                     "gc_graph_read_text: a NULL argument");
  SourceFormat source = SourceFormat::automatic;
  switch (format) {
  case GC_FORMAT_AUTOMATIC:
    break;
  case GC_FORMAT_MLIR:
    source = SourceFormat::mlir;
    break;
  case GC_FORMAT_ONEDNN_GRAPH:
    source = SourceFormat::onednnGraph;
    break;
  default:
    return makeError(GC_INVALID_ARGUMENT,
                     "gc_graph_read_text: there is no such format");
  }
  return readWith(graph, [&](mlir::MLIRContext *context) {
    return parseGraph(
        llvm::MemoryBuffer::getMemBufferCopy(llvm::StringRef(data, size),
                                             name && *name ? name : "<text>"),
        source, context);
  });
}

void gc_graph_destroy(gc_graph *graph) { delete graph; }

static int64_t countFlops(mlir::func::FuncOp entry) {
  int64_t flops = 0;
  entry.walk([&](graph::TunableOpInterface op) { flops += op.getFlops(); });
  return flops;
}

gc_error *gc_graph_compile(gc_graph *graph, const gc_compile_options *options,
                           gc_compiled **compiled) {
  if (!graph || !compiled)
    return makeError(GC_INVALID_ARGUMENT, "gc_graph_compile: a NULL argument");
  return guard([&]() -> gc_error * {
    std::string name;
    auto driverOptions = readOptions(options, name);
    if (!driverOptions)
      return makeError(driverOptions.takeError(), GC_INVALID_ARGUMENT);
    std::lock_guard<std::mutex> lock(graph->state->mutex);
    auto entry = findEntry(*graph->state->module, name);
    if (!entry)
      return makeError(entry.takeError(), GC_INVALID_ARGUMENT);
    if (llvm::Error error = resolveThreads(*graph->state->module,
                                           /*runsHere=*/true, *driverOptions))
      return makeError(std::move(error), GC_INVALID_ARGUMENT);
    auto result = std::make_unique<gc_compiled>();
    result->name = entry->getName().str();
    result->threads = driverOptions->pipeline.threads;
    llvm::ArrayRef<ValueInfo> inputs, outputs;
    if (graph::getNamedDims(*entry).empty()) {
      result->flops = countFlops(*entry);
      auto code = CompiledGraph::compile(*entry, *driverOptions);
      if (!code)
        return makeError(code.takeError(), GC_INVALID_ARGUMENT);
      result->graph = std::move(*code);
      inputs = result->graph->getInputs();
      outputs = result->graph->getOutputs();
    } else {
      // The mutex as a part of what has to live on.
      auto dynamic = DynamicGraph::create(
          *entry, *driverOptions,
          std::shared_ptr<std::mutex>(graph->state, &graph->state->mutex));
      if (!dynamic)
        return makeError(dynamic.takeError(), GC_INVALID_ARGUMENT);
      result->dynamic = std::move(*dynamic);
      inputs = result->dynamic->getInputs();
      outputs = result->dynamic->getOutputs();
    }
    for (auto [from, to] : {std::pair(inputs, &result->inputs),
                            std::pair(outputs, &result->outputs)})
      for (const ValueInfo &value : from) {
        auto info = describe(value);
        if (!info)
          return makeError(info.takeError(), GC_UNSUPPORTED);
        to->push_back(std::move(*info));
      }
    *compiled = result.release();
    return nullptr;
  });
}

gc_error *gc_graph_emit(gc_graph *graph, const gc_compile_options *options,
                        gc_emit_kind kind, gc_buffer **buffer) {
  if (!graph || !buffer)
    return makeError(GC_INVALID_ARGUMENT, "gc_graph_emit: a NULL argument");
  constexpr EmitKind kinds[] = {EmitKind::mlir, EmitKind::llvm,
                                EmitKind::assembly, EmitKind::object};
  if (static_cast<size_t>(kind) >= std::size(kinds))
    return makeError(GC_INVALID_ARGUMENT,
                     "gc_graph_emit: there is no such kind");
  return guard([&]() -> gc_error * {
    std::string name;
    auto driverOptions = readOptions(options, name);
    if (!driverOptions)
      return makeError(driverOptions.takeError(), GC_INVALID_ARGUMENT);
    std::lock_guard<std::mutex> lock(graph->state->mutex);
    if (llvm::Error error = resolveThreads(*graph->state->module,
                                           /*runsHere=*/false, *driverOptions))
      return makeError(std::move(error), GC_INVALID_ARGUMENT);
    llvm::SmallVector<char, 0> bytes;
    llvm::raw_svector_ostream os(bytes);
    std::vector<Remark> remarks;
    if (llvm::Error error = emit(*graph->state->module, name, *driverOptions,
                                 kinds[static_cast<size_t>(kind)], os, remarks))
      return makeError(std::move(error), GC_INVALID_ARGUMENT);
    auto result = std::make_unique<gc_buffer>();
    result->data.assign(bytes.data(), bytes.size());
    *buffer = result.release();
    return nullptr;
  });
}
