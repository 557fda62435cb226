// Two calls read one tensor, and what is between them reuses its buffer for
// another: the second call must see that it may not.

// REQUIRES: plugin, mlir-opt

// RUN: mlir-opt %s --load-dialect-plugin=%plugin --load-pass-plugin=%plugin \
// RUN:   --pass-pipeline="builtin.module(gc-outline,gc-cpu-pipeline{abi=memref threads=2},cse,one-shot-bufferize{bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map},convert-linalg-to-loops,convert-scf-to-cf,expand-strided-metadata,lower-affine,convert-math-to-llvm,finalize-memref-to-llvm,convert-arith-to-llvm,convert-cf-to-llvm,convert-func-to-llvm,reconcile-unrealized-casts)" \
// RUN:   | mlir-runner - -e main --entry-point-result=void --shared-libs=%runner_libs \
// RUN:   | FileCheck %s

// y = x + rows 0 and 1; y y, and later y y once more, of the same y.
// CHECK:      [5, 12],
// CHECK-NEXT: [12, 29]
// CHECK:      [5, 12],
// CHECK-NEXT: [12, 29]

func.func private @printMemrefF32(tensor<*xf32>)

func.func @main() {
  %x = arith.constant dense<[[1.0, 2.0], [1.0, 4.0]]> : tensor<2x2xf32>
  %0:3 = call @twice(%x) : (tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>)
  %1 = tensor.cast %0#0 : tensor<2x2xf32> to tensor<*xf32>
  call @printMemrefF32(%1) : (tensor<*xf32>) -> ()
  %2 = tensor.cast %0#2 : tensor<2x2xf32> to tensor<*xf32>
  call @printMemrefF32(%2) : (tensor<*xf32>) -> ()
  return
}

#map = affine_map<(d0, d1) -> (d0, d1)>
func.func @twice(%x: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>) {
  %zero = arith.constant dense<0.0> : tensor<2x2xf32>
  %empty = tensor.empty() : tensor<2x2xf32>
  %y = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<2x2xf32>) outs(%empty : tensor<2x2xf32>) {
  ^bb0(%in: f32, %out: f32):
    %i = linalg.index 0 : index
    %j = arith.index_cast %i : index to i32
    %f = arith.sitofp %j : i32 to f32
    %r = arith.addf %in, %f : f32
    linalg.yield %r : f32
  } -> tensor<2x2xf32>
  %0 = linalg.matmul ins(%y, %y : tensor<2x2xf32>, tensor<2x2xf32>) outs(%zero : tensor<2x2xf32>) -> tensor<2x2xf32>
  %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<2x2xf32>) outs(%empty : tensor<2x2xf32>) {
  ^bb0(%in: f32, %out: f32):
    %r = math.sin %in : f32
    linalg.yield %r : f32
  } -> tensor<2x2xf32>
  %2 = linalg.add ins(%1, %zero : tensor<2x2xf32>, tensor<2x2xf32>) outs(%empty : tensor<2x2xf32>) -> tensor<2x2xf32>
  %3 = linalg.sub ins(%2, %1 : tensor<2x2xf32>, tensor<2x2xf32>) outs(%empty : tensor<2x2xf32>) -> tensor<2x2xf32>
  %4 = linalg.matmul ins(%y, %y : tensor<2x2xf32>, tensor<2x2xf32>) outs(%3 : tensor<2x2xf32>) -> tensor<2x2xf32>
  return %0, %1, %4 : tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>
}
