// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "NpuRun.h"
#include "Driver/NpuDriver.h"
#include "Files.h"
#include "Inputs.h"
#include "NpuReport.h"
#include "Run.h"
#include "llvm/Support/Path.h"

#include <chrono>
#include <cstring>
#include <unistd.h>

using namespace llvm;
using namespace gc;
using namespace gc::runner;

namespace {

Error makeError(const Twine &message) {
  return createStringError(inconvertibleErrorCode(), message);
}

int64_t getBytes(mlir::Type type) {
  auto memref = cast<mlir::MemRefType>(type);
  return memref.getNumElements() * memref.getElementTypeBitWidth() / 8;
}

/// The tensors of a run: inputs as the reference asks for them, outputs that
/// hold what no result is, so that what the program leaves out shows.
struct Tensors {
  std::vector<ValueInfo> inputInfo, outputInfo;
  std::vector<reference::Tensor> inputs, outputs;
  /// Of a program without a reference: zeros.
  std::vector<std::vector<char>> plain;
  std::vector<NpuTensor> all;
};

Error makeReferenceTensors(const NpuKernel &kernel, const Options &options,
                           Tensors &tensors) {
  auto inputInfo = getInputInfo(kernel.reference);
  if (!inputInfo)
    return inputInfo.takeError();
  auto outputInfo = getOutputInfo(kernel.reference);
  if (!outputInfo)
    return outputInfo.takeError();
  tensors.inputInfo = std::move(*inputInfo);
  tensors.outputInfo = std::move(*outputInfo);
  bool hasValues = options.npu.mode == npu::Mode::values;
  if (hasValues) {
    if (Error error = checkMemory(tensors.inputInfo, tensors.outputInfo))
      return error;
    auto inputs =
        makeInputTensors(kernel.reference, tensors.inputInfo, options);
    if (!inputs)
      return inputs.takeError();
    auto outputs = makeOutputTensors(tensors.outputInfo);
    if (!outputs)
      return outputs.takeError();
    tensors.inputs = std::move(*inputs);
    tensors.outputs = std::move(*outputs);
  }
  size_t count = tensors.inputInfo.size();
  for (auto [index, type] :
       enumerate(mlir::func::FuncOp(kernel.kernel).getArgumentTypes())) {
    bool isOutput = index >= count;
    const ValueInfo &info =
        isOutput ? tensors.outputInfo[index - count] : tensors.inputInfo[index];
    void *data = nullptr;
    if (hasValues)
      data = (isOutput ? tensors.outputs[index - count] : tensors.inputs[index])
                 .getData();
    // NaN as a float, -1 as an integer.
    if (isOutput && data)
      std::memset(data, 0xff, getBytes(type));
    tensors.all.push_back({info.name, data, getBytes(type), isOutput});
  }
  return Error::success();
}

/// Nobody says which arguments of a program without a reference are inputs.
Error makePlainTensors(mlir::func::FuncOp kernel, const Options &options,
                       Tensors &tensors) {
  if (!options.inputs.empty() || !options.outputDirectory.empty())
    return makeError("--input and --output-dir need a reference, which names "
                     "inputs and outputs; '" +
                     kernel.getName() + "' has none");
  for (auto [index, type] : enumerate(kernel.getArgumentTypes())) {
    void *data = nullptr;
    if (options.npu.mode == npu::Mode::values)
      data = tensors.plain.emplace_back(getBytes(type)).data();
    tensors.all.push_back(
        {"arg" + std::to_string(index), data, getBytes(type), true});
  }
  return Error::success();
}

/// Whether this machine can hold the values of a program that can run.
Error checkArguments(mlir::func::FuncOp kernel, npu::Mode mode) {
  double sum = 0, memory = double(sysconf(_SC_PHYS_PAGES)) *
                           double(sysconf(_SC_PAGESIZE));
  for (mlir::Type type : kernel.getArgumentTypes())
    sum += double(getBytes(type));
  if (mode == npu::Mode::values && memory > 0 && sum > memory)
    return makeError("arguments are more than this machine's memory; "
                     "--mode=cycles needs none");
  return Error::success();
}

Error writePictures(const CompiledKernel &compiled, const NpuReport &report,
                    const Options &options) {
  auto getLocation = [&](int32_t number) {
    return compiled.getLocation(number);
  };
  if (!options.trace.empty())
    if (Error error = writeFile(options.trace, [&](raw_pwrite_stream &os) {
          writeNpuTrace(report.run, options.npu.window, getLocation, os);
          return Error::success();
        }))
      return error;
  if (options.npu.timeline.empty())
    return Error::success();
  return writeFile(options.npu.timeline, [&](raw_pwrite_stream &os) {
    writeNpuTimeline(report.run, options.npu.window, getTitle(report),
                     getLocation, os);
    return Error::success();
  });
}

Error writeReport(const NpuReport &report, const Options &options) {
  if (!options.json.empty())
    if (Error error = writeFile(options.json, [&](raw_pwrite_stream &os) {
          printJson(report, os);
          return Error::success();
        }))
      return error;
  if (options.json != "-")
    printReport(report, outs());
  return Error::success();
}

} // namespace

