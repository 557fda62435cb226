// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// gc-opt with what only tests have.

#include "TestGraph.h"
#include "Transforms/Register.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  gc::registerAllGraphCompilerDialects(registry);
  gc::test::registerTestGraphDialect(registry);
  mlir::registerAllPasses();
  gc::registerAllGraphCompilerPasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "GC's test driver\n", registry));
}
