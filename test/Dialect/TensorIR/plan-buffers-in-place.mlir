// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which inputs and outputs may be the same memory.

// RUN: gc-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(tir-plan-buffers))" | FileCheck %s

func.func private @read(memref<4x64xf32>)
func.func private @write(memref<4x64xf32>)

// Read element by element right before the output is written, in one loop, and
// before that in another one.
// CHECK-LABEL: func.func @elementwise
// CHECK-SAME: tir.in_place = array<i64: 0, 0>
func.func @elementwise(%in: memref<4x64xf32>, %out: memref<4x64xf32>) attributes {tir.entry = "elementwise", tir.inputs = 1 : i64, tir.outputs = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  call @read(%in) : (memref<4x64xf32>) -> ()
  tir.parallel (%i) in (4) {
    scf.for %j = %c0 to %c64 step %c8 {
      %0 = vector.load %in[%i, %j] : memref<4x64xf32>, vector<8xf32>
      vector.store %0, %out[%i, %j] : memref<4x64xf32>, vector<8xf32>
    }
  }
  return
}

// Each is in one pair, and types are equal.
// CHECK-LABEL: func.func @several
// CHECK-SAME: tir.in_place = array<i64: 1, 0, 2, 2>
func.func @several(%other: memref<64x4xf32>, %a: memref<4x64xf32>, %b: memref<4x64xf32>, %x: memref<4x64xf32>, %y: memref<4x64xi32>, %z: memref<4x64xf32>) attributes {tir.entry = "several", tir.inputs = 3 : i64, tir.outputs = 3 : i64} {
  %c1 = arith.constant 1 : i32
  tir.parallel (%i, %j) in (4, 64) {
    %0 = memref.load %a[%i, %j] : memref<4x64xf32>
    %1 = memref.load %b[%i, %j] : memref<4x64xf32>
    %2 = memref.load %other[%j, %i] : memref<64x4xf32>
    %3 = arith.addf %0, %2 : f32
    memref.store %3, %x[%i, %j] : memref<4x64xf32>
    memref.store %c1, %y[%i, %j] : memref<4x64xi32>
    memref.store %1, %z[%i, %j] : memref<4x64xf32>
  }
  return
}

// No longer needed when the output is touched.
// CHECK-LABEL: func.func @before
// CHECK-SAME: tir.in_place = array<i64: 0, 0>
func.func @before(%in: memref<4x64xf32>, %out: memref<4x64xf32>) attributes {tir.entry = "before", tir.inputs = 1 : i64, tir.outputs = 1 : i64} {
  call @read(%in) : (memref<4x64xf32>) -> ()
  call @write(%out) : (memref<4x64xf32>) -> ()
  return
}

// -----

func.func private @read(memref<4x64xf32>)
func.func private @write(memref<4x64xf32>)

// None: read again, read at another place, a loop without a barrier may still
// read, and a temporary is in the output while the input is needed.
// CHECK-NOT: tir.in_place
func.func @after(%in: memref<4x64xf32>, %out: memref<4x64xf32>) attributes {tir.entry = "after", tir.inputs = 1 : i64, tir.outputs = 1 : i64} {
  tir.parallel (%i, %j) in (4, 64) {
    %0 = memref.load %in[%i, %j] : memref<4x64xf32>
    memref.store %0, %out[%i, %j] : memref<4x64xf32>
  }
  call @read(%in) : (memref<4x64xf32>) -> ()
  return
}

func.func @reversed(%in: memref<4x4xf32>, %out: memref<4x4xf32>) attributes {tir.entry = "reversed", tir.inputs = 1 : i64, tir.outputs = 1 : i64} {
  tir.parallel (%i, %j) in (4, 4) {
    %0 = memref.load %in[%j, %i] : memref<4x4xf32>
    memref.store %0, %out[%i, %j] : memref<4x4xf32>
  }
  return
}

func.func @nowait(%in: memref<4x64xf32>, %out: memref<4x64xf32>, %sum: memref<64xf32>) attributes {tir.entry = "nowait", tir.inputs = 1 : i64, tir.outputs = 2 : i64} {
  %c0 = arith.constant 0 : index
  tir.parallel (%j) in (64) nowait {
    %0 = memref.load %in[%c0, %j] : memref<4x64xf32>
    memref.store %0, %sum[%j] : memref<64xf32>
  }
  tir.parallel (%i, %j) in (4, 64) {
    %0 = memref.load %in[%i, %j] : memref<4x64xf32>
    memref.store %0, %out[%i, %j] : memref<4x64xf32>
  }
  return
}

func.func @occupied(%in: memref<4x64xf32>, %out: memref<4x64xf32>) attributes {tir.entry = "occupied", tir.inputs = 1 : i64, tir.outputs = 1 : i64} {
  %a = tir.scratch : memref<4x64xf32>
  call @write(%a) : (memref<4x64xf32>) -> ()
  tir.parallel (%i, %j) in (4, 64) {
    %0 = memref.load %a[%i, %j] : memref<4x64xf32>
    %1 = memref.load %in[%i, %j] : memref<4x64xf32>
    %2 = arith.addf %0, %1 : f32
    memref.store %2, %out[%i, %j] : memref<4x64xf32>
  }
  return
}
