// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The reference interpreter as a target: what --check of the other targets
// compares with. It does not have that ability itself, since comparing it with
// itself would prove nothing.

#include "Dialect/Graph/IR/GraphOps.h"
#include "Driver/Diagnostics.h"
#include "Driver/RunReport.h"
#include "Reference/Interpreter.h"
#include "Targets.h"

using namespace llvm;
using namespace gc;

namespace {

/// A tensor of the type over memory of the caller.
Expected<reference::Tensor> borrow(mlir::RankedTensorType type, void *data) {
  auto element = reference::getElementType(type.getElementType());
  if (!element) {
    std::string text;
    raw_string_ostream(text) << type;
    return createStringError(inconvertibleErrorCode(),
                             "element type of " + text + " is not supported");
  }
  SmallVector<int64_t> strides(type.getRank(), 1);
  graph::LayoutAttr layout = graph::getLayout(type);
  if (layout && layout.isStrided())
    strides.assign(layout.getStrides().begin(), layout.getStrides().end());
  else
    for (int64_t i = type.getRank() - 2; i >= 0; --i)
      strides[i] =
          strides[i + 1] * std::max<int64_t>(type.getDimSize(i + 1), 1);
  return reference::Tensor::borrow(*element, type.getShape(), strides, data);
}

Error makeTensors(ArrayRef<mlir::Type> types, ArrayRef<void *> data,
                  std::vector<reference::Tensor> &tensors) {
  for (auto [type, pointer] : zip_equal(types, data)) {
    auto tensor = borrow(cast<mlir::RankedTensorType>(type), pointer);
    if (!tensor)
      return tensor.takeError();
    tensors.push_back(*tensor);
  }
  return Error::success();
}

class ReferenceExecutable : public Executable {
public:
  explicit ReferenceExecutable(mlir::func::FuncOp graph) : graph(graph) {
    report.target = "reference";
    report.flops = countFlops(graph);
  }

  Error run(const RunOptions &options, ArrayRef<void *> inputs,
            ArrayRef<void *> outputs) override {
    report.name = options.name;
    report.threads = options.threads;
    std::vector<reference::Tensor> values, results;
    if (Error error = makeTensors(graph.getArgumentTypes(), inputs, values))
      return error;
    if (Error error = makeTensors(graph.getResultTypes(), outputs, results))
      return error;
    DiagnosticCollector diagnostics(graph.getContext());
    auto interpretation = reference::interpret(graph, values);
    if (mlir::failed(interpretation))
      return diagnostics.takeError("the reference failed");
    for (auto [to, from] : zip_equal(results, interpretation->values))
      to.copyFrom(from);
    return Error::success();
  }

  void print(raw_ostream &os) const override { printReport(report, os); }
  void writeJson(json::OStream &json) const override {
    writeReport(report, json);
  }

private:
  mlir::func::FuncOp graph;
  RunReport report;
};

class ReferenceTarget : public Target {
public:
  ReferenceTarget()
      : Target("reference", "The reference interpreter", {Ability::threads}) {}

  Expected<std::unique_ptr<Executable>>
  compile(const Program &program, const TargetOptions &,
          const RunOptions &) const override {
    return std::make_unique<ReferenceExecutable>(program.graph);
  }
};

} // namespace

std::unique_ptr<Target> gc::createReferenceTarget() {
  return std::make_unique<ReferenceTarget>();
}
