// Each parallel loop with what it computes, how long it is predicted to take, and
// with a trace how long it took. A sum over columns needs the rows of all cores,
// and is a separate loop.
//
// RUN: env GC_MACHINE=zen3-2 gc-runner %s --threads=2 --json=- --trace=%t.json | FileCheck %s --check-prefixes=CHECK,TRACED
// RUN: env GC_MACHINE=zen3-2 gc-runner %s --threads=2 --json=- | FileCheck %s --check-prefixes=CHECK,UNTRACED
//
// CHECK: "predicted_ms": 0.{{[0-9]+}},
// CHECK-NEXT: "regions": [
// CHECK-NEXT: {
// CHECK-NEXT: "name": "matmul+relu",
// CHECK-NEXT: "flops": 4194304,
// CHECK-NEXT: "bytes": 278528,
// CHECK-NEXT: "predicted_ms": 0.{{[0-9]+}},
// TRACED-NEXT: "measured_ms": {{[0-9.e-]+}},
// UNTRACED-NEXT: "measured_ms": null,
// CHECK-NEXT: "bound_by": "compute"
// CHECK-NEXT: },
// CHECK-NEXT: {
// CHECK-NEXT: "name": "reduce_sum",
// CHECK-NEXT: "flops": 0,
// CHECK-NEXT: "bytes": 131328,
// CHECK-NEXT: "predicted_ms": 0.{{[0-9]+}},
// TRACED-NEXT: "measured_ms": {{[0-9.e-]+}},
// UNTRACED-NEXT: "measured_ms": null,
// CHECK-NEXT: "bound_by": "{{barrier|cache|vector}}"
// CHECK-NEXT: }
// CHECK-NEXT: ],
func.func @graph(%x: tensor<512x64xf32>, %w: tensor<64x64xf32> {graph.const_arg}) -> tensor<64xf32> {
  %0 = graph.matmul %x, %w : (tensor<512x64xf32>, tensor<64x64xf32>) -> tensor<512x64xf32>
  %1 = graph.relu %0 : (tensor<512x64xf32>) -> tensor<512x64xf32>
  %2 = graph.reduce_sum %1 {axes = array<i64: 0>} : (tensor<512x64xf32>) -> tensor<64xf32>
  return %2 : tensor<64xf32>
}
