// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Check.h"
#include "Dialect/Graph/IR/GraphOps.h"
#include "Dialect/Graph/IR/OpTable.h"
#include "Driver/Diagnostics.h"
#include "Driver/Driver.h"
#include "GuardedBuffer.h"
#include "Reference/Compare.h"
#include "Reference/Inputs.h"
#include "Reference/Interpreter.h"
#include "mlir/Pass/PassManager.h"

#include <cstring>

using namespace mlir;
using namespace gc::graph;

namespace gc::fuzz {

StringRef getName(Status status) {
  switch (status) {
  case Status::passed:
    return "passed";
  case Status::weak:
    return "weak";
  case Status::mismatch:
    return "mismatch";
  case Status::refused:
    return "refused";
  case Status::broken:
    return "broken";
  case Status::crashed:
    return "crashed";
  case Status::hung:
    return "hung";
  }
  llvm_unreachable("all cases are above");
}

namespace {

/// Counts what the compiler decided, on a copy that stops before lowering.
void countFeatures(func::FuncOp entry, const CheckOptions &options,
                   Features &features) {
  auto countRank = [&](Type type) {
    features.maxRank =
        std::max(features.maxRank, cast<RankedTensorType>(type).getRank());
  };
  entry.walk([&](Operation *op) {
    if (!isa<GraphDialect>(op->getDialect()) || isa<ConstantOp>(op))
      return;
    ++features.ops;
    features.matmuls += isa<MatmulOp>(op);
    for (Type type : op->getOperandTypes())
      countRank(type);
  });
  features.operations = findOperations(entry);
  for (Type type : entry.getArgumentTypes())
    features.stridedArguments += bool(getLayout(type));
  features.results = entry.getNumResults();

  OwningOpRef<ModuleOp> copy = entry->getParentOfType<ModuleOp>().clone();
  CpuPipelineOptions pipeline = options.pipelines.front().options;
  pipeline.stopAfter = CpuPhase::fusion;
  PassManager manager(entry.getContext(), ModuleOp::getOperationName());
  buildCpuPipeline(manager, pipeline);
  DiagnosticCollector diagnostics(entry.getContext());
  // Errors here are reported when the graph is compiled.
  if (failed(manager.run(*copy)))
    return;
  auto lowered = copy->lookupSymbol<func::FuncOp>(entry.getName());
  for (unsigned i = 0; i < lowered.getNumArguments(); ++i)
    features.folded += bool(lowered.getArgAttr(i, GraphDialect::kFoldedAttr));
  lowered.walk([&](FusedOp fused) {
    bool many = fused.getBody().front().getOperations().size() > 2;
    features.regions += many;
    features.matmulRegions += many && fused.getTunableOp();
  });
  lowered.walk([&](Operation *op) {
    auto anchor = op->getAttrOfType<AnchorAttr>(GraphDialect::kAnchorAttr);
    features.preOps += anchor && anchor.getKind() == AnchorKind::pre;
  });
  lowered.walk([&](MatmulOp op) {
    auto params =
        dyn_cast_or_null<MatmulTemplateAttr>(op.getTemplateParamsAttr());
    MatmulSizes sizes = getMatmulSizes(op);
    features.tails += params && (sizes.m % params.getMB() != 0 ||
                                 sizes.n % params.getNB() != 0 ||
                                 sizes.k % params.getKB() != 0);
  });
}

/// The buffers of one execution.
struct Buffers {
  std::vector<GuardedBuffer> buffers;
  SmallVector<void *> pointers;

  bool add(RankedTensorType type, const reference::Tensor *content,
           Placement placement) {
    std::string error;
    FailureOr<reference::Tensor> layout =
        reference::Tensor::create(type, &error);
    if (failed(layout))
      return false;
    shapes.push_back(*layout);
    int64_t bytes = layout->getBufferBytes();
    unsigned alignment = reference::getInfo(layout->getType()).bytes;
    // 0xff makes every float NaN: results that are not written are noticed.
    buffers.emplace_back(bytes, alignment, placement, 0xff);
    pointers.push_back(buffers.back().getData());
    if (!pointers.back())
      return false;
    if (content)
      std::memcpy(pointers.back(), content->getData(), bytes);
    return true;
  }

  reference::Tensor getTensor(size_t i) const {
    return reference::Tensor::borrow(shapes[i].getType(), shapes[i].getShape(),
                                     shapes[i].getStrides(), pointers[i]);
  }

