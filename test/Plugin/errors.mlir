// Errors of our verifiers and options reach the user of the stock mlir-opt.

// REQUIRES: plugin, mlir-opt

// RUN: not mlir-opt %s --load-dialect-plugin=%plugin --load-pass-plugin=%plugin \
// RUN:   --pass-pipeline="builtin.module(gc-cpu-pipeline)" 2>&1 | FileCheck %s
// RUN: not mlir-opt %S/mlir-opt.mlir --load-dialect-plugin=%plugin --load-pass-plugin=%plugin \
// RUN:   --pass-pipeline="builtin.module(gc-cpu-pipeline{stop-after=nowhere})" \
// RUN:   2>&1 | FileCheck %s --check-prefix=OPTION

// Without the dialect plugin mlir-opt has no graph dialect.
// RUN: not mlir-opt %S/mlir-opt.mlir 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// OPTION: nowhere
// UNKNOWN: error: Dialect `graph' not found

// CHECK: errors.mlir:[[# @LINE + 2]]:{{.*}} error: 'graph.matmul' op
func.func @inner(%a: tensor<4x8xf32>, %b: tensor<7x2xf32>) -> tensor<4x2xf32> {
  %0 = graph.matmul %a, %b : (tensor<4x8xf32>, tensor<7x2xf32>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}
