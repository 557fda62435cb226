// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The simulated NPU as a target.

#include "Dialect/Npu/IR/NpuOps.h"
#include "Driver/Files.h"
#include "Driver/NpuDriver.h"
#include "Driver/NpuTrace.h"
#include "Driver/RunReport.h"
#include "NpuReport.h"
#include "Targets.h"

#include <chrono>
#include <cstring>
#include <unistd.h>

using namespace llvm;
using namespace gc;

namespace {

Error makeError(const Twine &message) {
  return createStringError(inconvertibleErrorCode(), message);
}

struct NpuTargetOptions : TargetOptions {
  /// The profile of global memory; empty: the file's.
  std::string profile;
  npu::Mode mode = npu::Mode::values;
  /// Of the compiler's pipeline.
  NpuPipelineOptions pipeline;
  /// Instead of the program's own number.
  std::optional<int64_t> cores;
  /// After this many instructions and iterations a program is considered
  /// endless.
  std::optional<int64_t> maxInstructions;
  std::string timeline;
  /// What the trace and the timeline show.
  std::optional<NpuWindow> window;
  /// Processor of this machine that emitted code is for.
  Processor processor;
};

NpuTargetOptions &getOptions(TargetOptions &options) {
  return static_cast<NpuTargetOptions &>(options);
}
const NpuTargetOptions &getOptions(const TargetOptions &options) {
  return static_cast<const NpuTargetOptions &>(options);
}

/// Whether this machine has enough memory for the values of a runnable program.
Error checkMemory(NpuProgram &program, npu::Mode mode) {
  double sum = 0, memory = double(sysconf(_SC_PHYS_PAGES)) *
                           double(sysconf(_SC_PAGESIZE));
  for (int64_t bytes : program.bytes)
    sum += double(bytes);
  if (mode == npu::Mode::values && memory > 0 && sum > memory)
    return makeError(formatLocation(program.function.getLoc()) +
                     ": arguments are more than this machine's memory; "
                     "--mode=cycles needs none");
  return Error::success();
}

class NpuExecutable : public Executable {
public:
  NpuExecutable(NpuProgram program, const npu::Machine &machine,
                const NpuTargetOptions &options,
                std::vector<std::unique_ptr<CompiledKernel>> compiled,
                ArrayRef<Remark> found)
      : program(std::move(program)), machine(machine), options(options),
        compiled(std::move(compiled)), remarks(found.begin(), found.end()) {
    for (const auto &kernel : this->compiled)
      append_range(remarks, kernel->getRemarks());
  }

  ArrayRef<Remark> getRemarks() const override { return remarks; }
  Error run(const RunOptions &runOptions, ArrayRef<void *> inputs,
            ArrayRef<void *> outputs) override;
  std::vector<ProgramPart> getParts() const override;
  void print(raw_ostream &os) const override { printReport(report, os); }
  void writeJson(json::OStream &json) const override {
    writeReport(report, json);
  }

private:
  Error makeTensors(ArrayRef<void *> inputs, ArrayRef<void *> outputs);
  Expected<NpuReport> runStep(const NpuStep &step,
                              const CompiledKernel &compiled,
                              const npu::Options &simulation);
  void describe(NpuReport &report, mlir::func::FuncOp reference, int64_t cores);
  const std::string &getLocation(int32_t number) const;
  Error writePictures(const RunOptions &runOptions);

  NpuProgram program;
  npu::Machine machine;
  NpuTargetOptions options;
  /// One per step.
  std::vector<std::unique_ptr<CompiledKernel>> compiled;
  std::vector<Remark> remarks;
  /// Tensors that only kernels exchange, and arguments of a program without a
  /// reference.
  std::vector<std::vector<char>> own;
  /// Of the last run.
  std::vector<NpuTensor> tensors;
  NpuReport report;
};

class NpuTarget : public Target {
public:
  NpuTarget()
      : Target("npu", "The simulated NPU",
               {Ability::trace, Ability::emit, Ability::check}) {}

  std::unique_ptr<TargetOptions> makeOptions() const override {
    return std::make_unique<NpuTargetOptions>();
  }
  ArrayRef<TargetFlag> getFlags() const override;
  Error finishOptions(TargetOptions &options,
                      const RunOptions &runOptions) const override;
  SmallVector<StringRef>
  getOutputs(const TargetOptions &options) const override {
    return {getOptions(options).timeline};
  }
  bool hasValues(const TargetOptions &options) const override {
    return getOptions(options).mode == npu::Mode::values;
  }

