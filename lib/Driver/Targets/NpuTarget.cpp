// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The simulated NPU as a target.

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
  /// Instead of the program's own number.
  std::optional<int64_t> cores;
  /// After this many instructions and iterations a program is considered
  /// endless.
  std::optional<int64_t> maxInstructions;
  std::string timeline;
  /// What the trace and the timeline show.
  std::optional<NpuWindow> window;
  /// Processor of this machine that emitted code is for.
  std::string cpu, features;
};

NpuTargetOptions &getOptions(TargetOptions &options) {
  return static_cast<NpuTargetOptions &>(options);
}
const NpuTargetOptions &getOptions(const TargetOptions &options) {
  return static_cast<const NpuTargetOptions &>(options);
}

int64_t getBytes(mlir::Type type) {
  auto memref = cast<mlir::MemRefType>(type);
  return memref.getNumElements() * memref.getElementTypeBitWidth() / 8;
}

/// Whether this machine has enough memory for the values of a runnable program.
Error checkArguments(mlir::func::FuncOp kernel, npu::Mode mode) {
  double sum = 0, memory = double(sysconf(_SC_PHYS_PAGES)) *
                           double(sysconf(_SC_PAGESIZE));
  for (mlir::Type type : kernel.getArgumentTypes())
    sum += double(getBytes(type));
  if (mode == npu::Mode::values && memory > 0 && sum > memory)
    return makeError(formatLocation(kernel.getLoc()) +
                     ": arguments are more than this machine's memory; "
                     "--mode=cycles needs none");
  return Error::success();
}

class NpuExecutable : public Executable {
public:
  NpuExecutable(const NpuKernel &kernel, const npu::Machine &machine,
                const NpuTargetOptions &options,
                std::unique_ptr<CompiledKernel> compiled)
      : kernel(kernel), machine(machine), options(options),
        compiled(std::move(compiled)) {}

  ArrayRef<Remark> getRemarks() const override {
    return compiled->getRemarks();
  }
  Error run(const RunOptions &runOptions, ArrayRef<void *> inputs,
            ArrayRef<void *> outputs) override;
  void print(raw_ostream &os) const override { printReport(report, os); }
  void writeJson(json::OStream &json) const override {
    writeReport(report, json);
  }

private:
  Expected<std::vector<NpuTensor>> makeTensors(ArrayRef<void *> inputs,
                                               ArrayRef<void *> outputs);
  Error writePictures(const RunOptions &runOptions);

  NpuKernel kernel;
  npu::Machine machine;
  NpuTargetOptions options;
  std::unique_ptr<CompiledKernel> compiled;
  /// Of a program without a reference: zeros.
  std::vector<std::vector<char>> plain;
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
  bool hasValues(const TargetOptions &options) const override {
    return getOptions(options).mode == npu::Mode::values;
  }

  Expected<Program> find(mlir::ModuleOp module,
                         StringRef entry) const override {
    if (Error error = compileGraphs(module, entry))
      return std::move(error);
    auto kernel = findNpuKernel(module, entry);
    if (!kernel)
      return kernel.takeError();
    return Program{kernel->kernel, kernel->reference};
  }
  Expected<std::unique_ptr<Executable>>
  compile(const Program &program, const TargetOptions &options,
          const RunOptions &runOptions) const override;
  Error emit(mlir::ModuleOp module, StringRef entry,
             const TargetOptions &options, EmitKind kind, raw_pwrite_stream &os,
             std::vector<Remark> &remarks) const override;
};

} // namespace

/// One tensor for each argument of the kernel. Outputs are filled with a value
/// that no result has, so that elements the program does not write are noticed.
Expected<std::vector<NpuTensor>>
NpuExecutable::makeTensors(ArrayRef<void *> inputs, ArrayRef<void *> outputs) {
  std::vector<NpuTensor> tensors;
  bool hasValues = options.mode == npu::Mode::values;
  if (!kernel.reference) {
    // Nothing says which arguments of such a program are inputs.
    for (auto [index, type] : enumerate(kernel.kernel.getArgumentTypes())) {
      void *data = nullptr;
      if (hasValues)
        data = plain.emplace_back(getBytes(type)).data();
      tensors.push_back(
          {"arg" + std::to_string(index), data, getBytes(type), true});
    }
    return tensors;
  }
  auto inputInfo = getInputInfo(kernel.reference);
  if (!inputInfo)
    return inputInfo.takeError();
  auto outputInfo = getOutputInfo(kernel.reference);
  if (!outputInfo)
    return outputInfo.takeError();
  size_t count = inputInfo->size();
  for (auto [index, type] : enumerate(kernel.kernel.getArgumentTypes())) {
    bool isOutput = index >= count;
    const ValueInfo &info =
        isOutput ? (*outputInfo)[index - count] : (*inputInfo)[index];
    void *data = nullptr;
    if (hasValues)
      data = isOutput ? outputs[index - count] : inputs[index];
    // NaN as a float, -1 as an integer.
    if (isOutput && data)
      std::memset(data, 0xff, getBytes(type));
    tensors.push_back({info.name, data, getBytes(type), isOutput});
  }
  return tensors;
}

