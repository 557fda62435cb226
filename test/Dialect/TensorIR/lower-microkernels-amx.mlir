// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Kernels of bytes and of bf16 in AMX's tile registers, on a machine that has
// them and where there is enough to do; unittests/Driver/AmxTest.cpp runs such
// kernels on a model.

// RUN: gc-opt %s --machine=server-avx512-64 --gc-cpu-pipeline=stop-after=import --tir-lower-microkernels=kernel=vector | FileCheck %s
// RUN: gc-opt %s --machine=zen4-2 --gc-cpu-pipeline=stop-after=import --tir-lower-microkernels=kernel=vector | FileCheck %s --check-prefix=VNNI
// VNNI-NOT: llvm.x86.t

// One configuration: 16 rows of 64 bytes in all registers. Palette 1; the bytes
// of rows are numbers of 16 bits.
// CHECK: llvm.mlir.global internal constant @gc_amx_16x64_16x64_16x64_16x64_16x64_16x64_16x64_16x64(dense<[1, {{(0, ){15}(64, 0, ){8}(0, ){16}(16, ){8}(0, ){7}0}}]> : tensor<64xi8>)

// Two by two registers of sums; those of B are held, those of A pass.
// CHECK-LABEL: func.func private @gc_brgemm_amx_u8s8_s32_s32_bp4_m64n64k128
// CHECK: %[[CONFIG:.*]] = llvm.mlir.addressof @gc_amx_16x64
// CHECK: llvm.call_intrinsic "llvm.x86.ldtilecfg"(%[[CONFIG]])
// CHECK: scf.for
// CHECK: scf.for
// CHECK-COUNT-4: "llvm.x86.tilezero"
// CHECK: scf.for
// CHECK-COUNT-3: "llvm.x86.tileloadd64"
// CHECK-COUNT-2: "llvm.x86.tdpbusd"
// CHECK: "llvm.x86.tileloadd64"
// CHECK-COUNT-2: "llvm.x86.tdpbusd"
// CHECK-COUNT-4: "llvm.x86.tilestored64"
// CHECK: "llvm.x86.tilerelease"
// CHECK-NEXT: return

// 25 groups are a step of 16 and a rest. That is copied and filled up with
// zeros, so that one configuration serves both: 18 elements of each row of A,
// and 9 groups of B, whose other lines are zero before.
// CHECK-LABEL: func.func private @gc_brgemm_amx_bf16bf16_f32_f32_bp2_m32n32k50
// CHECK-COUNT-1: "llvm.x86.ldtilecfg"
// CHECK: %[[COPY:.*]] = llvm.alloca {{.*}} {alignment = 64 : i64}
// CHECK: %[[COPY_OF_B:.*]] = llvm.getelementptr %[[COPY]][4096]
// CHECK: "llvm.intr.memset"(%[[COPY_OF_B]]
// CHECK-COUNT-4: "llvm.x86.tilezero"
// CHECK: scf.for
// CHECK-COUNT-4: "llvm.x86.tdpbf16ps"
// CHECK: %[[EXISTS:.*]] = vector.constant_mask [36] : vector<64xi1>
// CHECK: scf.for %{{.*}} to %c32_i64
// CHECK: llvm.intr.masked.load %{{.*}}, %[[EXISTS]]
// CHECK: scf.for %{{.*}} to %c9_i64
// CHECK-NOT: "llvm.x86.ldtilecfg"
// CHECK-COUNT-4: "llvm.x86.tdpbf16ps"
// CHECK-COUNT-4: "llvm.x86.tilestored64"

