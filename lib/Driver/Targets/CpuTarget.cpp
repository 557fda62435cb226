// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Compiled code on this machine as a target.

#include "Dialect/Graph/IR/GraphOps.h"
#include "Driver/Peak.h"
#include "Driver/RunReport.h"
#include "Driver/SharedResources.h"
#include "PartitionedCpu.h"
#include "Targets.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Process.h"

#include <chrono>

using namespace llvm;
using namespace gc;

namespace {

using Clock = std::chrono::steady_clock;

Error makeError(const Twine &message) {
  return createStringError(inconvertibleErrorCode(), message);
}

double getMs(Clock::duration duration) {
  return std::chrono::duration<double, std::milli>(duration).count();
}

/// The runtime's code of the type that the graph's contractions multiply, or
/// nothing when there is no contraction or its type has no kernels.
std::optional<gc_dtype> getKernelType(mlir::func::FuncOp graph) {
  std::optional<gc_dtype> result;
  graph.walk([&](graph::TunableOpInterface op) {
    // Matmuls of dequantized integers are computed on the integers.
    mlir::Value operand = op->getOperand(0);
    if (auto dequantize =
            operand.getDefiningOp<graph::QuantizationOpInterface>())
      if (mlir::Value src = dequantize->getOperand(0);
          mlir::getElementTypeOrSelf(src.getType()).isInteger(8))
        operand = src;
    auto type = dyn_cast<mlir::ShapedType>(operand.getType());
    if (!type || result)
      return;
    mlir::Type element = type.getElementType();
    if (element.isF32())
      result = GC_F32;
    else if (element.isBF16())
      result = GC_BF16;
    else if (element.isUnsignedInteger(8))
      result = GC_U8;
    else if (element.isInteger(8))
      result = GC_S8;
  });
  return result;
}

/// A trace that lives as long as the runs it records.
struct TraceHolder {
  gc_trace *trace = nullptr;
  ~TraceHolder() { gc_trace_destroy(trace); }
};

class CpuExecutable : public Executable {
public:
  CpuExecutable(std::unique_ptr<CompiledGraph> compiled,
                mlir::func::FuncOp source)
      : compiled(std::move(compiled)), kernelType(getKernelType(source)) {
    report.target = "cpu";
    report.compile = this->compiled->getTimes();
    report.flops = countFlops(source);
  }

  ArrayRef<Remark> getRemarks() const override {
    return compiled->getRemarks();
  }
  Error run(const RunOptions &options, ArrayRef<void *> inputs,
            ArrayRef<void *> outputs) override;
  std::optional<Explanation> getExplanation() const override {
    return explanation;
  }
  void print(raw_ostream &os) const override { printReport(report, os); }
  void writeJson(json::OStream &json) const override {
    writeReport(report, json);
  }

private:
  Error measureRegions(const RunOptions &options, ArrayRef<void *> inputs,
                       ArrayRef<void *> outputs);

  std::unique_ptr<CompiledGraph> compiled;
  std::optional<gc_dtype> kernelType;
  RunReport report;
  std::optional<Explanation> explanation;
};

struct CpuTargetOptions : TargetOptions {
  CompileOptions compile;
  /// Whether the reference interpreter runs what the CPU does not.
  bool partition = false;
};

CompileOptions &getCompileOptions(TargetOptions &options) {
  return static_cast<CpuTargetOptions &>(options).compile;
}
const CompileOptions &getCompileOptions(const TargetOptions &options) {
  return static_cast<const CpuTargetOptions &>(options).compile;
}

bool isPartitioned(const TargetOptions &options) {
  return static_cast<const CpuTargetOptions &>(options).partition;
}

class CpuTarget : public Target {
public:
  CpuTarget()
      : Target("cpu", "Compiled code on this machine",
               {Ability::threads, Ability::bench, Ability::trace, Ability::emit,
                Ability::check, Ability::pipeline, Ability::explain}) {}

  std::unique_ptr<TargetOptions> makeOptions() const override;
  ArrayRef<TargetFlag> getFlags() const override;
  Error finishOptions(TargetOptions &options,
                      const RunOptions &runOptions) const override;
  Error chooseThreads(mlir::ModuleOp module, bool runsHere,
                      TargetOptions &options,
                      RunOptions &runOptions) const override;
  bool takesUnknownKinds(const TargetOptions &options) const override {
    return isPartitioned(options);
  }

  Expected<std::unique_ptr<Executable>>
  compile(const Program &program, const TargetOptions &options,
          const RunOptions &runOptions) const override {
    if (isPartitioned(options))
      return compilePartitions(program.function, getCompileOptions(options));
    CompileOptions compile = getCompileOptions(options);
    compile.constants = runOptions.constants;
    auto compiled = CompiledGraph::compile(program.function, compile);
    if (!compiled)
      return compiled.takeError();
    auto result =
        std::make_unique<CpuExecutable>(std::move(*compiled), program.graph);
    if (runOptions.isLastUse)
      dropResources(program.function->getParentOfType<mlir::ModuleOp>());
    return result;
  }

