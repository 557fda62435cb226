// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Run.h"
#include "Dialect/Graph/IR/GraphOps.h"
#include "Driver/Diagnostics.h"
#include "Driver/Peak.h"
#include "Reference/Compare.h"
#include "Reference/Interpreter.h"

#include <chrono>

using namespace llvm;
using namespace gc;
using namespace gc::runner;

static Error makeError(const Twine &message) {
  return createStringError(inconvertibleErrorCode(), message);
}

int64_t runner::countFlops(mlir::func::FuncOp entry) {
  int64_t flops = 0;
  entry.walk([&](graph::TunableOpInterface op) { flops += op.getFlops(); });
  return flops;
}

/// The runtime's code of the type that the graph's contractions multiply, or
/// nothing when there is no contraction or its type has no kernels.
static std::optional<gc_dtype> getKernelType(mlir::func::FuncOp entry) {
  std::optional<gc_dtype> result;
  entry.walk([&](graph::TunableOpInterface op) {
    auto type = dyn_cast<mlir::ShapedType>(op->getOperand(0).getType());
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

namespace {

using Clock = std::chrono::steady_clock;

double getMs(Clock::duration duration) {
  return std::chrono::duration<double, std::milli>(duration).count();
}

/// A trace that lives as long as the runs it records.
struct TraceHolder {
  gc_trace *trace = nullptr;
  ~TraceHolder() { gc_trace_destroy(trace); }
};

} // namespace

Error runner::runOnCpu(mlir::func::FuncOp entry, const Options &options,
                       ArrayRef<reference::Tensor> inputs,
                       ArrayRef<reference::Tensor> outputs, Report &report) {
  auto compiled = CompiledGraph::compile(entry, options.compile);
  if (!compiled)
    return compiled.takeError();
  CompiledGraph &graph = **compiled;
  if (options.remarks)
    for (const Remark &remark : graph.getRemarks())
      errs() << (remark.kind == "warning" ? "warning: " : "remark: ")
             << remark.str() << "\n";
  report.compile = graph.getTimes();
  report.arenaBytes = graph.getArenaBytes(options.threads);
  report.constantBytes = graph.getConstantBytes();
  report.fusedOps = graph.getFusedOps();
  report.parallelRegions = graph.getParallelRegions();
  report.flops = countFlops(entry);

  SmallVector<void *> inputPointers, outputPointers;
  for (const reference::Tensor &tensor : inputs)
    inputPointers.push_back(tensor.getData());
  for (const reference::Tensor &tensor : outputs)
    outputPointers.push_back(tensor.getData());
  TraceHolder holder;
  if (!options.trace.empty()) {
    constexpr int64_t events = 1 << 14;
    holder.trace = gc_trace_create(options.threads, events);
    if (!holder.trace)
      return makeError(gc_last_error());
  }
  auto execute = [&] {
    return graph.execute(inputPointers.data(), outputPointers.data(),
                         /*executor=*/nullptr, options.threads, holder.trace);
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
    if (std::optional<gc_dtype> type = getKernelType(entry)) {
      auto peak = measurePeak(*type, warm * 1e-3);
      if (!peak)
        return peak.takeError();
      if (peak->gflops > 0) {
        report.peakGflops = peak->gflops * options.threads;
        report.sustainedPeakGflops = peak->sustainedGflops * options.threads;
        report.peakKernel = peak->kernel.str();
      }
      // Its operands have taken the place of ours in the caches.
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
  if (holder.trace && gc_trace_write(holder.trace, graph.getModule(),
                                     options.trace.c_str()) != GC_OK)
    return makeError(options.trace + ": " + gc_last_error());
  return Error::success();
}

Expected<std::vector<reference::Tensor>>
runner::runReference(mlir::func::FuncOp entry,
                     ArrayRef<reference::Tensor> inputs) {
  DiagnosticCollector diagnostics(entry.getContext());
  auto interpretation = reference::interpret(entry, inputs);
  if (mlir::failed(interpretation))
    return diagnostics.takeError("the reference failed");
  return std::move(interpretation->values);
}

Error runner::checkResults(mlir::func::FuncOp entry, const Options &options,
                           ArrayRef<reference::Tensor> inputs,
                           ArrayRef<ValueInfo> outputInfo,
                           ArrayRef<reference::Tensor> outputs,
                           Report &report) {
  DiagnosticCollector diagnostics(entry.getContext());
  reference::InterpretOptions interpretOptions;
  interpretOptions.errorBounds = true;
  auto expected = reference::interpret(entry, inputs, interpretOptions);
  if (mlir::failed(expected))
    return diagnostics.takeError("the reference failed");
  std::optional<reference::Tolerance> tolerance;
  if (options.rtol || options.atol)
    tolerance = reference::Tolerance{options.rtol.value_or(0),
                                     options.atol.value_or(0)};
  report.check = CheckStatus::passed;
  for (size_t i = 0; i < outputs.size(); ++i) {
    reference::Comparison comparison = reference::compare(
        outputs[i], expected->values[i], expected->bounds[i], tolerance);
    report.maxAbsError = std::max(report.maxAbsError, comparison.maxAbsError);
    report.maxRelError = std::max(report.maxRelError, comparison.maxRelError);
    report.elements += comparison.count;
    report.unbounded += comparison.unchecked;
    if (comparison.passed)
      continue;
    if (report.check == CheckStatus::passed)
      report.checkMessage = outputInfo[i].name + ": " + comparison.message;
    report.check = CheckStatus::failed;
  }
  if (report.check == CheckStatus::failed)
    return Error::success();
  // A tolerance that the caller gives is a bound for every element.
  if (tolerance)
    for (reference::ResultProbe &probe : expected->probes)
      probe.unbounded = 0;
  if (std::optional<std::string> reason = reference::findWeakness(*expected)) {
    report.check = CheckStatus::weak;
    report.checkMessage = *reason;
  }
  return Error::success();
}
