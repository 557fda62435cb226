// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TestGraph.h"
#include "Dialect/Graph/IR/GraphDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace gc::reference;
using namespace mlir;

TestGraph::TestGraph(llvm::StringRef text) {
  DialectRegistry registry;
  registry.insert<gc::graph::GraphDialect, func::FuncDialect>();
  registerReferenceModels(registry);
  context.appendDialectRegistry(registry);
  context.getDiagEngine().registerHandler([this](Diagnostic &diagnostic) {
    errors += diagnostic.str() + "\n";
    return success();
  });
  module = parseSourceString<ModuleOp>(text, &context);
  EXPECT_TRUE(module) << errors;
}

func::FuncOp TestGraph::getFunction(llvm::StringRef name) {
  func::FuncOp function =
      module ? module->lookupSymbol<func::FuncOp>(name) : func::FuncOp();
  EXPECT_TRUE(function);
  return function;
}

FailureOr<Interpretation> TestGraph::run(ArrayRef<Tensor> inputs,
                                         bool errorBounds) {
  func::FuncOp function = getFunction();
  if (!function)
    return failure();
  InterpretOptions options;
  options.errorBounds = errorBounds;
  return interpret(function, inputs, options);
}

std::vector<double> TestGraph::evaluate(ArrayRef<Tensor> inputs) {
  FailureOr<Interpretation> result = run(inputs);
  EXPECT_TRUE(succeeded(result)) << errors;
  if (failed(result))
    return {};
  EXPECT_EQ(result->values.size(), 1u);
  return result->values.front().getValues();
}

Tensor gc::reference::makeTensor(ElementType type, ArrayRef<int64_t> shape,
                                 ArrayRef<double> values) {
  FailureOr<Tensor> tensor = Tensor::create(type, shape);
  EXPECT_TRUE(succeeded(tensor));
  EXPECT_EQ(tensor->getNumElements(), static_cast<int64_t>(values.size()));
  tensor->setValues(values);
  return *tensor;
}

void gc::reference::expectNear(ArrayRef<double> actual,
                               ArrayRef<double> expected, double absolute) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i) {
    if (actual[i] == expected[i])
      continue;
    EXPECT_NEAR(actual[i], expected[i],
                std::fmax(std::fabs(expected[i]) * 1e-6, absolute))
        << "element " << i;
  }
}

std::vector<double> gc::reference::makeNoise(int64_t count, uint32_t seed) {
  std::vector<double> values;
  for (int64_t i = 0; i < count; ++i) {
    seed = seed * 1664525u + 1013904223u;
    values.push_back(static_cast<double>(seed >> 8) * 0x1p-23 - 1 + 0x1p-24);
  }
  return values;
}
