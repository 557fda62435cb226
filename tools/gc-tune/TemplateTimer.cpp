// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TemplateTimer.h"
#include "Driver/Diagnostics.h"
#include "Driver/Files.h"
#include "Reference/Inputs.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"

#include <chrono>
#include <cmath>

using namespace llvm;
using namespace gc;
using namespace gc::tune;

static Error makeError(const Twine &message) {
  return createStringError(inconvertibleErrorCode(), message);
}

Expected<TemplateTimer> TemplateTimer::create(mlir::func::FuncOp entry,
                                              const CompileOptions &options,
                                              graph::TunedGraph problem,
                                              StringRef machine) {
  TemplateTimer timer;
  timer.entry = entry;
  timer.options = options;
  timer.problem = std::move(problem);
  timer.machine = machine.str();
  DiagnosticCollector diagnostics(entry.getContext());
  auto inputs = reference::makeInputs(entry, /*seed=*/0);
  if (failed(inputs))
    return diagnostics.takeError("the inputs could not be made");
  timer.inputs = std::move(*inputs);
  auto infos = getOutputInfo(entry);
  if (!infos)
    return infos.takeError();
  for (const ValueInfo &info : *infos) {
    std::string message;
    auto tensor = reference::Tensor::create(info.type, &message);
    if (failed(tensor))
      return makeError("result '" + info.name + "': " + message);
    timer.outputs.push_back(*tensor);
  }
  for (const reference::Tensor &tensor : timer.inputs)
    timer.inputPointers.push_back(tensor.getData());
  for (const reference::Tensor &tensor : timer.outputs)
    timer.outputPointers.push_back(tensor.getData());
  return timer;
}

Expected<std::unique_ptr<CompiledGraph>>
TemplateTimer::compile(std::vector<std::string> templates) {
  graph::TemplateDatabase database;
  database.machine = machine;
  database.set(problem);
  database.graphs.back().templates = std::move(templates);
  SmallString<128> path;
  if (std::error_code code =
          sys::fs::createTemporaryFile("gc-tune", "json", path))
    return makeError("cannot create a temporary file: " + code.message());
  FileRemover remover(path);
  if (Error error = writeFile(path, [&](raw_pwrite_stream &os) {
        os << database.str();
        return Error::success();
      }))
    return std::move(error);
  CompileOptions own = options;
  own.pipeline.templateDatabase = path.str().str();
  auto graph = CompiledGraph::compile(entry, own);
  if (!graph)
    return graph.takeError();
  if (Error error = (*graph)->fold(inputPointers.data(), /*executor=*/nullptr,
                                   options.pipeline.threads))
    return std::move(error);
  return graph;
}

Expected<double> TemplateTimer::run(CompiledGraph &graph) {
  using Clock = std::chrono::steady_clock;
  Clock::time_point start = Clock::now();
  if (Error error =
          graph.execute(inputPointers.data(), outputPointers.data(),
                        /*executor=*/nullptr, options.pipeline.threads))
    return std::move(error);
  return std::chrono::duration<double>(Clock::now() - start).count();
}

Expected<double> TemplateTimer::runTurn(CompiledGraph &graph, double seconds) {
  constexpr int kFewest = 2;
  double best = 0, sum = 0;
  for (int i = 0; i <= kFewest || sum < seconds; ++i) {
    auto time = run(graph);
    if (!time)
      return time;
    // The first one finds the caches as the other program has left them.
    if (i == 0)
      continue;
    sum += *time;
    best = i == 1 ? *time : std::min(best, *time);
  }
  return best;
}

Expected<Comparison> TemplateTimer::compare(CompiledGraph &first,
                                            CompiledGraph &second,
                                            Effort effort, double limit) {
  auto warm = run(first);
  if (warm && *warm > limit)
    warm = run(first);
  if (!warm)
    return warm.takeError();
  Comparison result;
  result.seconds = *warm;
  if (*warm > limit)
    return result;
  std::vector<double> ratios;
  double other = 0;
  for (int64_t turn = 0; turn < effort.turns; ++turn) {
    auto own = runTurn(first, effort.seconds);
    if (!own)
      return own.takeError();
    auto theirs = runTurn(second, effort.seconds);
    if (!theirs)
      return theirs.takeError();
    result.seconds = turn == 0 ? *own : std::min(result.seconds, *own);
    other = turn == 0 ? *theirs : std::min(other, *theirs);
    ratios.push_back(*own / *theirs);
  }
  llvm::sort(ratios);
  result.best = result.seconds / other;
  result.median = ratios[ratios.size() / 2];
  return result;
}
