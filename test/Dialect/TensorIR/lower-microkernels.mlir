// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// libxsmm kernels: a handle per distinct kernel, resolved when the module
// loads, loaded at a function's entry and called in the LLVM dialect.

// RUN: gc-opt %s -split-input-file -tir-lower-microkernels=kernel=libxsmm | FileCheck %s
// RUN: gc-opt %s -split-input-file -tir-lower-microkernels=kernel=libxsmm -convert-scf-to-cf -finalize-memref-to-llvm -convert-arith-to-llvm -convert-cf-to-llvm -convert-func-to-llvm -reconcile-unrealized-casts | FileCheck %s --check-prefix=LLVM

// The batch is constant, C is a strided view at an offset known at run time.

// CHECK: llvm.mlir.global internal constant @gc_batch_8(8 : i64) {{.*}} : i64
// CHECK: llvm.mlir.global internal @[[$HANDLE:gc_kernel_f32_m32n64k48_lda48ldb64ldc128_sa1536sb3072_beta0]]() {{.*}} : !llvm.ptr {
// CHECK-NEXT: %[[NULL:.*]] = llvm.mlir.zero : !llvm.ptr
// CHECK-NEXT: llvm.return %[[NULL]]
// The fields of the runtime's gc_kernel_spec: version; types of A, B, C and sums;
// packing; transposition; m, n, k; leading dimensions; form of the batch and its
// strides in elements; beta.
// CHECK: llvm.mlir.global internal constant @[[$SPEC:gc_kernel_spec_f32_m32n64k48_[a-z0-9_]*]](dense<[2, 0, 0, 0, 0, 1, 1, 0, 0, 32, 64, 48, 48, 64, 128, 0, 1536, 3072, 0, 0, 0, 0, 0]> : tensor<23xi64>) {{.*}} : !llvm.array<23 x i64>
// CHECK: llvm.func @gc_brgemm_dispatch(!llvm.ptr) -> !llvm.ptr

// CHECK-LABEL: func.func @block(
// CHECK-SAME: %[[A:[^:]*]]: memref<4x8x32x48xf32>, %[[B:[^:]*]]: memref<8x48x64xf32>, %[[C:[^:]*]]: memref<32x64xf32, {{.*}}>, %[[I:.*]]: index
// CHECK-NEXT: %[[GLOBAL:.*]] = llvm.mlir.addressof @[[$HANDLE]]
// CHECK-NEXT: %[[KERNEL:.*]] = llvm.load %[[GLOBAL]]
// CHECK-NOT: tir.
// CHECK: %[[STRIDE:.*]] = arith.constant 12288 : index
// CHECK: %[[AT:.*]] = arith.muli %[[I]], %[[STRIDE]]
// CHECK: %[[BASEA:.*]] = memref.extract_aligned_pointer_as_index %[[A]]
// CHECK: %[[INTA:.*]] = arith.index_cast %[[BASEA]] : index to i64
// CHECK: %[[PTRA:.*]] = llvm.inttoptr %[[INTA]]
// CHECK: %[[AT64:.*]] = arith.index_cast %[[AT]]
// CHECK: %[[ELEMA:.*]] = llvm.getelementptr inbounds %[[PTRA]][%[[AT64]]] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK: memref.extract_aligned_pointer_as_index %[[B]]
// CHECK: %[[PTRB:.*]] = llvm.inttoptr
// CHECK: %{{.*}}, %[[OFFSET:.*]], %{{.*}}:2, %{{.*}}:2 = memref.extract_strided_metadata %[[C]]
// CHECK: %[[PTRC:.*]] = llvm.inttoptr
// CHECK: %[[OFFSET64:.*]] = arith.index_cast %[[OFFSET]]
// CHECK: %[[ELEMC:.*]] = llvm.getelementptr inbounds %[[PTRC]][%[[OFFSET64]]]
// CHECK: %[[BATCH:.*]] = llvm.mlir.addressof @gc_batch_8
// B comes first: libxsmm is column-major.
// CHECK: llvm.call %[[KERNEL]](%[[PTRB]], %[[ELEMA]], %[[ELEMC]], %[[BATCH]]) : !llvm.ptr, (!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()

// CHECK-LABEL: llvm.func @gc_kernels_init() -> i32
// CHECK: %[[WHAT:.*]] = llvm.mlir.addressof @[[$SPEC]]
// CHECK: %[[FOUND:.*]] = llvm.call @gc_brgemm_dispatch(%[[WHAT]])
// CHECK: %[[WHERE:.*]] = llvm.mlir.addressof @[[$HANDLE]]
// CHECK: llvm.store %[[FOUND]], %[[WHERE]]
// CHECK: %[[MISSING:.*]] = llvm.icmp "eq" %[[FOUND]]
// CHECK: llvm.cond_br %[[MISSING]], ^[[FAIL:.*]], ^[[NEXT:.*]]
// CHECK: ^[[NEXT]]:
// CHECK: %[[OK:.*]] = llvm.mlir.constant(0 : i32)
// CHECK: llvm.return %[[OK]]
// CHECK: ^[[FAIL]]:
// CHECK: %[[STATUS:.*]] = llvm.mlir.constant(3 : i32)
// CHECK: llvm.return %[[STATUS]]

