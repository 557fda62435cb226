// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Register tiles of vector kernels on a machine with 16 registers of 8 lanes.

// RUN: split-file %s %t
// RUN: gc-opt %t/full.mlir -tir-lower-microkernels=kernel=vector | FileCheck %t/full.mlir
// RUN: gc-opt %t/tails.mlir -tir-lower-microkernels=kernel=vector | FileCheck %t/tails.mlir
// RUN: gc-opt %t/narrow.mlir -tir-lower-microkernels=kernel=vector | FileCheck %t/narrow.mlir
// RUN: gc-opt %t/column.mlir -tir-lower-microkernels=kernel=vector | FileCheck %t/column.mlir
// RUN: gc-opt %t/transposed.mlir -tir-lower-microkernels=kernel=vector | FileCheck %t/transposed.mlir
// RUN: gc-opt %t/transposed_bytes.mlir -tir-lower-microkernels=kernel=vector | FileCheck %t/transposed_bytes.mlir
// RUN: gc-opt %t/interleaved.mlir -tir-lower-microkernels=kernel=vector | FileCheck %t/interleaved.mlir
// RUN: gc-opt %t/row.mlir -tir-lower-microkernels=kernel=vector | FileCheck %t/row.mlir
// RUN: gc-opt %t/avx512.mlir -tir-lower-microkernels=kernel=vector | FileCheck %t/avx512.mlir

//--- full.mlir

// A whole block: tiles of 6 rows and 2 vectors, 12 accumulators carried by both
// loops, rows balanced as 6 6 5 5 5 5, C added to (beta = 1).

#avx2 = #dlti.target_device_spec<"machine" = "zen3-2", "max_vector_op_width" = 256 : i64, "num_vector_registers" = 16 : i64>
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #avx2>} {
// CHECK-LABEL: func.func @full(
// CHECK: call @[[KERNEL:gc_brgemm_vector_f32_m32n64k64_lda64ldb64ldc64_sa2048sb4096_beta1]](%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) : (i64, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()
// CHECK: call @[[KERNEL]](
// CHECK-NOT: gc_kernels_init
// One function for both calls, not inlined; what C points to is its own.
// CHECK: func.func private @[[KERNEL]](%[[BATCH:.*]]: i64, %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr {llvm.noalias})
// CHECK-SAME: llvm.linkage = #llvm.linkage<internal>, no_inline
// CHECK-DAG: %[[N:.*]] = arith.constant 64 : i64
// CHECK-DAG: %[[STEP:.*]] = arith.constant 16 : i64
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[N]] step %[[STEP]]
// CHECK-DAG: %[[ROWS:.*]] = arith.constant 12 : i64
// CHECK-DAG: %[[SIX:.*]] = arith.constant 6 : i64
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[ROWS]] step %[[SIX]]
// CHECK-COUNT-12: llvm.load {{.*}} -> vector<8xf32>
// CHECK-NOT: vector<8xf32>
// CHECK: %{{.*}}:12 = scf.for %{{.*}} = %{{.*}} to %[[BATCH]]
// CHECK: %{{.*}}:12 = scf.for
// CHECK-COUNT-24: vector.fma {{.*}} : vector<8xf32>
// CHECK-NOT: vector.fma
// CHECK: } {loop_annotation =
// CHECK-COUNT-12: llvm.store {{.*}} : vector<8xf32>, !llvm.ptr
// CHECK-DAG: %[[REST:.*]] = arith.constant 32 : i64
// CHECK-DAG: %[[FIVE:.*]] = arith.constant 5 : i64
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[REST]] step %[[FIVE]]
// CHECK: %{{.*}}:10 = scf.for
// CHECK-NOT: func.func
func.func @full(%a: memref<8x32x64xf32>, %b: memref<8x64x64xf32>, %c: memref<32x64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %k = tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = 32, n = 64, k = 64, lda = 64, ldb = 64, ldc = 64, stride_a = 2048, stride_b = 4096, beta = 1>
  tir.brgemm %k batch(%n) a(%a[%c0, %c0, %c0]) b(%b[%c0, %c0, %c0]) c(%c[%c0, %c0]) : memref<8x32x64xf32>, memref<8x64x64xf32>, memref<32x64xf32>
  tir.brgemm %k batch(%n) a(%a[%c0, %c0, %c0]) b(%b[%c0, %c0, %c0]) c(%c[%c0, %c0]) : memref<8x32x64xf32>, memref<8x64x64xf32>, memref<32x64xf32>
  return
}
}

