// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which instructions multiply narrow types: those of the machine, or wider ones
// that cannot saturate.

// RUN: gc-opt %s --machine=zen4-2 --gc-cpu-pipeline=stop-after=import --tir-lower-microkernels | FileCheck %s --check-prefixes=CHECK,VNNI
// RUN: gc-opt %s --machine=zen3-2 --gc-cpu-pipeline=stop-after=import --tir-lower-microkernels | FileCheck %s --check-prefixes=CHECK,WORDS

// CHECK-LABEL: func.func private @gc_brgemm_vector_u8s8_s32_s32_bp4
// VNNI: "llvm.x86.avx512.vpdpbusd.512"
// WORDS: "llvm.x86.avx2.pmadd.wd"
// CHECK-NOT: pmaddubs
// CHECK-LABEL: func.func private @gc_brgemm_vector_s8s8_s32_s32_bp4
// Signs of A are flipped, and 128 times the sums of B taken off.
// VNNI: arith.constant dense<-2139062144> : vector<16xi32>
// VNNI: arith.xori
// WORDS-NOT: arith.xori
// A zero point of 128 makes s8 of u8: nothing has to be corrected by rows.
// CHECK-LABEL: func.func private @gc_brgemm_vector_u8u8_s32_s32_bp4_zp0_128_m4
// VNNI-NOT: llvm.alloca
// VNNI: arith.xori
// WORDS: llvm.alloca
// WORDS-COUNT-6: vector.shuffle
// WORDS: llvm.store {{.*}} : vector<4xi32>
// WORDS: "llvm.x86.avx2.pmadd.wd"
// CHECK-LABEL: func.func private @gc_brgemm_vector_bf16bf16_f32_f32_bp2
// VNNI: "llvm.x86.avx512bf16.dpbf16ps.512"
// WORDS: vector.fma
func.func @kernels(%a: memref<4x8xi8>, %b: memref<2x32x4xi8>, %c: memref<4x32xi32>, %x: memref<4x8xbf16>, %y: memref<4x32x2xbf16>, %z: memref<4x32xf32>) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %us = tir.brgemm_dispatch #tir.kernel<u8 x s8 -> s32 acc s32, m = 4, n = 32, k = 8, lda = 8, ldb = 32, ldc = 32, pack_b = 4, beta = 0> implementation(vector)
  %ss = tir.brgemm_dispatch #tir.kernel<s8 x s8 -> s32 acc s32, m = 4, n = 32, k = 8, lda = 8, ldb = 32, ldc = 32, pack_b = 4, beta = 1> implementation(vector)
  %uu = tir.brgemm_dispatch #tir.kernel<u8 x u8 -> s32 acc s32, m = 4, n = 32, k = 8, lda = 8, ldb = 32, ldc = 32, pack_b = 4, zp_b = 128, beta = 0> implementation(vector)
  %bf = tir.brgemm_dispatch #tir.kernel<bf16 x bf16 -> f32 acc f32, m = 4, n = 32, k = 8, lda = 8, ldb = 32, ldc = 32, pack_b = 2, beta = 0> implementation(vector)
  tir.brgemm %us batch(%1) a(%a[%0, %0]) b(%b[%0, %0, %0]) c(%c[%0, %0]) : memref<4x8xi8>, memref<2x32x4xi8>, memref<4x32xi32>
  tir.brgemm %ss batch(%1) a(%a[%0, %0]) b(%b[%0, %0, %0]) c(%c[%0, %0]) : memref<4x8xi8>, memref<2x32x4xi8>, memref<4x32xi32>
  tir.brgemm %uu batch(%1) a(%a[%0, %0]) b(%b[%0, %0, %0]) c(%c[%0, %0]) : memref<4x8xi8>, memref<2x32x4xi8>, memref<4x32xi32>
  tir.brgemm %bf batch(%1) a(%x[%0, %0]) b(%y[%0, %0, %0]) c(%z[%0, %0]) : memref<4x8xbf16>, memref<4x32x2xbf16>, memref<4x32xf32>
  return
}

// Weights are converted in registers: their bits become those of a mantissa, and
// the power of two and a zero point are subtracted; half of the elements are
// shifted before. Scales multiply sums. The kernel of one row fetches
// ahead.
// CHECK-LABEL: func.func private @gc_brgemm_vector_f32u4_f32_f32_bp8_s16zp_m1n16
// CHECK: llvm.intr.prefetch
// CHECK-DAG: arith.constant dense<15>
// CHECK-DAG: arith.constant dense<1258291200>
// CHECK-DAG: arith.constant dense<0x4B000000>
// CHECK-NOT: arith.sitofp
// CHECK: arith.andi
// CHECK: arith.xori
// CHECK: arith.subf
// CHECK: arith.subf
// CHECK: vector.fma
// CHECK: arith.shrui
// CHECK-LABEL: func.func private @gc_brgemm_vector_f32s4_f32_f32_bp8_s16_m5n16
// CHECK-DAG: arith.constant dense<15>
// CHECK-DAG: arith.constant dense<1258291208>
// CHECK-DAG: arith.constant dense<0x4B000008>
// CHECK-NOT: arith.shrsi
// CHECK: arith.andi
// CHECK: arith.xori
// CHECK: arith.subf
// CHECK: vector.fma
func.func @weights(%a: memref<5x32xf32>, %b: memref<4x16x4xi8>, %c: memref<5x16xf32>, %s: memref<2x16xf32>) {
  %0 = arith.constant 0 : index
  %2 = arith.constant 2 : index
  %one = tir.brgemm_dispatch #tir.kernel<f32 x u4 -> f32 acc f32, m = 1, n = 16, k = 16, lda = 16, ldb = 16, ldc = 16, pack_b = 8, stride_a = 16, stride_b = 256, beta = 0, ld_scale_b = 16, zps_b> implementation(vector) ahead(8192)
  %five = tir.brgemm_dispatch #tir.kernel<f32 x s4 -> f32 acc f32, m = 5, n = 16, k = 16, lda = 32, ldb = 16, ldc = 16, pack_b = 8, stride_a = 16, stride_b = 256, beta = 0, ld_scale_b = 16>
  tir.brgemm %one batch(%2) a(%a[%0, %0]) b(%b[%0, %0, %0]) c(%c[%0, %0]) : memref<5x32xf32>, memref<4x16x4xi8>, memref<5x16xf32> scales(%s[%0, %0] : memref<2x16xf32>) zps(%s : memref<2x16xf32>)
  tir.brgemm %five batch(%2) a(%a[%0, %0]) b(%b[%0, %0, %0]) c(%c[%0, %0]) : memref<5x32xf32>, memref<4x16x4xi8>, memref<5x16xf32> scales(%s[%0, %0] : memref<2x16xf32>)
  return
}