Error NpuExecutable::writePictures(const RunOptions &runOptions) {
  auto getLocation = [&](int32_t number) {
    return compiled->getLocation(number);
  };
  NpuWindow window = options.window.value_or(NpuWindow());
  if (!runOptions.trace.empty())
    if (Error error = writeFile(runOptions.trace, [&](raw_pwrite_stream &os) {
          writeNpuTrace(report.run, window, getLocation, os);
          return Error::success();
        }))
      return error;
  if (options.timeline.empty())
    return Error::success();
  return writeFile(options.timeline, [&](raw_pwrite_stream &os) {
    writeNpuTimeline(report.run, window, getTitle(report), getLocation, os);
    return Error::success();
  });
}

Error NpuExecutable::run(const RunOptions &runOptions, ArrayRef<void *> inputs,
                         ArrayRef<void *> outputs) {
  auto tensors = makeTensors(inputs, outputs);
  if (!tensors)
    return tensors.takeError();
  npu::Options simulation;
  simulation.mode = options.mode;
  if (options.maxInstructions)
    simulation.maxInstructions = *options.maxInstructions;
  simulation.trace = !runOptions.trace.empty() || !options.timeline.empty();
  auto start = std::chrono::steady_clock::now();
  auto result = compiled->run(machine, simulation, *tensors, kernel.cores);
  if (!result)
    return result.takeError();
  report.simulateMs = std::chrono::duration<double, std::milli>(
                          std::chrono::steady_clock::now() - start)
                          .count();
  report.run = std::move(*result);
  report.compileMs = compiled->getCompileMs();
  report.name = runOptions.name;
  report.profile = npu::getName(machine.profile);
  report.mode = options.mode;
  if (kernel.reference) {
    report.flops = countFlops(kernel.reference);
    report.bound = computeNpuBound(kernel.reference, machine, kernel.cores);
    report.paddedBound = computeNpuBound(kernel.reference, machine,
                                         kernel.cores, /*padded=*/true);
  }
  return writePictures(runOptions);
}

/// The kernel with the cores that the options say.
static Expected<NpuKernel> findKernel(mlir::ModuleOp module, StringRef entry,
                                      const NpuTargetOptions &options) {
  if (Error error = compileGraphs(module, entry))
    return std::move(error);
  auto kernel = findNpuKernel(module, entry);
  if (kernel && options.cores)
    kernel->cores = *options.cores;
  return kernel;
}

Expected<std::unique_ptr<Executable>>
NpuTarget::compile(const Program &program, const TargetOptions &given,
                   const RunOptions &) const {
  const NpuTargetOptions &options = getOptions(given);
  mlir::func::FuncOp function = program.function;
  auto module = function->getParentOfType<mlir::ModuleOp>();
  auto kernel = findKernel(module, function.getName(), options);
  if (!kernel)
    return kernel.takeError();
  auto machine = getNpuMachine(module, options.profile);
  if (!machine)
    return machine.takeError();
  auto compiled = CompiledKernel::compile(*kernel, options.mode);
  if (!compiled)
    return compiled.takeError();
  if (Error error = checkArguments(kernel->kernel, options.mode))
    return std::move(error);
  return std::make_unique<NpuExecutable>(*kernel, *machine, options,
                                         std::move(*compiled));
}

Error NpuTarget::emit(mlir::ModuleOp module, StringRef entry,
                      const TargetOptions &given, EmitKind kind,
                      raw_pwrite_stream &os,
                      std::vector<Remark> &remarks) const {
  const NpuTargetOptions &options = getOptions(given);
  auto kernel = findKernel(module, entry, options);
  if (!kernel)
    return kernel.takeError();
  // An error in the description is an error for the program, too.
  if (auto machine = getNpuMachine(module, options.profile); !machine)
    return machine.takeError();
  return emitNpu(*kernel, options.mode, options.cpu, options.features, kind, os,
                 remarks);
}

ArrayRef<TargetFlag> NpuTarget::getFlags() const {
  static const TargetFlag kFlags[] = {
      {"cpu", "name|features",
       "Processor to compile for, or features (+avx2,-fma), or both (default: "
       "this machine's)",
       [](TargetOptions &options, StringRef value) -> Error {
         splitProcessor(value, getOptions(options).cpu,
                        getOptions(options).features);
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
       "Cores that run the program (default: its npu.cores, else 1)",
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