//--- tails.mlir

// 13 columns: the second vector overlaps the first, no mask and nothing outside
// the block is touched. 7 rows are 4 and 3. k = 29 divides by no unroll factor;
// with only 6 accumulators two sums each hide the latency, and the odd step is
// left over. Without beta C is not read.

#avx2 = #dlti.target_device_spec<"machine" = "zen3-2", "max_vector_op_width" = 256 : i64, "num_vector_registers" = 16 : i64>
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #avx2>} {
// CHECK-LABEL: func.func private @gc_brgemm_vector_f32_m7n13k29
// CHECK-NOT: masked
// CHECK: %{{.*}}:8 = scf.for
// CHECK: %{{.*}}:8 = scf.for
// CHECK: %[[FIRST:.*]] = llvm.load %[[AT:.*]] {alignment = 4 : i64} : !llvm.ptr -> vector<8xf32>
// CHECK: %[[NEXT:.*]] = llvm.getelementptr inbounds %[[AT]][5]
// CHECK: llvm.load %[[NEXT]] {alignment = 4 : i64} : !llvm.ptr -> vector<8xf32>
// CHECK-COUNT-8: vector.fma
// CHECK-NOT: vector.fma
// CHECK-COUNT-8: llvm.store {{.*}} : vector<8xf32>
// CHECK: %{{.*}}:12 = scf.for
// CHECK: %{{.*}}:12 = scf.for
// CHECK-COUNT-12: vector.fma
// CHECK: scf.yield
// CHECK-COUNT-6: vector.fma
// CHECK: scf.yield
// CHECK-COUNT-6: arith.addf
// CHECK-COUNT-6: llvm.store {{.*}} : vector<8xf32>
// CHECK-NOT: masked
func.func @tails(%a: memref<3x7x29xf32>, %b: memref<3x29x13xf32>, %c: memref<7x13xf32>) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %k = tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = 7, n = 13, k = 29, lda = 29, ldb = 13, ldc = 13, stride_a = 203, stride_b = 377, beta = 0>
  tir.brgemm %k batch(%c3) a(%a[%c0, %c0, %c0]) b(%b[%c0, %c0, %c0]) c(%c[%c0, %c0]) : memref<3x7x29xf32>, memref<3x29x13xf32>, memref<7x13xf32>
  return
}
}

//--- narrow.mlir

// 3 columns are fewer than a vector: 4 lanes, loaded under a mask and stored as
// the 3 that exist.

#avx2 = #dlti.target_device_spec<"machine" = "zen3-2", "max_vector_op_width" = 256 : i64, "num_vector_registers" = 16 : i64>
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #avx2>} {
// CHECK-LABEL: func.func private @gc_brgemm_vector_f32_m8n3k16
// CHECK: %[[MASK:.*]] = arith.constant dense<[true, true, true, false]> : vector<4xi1>
// CHECK: llvm.intr.masked.load %{{.*}}, %[[MASK]], %{{.*}} -> vector<4xf32>
// CHECK: vector.fma {{.*}} : vector<4xf32>
// CHECK: %[[PART:.*]] = vector.extract_strided_slice {{.*}} {offsets = [0], sizes = [3], strides = [1]} : vector<4xf32> to vector<3xf32>
// CHECK: llvm.store %[[PART]]
func.func @narrow(%a: memref<8x16xf32>, %b: memref<16x3xf32>, %c: memref<8x3xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %k = tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = 8, n = 3, k = 16, lda = 16, ldb = 3, ldc = 3, stride_a = 128, stride_b = 48, beta = 0>
  tir.brgemm %k batch(%c1) a(%a[%c0, %c0]) b(%b[%c0, %c0]) c(%c[%c0, %c0]) : memref<8x16xf32>, memref<16x3xf32>, memref<8x3xf32>
  return
}
}