Expected<int> runner::runOnNpu(mlir::ModuleOp module, const Options &options) {
  auto inFile = [&](Error error) {
    return makeError(options.input + ": " + toString(std::move(error)));
  };
  auto kernel = findNpuKernel(module, options.entry);
  if (!kernel)
    return inFile(kernel.takeError());
  if (options.npu.cores)
    kernel->cores = *options.npu.cores;
  if (options.check && !kernel->reference)
    return inFile(makeError("--check compares with the graph function that "
                            "'reference' names; '" +
                            kernel->kernel.getName() + "' names none"));
  auto machine = getNpuMachine(module, options.npu.profile);
  if (!machine)
    return machine.takeError();
  if (options.emit) {
    if (Error error = writeFile(options.output, [&](raw_pwrite_stream &os) {
          return emitNpu(*kernel, options.npu.mode, options.compile,
                         *options.emit, os);
        }))
      return std::move(error);
    return 0;
  }

  auto compiled = CompiledKernel::compile(*kernel, options.npu.mode);
  if (!compiled)
    return compiled.takeError();
  if (Error error = checkArguments(kernel->kernel, options.npu.mode))
    return inFile(std::move(error));
  Tensors tensors;
  if (Error error = kernel->reference
                        ? makeReferenceTensors(*kernel, options, tensors)
                        : makePlainTensors(kernel->kernel, options, tensors))
    return inFile(std::move(error));

  npu::Options runOptions;
  runOptions.mode = options.npu.mode;
  if (options.npu.maxInstructions)
    runOptions.maxInstructions = *options.npu.maxInstructions;
  runOptions.trace = !options.trace.empty() || !options.npu.timeline.empty();
  auto start = std::chrono::steady_clock::now();
  auto run = (*compiled)->run(*machine, runOptions, tensors.all, kernel->cores);
  if (!run)
    return run.takeError();
  NpuReport report;
  report.simulateMs = std::chrono::duration<double, std::milli>(
                          std::chrono::steady_clock::now() - start)
                          .count();
  report.run = std::move(*run);
  report.compileMs = (*compiled)->getCompileMs();
  report.name = sys::path::stem(options.input).str();
  report.profile = npu::getName(machine->profile);
  report.mode = options.npu.mode;
  if (kernel->reference) {
    report.flops = countFlops(kernel->reference);
    report.bound = computeNpuBound(kernel->reference, *machine, kernel->cores);
    report.paddedBound = computeNpuBound(kernel->reference, *machine,
                                         kernel->cores, /*padded=*/true);
  }
  if (options.check)
    if (Error error =
            checkResults(kernel->reference, options, tensors.inputs,
                         tensors.outputInfo, tensors.outputs, report.check))
      return std::move(error);

  if (!options.outputDirectory.empty())
    if (Error error = writeOutputs(options.outputDirectory, tensors.outputInfo,
                                   tensors.outputs))
      return std::move(error);
  if (Error error = writePictures(**compiled, report, options))
    return std::move(error);
  if (Error error = writeReport(report, options))
    return std::move(error);
  return isGood(report.check, options) ? 0 : 1;
}
