// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Inputs.h"
#include "Driver/Diagnostics.h"
#include "Reference/Inputs.h"
#include "Reference/Npy.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

#include <unistd.h>

using namespace llvm;
using namespace gc;
using namespace gc::runner;

static Error makeError(const Twine &message) {
  return createStringError(inconvertibleErrorCode(), message);
}

Error runner::checkMemory(ArrayRef<ValueInfo> inputs,
                          ArrayRef<ValueInfo> outputs) {
  double bytes = 0;
  for (ArrayRef<ValueInfo> infos : {inputs, outputs})
    for (const ValueInfo &info : infos) {
      double elements = 1;
      for (int64_t size : info.type.getShape())
        elements *= size;
      mlir::Type element = info.type.getElementType();
      bytes += elements * (element.isIntOrFloat()
                               ? (element.getIntOrFloatBitWidth() + 7) / 8
                               : 1);
    }
  double memory = double(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
  if (memory > 0 && bytes > memory)
    return makeError("arguments and results are " +
                     formatv("{0:f0}", bytes / 1048576).str() +
                     " MiB, more than this machine's memory");
  return Error::success();
}

Expected<std::vector<reference::Tensor>>
runner::makeInputTensors(mlir::func::FuncOp entry, ArrayRef<ValueInfo> inputs,
                         ArrayRef<reference::Tensor> others,
                         const Options &options) {
  DiagnosticCollector diagnostics(entry.getContext());
  mlir::FailureOr<std::vector<reference::Tensor>> tensors =
      reference::makeInputs(entry, options.seed);
  if (mlir::failed(tensors))
    return diagnostics.takeError("the inputs could not be made");
  for (auto [info, tensor, other] : zip(inputs, *tensors, others))
    if (info.isConstant && tensor.getShape() == other.getShape())
      tensor = other;
  StringSet<> given;
  for (const auto &[name, file] : options.inputs) {
    size_t index = inputs.size();
    for (size_t i = 0; i < inputs.size(); ++i)
      if (inputs[i].name == name || name == "arg" + std::to_string(i))
        index = std::min(index, i);
    if (index == inputs.size()) {
      std::string names;
      for (const ValueInfo &info : inputs)
        names += (names.empty() ? "" : ", ") + info.name;
      return makeError("--input: there is no argument '" + name +
                       "'; there are " + (names.empty() ? "none" : names));
    }
    if (!given.insert(std::to_string(index)).second)
      return makeError("--input: two files for the argument '" + name + "'");
    std::string message;
    auto tensor = reference::readNpy(file, inputs[index].type, message);
    if (mlir::failed(tensor))
      return makeError(message);
    (*tensors)[index] = *tensor;
  }
  return std::move(*tensors);
}

Expected<std::vector<reference::Tensor>>
runner::makeOutputTensors(ArrayRef<ValueInfo> outputs) {
  std::vector<reference::Tensor> tensors;
  for (const ValueInfo &info : outputs) {
    std::string message;
    auto tensor = reference::Tensor::create(info.type, &message);
    if (mlir::failed(tensor))
      return makeError("result '" + info.name + "': " + message);
    tensors.push_back(*tensor);
  }
  return tensors;
}

Error runner::writeOutputs(const std::string &directory,
                           ArrayRef<ValueInfo> outputs,
                           ArrayRef<reference::Tensor> tensors) {
  if (std::error_code error = sys::fs::create_directories(directory))
    return makeError(directory + ": " + error.message());
  StringSet<> used;
  for (auto [info, tensor] : zip(outputs, tensors)) {
    std::string name = info.name;
    for (char &c : name)
      if (!isAlnum(c) && c != '-' && c != '_' && c != '.')
        c = '_';
    while (!used.insert(name).second)
      name += "_";
    SmallString<128> path(directory);
    sys::path::append(path, name + ".npy");
    std::string message;
    if (mlir::failed(reference::writeNpy(path, tensor, message)))
      return makeError(message);
  }
  return Error::success();
}
