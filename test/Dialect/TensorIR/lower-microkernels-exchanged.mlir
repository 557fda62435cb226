// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Kernels of a transposed B that exchange their operands: rows of A become lanes.

// RUN: split-file %s %t
// RUN: gc-opt %t/bytes.mlir -tir-lower-microkernels | FileCheck %t/bytes.mlir
// RUN: gc-opt %t/pairs.mlir -tir-lower-microkernels | FileCheck %t/pairs.mlir

//--- bytes.mlir

// Four rows are packed, with the sums of their elements, which the zero point of B is
// multiplied by. The elements of each of 16 columns are added up along k; lanes past
// k = 80 are zero. In a step the groups of 16 columns are multiplied by one vector of
// rows, and their part of the columns to come is fetched. Four squares are transposed
// and become whole rows of C, to which later blocks of the batch are added. Four columns
// are left.

#vnni = #dlti.target_device_spec<"machine" = "zen4-2", "max_vector_op_width" = 512 : i64, "num_vector_registers" = 32 : i64>
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #vnni>} {
// CHECK-LABEL: func.func private @gc_brgemm_vector_u8u8_s32_s32_bt_zp134_128_m4n20k80
// CHECK: %[[ROWS:.*]] = arith.constant 80 : i64
// CHECK: llvm.alloca %[[ROWS]] x i32
// CHECK: llvm.alloca %{{.*}} x i32
// CHECK: scf.for
// CHECK: %[[LATER:.*]] = arith.cmpi sgt
// CHECK: %[[SUM:.*]] = scf.for {{.*}} -> (vector<4xi32>)
// CHECK-COUNT-4: llvm.load {{.*}} -> vector<4xi32>
// CHECK-COUNT-8: vector.shuffle {{.*}} : vector<4xi32>, vector<4xi32>
// CHECK: arith.xori
// CHECK: llvm.store {{.*}} : vector<4xi32>
// CHECK: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.128"
// CHECK: arith.constant dense<-128> : vector<4xi32>
// CHECK: arith.muli %[[SUM]]
// CHECK: arith.constant dense<61440> : vector<4xi32>
// CHECK: llvm.store {{.*}} : vector<4xi32>
// CHECK: scf.for
// CHECK-COUNT-32: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"
// CHECK: arith.constant dense<-6> : vector<16xi32>
// CHECK: %[[TERMS:.*]] = arith.muli %{{.*}} : vector<16xi32>
// CHECK: %[[SUMS:.*]]:16 = scf.for
// CHECK: llvm.intr.prefetch
// CHECK-COUNT-16: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.128"
// CHECK: llvm.intr.prefetch
// CHECK-COUNT-16: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.128"
// CHECK: scf.yield
// CHECK-COUNT-32: vector.shuffle {{.*}} : vector<4xi32>, vector<4xi32>
// CHECK-COUNT-4: vector.insert_strided_slice {{.*}} : vector<4xi32> into vector<16xi32>
// CHECK: arith.addi %{{.*}}, %[[TERMS]] : vector<16xi32>
// CHECK: vector.broadcast %[[LATER]] : i1 to vector<16xi1>
// CHECK: llvm.intr.masked.load
// CHECK: llvm.store {{.*}} : vector<16xi32>
// CHECK-COUNT-3: llvm.store {{.*}} : vector<16xi32>
// CHECK: %{{.*}}:4 = scf.for
// CHECK-COUNT-4: llvm.store {{.*}} : vector<4xi32>
// CHECK-NOT: llvm.store
func.func @bytes(%a: memref<4x80xi8>, %b: memref<20x80xi8>, %c: memref<4x20xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %k = tir.brgemm_dispatch #tir.kernel<u8 x u8 -> s32 acc s32, m = 4, n = 20, k = 80, lda = 80, ldb = 80, ldc = 20, transpose_b, zp_a = 134, zp_b = 128, beta = 0> implementation(vector) ahead(8192)
  tir.brgemm %k batch(%c1) a(%a[%c0, %c0]) b(%b[%c0, %c0]) c(%c[%c0, %c0]) : memref<4x80xi8>, memref<20x80xi8>, memref<4x20xi32>
  return
}
}

//--- pairs.mlir

// 20 rows are two vectors, of which the second has 12 lanes of zeros that are not
// stored. C is added to.

#bf16 = #dlti.target_device_spec<"machine" = "zen4-2", "max_vector_op_width" = 512 : i64, "num_vector_registers" = 32 : i64>
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #bf16>} {
// CHECK-LABEL: func.func private @gc_brgemm_vector_bf16bf16_f32_f32_bt_m20n16k64
// CHECK-COUNT-16: llvm.load {{.*}} -> vector<16xi32>
// CHECK: %{{.*}}:16 = scf.for
// CHECK-COUNT-32: llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"
// CHECK-COUNT-16: llvm.store {{.*}} : vector<16xf32>
// CHECK: %{{.*}}:16 = scf.for
// CHECK-COUNT-32: llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"
// CHECK: llvm.load {{.*}} -> vector<16xf32>
// CHECK-COUNT-4: llvm.store {{.*}} : vector<16xf32>
// CHECK-NOT: llvm.store
func.func @pairs(%a: memref<20x64xbf16>, %b: memref<16x64xbf16>, %c: memref<20x16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %k = tir.brgemm_dispatch #tir.kernel<bf16 x bf16 -> f32 acc f32, m = 20, n = 16, k = 64, lda = 64, ldb = 64, ldc = 16, transpose_b, beta = 1> implementation(vector)
  tir.brgemm %k batch(%c1) a(%a[%c0, %c0]) b(%b[%c0, %c0]) c(%c[%c0, %c0]) : memref<20x64xbf16>, memref<16x64xbf16>, memref<20x16xf32>
  return
}
}