// LLVM-LABEL: llvm.func @block(
// LLVM: %[[ADDRESS:.*]] = llvm.mlir.addressof @gc_kernel_f32_m32n64k48
// LLVM: %[[KERNEL:.*]] = llvm.load %[[ADDRESS]]
// LLVM: llvm.call %[[KERNEL]](%{{.*}}) : !llvm.ptr, (!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()
func.func @block(%a: memref<4x8x32x48xf32>, %b: memref<8x48x64xf32>,
                 %c: memref<32x64xf32, strided<[128, 1], offset: ?>>,
                 %i: index) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %k = tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = 32, n = 64, k = 48, lda = 48, ldb = 64, ldc = 128, stride_a = 1536, stride_b = 3072, beta = 0>
  tir.brgemm %k batch(%c8) a(%a[%i, %c0, %c0, %c0]) b(%b[%c0, %c0, %c0])
    c(%c[%c0, %c0]) : memref<4x8x32x48xf32>, memref<8x48x64xf32>,
                      memref<32x64xf32, strided<[128, 1], offset: ?>>
  return
}

// -----

// A batch known at run time goes through one slot at the entry, also for calls
// in loops; a constant index becomes part of a constant offset; one kernel in
// two functions is one handle, two kernels are two, resolved in order.

// CHECK: llvm.mlir.global internal @gc_kernel_f32
// CHECK: llvm.mlir.global internal constant @gc_kernel_spec_f32
// CHECK: llvm.mlir.global internal @gc_kernel_f32
// CHECK: llvm.mlir.global internal constant @gc_kernel_spec_f32
// CHECK-NOT: llvm.mlir.global
// CHECK-LABEL: func.func @loop(
// CHECK-SAME: %[[N:[^:]*]]: index
// CHECK: %[[ONE:.*]] = llvm.mlir.constant(1 : i64)
// CHECK-NEXT: %[[SLOT:.*]] = llvm.alloca %[[ONE]] x i64
// CHECK: %[[GLOBAL:.*]] = llvm.mlir.addressof @gc_kernel_f32_m8n32k16_lda16ldb32ldc32_sa128sb512_beta1
// CHECK-NEXT: %[[KERNEL:.*]] = llvm.load %[[GLOBAL]]
// CHECK: scf.for
// CHECK: %[[OFFSET:.*]] = llvm.mlir.constant(384 : i64)
// CHECK: llvm.getelementptr inbounds %{{.*}}[%[[OFFSET]]] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK: %[[N64:.*]] = arith.index_cast %[[N]] : index to i64
// CHECK-NEXT: llvm.store %[[N64]], %[[SLOT]]
// CHECK-NEXT: llvm.call %[[KERNEL]](%{{.*}}, %{{.*}}, %{{.*}}, %[[SLOT]])
func.func @loop(%n: index, %a: memref<64x8x16xf32>, %b: memref<64x16x32xf32>,
                %c: memref<8x32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  scf.for %i = %c0 to %c3 step %c1 {
    %k = tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = 8, n = 32, k = 16, lda = 16, ldb = 32, ldc = 32, stride_a = 128, stride_b = 512, beta = 1>
    tir.brgemm %k batch(%n) a(%a[%c3, %c0, %c0]) b(%b[%i, %c0, %c0])
      c(%c[%c0, %c0]) : memref<64x8x16xf32>, memref<64x16x32xf32>, memref<8x32xf32>
  }
  return
}