//--- column.mlir

// n = 1 runs along k: dot products of 8 rows at once, the 1 element past the
// last whole vector of k = 257 under a mask, lanes added up at the end, C added
// to what comes out of that.

#avx2 = #dlti.target_device_spec<"machine" = "zen3-2", "max_vector_op_width" = 256 : i64, "num_vector_registers" = 16 : i64>
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #avx2>} {
// CHECK-LABEL: func.func private @gc_brgemm_vector_f32_m64n1k257
// CHECK: %[[MASK:.*]] = arith.constant dense<[true, false, false, false, false, false, false, false]>
// CHECK: %{{.*}}:8 = scf.for
// CHECK: %{{.*}}:8 = scf.for
// CHECK-COUNT-9: llvm.load {{.*}} -> vector<8xf32>
// CHECK-NOT: vector.broadcast
// CHECK: scf.yield
// CHECK-COUNT-9: llvm.intr.masked.load
// CHECK: scf.yield
// Four sums at a time, which are neighbours in C.
// CHECK: %[[EVEN:.*]] = vector.shuffle %[[X:.*]], %[[Y:.*]] [0, 2, 8, 10, 4, 6, 12, 14] : vector<8xf32>, vector<8xf32>
// CHECK: %[[ODD:.*]] = vector.shuffle %[[X]], %[[Y]] [1, 3, 9, 11, 5, 7, 13, 15] : vector<8xf32>, vector<8xf32>
// CHECK: arith.addf %[[EVEN]], %[[ODD]] : vector<8xf32>
// CHECK: vector.extract_strided_slice {{.*}} {offsets = [0], sizes = [4], strides = [1]} : vector<8xf32> to vector<4xf32>
// CHECK: vector.extract_strided_slice {{.*}} {offsets = [4], sizes = [4], strides = [1]} : vector<8xf32> to vector<4xf32>
// CHECK: llvm.load {{.*}} -> vector<4xf32>
// CHECK: llvm.store {{.*}} : vector<4xf32>
// CHECK: vector.shuffle
// CHECK: llvm.store {{.*}} : vector<4xf32>
// CHECK-NOT: vector.reduction
// CHECK-NOT: llvm.intr.prefetch
func.func @column(%a: memref<64x257xf32>, %b: memref<257xf32>, %c: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %k = tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = 64, n = 1, k = 257, lda = 257, ldb = 1, ldc = 1, beta = 1>
  tir.brgemm %k batch(%c1) a(%a[%c0, %c0]) b(%b[%c0]) c(%c[%c0]) : memref<64x257xf32>, memref<257xf32>, memref<64xf32>
  return
}
}

//--- transposed.mlir

// Columns of B are contiguous along k: 2 of 4 rows by 4 of 8 columns have 8 sums, which
// are stored four at a time. B is fetched ahead, beyond its end, too. k = 20 are two
// whole vectors and a half.

#avx2 = #dlti.target_device_spec<"machine" = "zen3-2", "max_vector_op_width" = 256 : i64, "num_vector_registers" = 16 : i64>
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #avx2>} {
// CHECK-LABEL: func.func private @gc_brgemm_vector_f32_bt_m4n8k20_lda20ldb24
// CHECK: scf.for
// CHECK: arith.constant dense<[true, true, true, true, false, false, false, false]>
// CHECK: %{{.*}}:8 = scf.for
// CHECK: llvm.getelementptr %{{.*}}[8192]
// CHECK: llvm.intr.prefetch
// CHECK-COUNT-16: vector.fma
// CHECK: llvm.intr.masked.load
// CHECK-COUNT-8: vector.fma
// CHECK-COUNT-6: vector.shuffle
// CHECK: llvm.store {{.*}} : vector<4xf32>
// CHECK-COUNT-6: vector.shuffle
// CHECK: llvm.store {{.*}} : vector<4xf32>
// CHECK-NOT: llvm.store
func.func @transposed(%a: memref<4x20xf32>, %b: memref<8x24xf32>, %c: memref<4x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %k = tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = 4, n = 8, k = 20, lda = 20, ldb = 24, ldc = 8, transpose_b, beta = 0> implementation(vector) ahead(8192)
  tir.brgemm %k batch(%c1) a(%a[%c0, %c0]) b(%b[%c0, %c0]) c(%c[%c0, %c0]) : memref<4x20xf32>, memref<8x24xf32>, memref<4x8xf32>
  return
}
}

