// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Driver/Driver.h"
#include "Dialect/Graph/IR/GraphOps.h"
#include "Dialect/Graph/IR/NamedDims.h"
#include "Dialect/Npu/IR/NpuOps.h"
#include "DiskCache.h"
#include "Driver/Diagnostics.h"
#include "Driver/DynamicGraph.h"
#include "Driver/Package.h"
#include "Driver/SharedConstants.h"
#include "ObjectCode.h"
#include "PipelineRun.h"
#include "Stopwatch.h"
#include "WriteC.h"
#include "WriteCode.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;
using namespace gc;

namespace {

llvm::Error makeError(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

} // namespace

llvm::Expected<func::FuncOp> gc::findEntry(ModuleOp module, StringRef entry) {
  func::FuncOp only, main;
  std::string names;
  int64_t publicCount = 0;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isDeclaration())
      continue;
    if (!entry.empty() && function.getName() == entry)
      return function;
    names += (names.empty() ? "@" : ", @") + function.getName().str();
    if (function.getName() == "main")
      main = function;
    if (function.isPublic()) {
      only = function;
      ++publicCount;
    }
  }
  if (names.empty())
    return makeError("there is no function to run");
  if (!entry.empty())
    return makeError("there is no function @" + entry + "; there are " + names);
  if (publicCount == 1)
    return only;
  if (main)
    return main;
  return makeError("it is not clear which function to run; name one of " +
                   names);
}

namespace {

/// What arguments and results may be.
struct Boundary {
  bool mayBeBlocked = false;
  /// Whether named dimensions may have no size yet.
  bool mayVary = false;
};

} // namespace

/// The type of an argument or result that callers can pass a buffer for.
static llvm::Expected<RankedTensorType>
getBoundaryType(func::FuncOp entry, Type type, StringRef what, unsigned index,
                Boundary boundary) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  auto refuse = [&](const llvm::Twine &reason) {
    return makeError(what + " " + llvm::Twine(index) + " of @" +
                     entry.getName() + " " + reason);
  };
  bool isNamed = !graph::getNamedDims(entry).empty();
  if (!tensor)
    return refuse("is not a ranked tensor of static shape");
  if (!tensor.hasStaticShape() && !isNamed)
    return refuse("is not a ranked tensor of static shape; a size that varies "
                  "needs a name and bounds (graph.dims)");
  if (!tensor.hasStaticShape() && what == "argument" &&
      !graph::getArgumentSizes(entry, index))
    return refuse("has a dynamic size without a name (graph.dims)");
  if (isNamed && !boundary.mayVary)
    return makeError(describeOpenSizes(entry));
  graph::LayoutAttr layout = graph::getLayout(tensor);
  if (layout && layout.isBlocked() && !boundary.mayBeBlocked)
    return refuse("has a blocked layout, which only the compiler's own tensors "
                  "have; reorder it to a plain or strided one");
  return tensor;
}

static llvm::Expected<std::vector<ValueInfo>>
describeInputs(func::FuncOp entry, Boundary boundary) {
  if (entry->hasAttr(npu::NpuDialect::kKernelAttr))
    return makeError(
        "@" + entry.getName() +
        " is an NPU program (gc-runner --target=npu), not a graph");
  std::vector<ValueInfo> infos;
  llvm::StringMap<size_t> named;
  for (auto [index, type] : llvm::enumerate(entry.getArgumentTypes())) {
    auto tensor = getBoundaryType(entry, type, "argument", index, boundary);
    if (!tensor)
      return tensor.takeError();
    ValueInfo &info = infos.emplace_back();
    info.type = *tensor;
    auto name = entry.getArgAttrOfType<StringAttr>(
        index, graph::GraphDialect::kNameAttr);
    info.name = name ? name.str() : "arg" + std::to_string(index);
    if (auto [other, isNew] = named.try_emplace(info.name, index); !isNew)
      return makeError("arguments " + llvm::Twine(other->second) + " and " +
                       llvm::Twine(index) + " of @" + entry.getName() +
                       " are both named '" + info.name + "'");
    info.isConstant =
        bool(entry.getArgAttr(index, graph::GraphDialect::kConstArgAttr));
  }
  return infos;
}

static llvm::Expected<std::vector<ValueInfo>>
describeOutputs(func::FuncOp entry, Boundary boundary) {
  std::vector<ValueInfo> infos;
  for (auto [index, type] : llvm::enumerate(entry.getResultTypes())) {
    auto tensor = getBoundaryType(entry, type, "result", index, boundary);
    if (!tensor)
      return tensor.takeError();
    ValueInfo &info = infos.emplace_back();
    info.type = *tensor;
    auto name = entry.getResultAttrOfType<StringAttr>(
        index, graph::GraphDialect::kNameAttr);
    info.name = name ? name.str() : "result" + std::to_string(index);
  }
  return infos;
}

