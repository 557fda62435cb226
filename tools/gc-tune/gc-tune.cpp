// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// gc-tune: looks for faster plans of the NPU kernels of graphs, by cycles of
// the simulator, and keeps them in a file that `plan-database` of
// --gc-npu-pipeline reads. Exit codes: 0 fine, 2 bad input or usage.

#include "Dialect/Npu/IR/NpuOps.h"
#include "Driver/Diagnostics.h"
#include "Driver/Files.h"
#include "Measure.h"
#include "Sampler.h"
#include "Transforms/Register.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;
using namespace gc;
using namespace gc::tune;

namespace {

struct Options {
  cl::OptionCategory category{"gc-tune options"};
  cl::opt<std::string> file{cl::Positional, cl::desc("<graphs.mlir>"),
                            cl::Required, cl::cat(category)};
  cl::opt<std::string> database{
      "o", cl::Required, cl::value_desc("plans.json"), cl::cat(category),
      cl::desc("The database: plans that are faster are added to it")};
  cl::opt<int64_t> rounds{"rounds", cl::init(4), cl::cat(category),
                          cl::desc("Rounds of samples")};
  cl::opt<int64_t> samples{"samples", cl::init(16), cl::cat(category),
                           cl::desc("Samples of a round")};
  cl::opt<int64_t> seed{"seed", cl::init(1), cl::cat(category),
                        cl::desc("Seed of the samples")};
};

Error makeError(const Twine &message) {
  return createStringError(inconvertibleErrorCode(), message);
}

/// The best of all samples, the given plan included.
Expected<Measurement> tuneKernel(mlir::ModuleOp kernel,
                                 const poly::KernelPlan *known,
                                 const Options &options) {
  Expected<Measurement> first = measure(kernel, {});
  if (!first)
    return first.takeError();
  Measurement best = *first;
  if (known) {
    Expected<Measurement> before = measure(kernel, *known);
    if (!before)
      consumeError(before.takeError());
    else if (before->cycles < best.cycles)
      best = *before;
  }
  Space space(getScop(kernel), first->plan);
  Sampler sampler(space, options.seed);
  sampler.add(space.getOrigin(), first->cycles);
  int64_t measured = 0, refused = 0;
  for (int64_t round = 0; round < options.rounds; ++round) {
    for (const Point &point : sampler.sample(options.samples)) {
      Expected<Measurement> result = measure(kernel, space.getPlan(point));
      if (!result) {
        consumeError(result.takeError());
        sampler.add(point, std::nullopt);
        ++refused;
        continue;
      }
      ++measured;
      sampler.add(point, result->cycles);
      if (result->cycles < best.cycles)
        best = std::move(*result);
    }
    sampler.endRound();
  }
  outs() << formatv("{0}: {1} cycles, {2} before ({3} plans measured, {4} "
                    "refused, of {5:e1})\n",
                    first->plan.kernel, best.cycles, first->cycles, measured,
                    refused, space.getSize());
  return best;
}

/// The database so far; an empty one if there is no file.
Expected<poly::PlanFile> readDatabase(StringRef path, StringRef machine) {
  poly::PlanFile file;
  file.machine = machine.str();
  if (!sys::fs::exists(path))
    return file;
  auto buffer = MemoryBuffer::getFile(path);
  if (!buffer)
    return makeError(path + ": " + buffer.getError().message());
  Expected<poly::PlanFile> known =
      poly::PlanFile::parse((*buffer)->getBuffer());
  if (!known)
    return makeError(path + ": " + toString(known.takeError()));
  if (known->machine != machine)
    return makeError(path + " is for the machine " + known->machine +
                     ", but this one is " + machine);
  return known;
}

/// Kernels are found by their problem, but names in a file are different.
void addPlan(poly::PlanFile &file, poly::KernelPlan plan) {
  erase_if(file.kernels, [&](const poly::KernelPlan &other) {
    return other.problem == plan.problem;
  });
  if (file.findKernel(plan.kernel))
    plan.kernel += "_" + plan.problem;
  file.kernels.push_back(std::move(plan));
}

Error run(const Options &options, mlir::MLIRContext &context) {
  DiagnosticCollector diagnostics(&context);
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(options.file, &context);
  if (!module)
    return diagnostics.takeError(options.file + " cannot be read");
  mlir::FailureOr<npu::Machine> machine = npu::getMachine(*module);
  if (failed(machine))
    return diagnostics.takeError("the machine is wrong");
  Expected<poly::PlanFile> file =
      readDatabase(options.database, poly::getFingerprint(*machine));
  if (!file)
    return file.takeError();
  Expected<std::vector<Kernel>> kernels = extractKernels(*module);
  if (!kernels)
    return kernels.takeError();
  if (kernels->empty())
    return makeError(options.file + " has no graphs");
  for (Kernel &kernel : *kernels) {
    const poly::KernelPlan *known =
        file->findProblem(poly::getProblem(getScop(*kernel)));
    Expected<Measurement> best = tuneKernel(*kernel, known, options);
    if (!best)
      return best.takeError();
    addPlan(*file, std::move(best->plan));
  }
  return writeFile(options.database, [&](raw_pwrite_stream &os) {
    os << file->str();
    return Error::success();
  });
}

} // namespace

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  cl::ResetCommandLineParser();
  Options options;
  cl::HideUnrelatedOptions(options.category);
  if (!cl::ParseCommandLineOptions(
          argc, argv, "Looks for faster plans of NPU kernels.\n", &errs()))
    return 2;
  if (options.rounds < 0 || options.samples < 0) {
    errs() << "gc-tune: error: --rounds and --samples must be at least 0\n";
    return 2;
  }
  mlir::DialectRegistry registry;
  registerAllGraphCompilerDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  if (Error error = run(options, context)) {
    errs() << "gc-tune: error: " << toString(std::move(error)) << "\n";
    return 2;
  }
  return 0;
}