//--- transposed_bytes.mlir

// Dot products of bytes, where a zero point of A takes off the sum of each column of
// B: that is added up from the same vectors, multiplied by ones. s8 by s8 is u8 by s8,
// with 128 more in A, so that 128 + 3 times the sum is taken off.

#vnni = #dlti.target_device_spec<"machine" = "zen4-2", "max_vector_op_width" = 512 : i64, "num_vector_registers" = 32 : i64>
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #vnni>} {
// CHECK-LABEL: func.func private @gc_brgemm_vector_s8s8_s32_s32_bt_zp3_0_m2n4k64
// CHECK: %{{.*}}:12 = scf.for
// CHECK: %[[SIGNS:.*]] = arith.constant dense<-2139062144> : vector<16xi32>
// CHECK: arith.xori %{{.*}}, %[[SIGNS]]
// CHECK: arith.xori
// CHECK: %[[COLUMN:.*]] = llvm.load {{.*}} -> vector<16xi32>
// CHECK: %[[ONES:.*]] = arith.constant dense<16843009> : vector<16xi32>
// CHECK: %[[LEFT:.*]] = vector.bitcast %[[ONES]]
// CHECK: %[[RIGHT:.*]] = vector.bitcast %[[COLUMN]]
// CHECK-NEXT: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"(%{{.*}}, %[[LEFT]], %[[RIGHT]])
// CHECK-COUNT-11: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"
// CHECK-NOT: llvm.call_intrinsic
// CHECK: arith.constant dense<-131> : vector<16xi32>
// CHECK-COUNT-4: arith.muli
// CHECK: llvm.store {{.*}} : vector<4xi32>
// CHECK: llvm.store {{.*}} : vector<4xi32>
// CHECK-NOT: llvm.store
func.func @transposed_bytes(%a: memref<2x64xi8>, %b: memref<4x64xi8>, %c: memref<2x4xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %k = tir.brgemm_dispatch #tir.kernel<s8 x s8 -> s32 acc s32, m = 2, n = 4, k = 64, lda = 64, ldb = 64, ldc = 4, transpose_b, zp_a = 3, beta = 0> implementation(vector)
  tir.brgemm %k batch(%c1) a(%a[%c0, %c0]) b(%b[%c0, %c0]) c(%c[%c0, %c0]) : memref<2x64xi8>, memref<4x64xi8>, memref<2x4xi32>
  return
}
}

//--- interleaved.mlir

// Two rows of bf16 become one vector of pairs; the last one of 3 rows has zeros
// beside it, and row 3, which does not exist, is not read.

