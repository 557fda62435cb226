// RUN: gc-opt %s --gc-cpu-pipeline="stop-after=import" | FileCheck %s --check-prefix=IMPORT
// RUN: gc-opt %s --gc-cpu-pipeline="stop-after=graph" | FileCheck %s --check-prefix=GRAPH
// RUN: gc-opt %s --gc-cpu-pipeline="stop-after=layout threads=2" | FileCheck %s --check-prefix=LAYOUT
// RUN: gc-opt %s --gc-cpu-pipeline="stop-after=fusion threads=2" | FileCheck %s --check-prefix=FUSION
// RUN: gc-opt %s --gc-cpu-pipeline="stop-after=fusion threads=2 max-ops=2" | FileCheck %s --check-prefix=LIMIT
// RUN: not gc-opt %s --gc-cpu-pipeline="stop-after=fusion max-reductions=-1 max-reorders=0 max-input-bytes=0" 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: gc-opt %s --gc-cpu-pipeline="stop-after=tensor threads=2" | FileCheck %s --check-prefix=TENSOR
// RUN: gc-opt %s --gc-cpu-pipeline="threads=2 kernel=libxsmm" | FileCheck %s --check-prefix=MACHINE
// RUN: gc-opt %s --gc-cpu-pipeline="threads=2 kernel=vector" | FileCheck %s --check-prefix=VECTOR
// RUN: not gc-opt %s --gc-cpu-pipeline="stop-after=tomorrow" 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// Each phase of the pipeline, seen at its end.

// IMPORT: graph.gelu
// GRAPH-NOT: graph.gelu
// GRAPH: graph.matmul
// LAYOUT: graph.matmul {{.*}}template_params
// LAYOUT: func.func private @f_fold
// FUSION: graph.fused_op
// FUSION: graph.anchor
// LIMIT: name = "matmul+{{[a-z]+}}+{{[a-z]+}}"}
// NEGATIVE: error: option 'max-reductions' is negative
// TENSOR-NOT: tensor<
// TENSOR: tir.parallel
// TENSOR: tir.brgemm
// MACHINE-NOT: tir.
// MACHINE: llvm.call @gc_brgemm_dispatch
// MACHINE: @f_module
// VECTOR-NOT: gc_brgemm_dispatch
// VECTOR: llvm.func internal @gc_brgemm_vector
// UNKNOWN: tomorrow

func.func @f(%x: tensor<32x64xf32>, %w: tensor<64x48xf32> {graph.const_arg}) -> tensor<32x48xf32> {
  %0 = graph.matmul %x, %w : (tensor<32x64xf32>, tensor<64x48xf32>) -> tensor<32x48xf32>
  %1 = graph.gelu %0 : (tensor<32x48xf32>) -> tensor<32x48xf32>
  return %1 : tensor<32x48xf32>
}
