// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// GC inside the stock mlir-opt: a plugin that adds the dialects, passes and
// pipelines. It needs the same libMLIR as the host tool.
//
//   mlir-opt --load-dialect-plugin=GCPlugin.so --load-pass-plugin=GCPlugin.so
//     --pass-pipeline='builtin.module(gc-cpu-pipeline)' graph.mlir

#include "Transforms/Register.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

mlir::DialectPluginLibraryInfo mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "GraphCompiler", GC_VERSION,
          [](mlir::DialectRegistry *Registry) {
            gc::registerAllGraphCompilerDialects(*Registry);
          }};
}

mlir::PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "GraphCompiler", GC_VERSION,
          gc::registerAllGraphCompilerPasses};
}
