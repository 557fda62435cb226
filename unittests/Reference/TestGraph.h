// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Shared by the tests: parsing a graph, running it, making tensors.

#ifndef GC_UNITTESTS_REFERENCE_TESTGRAPH_H
#define GC_UNITTESTS_REFERENCE_TESTGRAPH_H

#include "Reference/Interpreter.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include <gtest/gtest.h>

namespace gc::reference {

/// A module in its own context that collects diagnostics.
class TestGraph {
public:
  explicit TestGraph(llvm::StringRef text);

  /// The function of that name; fails the test if there is none.
  mlir::func::FuncOp getFunction(llvm::StringRef name = "main");

  /// Interprets @main.
  mlir::FailureOr<Interpretation> run(llvm::ArrayRef<Tensor> inputs,
                                      bool errorBounds = false);
  /// The only result of @main as numbers; empty on failure.
  std::vector<double> evaluate(llvm::ArrayRef<Tensor> inputs);

  /// All diagnostics so far.
  std::string errors;

private:
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

/// A row-major tensor with the given elements.
Tensor makeTensor(ElementType type, llvm::ArrayRef<int64_t> shape,
                  llvm::ArrayRef<double> values);
inline Tensor makeTensor(llvm::ArrayRef<int64_t> shape,
                         llvm::ArrayRef<double> values) {
  return makeTensor(ElementType::F32, shape, values);
}

/// Each element is within 1e-6 relative, or `absolute`, of the expected one.
void expectNear(llvm::ArrayRef<double> actual, llvm::ArrayRef<double> expected,
                double absolute = 1e-30);

/// Numbers in (-1, 1) from a linear congruential generator.
std::vector<double> makeNoise(int64_t count, uint32_t seed);

} // namespace gc::reference

#endif // GC_UNITTESTS_REFERENCE_TESTGRAPH_H