  Error emit(mlir::ModuleOp module, StringRef entry,
             const TargetOptions &options, EmitKind kind, raw_pwrite_stream &os,
             std::vector<Remark> &remarks) const override {
    if (isPartitioned(options)) {
      if (kind != EmitKind::mlir)
        return makeError("--partition makes several programs; --emit=mlir "
                         "shows how a graph is divided");
      return writePartitions(module, entry, os);
    }
    return gc::emit(module, entry, getCompileOptions(options), kind, os,
                    remarks);
  }

  std::string printPipeline(const TargetOptions &options) const override {
    return gc::printPipeline(getCompileOptions(options));
  }
};

} // namespace

Error CpuExecutable::run(const RunOptions &options, ArrayRef<void *> inputs,
                         ArrayRef<void *> outputs) {
  CompiledGraph &graph = *compiled;
  report.name = options.name;
  report.threads = options.threads;
  report.arenaBytes = graph.getArenaBytes(options.threads);
  report.constantBytes = graph.getConstantBytes();
  report.fusedOps = graph.getFusedOps();
  report.parallelRegions = graph.getParallelRegions();
  report.predictedMs = graph.getPredictedMs();
  report.regions = graph.getRegions().vec();

  TraceHolder holder;
  if (!options.trace.empty()) {
    constexpr int64_t events = 1 << 14;
    holder.trace = gc_trace_create(options.threads, events);
    if (!holder.trace)
      return makeError(gc_last_error());
  }
  auto execute = [&] {
    return graph.execute(inputs.data(), outputs.data(), /*executor=*/nullptr,
                         options.threads, holder.trace);
  };
  auto executeTimed = [&](double &ms) {
    Clock::time_point start = Clock::now();
    Error error = execute();
    ms = getMs(Clock::now() - start);
    return error;
  };

  // The first run folds.
  int64_t forks = gc_fork_count();
  double first;
  if (Error error = executeTimed(first))
    return error;
  bool folds = graph.getModule()->num_folded > 0;
  report.forks = gc_fork_count() - forks - folds;
  report.foldMs = folds ? gc_instance_fold_ms(graph.getInstance()) : 0.0;
  std::vector<double> times;
  if (options.bench) {
    double warm = first - *report.foldMs;
    for (int64_t i = 1; i < options.warmup; ++i)
      if (Error error = executeTimed(warm))
        return error;
    if (kernelType) {
      auto peak = measurePeak(*kernelType, warm * 1e-3);
      if (!peak)
        return peak.takeError();
      if (peak->gflops > 0) {
        report.peakGflops = peak->gflops * options.threads;
        report.sustainedPeakGflops = peak->sustainedGflops * options.threads;
        report.peakKernel = peak->kernel.str();
      }
      // Its operands have evicted ours from the caches.
      if (Error error = execute())
        return error;
    }
    forks = gc_fork_count();
    double sum = 0;
    constexpr size_t minRuns = 5, maxRuns = 1 << 20;
    do {
      times.emplace_back();
      if (Error error = executeTimed(times.back()))
        return error;
      sum += times.back();
    } while (times.size() < maxRuns &&
             (times.size() < minRuns || sum < options.minTime * 1e3));
    report.forks = (gc_fork_count() - forks) / int64_t(times.size());
  } else {
    times.push_back(first - *report.foldMs);
    if (holder.trace) {
      // One more, so that the trace shows an execution that does not fold.
      if (Error error = execute())
        return error;
    }
  }
  report.run = summarize(std::move(times));
  if (holder.trace)
    report.measuredMs =
        getMeasuredMs(report.regions, *graph.getModule(), *holder.trace);
  if (holder.trace && gc_trace_write(holder.trace, graph.getModule(),
                                     options.trace.c_str()) != GC_OK)
    return makeError(options.trace + ": " + gc_last_error());
  if (options.explain)
    return measureRegions(options, inputs, outputs);
  return Error::success();
}

/// What to type to have templates measured, and to use what was found.
static std::string getTuneCommand(const RunOptions &options) {
  if (options.tuneArguments.empty())
    return "";
  return formatv("gc-tune --target=cpu --threads={0} {1} -o {2}, then {3}",
                 options.threads, options.tuneArguments, options.tunedDatabase,
                 options.databaseArgument);
}