#avx2 = #dlti.target_device_spec<"machine" = "zen3-2", "max_vector_op_width" = 256 : i64, "num_vector_registers" = 16 : i64>
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #avx2>} {
// CHECK-LABEL: func.func private @gc_brgemm_vector_bf16bf16_f32_f32_m1n8k3
// CHECK: %[[FIRST:.*]] = llvm.load %[[AT:.*]] {alignment = 2 : i64} : !llvm.ptr -> vector<8xi16>
// CHECK: %[[LOW:.*]] = arith.extui %[[FIRST]] : vector<8xi16> to vector<8xi32>
// CHECK: %[[NEXT:.*]] = llvm.getelementptr inbounds %[[AT]][8]
// CHECK: %[[SECOND:.*]] = llvm.load %[[NEXT]] {{.*}} -> vector<8xi16>
// CHECK: %[[WIDE:.*]] = arith.extui %[[SECOND]]
// CHECK: %[[HIGH:.*]] = arith.shli %[[WIDE]]
// CHECK: arith.ori %[[LOW]], %[[HIGH]]
// CHECK-COUNT-2: vector.fma
// CHECK: llvm.load {{.*}} -> vector<8xi16>
// CHECK-NOT: llvm.load {{.*}} -> vector<8xi16>
func.func @interleaved(%a: memref<1x3xbf16>, %b: memref<3x8xbf16>, %c: memref<1x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %k = tir.brgemm_dispatch #tir.kernel<bf16 x bf16 -> f32 acc f32, m = 1, n = 8, k = 3, lda = 3, ldb = 8, ldc = 8, beta = 0>
  tir.brgemm %k batch(%c1) a(%a[%c0, %c0]) b(%b[%c0, %c0]) c(%c[%c0, %c0]) : memref<1x3xbf16>, memref<3x8xbf16>, memref<1x8xf32>
  return
}
}

//--- row.mlir

// m = 1 takes as many columns at once as registers allow: 128 vectors are tiles
// of 13 and 12, with one broadcast element of A for all of a tile's.

#avx2 = #dlti.target_device_spec<"machine" = "zen3-2", "max_vector_op_width" = 256 : i64, "num_vector_registers" = 16 : i64>
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #avx2>} {
// CHECK-LABEL: func.func private @gc_brgemm_vector_f32_m1n1024k64
// CHECK: %[[COUNT:.*]]:12 = scf.for
// CHECK: scf.for
// CHECK: vector.broadcast
// CHECK-COUNT-12: vector.fma
// CHECK: vector.broadcast
// CHECK-COUNT-12: vector.fma
// CHECK: scf.yield
// CHECK: %{{.*}}:13 = scf.for
func.func @row(%a: memref<1x64xf32>, %b: memref<64x1024xf32>, %c: memref<1x1024xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %k = tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = 1, n = 1024, k = 64, lda = 64, ldb = 1024, ldc = 1024, stride_a = 64, stride_b = 65536, beta = 0>
  tir.brgemm %k batch(%c1) a(%a[%c0, %c0]) b(%b[%c0, %c0]) c(%c[%c0, %c0]) : memref<1x64xf32>, memref<64x1024xf32>, memref<1x1024xf32>
  return
}
}

//--- avx512.mlir

// 32 registers of 16 lanes hold 11 rows of 2 vectors; narrow tails are stored
// under a mask, which is cheap there.

#avx512 = #dlti.target_device_spec<"machine" = "zen4-2", "max_vector_op_width" = 512 : i64, "num_vector_registers" = 32 : i64>
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #avx512>} {
// CHECK-LABEL: func.func private @gc_brgemm_vector_f32_m33n32k64
// CHECK: %{{.*}}:22 = scf.for
// CHECK-COUNT-22: vector.fma {{.*}} : vector<16xf32>
// CHECK-LABEL: func.func private @gc_brgemm_vector_f32_m33n9k64
// CHECK-COUNT-9: llvm.intr.masked.store
func.func @avx512(%a: memref<33x64xf32>, %b: memref<64x32xf32>, %c: memref<33x32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %k = tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = 33, n = 32, k = 64, lda = 64, ldb = 32, ldc = 32, beta = 0>
  tir.brgemm %k batch(%c1) a(%a[%c0, %c0]) b(%b[%c0, %c0]) c(%c[%c0, %c0]) : memref<33x64xf32>, memref<64x32xf32>, memref<33x32xf32>
  %l = tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = 33, n = 9, k = 64, lda = 64, ldb = 32, ldc = 32, beta = 0>
  tir.brgemm %l batch(%c1) a(%a[%c0, %c0]) b(%b[%c0, %c0]) c(%c[%c0, %c0]) : memref<33x64xf32>, memref<64x32xf32>, memref<33x32xf32>
  return
}
}
