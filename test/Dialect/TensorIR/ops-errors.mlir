// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Every constraint of every op, under its label.

// RUN: gc-opt %s --split-input-file --verify-diagnostics

func.func @parallel_c1() {
  // expected-error @below {{'tir.parallel' op (C1) needs one index argument per size}}
  tir.parallel (%i) in (2, 3) {
  }
  return
}

// -----

func.func @parallel_c1_type() {
  // expected-error @below {{'tir.parallel' op (C1) needs one index argument per size}}
  "tir.parallel"() <{sizes = array<i64: 4>}> ({
  ^body(%i: i64):
    "tir.yield"() : () -> ()
  }) : () -> ()
  return
}

// -----

func.func @parallel_c2() {
  // expected-error @below {{'tir.parallel' op (C2) sizes must be at least 1}}
  tir.parallel (%i, %j) in (4, 0) {
  }
  return
}

// -----

func.func @parallel_c2_negative() {
  // expected-error @below {{'tir.parallel' op (C2) sizes must be at least 1}}
  tir.parallel (%i) in (-1) {
  }
  return
}

// -----

func.func @parallel_c3() {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c1 = arith.constant 1 : index
  tir.parallel (%i) in (4) {
    scf.for %j = %c0 to %c4 step %c1 {
      // expected-error @below {{'tir.parallel' op (C3) parallel loops cannot be nested}}
      tir.parallel (%k) in (4) {
      }
    }
  }
  return
}

// -----

func.func @yield() {
  // expected-error @below {{'tir.yield' op expects parent op 'tir.parallel'}}
  tir.yield
}

// -----

func.func @scratch_c1_dynamic() {
  // expected-error @below {{'tir.scratch' op (C1) needs a static shape and the identity layout}}
  %0 = tir.scratch : memref<?xf32>
  return
}

// -----

func.func @scratch_c1_layout() {
  // expected-error @below {{'tir.scratch' op (C1) needs a static shape and the identity layout}}
  %0 = tir.scratch : memref<4x4xf32, strided<[8, 1]>>
  return
}

// -----

func.func @scratch_c2_element() {
  // expected-error @below {{'tir.scratch' op (C2) needs integers or floating-point numbers in the default memory space}}
  %0 = tir.scratch : memref<4xindex>
  return
}

// -----

func.func @scratch_c2_space() {
  // expected-error @below {{'tir.scratch' op (C2) needs integers or floating-point numbers in the default memory space}}
  %0 = tir.scratch : memref<4xf32, 1>
  return
}

// -----

func.func @scratch_c3() {
  tir.parallel (%i) in (4) {
    // expected-error @below {{'tir.scratch' op (C3) must be 'per_thread' inside tir.parallel}}
    %0 = tir.scratch : memref<4xf32>
  }
  return
}

// -----

func.func @brgemm_c1(%k: !tir.kernel, %a: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  // expected-error @below {{'tir.brgemm' op (C1) has 1 indices for b of rank 2}}
  tir.brgemm %k batch(%c0) a(%a[%c0, %c0]) b(%a[%c0]) c(%a[%c0, %c0]) : memref<4x4xf32>, memref<4x4xf32>, memref<4x4xf32>
  return
}

// -----

func.func @brgemm_c2(%a: memref<4x4xf32>, %c: memref<4x4xbf16>) {
  %c0 = arith.constant 0 : index
  %k = tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = 4, n = 4, k = 4, lda = 4, ldb = 4, ldc = 4, beta = 0>
  // expected-error @below {{'tir.brgemm' op (C2) element type 'bf16' of c is not the kernel's 'f32'}}
  tir.brgemm %k batch(%c0) a(%a[%c0, %c0]) b(%a[%c0, %c0]) c(%c[%c0, %c0]) : memref<4x4xf32>, memref<4x4xf32>, memref<4x4xbf16>
  return
}

// -----