// k cuts the last of 7 groups: its second element is not read of A and is taken
// out of B. Nothing else is needed to fill up the only step.
// CHECK-LABEL: func.func private @gc_brgemm_amx_bf16bf16_f32_f32_bp2_m32n32k13
// CHECK-NOT: "llvm.intr.memset"
// CHECK: %[[EXISTS:.*]] = vector.constant_mask [26] : vector<64xi1>
// CHECK: llvm.intr.masked.load %{{.*}}, %[[EXISTS]]
// CHECK: scf.for %{{.*}} to %c6_i64
// CHECK-NOT: arith.andi
// CHECK: %[[MASK:.*]] = arith.constant 65535 : i32
// CHECK: vector.broadcast %[[MASK]]
// CHECK-COUNT-2: arith.andi
// CHECK-COUNT-4: "llvm.x86.tdpbf16ps"

// A zero point of A is taken off by columns before the products are added.
// CHECK-LABEL: func.func private @gc_brgemm_amx_s8s8_s32_s32_bp4_zp5_0_m32n32k64
// CHECK-NOT: arith.xori
// CHECK: "llvm.x86.avx512.vpdpbusd.512"
// CHECK-COUNT-4: "llvm.x86.tileloadd64"
// CHECK-NOT: tilezero
// CHECK: "llvm.x86.tdpbssd"

// One row is left to vectors.
// CHECK-LABEL: func.func private @gc_brgemm_vector_u8s8_s32_s32_bp4_m1n64k128
// CHECK-NOT: llvm.x86.t
// CHECK: "llvm.x86.avx512.vpdpbusd.512"
func.func @kernels(%a: memref<64x128xi8>, %b: memref<32x64x4xi8>, %c: memref<64x64xi32>,
                   %x: memref<32x50xbf16>, %y: memref<25x32x2xbf16>, %z: memref<32x32xf32>) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %us = tir.brgemm_dispatch #tir.kernel<u8 x s8 -> s32 acc s32, m = 64, n = 64, k = 128, lda = 128, ldb = 64, ldc = 64, pack_b = 4, beta = 0>
  %bf = tir.brgemm_dispatch #tir.kernel<bf16 x bf16 -> f32 acc f32, m = 32, n = 32, k = 50, lda = 50, ldb = 32, ldc = 32, pack_b = 2, beta = 0>
  %cut = tir.brgemm_dispatch #tir.kernel<bf16 x bf16 -> f32 acc f32, m = 32, n = 32, k = 13, lda = 50, ldb = 32, ldc = 32, pack_b = 2, beta = 0>
  %zp = tir.brgemm_dispatch #tir.kernel<s8 x s8 -> s32 acc s32, m = 32, n = 32, k = 64, lda = 128, ldb = 64, ldc = 64, pack_b = 4, zp_a = 5, beta = 0>
  %row = tir.brgemm_dispatch #tir.kernel<u8 x s8 -> s32 acc s32, m = 1, n = 64, k = 128, lda = 128, ldb = 64, ldc = 64, pack_b = 4, beta = 0>
  tir.brgemm %us batch(%1) a(%a[%0, %0]) b(%b[%0, %0, %0]) c(%c[%0, %0]) : memref<64x128xi8>, memref<32x64x4xi8>, memref<64x64xi32>
  tir.brgemm %bf batch(%1) a(%x[%0, %0]) b(%y[%0, %0, %0]) c(%z[%0, %0]) : memref<32x50xbf16>, memref<25x32x2xbf16>, memref<32x32xf32>
  tir.brgemm %cut batch(%1) a(%x[%0, %0]) b(%y[%0, %0, %0]) c(%z[%0, %0]) : memref<32x50xbf16>, memref<25x32x2xbf16>, memref<32x32xf32>
  tir.brgemm %zp batch(%1) a(%a[%0, %0]) b(%b[%0, %0, %0]) c(%c[%0, %0]) : memref<64x128xi8>, memref<32x64x4xi8>, memref<64x64xi32>
  tir.brgemm %row batch(%1) a(%a[%0, %0]) b(%b[%0, %0, %0]) c(%c[%0, %0]) : memref<64x128xi8>, memref<32x64x4xi8>, memref<64x64xi32>
  return
}
