// The whole CPU pipeline inside the stock mlir-opt, which knows nothing of GC
// but the plugin. REQUIRES lines: the plugin is not built with a static MLIR.

// REQUIRES: plugin, mlir-opt

// RUN: mlir-opt %s --load-dialect-plugin=%plugin --load-pass-plugin=%plugin \
// RUN:   --pass-pipeline="builtin.module(gc-cpu-pipeline{threads=2 kernel=libxsmm stop-after=fusion})" \
// RUN:   | FileCheck %s --check-prefix=FUSION
// RUN: mlir-opt %s --load-dialect-plugin=%plugin --load-pass-plugin=%plugin \
// RUN:   --pass-pipeline="builtin.module(gc-cpu-pipeline{threads=2 kernel=libxsmm})" \
// RUN:   > %t.plugin.mlir
// RUN: FileCheck %s --check-prefix=MACHINE --input-file=%t.plugin.mlir

// The output is the same as gc-opt's, and LLVM accepts it.
// RUN: gc-opt %s --gc-cpu-pipeline="threads=2 kernel=libxsmm" > %t.gc.mlir
// RUN: diff %t.plugin.mlir %t.gc.mlir
// RUN: mlir-translate --mlir-to-llvmir %t.plugin.mlir | FileCheck %s --check-prefix=LLVM

// Upstream passes and ours mix in one pipeline.
// RUN: mlir-opt %s --load-dialect-plugin=%plugin --load-pass-plugin=%plugin \
// RUN:   --pass-pipeline="builtin.module(graph-infer-shapes,graph-decompose,canonicalize,func.func(cse))" \
// RUN:   | FileCheck %s --check-prefix=MIXED

// One copy of everything: libMLIR is linked, and libxsmm stays inside.
// RUN: llvm-readobj --needed-libs %plugin | FileCheck %s --check-prefix=NEEDED
// RUN: llvm-nm --dynamic --defined-only %plugin \
// RUN:   | FileCheck %s --check-prefix=SYMBOLS --implicit-check-not=xsmm \
// RUN:   --implicit-check-not=dgemm

// NEEDED: libMLIR.so
// SYMBOLS: mlirGetDialectPluginInfo
// SYMBOLS: mlirGetPassPluginInfo

// FUSION-LABEL: func.func @main
// FUSION: graph.fused_op
// FUSION: graph.matmul
// FUSION-SAME: #graph.matmul_template<
// FUSION: graph.relu
// FUSION-SAME: #graph.anchor<post

// MACHINE-DAG: llvm.func @main_compute
// MACHINE-DAG: llvm.func {{.*}}@gc_brgemm_dispatch
// MACHINE-NOT: graph.

// LLVM: define {{.*}}@main_compute(

// MIXED-LABEL: func.func @main
// MIXED: graph.matmul
// MIXED-NEXT: graph.add
// MIXED-NEXT: graph.relu
func.func @main(%x: tensor<32x64xf32>,
                %w: tensor<64x48xf32> {graph.const_arg},
                %bias: tensor<48xf32> {graph.const_arg}) -> tensor<32x48xf32> {
  %0 = graph.matmul %x, %w, %bias
      : (tensor<32x64xf32>, tensor<64x48xf32>, tensor<48xf32>) -> tensor<32x48xf32>
  %1 = graph.relu %0 : (tensor<32x48xf32>) -> tensor<32x48xf32>
  return %1 : tensor<32x48xf32>
}
