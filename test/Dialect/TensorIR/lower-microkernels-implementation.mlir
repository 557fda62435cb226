// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a kernel's op says holds, whatever the option and the rule say; two ops
// may differ about one kernel. There is no remark: whoever wrote it knows.

// RUN: gc-opt %s -tir-lower-microkernels | FileCheck %s
// RUN: gc-opt %s -tir-lower-microkernels=kernel=libxsmm | FileCheck %s
// RUN: gc-opt %s -tir-lower-microkernels=kernel=vector | FileCheck %s
// RUN: gc-opt %s -tir-lower-microkernels -remarks-filter=tir-lower-microkernels -o /dev/null 2>&1 | FileCheck %s --allow-empty --check-prefix=REMARK

// REMARK-NOT: remark

#avx2 = #dlti.target_device_spec<"max_vector_op_width" = 256 : i64, "num_vector_registers" = 16 : i64>
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #avx2>} {
// CHECK-LABEL: func.func @both
// CHECK: call @gc_brgemm_vector_f32_m32n32k64
// CHECK: llvm.call %{{.*}}(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}})
// CHECK: llvm.call %{{.*}}(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}})
func.func @both(%a: memref<32x64xf32>, %b: memref<64x32xf32>, %c: memref<32x32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = 32, n = 32, k = 64, lda = 64, ldb = 32, ldc = 32, beta = 0> implementation(vector)
  %1 = tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = 32, n = 32, k = 64, lda = 64, ldb = 32, ldc = 32, beta = 0> implementation(library)
  // The rule would say vectors.
  %2 = tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = 32, n = 1, k = 64, lda = 64, ldb = 32, ldc = 32, beta = 0> implementation(library)
  tir.brgemm %0 batch(%c1) a(%a[%c0, %c0]) b(%b[%c0, %c0]) c(%c[%c0, %c0]) : memref<32x64xf32>, memref<64x32xf32>, memref<32x32xf32>
  tir.brgemm %1 batch(%c1) a(%a[%c0, %c0]) b(%b[%c0, %c0]) c(%c[%c0, %c0]) : memref<32x64xf32>, memref<64x32xf32>, memref<32x32xf32>
  tir.brgemm %2 batch(%c1) a(%a[%c0, %c0]) b(%b[%c0, %c0]) c(%c[%c0, %c0]) : memref<32x64xf32>, memref<64x32xf32>, memref<32x32xf32>
  return
}
}