func.func @brgemm_c2_address(%a: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %k = tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = 4, n = 4, k = 4, lda = 4, ldb = 4, ldc = 4, batch = address, beta = 0>
  // expected-error @below {{'tir.brgemm' op (C2) element type 'f32' of a is not the kernel's 'i64'}}
  tir.brgemm %k batch(%c0) a(%a[%c0, %c0]) b(%a[%c0, %c0]) c(%a[%c0, %c0]) : memref<4x4xf32>, memref<4x4xf32>, memref<4x4xf32>
  return
}

// -----

// Signed types are signless in memory.
func.func @brgemm_c2_signless(%a: memref<4x4xi8>, %c: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %k = tir.brgemm_dispatch #tir.kernel<u8 x s8 -> u8 acc s32, m = 4, n = 4, k = 4, lda = 4, ldb = 4, ldc = 4, beta = 0>
  // expected-error @below {{'tir.brgemm' op (C2) element type 'f32' of c is not the kernel's 'i8'}}
  tir.brgemm %k batch(%c0) a(%a[%c0, %c0]) b(%a[%c0, %c0]) c(%c[%c0, %c0]) : memref<4x4xi8>, memref<4x4xi8>, memref<4x4xf32>
  return
}

// -----

func.func @brgemm_c3_missing(%a: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %k = tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = 4, n = 4, k = 4, lda = 4, ldb = 4, ldc = 4, batch = offset, beta = 0>
  // expected-error @below {{'tir.brgemm' op (C3) has offsets where blocks are found by offset, and only there}}
  tir.brgemm %k batch(%c0) a(%a[%c0, %c0]) b(%a[%c0, %c0]) c(%a[%c0, %c0]) : memref<4x4xf32>, memref<4x4xf32>, memref<4x4xf32>
  return
}

// -----

func.func @brgemm_c3_unwanted(%a: memref<4x4xf32>, %o: memref<2xi64>) {
  %c0 = arith.constant 0 : index
  %k = tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = 4, n = 4, k = 4, lda = 4, ldb = 4, ldc = 4, beta = 0>
  // expected-error @below {{'tir.brgemm' op (C3) has offsets where blocks are found by offset, and only there}}
  tir.brgemm %k batch(%c0) a(%a[%c0, %c0]) b(%a[%c0, %c0]) c(%a[%c0, %c0]) offsets(%o, %o : memref<2xi64>, memref<2xi64>) : memref<4x4xf32>, memref<4x4xf32>, memref<4x4xf32>
  return
}

// -----

func.func @brgemm_c4_offsets(%a: memref<4x4xf32>, %o: memref<2xi64, strided<[2]>>) {
  %c0 = arith.constant 0 : index
  %k = tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = 4, n = 4, k = 4, lda = 4, ldb = 4, ldc = 4, batch = offset, beta = 0>
  // expected-error @below {{'tir.brgemm' op (C4) a list of offsets has gaps}}
  tir.brgemm %k batch(%c0) a(%a[%c0, %c0]) b(%a[%c0, %c0]) c(%a[%c0, %c0]) offsets(%o, %o : memref<2xi64, strided<[2]>>, memref<2xi64, strided<[2]>>) : memref<4x4xf32>, memref<4x4xf32>, memref<4x4xf32>
  return
}

// -----

func.func @brgemm_c4_addresses(%c: memref<4x4xf32>, %l: memref<2xi64, strided<[2]>>) {
  %c0 = arith.constant 0 : index
  %k = tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = 4, n = 4, k = 4, lda = 4, ldb = 4, ldc = 4, batch = address, beta = 0>
  // expected-error @below {{'tir.brgemm' op (C4) the list a has gaps}}
  tir.brgemm %k batch(%c0) a(%l[%c0]) b(%l[%c0]) c(%c[%c0, %c0]) : memref<2xi64, strided<[2]>>, memref<2xi64, strided<[2]>>, memref<4x4xf32>
  return
}

// -----

func.func @brgemm_c5_missing(%a: memref<4x8xf32>, %b: memref<2x4x4xi8>, %c: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %k = tir.brgemm_dispatch #tir.kernel<f32 x s8 -> f32 acc f32, m = 4, n = 4, k = 8, lda = 8, ldb = 4, ldc = 4, pack_b = 4, beta = 0, ld_scale_b = 4>
  // expected-error @below {{'tir.brgemm' op (C5) must have scales and zero points where the kernel reads them, and only there}}
  tir.brgemm %k batch(%c0) a(%a[%c0, %c0]) b(%b[%c0, %c0, %c0]) c(%c[%c0, %c0]) : memref<4x8xf32>, memref<2x4x4xi8>, memref<4x4xf32>
  return
}