/// Executes for a while with a trace, whose fast runs are the regions' times.
Error CpuExecutable::measureRegions(const RunOptions &options,
                                    ArrayRef<void *> inputs,
                                    ArrayRef<void *> outputs) {
  constexpr int64_t events = 1 << 14;
  TraceHolder holder;
  holder.trace = gc_trace_create(options.threads, events);
  if (!holder.trace)
    return makeError(gc_last_error());
  constexpr size_t minRuns = 5, maxRuns = 200;
  constexpr double maxMs = 300;
  std::vector<double> times;
  double sum = 0;
  // What comes first finds cold caches.
  for (size_t i = 0; i < 2 + maxRuns; ++i) {
    if (i >= 2 + minRuns && sum > maxMs)
      break;
    Clock::time_point start = Clock::now();
    if (Error error = compiled->execute(inputs.data(), outputs.data(),
                                        /*executor=*/nullptr, options.threads,
                                        i < 2 ? nullptr : holder.trace))
      return error;
    if (i < 2)
      continue;
    times.push_back(getMs(Clock::now() - start));
    sum += times.back();
  }
  const CompiledFacts &facts = compiled->getFacts();
  report.measuredMs =
      getMeasuredMs(facts.regions, *compiled->getModule(), *holder.trace);
  explanation =
      explain(options.name, facts, compiled->getRemarks(), report.measuredMs,
              summarize(std::move(times)).min, getTuneCommand(options));
  return Error::success();
}

std::unique_ptr<TargetOptions> CpuTarget::makeOptions() const {
  auto options = std::make_unique<CpuTargetOptions>();
  options->compile.perfMap =
      sys::Process::GetEnv("GC_PERF_MAP").value_or("0") != "0";
  return options;
}

ArrayRef<TargetFlag> CpuTarget::getFlags() const {
  static const TargetFlag kFlags[] = {
      {"pipeline-options", "options", "Options of the compiler's pipeline",
       [](TargetOptions &options, StringRef value) -> Error {
         auto pipeline = CpuPipelineOptions::parse(value);
         if (!pipeline)
           return pipeline.takeError();
         getCompileOptions(options).pipeline = *pipeline;
         return Error::success();
       }},
      {"machine", "preset|file.json",
       "Machine to compile for (default: what the module describes, else "
       "GC_MACHINE's, else this one)",
       [](TargetOptions &options, StringRef value) -> Error {
         if (value.empty())
           return makeError("--machine must name a preset or a file");
         getCompileOptions(options).pipeline.machine = value.str();
         return Error::success();
       }},
      {"cpu", "name|features",
       "Processor to compile for, or features (+avx2,-fma), or both (default: "
       "the machine's)",
       [](TargetOptions &options, StringRef value) -> Error {
         return Processor::parse(value).moveInto(
             getCompileOptions(options).processor);
       }},
      {"cache", "folder",
       "Keep generated code there for the next process (also: GC_CACHE; "
       "GC_CACHE_BYTES limits the folder, default 1 GiB)",
       [](TargetOptions &options, StringRef value) -> Error {
         if (value.empty())
           return makeError("--cache must name a folder");
         getCompileOptions(options).cacheFolder = value.str();
         return Error::success();
       }},
      {"partition", "",
       "Divide the graph, and run what the CPU does not run on the reference "
       "interpreter",
       [](TargetOptions &options, StringRef) -> Error {
         static_cast<CpuTargetOptions &>(options).partition = true;
         return Error::success();
       }},
      {"perf-map", "",
       "Write the map file that gives perf the names of the generated "
       "functions (also: "
       "GC_PERF_MAP=1)",
       [](TargetOptions &options, StringRef) -> Error {
         getCompileOptions(options).perfMap = true;
         return Error::success();
       }}};
  return kFlags;
}

Error CpuTarget::finishOptions(TargetOptions &options,
                               const RunOptions &runOptions) const {
  if (isPartitioned(options) &&
      (!runOptions.trace.empty() || runOptions.explain))
    return makeError("--partition runs several programs, which --trace and "
                     "--explain do not show together");
  CpuPipelineOptions &pipeline = getCompileOptions(options).pipeline;
  if (runOptions.threads && pipeline.threads &&
      runOptions.threads != pipeline.threads)
    return makeError("--threads and threads of --pipeline-options are not "
                     "the same number");
  if (runOptions.threads)
    pipeline.threads = runOptions.threads;
  // Times of regions come from a trace.
  if (!runOptions.trace.empty() || runOptions.explain)
    pipeline.trace = true;
  getCompileOptions(options).explain = runOptions.explain;
  return Error::success();
}

Error CpuTarget::chooseThreads(mlir::ModuleOp module, bool runsHere,
                               TargetOptions &options,
                               RunOptions &runOptions) const {
  CompileOptions &compile = getCompileOptions(options);
  auto machine = getMachine(module, compile);
  if (!machine)
    return machine.takeError();
  if (runOptions.threads == 0)
    runOptions.threads = compile.pipeline.threads;
  if (runOptions.threads == 0)
    runOptions.threads = compile.pipeline.threads =
        getDefaultThreads(*machine, runsHere);
  return Error::success();
}

std::unique_ptr<Target> gc::createCpuTarget() {
  return std::make_unique<CpuTarget>();
}
