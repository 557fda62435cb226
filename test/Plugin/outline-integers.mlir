// Integers of 8 bits get a sign where a graph is called, and lose it again.

// REQUIRES: plugin, mlir-opt

// RUN: mlir-opt %s --load-dialect-plugin=%plugin --load-pass-plugin=%plugin \
// RUN:   --pass-pipeline="builtin.module(gc-outline,gc-memref-abi-calls)" \
// RUN:   | FileCheck %s --check-prefix=CALLS --implicit-check-not=tensor.bitcast
// RUN: mlir-opt %s --load-dialect-plugin=%plugin --load-pass-plugin=%plugin \
// RUN:   --pass-pipeline="builtin.module(gc-outline,gc-cpu-pipeline{abi=memref threads=2},func.func(tosa-to-arith),one-shot-bufferize{bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map},convert-scf-to-cf,expand-strided-metadata,lower-affine,finalize-memref-to-llvm,convert-arith-to-llvm,convert-cf-to-llvm,convert-func-to-llvm,reconcile-unrealized-casts)" \
// RUN:   | mlir-runner - -e main --entry-point-result=void --shared-libs=%runner_libs \
// RUN:   | FileCheck %s

// CALLS: func.func private @product_graph_0(%{{.*}}: tensor<1x2x3xsi8>, %{{.*}}: tensor<1x3x2xsi8>) -> tensor<1x2x2xsi32>
// CALLS: func.func @product(
// CALLS:   bufferization.to_buffer %{{.*}} : tensor<1x2x3xi8> to memref<1x2x3xi8>
// CALLS:   call @product_graph_0__memref(
// CALLS:   bufferization.to_tensor %{{.*}} restrict : memref<1x2x2xi32> to tensor<1x2x2xi32>

// (x - 1) w: [0 1 2] and [-5 -6 -7] times [1 2], [3 4], [-5 6].
// CHECK:      [-7, 16],
// CHECK-NEXT: [12, -76]

func.func private @printMemrefI32(tensor<*xi32>)

func.func @main() {
  %x = arith.constant dense<[[[1, 2, 3], [-4, -5, -6]]]> : tensor<1x2x3xi8>
  %w = arith.constant dense<[[[1, 2], [3, 4], [-5, 6]]]> : tensor<1x3x2xi8>
  %0 = call @product(%x, %w) : (tensor<1x2x3xi8>, tensor<1x3x2xi8>) -> tensor<1x2x2xi32>
  %1 = tensor.cast %0 : tensor<1x2x2xi32> to tensor<*xi32>
  call @printMemrefI32(%1) : (tensor<*xi32>) -> ()
  return
}

func.func @product(%x: tensor<1x2x3xi8>, %w: tensor<1x3x2xi8>) -> tensor<1x2x2xi32> {
  %one = "tosa.const"() {values = dense<1> : tensor<1xi8>} : () -> tensor<1xi8>
  %zero = "tosa.const"() {values = dense<0> : tensor<1xi8>} : () -> tensor<1xi8>
  %0 = tosa.matmul %x, %w, %one, %zero : (tensor<1x2x3xi8>, tensor<1x3x2xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x2x2xi32>
  return %0 : tensor<1x2x2xi32>
}