// -----

func.func @brgemm_c5_type(%a: memref<4x8xf32>, %b: memref<2x4x4xi8>, %c: memref<4x4xf32>, %s: memref<4xbf16>) {
  %c0 = arith.constant 0 : index
  %k = tir.brgemm_dispatch #tir.kernel<f32 x s8 -> f32 acc f32, m = 4, n = 4, k = 8, lda = 8, ldb = 4, ldc = 4, pack_b = 4, beta = 0, ld_scale_b = 4>
  // expected-error @below {{'tir.brgemm' op (C5) scales must be f32, and zero points of the same type}}
  tir.brgemm %k batch(%c0) a(%a[%c0, %c0]) b(%b[%c0, %c0, %c0]) c(%c[%c0, %c0]) : memref<4x8xf32>, memref<2x4x4xi8>, memref<4x4xf32> scales(%s[%c0] : memref<4xbf16>)
  return
}

// -----

func.func @brgemm_c1_scales(%a: memref<4x8xf32>, %b: memref<2x4x4xi8>, %c: memref<4x4xf32>, %s: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %k = tir.brgemm_dispatch #tir.kernel<f32 x s8 -> f32 acc f32, m = 4, n = 4, k = 8, lda = 8, ldb = 4, ldc = 4, pack_b = 4, beta = 0, ld_scale_b = 4>
  // expected-error @below {{'tir.brgemm' op (C1) has 2 indices for scales of rank 1}}
  tir.brgemm %k batch(%c0) a(%a[%c0, %c0]) b(%b[%c0, %c0, %c0]) c(%c[%c0, %c0]) : memref<4x8xf32>, memref<2x4x4xi8>, memref<4x4xf32> scales(%s[%c0, %c0] : memref<4xf32>)
  return
}

// -----

func.func @bounded(%x: i32) -> i8 {
  // expected-error @below {{'arith.trunci' op 'tir.bounded' takes no value}}
  %0 = arith.trunci %x {tir.bounded = 1 : i64} : i32 to i8
  return %0 : i8
}

// -----

// expected-error @below {{'func.func' op 'tir.entry' must be a string}}
func.func private @entry() attributes {tir.entry}

// -----

// expected-error @below {{'func.func' op 'tir.role' must be a string}}
func.func private @role() attributes {tir.role = 1}

// -----

// expected-error @below {{'func.func' op 'tir.in_place' must be pairs of i64}}
func.func private @in_place() attributes {tir.in_place = array<i64: 0, 1, 2>}

// -----

// expected-error @below {{'func.func' op 'tir.inputs' must be an integer of 0 or more}}
func.func private @inputs() attributes {tir.inputs = -1 : i64}

// -----

// expected-error @below {{'func.func' op 'tir.arena_bytes' must be an integer of 0 or more}}
func.func private @arena() attributes {tir.arena_bytes = "64"}

// -----

// expected-error @below {{'func.func' op 'tir.fold_inputs' must be an array of i64}}
func.func private @fold_inputs() attributes {tir.fold_inputs = [1, 2]}

// -----

// expected-error @below {{'func.func' op has an unknown attribute 'tir.threads'}}
func.func private @unknown() attributes {tir.threads = 2 : i64}

// -----

func.func @ahead_of_library() {
  // expected-error @below {{(C1) fetches ahead, but is not a generated kernel}}
  %k = tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = 4, n = 4, k = 4, lda = 4, ldb = 4, ldc = 4, beta = 0> ahead(64)
  return
}

// -----

func.func @ahead_zero() {
  // expected-error @below {{(C1) ahead is 0, not from 1 to 1073741824}}
  %k = tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = 4, n = 4, k = 4, lda = 4, ldb = 4, ldc = 4, beta = 0> implementation(vector) ahead(0)
  return
}