llvm::Expected<std::vector<ValueInfo>> gc::getInputInfo(func::FuncOp entry) {
  return describeInputs(entry, {});
}

llvm::Expected<std::vector<ValueInfo>> gc::getOutputInfo(func::FuncOp entry) {
  return describeOutputs(entry, {});
}

llvm::Expected<std::vector<ValueInfo>>
gc::getDynamicInputInfo(func::FuncOp entry) {
  return describeInputs(entry, {/*mayBeBlocked=*/false, /*mayVary=*/true});
}

llvm::Expected<std::vector<ValueInfo>>
gc::getDynamicOutputInfo(func::FuncOp entry) {
  return describeOutputs(entry, {/*mayBeBlocked=*/false, /*mayVary=*/true});
}

OwningOpRef<ModuleOp> gc::cloneReachable(func::FuncOp entry) {
  auto module = entry->getParentOfType<ModuleOp>();
  llvm::SetVector<Operation *> reached;
  reached.insert(entry);
  for (size_t i = 0; i < reached.size(); ++i)
    if (auto uses = SymbolTable::getSymbolUses(reached[i]))
      for (SymbolTable::SymbolUse use : *uses)
        if (Operation *symbol =
                module.lookupSymbol(use.getSymbolRef().getRootReference()))
          reached.insert(symbol);
  OwningOpRef<ModuleOp> clone(cast<ModuleOp>(module->cloneWithoutRegions()));
  clone->getBodyRegion().emplaceBlock();
  OpBuilder builder = OpBuilder::atBlockBegin(clone->getBody());
  for (Operation &op : *module.getBody())
    if (reached.contains(&op))
      builder.clone(op);
  return clone;
}

llvm::Expected<OwningOpRef<ModuleOp>>
gc::runPhases(func::FuncOp entry, const CompileOptions &options) {
  OwningOpRef<ModuleOp> reachable = cloneReachable(entry);
  auto run = runPipeline(*reachable, entry.getName(), options);
  if (!run)
    return run.takeError();
  return std::move(run->module);
}

llvm::Expected<ArgumentLayouts>
gc::chooseArgumentLayouts(func::FuncOp entry, const CompileOptions &options) {
  CompileOptions decisions = options;
  decisions.pipeline.stopAfter = CpuPhase::fusion;
  OwningOpRef<ModuleOp> reachable = cloneReachable(entry);
  auto run = runPipeline(*reachable, entry.getName(), decisions);
  if (!run)
    return run.takeError();
  auto function = run->module->lookupSymbol<func::FuncOp>(entry.getName());
  ArgumentLayouts layouts{{}, run->predictedMs};
  // Constants that are folded come after the arguments.
  for (Type type :
       function.getArgumentTypes().take_front(entry.getNumArguments()))
    layouts.types.push_back(cast<RankedTensorType>(type));
  return layouts;
}

llvm::Expected<std::unique_ptr<CompiledGraph>>
CompiledGraph::compile(func::FuncOp entry, const CompileOptions &options) {
  Stopwatch total, step;
  std::unique_ptr<CompiledGraph> graph(new CompiledGraph());
  auto inputs = describeInputs(entry, {options.blockedArguments});
  if (!inputs)
    return inputs.takeError();
  auto outputs = describeOutputs(entry, {options.blockedArguments});
  if (!outputs)
    return outputs.takeError();
  graph->inputs = std::move(*inputs);
  graph->outputs = std::move(*outputs);

  OwningOpRef<ModuleOp> reachable = cloneReachable(entry);
  ModuleOp module = *reachable;
  std::optional<DiskCache> cache = DiskCache::open(options);
  std::string key;
  if (cache) {
    auto machine = gc::getMachine(module, options);
    if (!machine)
      return machine.takeError();
    key = DiskCache::makeKey(module, entry.getName(), *machine, options);
    if (std::optional<CachedCode> code = cache->load(key)) {
      if (llvm::Error error = graph->load(std::move(*code), entry, options))
        // Whatever it is, new code does not have it.
        llvm::consumeError(std::move(error));
      else {
        graph->fromCache = true;
        graph->times.total = total.lap();
        return graph;
      }
    }
  }
  auto run = runPipeline(module, entry.getName(), options);
  if (!run)
    return run.takeError();
  if (run->stoppedAfter != CpuPhase::machine)
    return makeError("code that stops after phase '" +
                     getPhaseName(run->stoppedAfter) + "' cannot be run");
  if (!run->module->lookupSymbol((entry.getName() + "_module").str())) {
    DiagnosticCollector diagnostics(entry.getContext());
    entry.emitOpError("has no graph ops: there is nothing to compile");
    return diagnostics.takeError("there is nothing to compile");
  }
  graph->facts = std::move(run->facts);
  graph->times.passes = step.lap();

  auto objects = generateObjects(*run, entry.getName(), options);
  if (!objects)
    return objects.takeError();
  graph->times.optimize = objects->optimizeMs;
  graph->times.codegen = objects->codegenMs;
  CachedCode code{std::move(objects->objects),
                  std::move(objects->constants),
                  run->fusedOps,
                  run->parallelRegions,
                  std::move(run->regions),
                  run->predictedMs,
                  std::move(run->remarks),
                  std::move(run->inPlace)};
  if (cache)
    cache->store(key, code);
  if (llvm::Error error = graph->load(std::move(code), entry, options))
    return std::move(error);
  graph->times.total = total.lap();
  return graph;
}

