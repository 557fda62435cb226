// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Run.h"
#include "Dialect/Graph/IR/PartitionAttrs.h"
#include "Driver/Diagnostics.h"
#include "Reference/Compare.h"
#include "Reference/Interpreter.h"

#include <cstring>

using namespace llvm;
using namespace gc;
using namespace gc::runner;

/// Removes ops of unknown kinds that no result depends on, with what they alone
/// feed: a graph that was divided has run without them.
static void dropUnknownOps(mlir::func::FuncOp function) {
  auto isUnknown = [](mlir::Operation &op) {
    return op.hasAttr(graph::kUnknownKindAttr);
  };
  if (!function.getBody().hasOneBlock())
    return;
  mlir::Block &body = function.getBody().front();
  if (llvm::none_of(body, isUnknown))
    return;
  mlir::Operation *previous = nullptr;
  for (mlir::Operation *op = body.getTerminator()->getPrevNode(); op;
       op = previous) {
    previous = op->getPrevNode();
    if (op->use_empty())
      op->erase();
  }
}

Error runner::checkResults(mlir::func::FuncOp entry, const Options &options,
                           ArrayRef<reference::Tensor> inputs,
                           ArrayRef<ValueInfo> outputInfo,
                           ArrayRef<reference::Tensor> outputs,
                           Report &report) {
  DiagnosticCollector diagnostics(entry.getContext());
  reference::InterpretOptions interpretOptions;
  interpretOptions.errorBounds = true;
  mlir::OwningOpRef<mlir::func::FuncOp> graph = entry.clone();
  dropUnknownOps(*graph);
  auto expected = reference::interpret(*graph, inputs, interpretOptions);
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
    report.ties += comparison.ties;
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

static Expected<std::vector<reference::Tensor>>
copyTensors(ArrayRef<mlir::Type> types, ArrayRef<void *> pointers) {
  std::vector<reference::Tensor> tensors;
  for (auto [type, pointer] : zip_equal(types, pointers)) {
    std::string message;
    auto tensor =
        reference::Tensor::create(cast<mlir::RankedTensorType>(type), &message);
    if (mlir::failed(tensor))
      return createStringError(inconvertibleErrorCode(), message);
    std::memcpy(tensor->getData(), pointer, tensor->getBufferBytes());
    tensors.push_back(*tensor);
  }
  return tensors;
}

Error runner::checkParts(ArrayRef<ProgramPart> parts, const Options &options,
                         Report &report) {
  for (const ProgramPart &part : parts) {
    mlir::func::FuncOp graph = part.graph;
    auto inputs = copyTensors(graph.getArgumentTypes(), part.inputs);
    if (!inputs)
      return inputs.takeError();
    auto outputs = copyTensors(graph.getResultTypes(), part.outputs);
    if (!outputs)
      return outputs.takeError();
    auto info = getOutputInfo(graph);
    if (!info)
      return info.takeError();
    Report own;
    if (Error error =
            checkResults(graph, options, *inputs, *info, *outputs, own))
      return error;
    if (own.check != CheckStatus::failed)
      continue;
    std::string message = part.name + ", " + own.checkMessage;
    if (report.check == CheckStatus::failed)
      message = report.checkMessage + "\n            " + message;
    report.check = CheckStatus::failed;
    report.checkMessage = std::move(message);
  }
  return Error::success();
}