  Expected<Program> find(mlir::ModuleOp module, StringRef entry,
                         const TargetOptions &options) const override;
  Expected<std::unique_ptr<Executable>>
  compile(const Program &program, const TargetOptions &options,
          const RunOptions &runOptions) const override;
  Error emit(mlir::ModuleOp module, StringRef entry,
             const TargetOptions &options, EmitKind kind, raw_pwrite_stream &os,
             std::vector<Remark> &remarks) const override;
};

} // namespace

/// One tensor for each of the program's. What kernels write is filled with a
/// value that no result has, so that elements they do not write are noticed.
Error NpuExecutable::makeTensors(ArrayRef<void *> inputs,
                                 ArrayRef<void *> outputs) {
  own.clear();
  tensors.clear();
  bool hasValues = options.mode == npu::Mode::values;
  std::vector<std::string> names;
  // Nothing says which arguments of a program without a reference are inputs.
  size_t numInputs = 0, numOutputs = 0;
  if (program.reference) {
    auto inputInfo = getInputInfo(program.reference);
    if (!inputInfo)
      return inputInfo.takeError();
    auto outputInfo = getOutputInfo(program.reference);
    if (!outputInfo)
      return outputInfo.takeError();
    numInputs = inputInfo->size();
    numOutputs = outputInfo->size();
    for (const ValueInfo &info :
         concat<const ValueInfo>(*inputInfo, *outputInfo))
      names.push_back(info.name);
  }
  for (auto [number, bytes] : enumerate(program.bytes)) {
    bool isInput = number < numInputs;
    bool isOwn = number >= numInputs + numOutputs;
    void *data = nullptr;
    if (hasValues)
      data = isOwn     ? own.emplace_back(bytes).data()
             : isInput ? inputs[number]
                       : outputs[number - numInputs];
    // NaN as a float, -1 as an integer.
    if (!isInput && data && program.reference)
      std::memset(data, 0xff, bytes);
    std::string name = number < names.size() ? names[number]
                       : program.reference   ? "tensor" + std::to_string(number)
                                             : "arg" + std::to_string(number);
    tensors.push_back({std::move(name), data, bytes, !isInput});
  }
  return Error::success();
}

const std::string &NpuExecutable::getLocation(int32_t number) const {
  for (const auto &kernel : compiled) {
    auto count = static_cast<int32_t>(kernel->getNumLocations());
    if (number < count)
      return kernel->getLocation(number);
    number -= count;
  }
  return compiled.front()->getLocation(-1);
}

Error NpuExecutable::writePictures(const RunOptions &runOptions) {
  auto getPlace = [&](int32_t number) { return getLocation(number); };
  NpuWindow window = options.window.value_or(NpuWindow());
  if (!runOptions.trace.empty())
    if (Error error = writeFile(runOptions.trace, [&](raw_pwrite_stream &os) {
          writeNpuTrace(report.run, window, getPlace, os);
          return Error::success();
        }))
      return error;
  if (options.timeline.empty())
    return Error::success();
  return writeFile(options.timeline, [&](raw_pwrite_stream &os) {
    writeNpuTimeline(report.run, window, getTitle(report), getPlace, os);
    return Error::success();
  });
}

/// What is known without a run.
void NpuExecutable::describe(NpuReport &report, mlir::func::FuncOp reference,
                             int64_t cores) {
  report.profile = npu::getName(machine.profile);
  report.mode = options.mode;
  if (!reference)
    return;
  report.flops = countFlops(reference);
  report.bound = computeNpuBound(reference, machine, cores);
  report.paddedBound =
      computeNpuBound(reference, machine, cores, /*padded=*/true);
}

Expected<NpuReport> NpuExecutable::runStep(const NpuStep &step,
                                           const CompiledKernel &compiled,
                                           const npu::Options &simulation) {
  std::vector<NpuTensor> arguments;
  mlir::func::FuncOp kernel = step.kernel.kernel;
  mlir::func::FuncOp reference = step.kernel.reference;
  size_t numInputs = reference ? reference.getNumArguments() : 0;
  for (auto [index, number] : enumerate(step.tensors)) {
    arguments.push_back(tensors[number]);
    arguments.back().writable = index >= numInputs;
  }
  NpuReport part;
  auto start = std::chrono::steady_clock::now();
  auto result = compiled.run(machine, simulation, arguments);
  if (!result)
    return result.takeError();
  part.simulateMs = std::chrono::duration<double, std::milli>(
                        std::chrono::steady_clock::now() - start)
                        .count();
  part.run = std::move(*result);
  part.compileMs = compiled.getCompileMs();
  part.name = kernel.getName().str();
  describe(part, reference, step.kernel.countCores());
  return part;
}

