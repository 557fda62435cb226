// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// mlir-translate with GC's importers and exporters beside the upstream ones to
// and from LLVM IR.

#include "Target/Cce/Cce.h"
#include "Target/OneDNNGraph/OneDNNGraph.h"
#include "mlir/InitAllTranslations.h"
#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"

int main(int argc, char **argv) {
  mlir::registerFromLLVMIRTranslation();
  mlir::registerToLLVMIRTranslation();
  gc::registerCceTranslation();
  gc::registerOneDNNGraphTranslation();
  return mlir::failed(
      mlir::mlirTranslateMain(argc, argv, "GC's translation driver"));
}
