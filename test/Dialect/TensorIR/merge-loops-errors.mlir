// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: gc-opt %s --split-input-file --verify-diagnostics --pass-pipeline="builtin.module(func.func(tir-merge-loops))"

func.func @sizes(%x: memref<8xf32>, %v: f32) {
  // expected-note @below {{the group begins here}}
  tir.parallel (%i) in (4) attributes {merge = 7 : i64, name = "scores"} {
    memref.store %v, %x[%i] : memref<8xf32>
  }
  // expected-error @below {{'tir.parallel' op loop 'context' of merge group 7 runs over (8), but loop 'scores' of the same group over (4)}}
  tir.parallel (%i) in (8) attributes {merge = 7 : i64, name = "context"} {
    memref.store %v, %x[%i] : memref<8xf32>
  }
  return
}

// -----

func.func @rank(%x: memref<8xf32>, %v: f32) {
  // expected-note @below {{the group begins here}}
  tir.parallel (%i) in (4) attributes {merge = 0 : i64} {
    memref.store %v, %x[%i] : memref<8xf32>
  }
  // expected-error @below {{'tir.parallel' op loop without name of merge group 0 runs over (4, 1), but loop without name of the same group over (4)}}
  tir.parallel (%i, %j) in (4, 1) attributes {merge = 0 : i64} {
    memref.store %v, %x[%i] : memref<8xf32>
  }
  return
}

// -----

// Another loop is between them.
func.func @loop_between(%x: memref<4xf32>, %v: f32) {
  tir.parallel (%i) in (4) attributes {merge = 0 : i64, name = "a"} {
    memref.store %v, %x[%i] : memref<4xf32>
  }
  // expected-note @below {{this op cannot be moved out of the way}}
  tir.parallel (%i) in (4) attributes {name = "b"} {
  }
  // expected-error @below {{'tir.parallel' op loop 'c' of merge group 0 is not next to loop 'a' of the same group}}
  tir.parallel (%i) in (4) attributes {merge = 0 : i64, name = "c"} {
    memref.store %v, %x[%i] : memref<4xf32>
  }
  return
}

// -----

// The team needs a barrier.
func.func @barrier_between(%x: memref<4xf32>, %v: f32) {
  tir.parallel (%i) in (4) nowait attributes {merge = 0 : i64, name = "a"} {
    memref.store %v, %x[%i] : memref<4xf32>
  }
  // expected-note @below {{this op cannot be moved out of the way}}
  tir.barrier
  // expected-error @below {{'tir.parallel' op loop 'c' of merge group 0 is not next to loop 'a' of the same group}}
  tir.parallel (%i) in (4) attributes {merge = 0 : i64, name = "c"} {
    memref.store %v, %x[%i] : memref<4xf32>
  }
  return
}

// -----

// Every thread reads what the loop wrote.
func.func @load_between(%x: memref<4xf32>, %v: f32) {
  %c0 = arith.constant 0 : index
  tir.parallel (%i) in (4) attributes {merge = 0 : i64, name = "a"} {
    memref.store %v, %x[%i] : memref<4xf32>
  }
  // expected-note @below {{this op cannot be moved out of the way}}
  %0 = memref.load %x[%c0] : memref<4xf32>
  // expected-error @below {{'tir.parallel' op loop 'c' of merge group 0 is not next to loop 'a' of the same group}}
  tir.parallel (%i) in (4) attributes {merge = 0 : i64, name = "c"} {
    memref.store %0, %x[%i] : memref<4xf32>
  }
  return
}

// -----

func.func @mark_type(%x: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @below {{'scf.for' op 'tir.merge' must be an integer of 0 or more}}
  scf.for %i = %c0 to %c1 step %c1 {
  } {tir.merge}
  return
}