Error NpuExecutable::run(const RunOptions &runOptions, ArrayRef<void *> inputs,
                         ArrayRef<void *> outputs) {
  if (Error error = makeTensors(inputs, outputs))
    return error;
  npu::Options simulation;
  simulation.mode = options.mode;
  if (options.maxInstructions)
    simulation.maxInstructions = *options.maxInstructions;
  simulation.trace = !runOptions.trace.empty() || !options.timeline.empty();
  report = {};
  int64_t cores = 1;
  int32_t locations = 0;
  for (auto [step, kernel] : zip_equal(program.steps, compiled)) {
    auto part = runStep(step, *kernel, simulation);
    if (!part)
      return part.takeError();
    report.compileMs += part->compileMs;
    report.simulateMs += part->simulateMs;
    if (step.isOnce) {
      part->run.trace.clear();
      report.once.push_back(std::move(*part));
    } else {
      addRun(report.run, part->run, locations);
      report.parts.push_back(std::move(*part));
      cores = std::max(cores, step.kernel.countCores());
    }
    locations += static_cast<int32_t>(kernel->getNumLocations());
  }
  report.name = runOptions.name;
  describe(report, program.repeated, cores);
  return writePictures(runOptions);
}

std::vector<ProgramPart> NpuExecutable::getParts() const {
  std::vector<ProgramPart> parts;
  if (program.steps.size() < 2)
    return parts;
  for (const NpuStep &step : program.steps) {
    mlir::func::FuncOp kernel = step.kernel.kernel;
    mlir::func::FuncOp reference = step.kernel.reference;
    ProgramPart part{kernel.getName().str(), reference, {}, {}};
    for (auto [index, number] : enumerate(step.tensors)) {
      bool isInput = index < reference.getNumArguments();
      (isInput ? part.inputs : part.outputs).push_back(tensors[number].data);
    }
    parts.push_back(std::move(part));
  }
  return parts;
}

/// Gives a program that was written as kernels the cores that the options say.
static Error setCores(const NpuProgram &program, int64_t cores) {
  for (const NpuStep &step : program.steps) {
    mlir::func::FuncOp kernel = step.kernel.kernel;
    if (!step.kernel.beside.empty())
      return makeError("kernel '" + kernel.getName() +
                       "' has programs beside "
                       "it, so --cores cannot change its number of cores");
    mlir::Builder b(kernel.getContext());
    kernel->setAttr(npu::NpuDialect::kCoresAttr, b.getI64IntegerAttr(cores));
  }
  return Error::success();
}

/// The program with the cores that the options say. Graphs are compiled for
/// them.
static Expected<NpuProgram> findProgram(mlir::ModuleOp module, StringRef entry,
                                        const NpuTargetOptions &options,
                                        std::vector<Remark> &remarks) {
  NpuPipelineOptions pipeline = options.pipeline;
  if (options.cores)
    pipeline.cores = *options.cores;
  auto isCompiled = compileGraphs(module, entry, pipeline, remarks);
  if (!isCompiled)
    return isCompiled.takeError();
  auto program = findNpuProgram(module, entry);
  if (!program || *isCompiled || !options.cores)
    return program;
  if (Error error = setCores(*program, *options.cores))
    return std::move(error);
  return findNpuProgram(module, entry);
}

Expected<Program> NpuTarget::find(mlir::ModuleOp module, StringRef entry,
                                  const TargetOptions &options) const {
  std::vector<Remark> remarks;
  auto program = findProgram(module, entry, getOptions(options), remarks);
  if (!program)
    return program.takeError();
  return Program{program->function, program->reference, std::move(remarks)};
}

Expected<std::unique_ptr<Executable>>
NpuTarget::compile(const Program &given, const TargetOptions &givenOptions,
                   const RunOptions &) const {
  const NpuTargetOptions &options = getOptions(givenOptions);
  mlir::func::FuncOp function = given.function;
  auto module = function->getParentOfType<mlir::ModuleOp>();
  auto program = findNpuProgram(module, function.getName());
  if (!program)
    return program.takeError();
  auto machine = getNpuMachine(module, options.profile);
  if (!machine)
    return machine.takeError();
  std::vector<std::unique_ptr<CompiledKernel>> compiled;
  for (const NpuStep &step : program->steps) {
    auto kernel =
        CompiledKernel::compile(step.kernel, options.mode, options.pipeline);
    if (!kernel)
      return kernel.takeError();
    compiled.push_back(std::move(*kernel));
  }
  if (Error error = checkMemory(*program, options.mode))
    return std::move(error);
  return std::make_unique<NpuExecutable>(std::move(*program), *machine, options,
                                         std::move(compiled), given.remarks);
}

