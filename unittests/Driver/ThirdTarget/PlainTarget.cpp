// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A target for tests: one plain loop for each op of a graph of f32 tensors.

#include "Dialect/Graph/IR/GraphOps.h"
#include "Driver/Diagnostics.h"
#include "Runner.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/JSON.h"

#include <algorithm>
#include <cstring>

using namespace llvm;
using namespace gc;

namespace {

struct PlainOptions : TargetOptions {
  /// How often the graph is evaluated.
  int64_t sweeps = 1;
};

/// result[i] = loop(a[i], b[i])
using Loop = float (*)(float a, float b);

Loop findLoop(mlir::Operation &op) {
  if (isa<graph::AddOp>(op))
    return [](float a, float b) { return a + b; };
  if (isa<graph::ReluOp>(op))
    return [](float a, float) { return std::max(a, 0.0f); };
  return nullptr;
}

class PlainExecutable : public Executable {
public:
  PlainExecutable(mlir::func::FuncOp graph, int64_t sweeps)
      : graph(graph), sweeps(sweeps) {}

  Error run(const RunOptions &options, ArrayRef<void *> inputs,
            ArrayRef<void *> outputs) override {
    name = options.name;
    for (int64_t sweep = 0; sweep < sweeps; ++sweep)
      evaluate(inputs, outputs);
    return Error::success();
  }
  void print(raw_ostream &os) const override {
    os << name << " on plain: " << ops << " ops, " << sweeps << " sweeps\n";
  }
  void writeJson(json::OStream &json) const override {
    json.attribute("ops", ops);
    json.attribute("sweeps", sweeps);
  }

private:
  void evaluate(ArrayRef<void *> inputs, ArrayRef<void *> outputs) {
    DenseMap<mlir::Value, std::vector<float>> values;
    auto getSize = [](mlir::Value value) {
      return cast<mlir::RankedTensorType>(value.getType()).getNumElements();
    };
    for (auto [argument, data] : zip_equal(graph.getArguments(), inputs)) {
      auto *first = static_cast<const float *>(data);
      values[argument].assign(first, first + getSize(argument));
    }
    ops = 0;
    for (mlir::Operation &op : graph.getBody().front().without_terminator()) {
      std::vector<float> result(getSize(op.getResult(0)));
      const std::vector<float> &a = values[op.getOperand(0)];
      const std::vector<float> &b =
          values[op.getOperand(op.getNumOperands() - 1)];
      Loop loop = findLoop(op);
      for (size_t i = 0; i < result.size(); ++i)
        result[i] = loop(a[i], b[i]);
      values[op.getResult(0)] = std::move(result);
      ++ops;
    }
    mlir::Operation *end = graph.getBody().front().getTerminator();
    for (auto [value, data] : zip_equal(end->getOperands(), outputs))
      std::memcpy(data, values[value].data(), getSize(value) * sizeof(float));
  }

  mlir::func::FuncOp graph;
  int64_t sweeps, ops = 0;
  std::string name;
};

class PlainTarget : public Target {
public:
  PlainTarget()
      : Target("plain", "Plain loops over f32 tensors", {Ability::check}) {}

  std::unique_ptr<TargetOptions> makeOptions() const override {
    return std::make_unique<PlainOptions>();
  }
  ArrayRef<TargetFlag> getFlags() const override {
    static const TargetFlag kFlags[] = {
        {"sweeps", "n", "How often the graph is evaluated",
         [](TargetOptions &options, StringRef value) -> Error {
           int64_t sweeps;
           if (value.getAsInteger(10, sweeps) || sweeps < 1)
             return createStringError("--sweeps is a number from 1 on, not '" +
                                      value + "'");
           static_cast<PlainOptions &>(options).sweeps = sweeps;
           return Error::success();
         }}};
    return kFlags;
  }

  Expected<std::unique_ptr<Executable>>
  compile(const Program &program, const TargetOptions &options,
          const RunOptions &) const override {
    mlir::func::FuncOp graph = program.graph;
    DiagnosticCollector diagnostics(graph.getContext());
    for (mlir::Operation &op : graph.getBody().front().without_terminator())
      if (!findLoop(op)) {
        op.emitOpError("has no loop on target 'plain'");
        return diagnostics.takeError("");
      }
    return std::make_unique<PlainExecutable>(
        graph, static_cast<const PlainOptions &>(options).sweeps);
  }
};

} // namespace

int main(int argc, char **argv) {
  TargetRegistry targets;
  registerAllTargets(targets);
  targets.add(std::make_unique<PlainTarget>());
  return runner::runMain(argc, argv, targets);
}