// CHECK-LABEL: func.func @two(
// CHECK-COUNT-2: llvm.call %{{.*}}(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}})
// CHECK-LABEL: llvm.func @gc_kernels_init
// CHECK: llvm.call @gc_brgemm_dispatch
// CHECK: llvm.cond_br %{{.*}}, ^[[FAIL:.*]], ^[[NEXT:.*]]
// CHECK: ^[[NEXT]]:
// CHECK: llvm.call @gc_brgemm_dispatch
// CHECK: llvm.cond_br %{{.*}}, ^[[FAIL]], ^
// CHECK-NOT: llvm.call @gc_brgemm_dispatch
func.func @two(%n: index, %a: memref<64x8x16xf32>, %b: memref<64x16x32xf32>,
               %c: memref<8x32xf32>) {
  %c0 = arith.constant 0 : index
  %k = tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = 8, n = 32, k = 16, lda = 16, ldb = 32, ldc = 32, stride_a = 128, stride_b = 512, beta = 1>
  %l = tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = 7, n = 32, k = 16, lda = 16, ldb = 32, ldc = 32, stride_a = 128, stride_b = 512, beta = 1>
  tir.brgemm %k batch(%n) a(%a[%c0, %c0, %c0]) b(%b[%c0, %c0, %c0])
    c(%c[%c0, %c0]) : memref<64x8x16xf32>, memref<64x16x32xf32>, memref<8x32xf32>
  tir.brgemm %l batch(%n) a(%a[%c0, %c0, %c0]) b(%b[%c0, %c0, %c0])
    c(%c[%c0, %c0]) : memref<64x8x16xf32>, memref<64x16x32xf32>, memref<8x32xf32>
  return
}

// -----

// A kernel that is never called leaves nothing behind.

// CHECK-LABEL: func.func @unused
// CHECK-NEXT: return
// CHECK-NOT: llvm.func @gc_kernels_init
func.func @unused() {
  %k = tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = 8, n = 32, k = 16, lda = 16, ldb = 32, ldc = 32, stride_a = 128, stride_b = 512, beta = 1>
  return
}

// -----

// The blocks' offsets follow the batch, those of B first; addresses take the
// place of A and B.
// CHECK-DAG: @gc_kernel_spec_f32_m4n8k4_lda4ldb8ldc8_offset_beta0(dense<[2, 0, 0, 0, 0, 1, 1, 0, 0, 4, 8, 4, 4, 8, 8, 1, 0, 0, 0, 0, 0, 0, 0]>
// CHECK-DAG: @gc_kernel_spec_f32_m4n8k4_lda4ldb8ldc8_address_beta0(dense<[2, 0, 0, 0, 0, 1, 1, 0, 0, 4, 8, 4, 4, 8, 8, 2, 0, 0, 0, 0, 0, 0, 0]>
// CHECK-LABEL: func.func @lists(
// CHECK-SAME: %[[A:[^:]*]]: memref<64xf32>, %[[B:[^:]*]]: memref<64xf32>, %[[C:[^:]*]]: memref<4x8xf32>, %[[OA:[^:]*]]: memref<2xi64>, %[[OB:[^:]*]]: memref<2xi64>, %[[L:[^:]*]]: memref<3x2xi64>
// CHECK-DAG: memref.extract_aligned_pointer_as_index %[[A]]
// CHECK-DAG: memref.extract_aligned_pointer_as_index %[[B]]
// CHECK: memref.extract_aligned_pointer_as_index %[[C]]
// CHECK: memref.extract_aligned_pointer_as_index %[[OA]]
// CHECK: %[[PA:.*]] = llvm.inttoptr
// CHECK: memref.extract_aligned_pointer_as_index %[[OB]]
// CHECK: %[[PB:.*]] = llvm.inttoptr
// CHECK: llvm.call %{{.*}}(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %[[PB]], %[[PA]]) : !llvm.ptr, (!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()
// CHECK: memref.extract_aligned_pointer_as_index %[[L]]
// CHECK: %[[FOUR:.*]] = llvm.mlir.constant(4 : i64)
// CHECK: %[[LA:.*]] = llvm.getelementptr inbounds %{{.*}}[%[[FOUR]]] : (!llvm.ptr, i64) -> !llvm.ptr, i64
// CHECK: memref.extract_aligned_pointer_as_index %[[L]]
// CHECK: %[[LB:.*]] = llvm.inttoptr
// CHECK: llvm.call %{{.*}}(%[[LB]], %[[LA]], %{{.*}}, %{{.*}}) : !llvm.ptr, (!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()
func.func @lists(%a: memref<64xf32>, %b: memref<64xf32>, %c: memref<4x8xf32>, %oa: memref<2xi64>, %ob: memref<2xi64>, %l: memref<3x2xi64>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %0 = tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = 4, n = 8, k = 4, lda = 4, ldb = 8, ldc = 8, batch = offset, beta = 0>
  tir.brgemm %0 batch(%c2) a(%a[%c0]) b(%b[%c0]) c(%c[%c0, %c0]) offsets(%oa, %ob : memref<2xi64>, memref<2xi64>) : memref<64xf32>, memref<64xf32>, memref<4x8xf32>
  %1 = tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = 4, n = 8, k = 4, lda = 4, ldb = 8, ldc = 8, batch = address, beta = 0>
  tir.brgemm %1 batch(%c2) a(%l[%c2, %c0]) b(%l[%c0, %c0]) c(%c[%c0, %c0]) : memref<3x2xi64>, memref<3x2xi64>, memref<4x8xf32>
  return
}
