// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// kernel=auto: libxsmm where it is fast on the machine, else vectors and a
// remark that says why.

// RUN: split-file %s %t
// RUN: gc-opt %t/avx2.mlir -tir-lower-microkernels | FileCheck %t/avx2.mlir
// RUN: gc-opt %t/avx2.mlir -tir-lower-microkernels -remarks-filter=tir-lower-microkernels -o /dev/null 2>&1 | FileCheck %t/avx2.mlir --check-prefix=REMARK
// RUN: gc-opt %t/avx512.mlir -tir-lower-microkernels=kernel=auto | FileCheck %t/avx512.mlir
// RUN: gc-opt %t/sse.mlir -tir-lower-microkernels=kernel=auto | FileCheck %t/sse.mlir

//--- avx2.mlir

#avx2 = #dlti.target_device_spec<"machine" = "zen3-2", "max_vector_op_width" = 256 : i64, "num_vector_registers" = 16 : i64>
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #avx2>} {
// Both kinds of kernel live in one function.
// CHECK-NOT: llvm.mlir.global internal @gc_kernel_f32_m32n30
// CHECK-DAG: llvm.mlir.global internal @gc_kernel_f32_m32n32k64
// CHECK-DAG: llvm.mlir.global internal @gc_kernel_f32_m4n32k64
// CHECK-NOT: llvm.mlir.global internal @gc_kernel
// CHECK-LABEL: func.func @mixed
// CHECK: llvm.call %{{.*}}(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) : !llvm.ptr, (!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()
// CHECK: call @gc_brgemm_vector_f32_m32n30k64
// CHECK: call @gc_brgemm_vector_f32_m1n32k64
// CHECK: call @gc_brgemm_vector_f32_m32n1k64
// A little slower is not worth the compile time.
// CHECK: llvm.call %{{.*}}(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}})
// CHECK: call @gc_brgemm_vector_f32_m2n2k64_lda64ldb536870912ldc32

// REMARK-NOT: {{m=32 n=32|m=4 n=32}}
// REMARK: remark: [Missed] libxsmm-kernel | Category:tir-lower-microkernels | Function=mixed
// REMARK-SAME: Reason="without AVX-512 libxsmm is slow in the columns past the last multiple of 32"
// REMARK-SAME: vectors instead of libxsmm for m=32 n=30 k=64
// REMARK-SAME: Suggestion="choose a block of columns that 32 divides"
// REMARK: Reason="libxsmm has too few sums in flight in the rows past the last multiple of 3"
// REMARK-SAME: m=1 n=32 k=64
// REMARK: Reason="libxsmm computes a single column one element at a time"
// REMARK-SAME: m=32 n=1 k=64
// REMARK-NOT: m=4 n=32
// REMARK: Reason="libxsmm addresses at most 2 GiB from the first element"
// REMARK-SAME: m=2 n=2 k=64
func.func @mixed(%a: memref<32x64xf32>, %b: memref<64x32xf32>, %c: memref<32x32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = 32, n = 32, k = 64, lda = 64, ldb = 32, ldc = 32, beta = 0>
  %1 = tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = 32, n = 30, k = 64, lda = 64, ldb = 32, ldc = 32, beta = 0>
  %2 = tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = 1, n = 32, k = 64, lda = 64, ldb = 32, ldc = 32, beta = 0>
  %3 = tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = 32, n = 1, k = 64, lda = 64, ldb = 32, ldc = 32, beta = 0>
  %4 = tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = 4, n = 32, k = 64, lda = 64, ldb = 32, ldc = 32, beta = 0>
  %5 = tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = 2, n = 2, k = 64, lda = 64, ldb = 536870912, ldc = 32, beta = 0>
  tir.brgemm %0 batch(%c1) a(%a[%c0, %c0]) b(%b[%c0, %c0]) c(%c[%c0, %c0]) : memref<32x64xf32>, memref<64x32xf32>, memref<32x32xf32>
  tir.brgemm %1 batch(%c1) a(%a[%c0, %c0]) b(%b[%c0, %c0]) c(%c[%c0, %c0]) : memref<32x64xf32>, memref<64x32xf32>, memref<32x32xf32>
  tir.brgemm %2 batch(%c1) a(%a[%c0, %c0]) b(%b[%c0, %c0]) c(%c[%c0, %c0]) : memref<32x64xf32>, memref<64x32xf32>, memref<32x32xf32>
  tir.brgemm %3 batch(%c1) a(%a[%c0, %c0]) b(%b[%c0, %c0]) c(%c[%c0, %c0]) : memref<32x64xf32>, memref<64x32xf32>, memref<32x32xf32>
  tir.brgemm %4 batch(%c1) a(%a[%c0, %c0]) b(%b[%c0, %c0]) c(%c[%c0, %c0]) : memref<32x64xf32>, memref<64x32xf32>, memref<32x32xf32>
  tir.brgemm %5 batch(%c1) a(%a[%c0, %c0]) b(%b[%c0, %c0]) c(%c[%c0, %c0]) : memref<32x64xf32>, memref<64x32xf32>, memref<32x32xf32>
  return
}
}

//--- avx512.mlir

// Column tails are masked there, which libxsmm does well; not so n = 1.

#avx512 = #dlti.target_device_spec<"machine" = "zen4-2", "max_vector_op_width" = 512 : i64, "num_vector_registers" = 32 : i64>
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #avx512>} {
// CHECK: llvm.mlir.global internal @gc_kernel_f32_m32n30k64
// CHECK-NOT: llvm.mlir.global internal @gc_kernel
// CHECK: call @gc_brgemm_vector_f32_m32n1k64
func.func @avx512(%a: memref<32x64xf32>, %b: memref<64x32xf32>, %c: memref<32x32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = 32, n = 30, k = 64, lda = 64, ldb = 32, ldc = 32, beta = 0>
  %1 = tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = 32, n = 1, k = 64, lda = 64, ldb = 1, ldc = 32, beta = 0>
  tir.brgemm %0 batch(%c1) a(%a[%c0, %c0]) b(%b[%c0, %c0]) c(%c[%c0, %c0]) : memref<32x64xf32>, memref<64x32xf32>, memref<32x32xf32>
  tir.brgemm %1 batch(%c1) a(%a[%c0, %c0]) b(%b[%c0, %c0]) c(%c[%c0, %c0]) : memref<32x64xf32>, memref<64x32xf32>, memref<32x32xf32>
  return
}
}

//--- sse.mlir

#sse = #dlti.target_device_spec<"machine" = "zen3-2", "max_vector_op_width" = 128 : i64, "num_vector_registers" = 16 : i64>
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #sse>} {
// CHECK-NOT: llvm.mlir.global internal @gc_kernel
// CHECK: func.func private @gc_brgemm_vector_f32_m32n32k64
// CHECK: vector.fma {{.*}} : vector<4xf32>
func.func @sse(%a: memref<32x64xf32>, %b: memref<64x32xf32>, %c: memref<32x32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = 32, n = 32, k = 64, lda = 64, ldb = 32, ldc = 32, beta = 0>
  tir.brgemm %0 batch(%c1) a(%a[%c0, %c0]) b(%b[%c0, %c0]) c(%c[%c0, %c0]) : memref<32x64xf32>, memref<64x32xf32>, memref<32x32xf32>
  return
}
}