llvm::Error CompiledGraph::load(CachedCode compiled, func::FuncOp entry,
                                const CompileOptions &options) {
  Stopwatch step;
  fusedOps = compiled.fusedOps;
  parallelRegions = compiled.parallelRegions;
  regions = std::move(compiled.regions);
  predictedMs = compiled.predictedMs;
  remarks = std::move(compiled.remarks);
  inPlace = std::move(compiled.inPlace);
  if (options.constants)
    compiled.constants =
        options.constants->share(std::move(compiled.constants));
  auto jit = JitCode::load(std::move(compiled.objects), options.perfMap,
                           /*symbols=*/{}, std::move(compiled.constants));
  if (!jit)
    return jit.takeError();
  code = std::move(*jit);
  auto found = code->getModule(entry.getName());
  if (!found)
    return found.takeError();
  module = *found;
  if (gc_instance_create(module, &instance) != GC_OK)
    return makeError(gc_last_error());
  if (options.constants && options.constants->getFolded() &&
      gc_instance_set_constant_pool(instance, options.constants->getFolded()) !=
          GC_OK)
    return makeError(gc_last_error());
  auto dropFolded = [](void *code) {
    static_cast<JitCode *>(code)->dropFoldedConstants();
  };
  if (gc_instance_set_folded(instance, dropFolded, code.get()) != GC_OK)
    return makeError(gc_last_error());
  times.load = step.lap();
  return llvm::Error::success();
}

CompiledGraph::~CompiledGraph() { gc_instance_destroy(instance); }

llvm::Error CompiledGraph::execute(void *const *inputs, void *const *outputs,
                                   const gc_executor *executor, int64_t threads,
                                   gc_trace *trace) {
  if (gc_execute(instance, executor, threads, inputs, outputs,
                 /*arena=*/nullptr, trace) != GC_OK)
    return makeError(gc_last_error());
  return llvm::Error::success();
}

llvm::Error CompiledGraph::fold(void *const *inputs,
                                const gc_executor *executor, int64_t threads) {
  if (module->num_folded == 0)
    return llvm::Error::success();
  llvm::SmallVector<void *> constants;
  for (uint32_t i = 0; i < module->num_fold_inputs; ++i)
    constants.push_back(inputs[module->fold_inputs[i]]);
  if (gc_instance_fold(instance, executor, threads, constants.data()) != GC_OK)
    return makeError(gc_last_error());
  return llvm::Error::success();
}

int64_t CompiledGraph::getArenaBytes(int64_t threads) const {
  return static_cast<int64_t>(gc_arena_bytes(module, threads));
}

int64_t CompiledGraph::getConstantBytes() const {
  int64_t bytes = 0;
  for (uint32_t i = 0; i < module->num_folded; ++i)
    bytes += module->folded_bytes[i];
  return bytes;
}

llvm::Error gc::emit(ModuleOp module, StringRef entry,
                     const CompileOptions &options, EmitKind kind,
                     llvm::raw_pwrite_stream &os,
                     std::vector<Remark> &remarks) {
  if (!entry.empty())
    if (auto function = findEntry(module, entry); !function)
      return function.takeError();
  for (auto function : module.getOps<func::FuncOp>())
    if (!graph::getNamedDims(function).empty())
      return makeError(describeOpenSizes(function));
  if (kind == EmitKind::c) {
    auto function = findEntry(module, entry);
    if (!function)
      return function.takeError();
    return writeC(*function, options, makeIdentifier(function->getName(), "g"),
                  os, remarks);
  }
  auto run = runPipeline(module, entry, options);
  if (!run)
    return run.takeError();
  llvm::append_range(remarks, run->remarks);
  if (kind == EmitKind::mlir) {
    run->module->print(os);
    return llvm::Error::success();
  }
  if (run->stoppedAfter != CpuPhase::machine)
    return makeError("only MLIR can be emitted after phase '" +
                     getPhaseName(run->stoppedAfter) + "'");
  return writeCode(*run->module, "graph", *run->machine, kind, os,
                   run->description.cpu);
}
