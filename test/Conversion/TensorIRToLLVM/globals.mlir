// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: gc-opt %s --convert-tir-to-llvm | FileCheck %s

// Arrays of arrays are globals of one dimension; elements keep their places.

// CHECK-DAG: llvm.mlir.global private constant @w(dense<[1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00, 5.000000e+00, 6.000000e+00]> : tensor<6xf32>) {{.*}}: !llvm.array<6 x f32>
memref.global "private" constant @w : memref<2x1x3xf32> = dense<[[[1.0, 2.0, 3.0]], [[4.0, 5.0, 6.0]]]> {alignment = 64 : i64}
// CHECK-DAG: llvm.mlir.global private constant @r(dense_resource<blob> : tensor<4xf32>) {{.*}}: !llvm.array<4 x f32>
memref.global "private" constant @r : memref<2x2xf32> = dense_resource<blob> {alignment = 64 : i64}
// CHECK-DAG: llvm.mlir.global private constant @s(dense<5.000000e-01> : tensor<8xf32>) {{.*}}: !llvm.array<8 x f32>
memref.global "private" constant @s : memref<4x2xf32> = dense<0.5> {alignment = 64 : i64}

// CHECK-LABEL: llvm.func @f_compute(
func.func @f(%x: memref<1xf32>)
    attributes {tir.entry = "f", tir.role = "compute", tir.inputs = 0 : i64, tir.outputs = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  // CHECK-DAG: llvm.mlir.addressof @w
  // CHECK-DAG: llvm.mlir.addressof @r
  // CHECK-DAG: llvm.mlir.addressof @s
  %w = memref.get_global @w : memref<2x1x3xf32>
  %r = memref.get_global @r : memref<2x2xf32>
  %s = memref.get_global @s : memref<4x2xf32>
  %0 = memref.load %w[%c1, %c0, %c2] : memref<2x1x3xf32>
  %1 = memref.load %r[%c1, %c0] : memref<2x2xf32>
  %2 = memref.load %s[%c2, %c1] : memref<4x2xf32>
  %3 = arith.addf %0, %1 : f32
  %4 = arith.addf %3, %2 : f32
  memref.store %4, %x[%c0] : memref<1xf32>
  return
}

{-#
  dialect_resources: {
    builtin: {
      blob: "0x040000000000803F000000400000404000008040"
    }
  }
#-}