Error NpuTarget::emit(mlir::ModuleOp module, StringRef entry,
                      const TargetOptions &given, EmitKind kind,
                      raw_pwrite_stream &os,
                      std::vector<Remark> &remarks) const {
  const NpuTargetOptions &options = getOptions(given);
  auto program = findProgram(module, entry, options, remarks);
  if (!program)
    return program.takeError();
  // An error in the description is an error for the program, too.
  if (auto machine = getNpuMachine(module, options.profile); !machine)
    return machine.takeError();
  if (program->steps.size() == 1)
    return emitNpu(program->steps.front().kernel, options.mode,
                   options.pipeline, options.processor, kind, os, remarks);
  if (kind != EmitKind::mlir)
    return makeError("'" + program->function.getName() + "' is " +
                     Twine(program->steps.size()) +
                     " kernels; only --emit=mlir writes several");
  mlir::OwningOpRef<mlir::ModuleOp> copy = module.clone();
  if (Error error = lowerToInstructions(*copy, options.pipeline, remarks))
    return error;
  copy->print(os);
  return Error::success();
}

ArrayRef<TargetFlag> NpuTarget::getFlags() const {
  static const TargetFlag kFlags[] = {
      {"cpu", "name|features",
       "Processor to compile for, or features (+avx2,-fma), or both (default: "
       "this machine's)",
       [](TargetOptions &options, StringRef value) -> Error {
         return Processor::parse(value).moveInto(getOptions(options).processor);
       }},
      {"pipeline-options", "options", "Options of the compiler's pipeline",
       [](TargetOptions &options, StringRef value) -> Error {
         auto pipeline = NpuPipelineOptions::parse(value);
         if (!pipeline)
           return pipeline.takeError();
         if (pipeline->stopAfter != NpuPhase::sync)
           return makeError("code that stops after phase '" +
                            getPhaseName(pipeline->stopAfter) +
                            "' cannot be run");
         getOptions(options).pipeline = *pipeline;
         return Error::success();
       }},
      {"profile", "gm64|gm32|l2",
       "Profile of global memory (default: the file's, else gm64)",
       [](TargetOptions &options, StringRef value) -> Error {
         if (!npu::parseProfile(std::string_view(value.data(), value.size())))
           return makeError("--profile must be gm64, gm32 or l2, not '" +
                            value + "'");
         getOptions(options).profile = value.str();
         return Error::success();
       }},
      {"mode", "values|cycles",
       "Compute values (default), or count cycles only",
       [](TargetOptions &options, StringRef value) -> Error {
         if (value != "values" && value != "cycles")
           return makeError("--mode must be values or cycles, not '" + value +
                            "'");
         getOptions(options).mode =
             value == "cycles" ? npu::Mode::cycles : npu::Mode::values;
         return Error::success();
       }},
      {"cores", "n",
       "Cores that run the program (default: its npu.cores, else 1), or that "
       "the kernels of a graph are divided among",
       [](TargetOptions &options, StringRef value) -> Error {
         int64_t cores;
         if (value.getAsInteger(10, cores) || cores < 1 || cores > kMaxNpuCores)
           return makeError("--cores must be from 1 to " + Twine(kMaxNpuCores));
         getOptions(options).cores = cores;
         return Error::success();
       }},
      {"max-instructions", "n",
       "Stop a program after this many instructions and loop iterations "
       "(default: 10^9)",
       [](TargetOptions &options, StringRef value) -> Error {
         int64_t most;
         if (value.getAsInteger(10, most) || most < 1)
           return makeError("--max-instructions must be at least 1");
         getOptions(options).maxInstructions = most;
         return Error::success();
       }},
      {"timeline", "file.svg", "Draw a timeline of what each pipe does",
       [](TargetOptions &options, StringRef value) -> Error {
         getOptions(options).timeline = value.str();
         if (Error error = checkNotStandardOutput(value))
           return error;
         return checkFolder(value);
       }},
      {"window", "begin:end", "Cycles that --trace and --timeline show",
       [](TargetOptions &options, StringRef value) -> Error {
         auto [begin, end] = value.split(':');
         NpuWindow window;
         if (begin.getAsInteger(10, window.begin) ||
             end.getAsInteger(10, window.end) || window.begin < 0 ||
             window.end <= window.begin)
           return makeError("--window must be begin:end in cycles, not '" +
                            value + "'");
         getOptions(options).window = window;
         return Error::success();
       }}};
  return kFlags;
}

Error NpuTarget::finishOptions(TargetOptions &options,
                               const RunOptions &runOptions) const {
  const NpuTargetOptions &own = getOptions(options);
  if (own.mode == npu::Mode::cycles && runOptions.needsValues)
    return makeError("--check, --output-dir and --input need values, which "
                     "--mode=cycles does not compute");
  if (own.window && own.timeline.empty() && runOptions.trace.empty())
    return makeError("--window needs --trace or --timeline");
  return Error::success();
}

std::unique_ptr<Target> gc::createNpuTarget() {
  return std::make_unique<NpuTarget>();
}
