// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Rows of f32 by weights of 4 bits: in fixed point where the machine has dot
// products of bytes and a block is long enough.

// RUN: gc-opt %s --machine=zen4-2 --gc-cpu-pipeline=stop-after=import --tir-lower-microkernels=kernel=vector | FileCheck %s --check-prefixes=CHECK,DOTS
// RUN: sed 's/"vector_bits": 512/"vector_bits": 256/' %gc_source/lib/Machine/presets/zen4-2.json > %t.json
// RUN: gc-opt %s --machine=%t.json --gc-cpu-pipeline=stop-after=import --tir-lower-microkernels=kernel=vector | FileCheck %s --check-prefixes=CHECK,DOTS8
// RUN: gc-opt %s --machine=zen3-2 --gc-cpu-pipeline=stop-after=import --tir-lower-microkernels=kernel=vector | FileCheck %s --check-prefixes=CHECK,NONE

// A row of a block has three digits of 8 bits, which take as much room as f32, a unit,
// and three sums. The largest number decides on the unit, or that f32 is to be used.
// CHECK-LABEL: func.func private @gc_brgemm_{{[a-z_]+}}_f32s4_f32_f32_bp8_s32_m1n32k64
// NONE-NOT: vpdpbusd
// NONE: vector.fma
// DOTS: %[[BYTES:.*]] = arith.constant 20480 : i64
// DOTS: %[[DIGITS:.*]] = llvm.alloca %[[BYTES]] x i8 {alignment = 64 : i64}
// DOTS: scf.for
// DOTS: arith.maxui {{.*}} : vector<16xi32>
// DOTS: vector.reduction <maxui>
// DOTS: arith.cmpi ule
// DOTS: arith.andi {{.*}} : i1
// DOTS: vector.fma {{.*}} : vector<16xf32>
// DOTS: vector.shuffle {{.*}}[0, 8, 16, 24, 4, 12, 20, 28, 1, 9, 17, 25, 5, 13, 21, 29, 2,
// DOTS: llvm.store
// DOTS: vpdpbusd.512
// DOTS: arith.extui
// DOTS: scf.if
// Both halves of the bytes, with the sign flipped, by three digits.
// DOTS: arith.andi
// DOTS: arith.xori
// DOTS: arith.shrui
// DOTS: arith.andi
// DOTS: arith.xori
// DOTS-COUNT-6: vpdpbusd.512
// DOTS: arith.sitofp
// DOTS: } else {
// DOTS: vector.fma
// DOTS8: vpdpbusd.256
// Zero points that are numbers in memory.
// CHECK-LABEL: func.func private @gc_brgemm_{{[a-z_]+}}_f32u4_f32_f32_bp8_s32zp_m1n32k128
// NONE-NOT: vpdpbusd
// DOTS: arith.constant 20160 : i64
// DOTS: scf.if
// DOTS-NOT: arith.xori
// DOTS: vpdpbusd.512
// DOTS: arith.sitofp
// DOTS: vector.fma
// DOTS8: vpdpbusd.256
// Short blocks lose more by a rounded row than by rounded sums.
// CHECK-LABEL: func.func private @gc_brgemm_{{[a-z_]+}}_f32s4_f32_f32_bp8_s32_m1n32k16
// CHECK-NOT: vpdpbusd
func.func @weights(%a: memref<5x128xf32>, %b: memref<16x32x4xi8>, %c: memref<5x32xf32>, %s: memref<2x32xf32>) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %2 = arith.constant 2 : index
  %one = tir.brgemm_dispatch #tir.kernel<f32 x s4 -> f32 acc f32, m = 1, n = 32, k = 64, lda = 64, ldb = 32, ldc = 32, pack_b = 8, stride_a = 64, stride_b = 2048, beta = 0, ld_scale_b = 32>
  %two = tir.brgemm_dispatch #tir.kernel<f32 x u4 -> f32 acc f32, m = 1, n = 32, k = 128, lda = 128, ldb = 32, ldc = 32, pack_b = 8, stride_a = 128, stride_b = 4096, beta = 0, ld_scale_b = 32, zps_b>
  %short = tir.brgemm_dispatch #tir.kernel<f32 x s4 -> f32 acc f32, m = 1, n = 32, k = 16, lda = 64, ldb = 32, ldc = 32, pack_b = 8, stride_a = 16, stride_b = 512, beta = 0, ld_scale_b = 32>
  tir.brgemm %one batch(%2) a(%a[%0, %0]) b(%b[%0, %0, %0]) c(%c[%0, %0]) : memref<5x128xf32>, memref<16x32x4xi8>, memref<5x32xf32> scales(%s[%0, %0] : memref<2x32xf32>)
  tir.brgemm %two batch(%1) a(%a[%0, %0]) b(%b[%0, %0, %0]) c(%c[%0, %0]) : memref<5x128xf32>, memref<16x32x4xi8>, memref<5x32xf32> scales(%s[%0, %0] : memref<2x32xf32>) zps(%s : memref<2x32xf32>)
  tir.brgemm %short batch(%2) a(%a[%0, %0]) b(%b[%0, %0, %0]) c(%c[%0, %0]) : memref<5x128xf32>, memref<16x32x4xi8>, memref<5x32xf32> scales(%s[%0, %0] : memref<2x32xf32>)
  return
}