  /// Whether every byte other than the elements is unchanged.
  bool areGapsIntact(size_t i) const {
    if (!buffers[i].isIntact())
      return false;
    const reference::Tensor &tensor = shapes[i];
    if (tensor.isContiguous())
      return true;
    int64_t size = reference::getInfo(tensor.getType()).bytes;
    std::vector<bool> isElement(tensor.getBufferElements());
    SmallVector<int64_t> index(tensor.getRank(), 0);
    for (int64_t n = tensor.getNumElements(); n > 0; --n) {
      int64_t offset = 0;
      for (int64_t d = 0; d < tensor.getRank(); ++d)
        offset += index[d] * tensor.getStrides()[d];
      isElement[offset] = true;
      for (int64_t d = tensor.getRank() - 1; d >= 0; --d) {
        if (++index[d] < tensor.getShape()[d])
          break;
        index[d] = 0;
      }
    }
    auto *bytes = static_cast<const uint8_t *>(pointers[i]);
    for (size_t e = 0; e < isElement.size(); ++e)
      for (int64_t b = 0; !isElement[e] && b < size; ++b)
        if (bytes[e * size + b] != 0xff)
          return false;
    return true;
  }

private:
  std::vector<reference::Tensor> shapes;
};

Outcome &fail(Outcome &outcome, Status status, const Twine &message) {
  outcome.status = status;
  outcome.message = message.str();
  return outcome;
}

/// Compiles and runs the function with one pipeline.
Outcome checkPipeline(func::FuncOp entry, const Pipeline &pipeline,
                      ArrayRef<reference::Tensor> inputs,
                      const reference::Interpretation &expected) {
  Outcome outcome;
  CompileOptions compileOptions;
  compileOptions.pipeline = pipeline.options;
  auto graph = CompiledGraph::compile(entry, compileOptions);
  if (!graph)
    return fail(outcome, Status::refused, toString(graph.takeError()));
  outcome.features.merged = std::max<int64_t>(
      0, (*graph)->getFusedOps() - (*graph)->getParallelRegions());

  Buffers in, out, again;
  bool complete = true;
  auto place = [](size_t i) {
    return i % 4 == 3 ? Placement::begin : Placement::end;
  };
  for (auto [i, info] : llvm::enumerate((*graph)->getInputs()))
    complete &= in.add(info.type, &inputs[i], place(i));
  for (auto [i, info] : llvm::enumerate((*graph)->getOutputs())) {
    complete &= out.add(info.type, nullptr, place(i));
    complete &= again.add(info.type, nullptr, place(i + 1));
  }
  if (!complete)
    return fail(outcome, Status::broken, "no memory");
  for (Buffers *results : {&out, &again})
    if (llvm::Error error =
            (*graph)->execute(in.pointers.data(), results->pointers.data(),
                              /*executor=*/nullptr, pipeline.options.threads))
      return fail(outcome, Status::refused, toString(std::move(error)));

  for (size_t i = 0; i < inputs.size(); ++i)
    if (std::memcmp(in.pointers[i], inputs[i].getData(),
                    in.buffers[i].getBytes()) != 0 ||
        !in.buffers[i].isIntact())
      return fail(outcome, Status::mismatch,
                  "input " + Twine(i) + " was overwritten");
  for (size_t i = 0; i < out.pointers.size(); ++i) {
    reference::Comparison comparison = reference::compare(
        out.getTensor(i), expected.values[i], expected.bounds[i]);
    if (!comparison.passed)
      return fail(outcome, Status::mismatch,
                  "result " + Twine(i) + ": " + comparison.message);
    if (!out.areGapsIntact(i) || !again.areGapsIntact(i))
      return fail(outcome, Status::mismatch,
                  "result " + Twine(i) + ": a gap was overwritten");
    if (std::memcmp(out.pointers[i], again.pointers[i],
                    out.buffers[i].getBytes()) != 0)
      return fail(outcome, Status::mismatch,
                  "result " + Twine(i) + ": the second run differs");
  }
  return outcome;
}

} // namespace

Operations findOperations(func::FuncOp entry) {
  Operations operations;
  entry.walk([&](Operation *op) {
    if (const OpSpec *spec = findOp(op->getName().getStringRef()))
      operations.set(spec - getOpTable().begin());
  });
  return operations;
}

std::string Pipeline::describe() const {
  return "with \"" + text + "\" on " +
         std::to_string(options.threads.getValue()) +
         (options.threads == 1 ? " thread" : " threads");
}

Outcome checkGraph(func::FuncOp entry, const CheckOptions &options) {
  Outcome outcome;
  countFeatures(entry, options, outcome.features);
  DiagnosticCollector diagnostics(entry.getContext());
  auto inputs = reference::makeInputs(entry, options.seed);
  if (failed(inputs))
    return fail(outcome, Status::broken,
                toString(diagnostics.takeError("no inputs")));
  reference::InterpretOptions interpretOptions;
  interpretOptions.errorBounds = true;
  auto expected = reference::interpret(entry, *inputs, interpretOptions);
  if (failed(expected))
    return fail(outcome, Status::broken,
                toString(diagnostics.takeError("the reference failed")));
  for (auto [i, pipeline] : llvm::enumerate(options.pipelines)) {
    Outcome one = checkPipeline(entry, pipeline, *inputs, *expected);
    if (i == 0)
      outcome.features.merged = one.features.merged;
    if (one.status != Status::passed)
      return fail(outcome, one.status,
                  pipeline.describe() + ": " + one.message);
  }
  if (std::optional<std::string> reason = reference::findWeakness(*expected))
    return fail(outcome, Status::weak, *reason);
  return outcome;
}

} // namespace gc::fuzz
