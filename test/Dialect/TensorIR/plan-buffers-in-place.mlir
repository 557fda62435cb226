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

// Whole rows are read before any of their elements is written.
// CHECK-LABEL: func.func @rows
// CHECK-SAME: tir.in_place = array<i64: 0, 0>
func.func @rows(%in: memref<4x64xf32>, %out: memref<4x64xf32>) attributes {tir.entry = "rows", tir.inputs = 1 : i64, tir.outputs = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  tir.parallel (%i) in (4) {
    %sum = scf.for %j = %c0 to %c64 step %c1 iter_args(%partial = %zero) -> f32 {
      %0 = memref.load %in[%i, %j] : memref<4x64xf32>
      %1 = arith.addf %partial, %0 : f32
      scf.yield %1 : f32
    }
    scf.for %j = %c0 to %c64 step %c1 {
      %0 = memref.load %in[%i, %j] : memref<4x64xf32>
      %1 = arith.divf %0, %sum : f32
      memref.store %1, %out[%i, %j] : memref<4x64xf32>
    }
  }
  return
}

// The rest of a row is read after the first columns were written, in either of
// two ways.
// CHECK-LABEL: func.func @rest
// CHECK-SAME: tir.in_place = array<i64: 0, 0>
func.func @rest(%in: memref<4x70xf32>, %out: memref<4x70xf32>) attributes {tir.entry = "rest", tir.inputs = 1 : i64, tir.outputs = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  tir.parallel (%i) in (4) {
    scf.for %j = %c0 to %c64 step %c8 {
      %0 = vector.load %in[%i, %j] : memref<4x70xf32>, vector<8xf32>
      vector.store %0, %out[%i, %j] : memref<4x70xf32>, vector<8xf32>
    }
    %first = arith.cmpi ult, %i, %c2 : index
    scf.if %first {
      %0 = vector.load %in[%i, %c64] : memref<4x70xf32>, vector<6xf32>
      vector.store %0, %out[%i, %c64] : memref<4x70xf32>, vector<6xf32>
    } else {
      %0 = vector.load %in[%i, %c64] : memref<4x70xf32>, vector<6xf32>
      %1 = arith.negf %0 : vector<6xf32>
      vector.store %1, %out[%i, %c64] : memref<4x70xf32>, vector<6xf32>
    }
  }
  return
}

// Both through the same view, one tile after the other; a microkernel does not
// touch them.
// CHECK-LABEL: func.func @views
// CHECK-SAME: tir.in_place = array<i64: 1, 0>
func.func @views(%a: memref<64x16xf32>, %in: memref<4x16x32xf32>, %b: memref<16x32xf32>, %out: memref<4x16x32xf32>) attributes {tir.entry = "views", tir.inputs = 3 : i64, tir.outputs = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %from = memref.reinterpret_cast %in to offset: [0], sizes: [64, 32], strides: [32, 1] : memref<4x16x32xf32> to memref<64x32xf32>
  %to = memref.reinterpret_cast %out to offset: [0], sizes: [64, 32], strides: [32, 1] : memref<4x16x32xf32> to memref<64x32xf32>
  %tile = tir.scratch per_thread : memref<8x32xf32>
  %kernel = tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = 8, n = 32, k = 16, lda = 16, ldb = 32, ldc = 32, beta = 0>
  tir.parallel (%i) in (4) {
    scf.for %t = %c0 to %c2 step %c1 {
      %row = affine.apply affine_map<(d0, d1) -> (d0 * 16 + d1 * 8)>(%i, %t)
      tir.brgemm %kernel batch(%c1) a(%a[%row, %c0]) b(%b[%c0, %c0]) c(%tile[%c0, %c0]) : memref<64x16xf32>, memref<16x32xf32>, memref<8x32xf32>
      scf.for %r = %c0 to %c8 step %c1 {
        %own = affine.apply affine_map<(d0, d1, d2) -> (d0 * 16 + d1 * 8 + d2)>(%i, %t, %r)
        scf.for %j = %c0 to %c32 step %c8 {
          %0 = vector.load %tile[%r, %j] : memref<8x32xf32>, vector<8xf32>
          memref.prefetch %from[%own, %j], read, locality<3>, data : memref<64x32xf32>
          %1 = vector.load %from[%own, %j] : memref<64x32xf32>, vector<8xf32>
          %2 = arith.addf %0, %1 : vector<8xf32>
          vector.store %2, %to[%own, %j] : memref<64x32xf32>, vector<8xf32>
        }
      }
    }
  }
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

// Written where the next iteration reads.
func.func @shifted(%in: memref<4x65xf32>, %out: memref<4x65xf32>) attributes {tir.entry = "shifted", tir.inputs = 1 : i64, tir.outputs = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  tir.parallel (%i) in (4) {
    scf.for %j = %c0 to %c64 step %c1 {
      %next = affine.apply affine_map<(d0) -> (d0 + 1)>(%j)
      %0 = memref.load %in[%i, %j] : memref<4x65xf32>
      memref.store %0, %out[%i, %next] : memref<4x65xf32>
    }
  }
  return
}

// The rest begins within what was written.
func.func @overlapping(%in: memref<4x70xf32>, %out: memref<4x70xf32>) attributes {tir.entry = "overlapping", tir.inputs = 1 : i64, tir.outputs = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c62 = arith.constant 62 : index
  %c64 = arith.constant 64 : index
  tir.parallel (%i) in (4) {
    scf.for %j = %c0 to %c64 step %c8 {
      %0 = vector.load %in[%i, %j] : memref<4x70xf32>, vector<8xf32>
      vector.store %0, %out[%i, %j] : memref<4x70xf32>, vector<8xf32>
    }
    %0 = vector.load %in[%i, %c62] : memref<4x70xf32>, vector<8xf32>
    vector.store %0, %out[%i, %c62] : memref<4x70xf32>, vector<8xf32>
  }
  return
}

// Read again after the write; written before the read; each branch is right by
// itself, but one reads what the other has written.
func.func @again(%in: memref<4x64xf32>, %out: memref<4x64xf32>, %sum: memref<4x64xf32>) attributes {tir.entry = "again", tir.inputs = 1 : i64, tir.outputs = 1 : i64} {
  tir.parallel (%i, %j) in (4, 64) {
    %0 = memref.load %in[%i, %j] : memref<4x64xf32>
    memref.store %0, %out[%i, %j] : memref<4x64xf32>
    %1 = memref.load %in[%i, %j] : memref<4x64xf32>
    memref.store %1, %sum[%i, %j] : memref<4x64xf32>
  }
  return
}

func.func @branches(%in: memref<4x65xf32>, %out: memref<4x65xf32>) attributes {tir.entry = "branches", tir.inputs = 1 : i64, tir.outputs = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  tir.parallel (%i) in (4) {
    scf.for %j = %c0 to %c64 step %c1 {
      %next = affine.apply affine_map<(d0) -> (d0 + 1)>(%j)
      %first = arith.cmpi ult, %j, %c32 : index
      scf.if %first {
        %0 = memref.load %in[%i, %j] : memref<4x65xf32>
        memref.store %0, %out[%i, %j] : memref<4x65xf32>
      } else {
        %0 = memref.load %in[%i, %next] : memref<4x65xf32>
        memref.store %0, %out[%i, %next] : memref<4x65xf32>
      }
    }
  }
  return
}

// A microkernel needs the rows for other results as well, and one that writes
// an output destroys what is read later on.
func.func @kernel_reads(%in: memref<8x32xf32>, %b: memref<32x32xf32>, %out: memref<8x32xf32>) attributes {tir.entry = "kernel_reads", tir.inputs = 2 : i64, tir.outputs = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %kernel = tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = 8, n = 32, k = 32, lda = 32, ldb = 32, ldc = 32, beta = 0>
  tir.parallel (%i) in (1) {
    tir.brgemm %kernel batch(%c1) a(%in[%c0, %c0]) b(%b[%c0, %c0]) c(%out[%c0, %c0]) : memref<8x32xf32>, memref<32x32xf32>, memref<8x32xf32>
  }
  return
}

func.func @kernel_writes(%a: memref<8x16xf32>, %in: memref<8x32xf32>, %b: memref<16x32xf32>, %out: memref<8x32xf32>) attributes {tir.entry = "kernel_writes", tir.inputs = 3 : i64, tir.outputs = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %kernel = tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = 8, n = 32, k = 16, lda = 16, ldb = 32, ldc = 32, beta = 0>
  tir.parallel (%p) in (1) {
    tir.brgemm %kernel batch(%c1) a(%a[%c0, %c0]) b(%b[%c0, %c0]) c(%out[%c0, %c0]) : memref<8x16xf32>, memref<16x32xf32>, memref<8x32xf32>
    scf.for %i = %c0 to %c8 step %c1 {
      scf.for %j = %c0 to %c32 step %c8 {
        %0 = vector.load %out[%i, %j] : memref<8x32xf32>, vector<8xf32>
        %1 = vector.load %in[%i, %j] : memref<8x32xf32>, vector<8xf32>
        %2 = arith.addf %0, %1 : vector<8xf32>
        vector.store %2, %out[%i, %j] : memref<8x32xf32>, vector<8xf32>
      }
    }
  }
  return
}

// The same indices of two views are different elements.
func.func @other_view(%in: memref<4x16xf32>, %out: memref<4x16xf32>) attributes {tir.entry = "other_view", tir.inputs = 1 : i64, tir.outputs = 1 : i64} {
  %from = memref.reinterpret_cast %in to offset: [0], sizes: [4, 8], strides: [8, 1] : memref<4x16xf32> to memref<4x8xf32>
  %to = memref.reinterpret_cast %out to offset: [8], sizes: [4, 8], strides: [8, 1] : memref<4x16xf32> to memref<4x8xf32, strided<[8, 1], offset: 8>>
  tir.parallel (%i, %j) in (4, 8) {
    %0 = memref.load %from[%i, %j] : memref<4x8xf32>
    memref.store %0, %to[%i, %j] : memref<4x8xf32, strided<[8, 1], offset: 8>>
  }
  return
}

// -----

// A vector continues past a last dimension of size 1, so that the second one reads
// what the first one has written.
// CHECK-LABEL: func.func @columns
// CHECK-NOT: tir.in_place
func.func @columns(%in: memref<4x13x1xf32>, %out: memref<4x13x1xf32>) attributes {tir.entry = "columns", tir.inputs = 1 : i64, tir.outputs = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  tir.parallel (%i) in (4) {
    %0 = vector.load %in[%i, %c0, %c0] : memref<4x13x1xf32>, vector<8xf32>
    vector.store %0, %out[%i, %c0, %c0] : memref<4x13x1xf32>, vector<8xf32>
    %1 = vector.load %in[%i, %c7, %c0] : memref<4x13x1xf32>, vector<5xf32>
    vector.store %1, %out[%i, %c8, %c0] : memref<4x13x1xf32>, vector<5xf32>
  }
  return
}

// -----

// Vectors that lie side by side.
// CHECK-LABEL: func.func @column_by_column
// CHECK-SAME: tir.in_place = array<i64: 0, 0>
func.func @column_by_column(%in: memref<4x13x1xf32>, %out: memref<4x13x1xf32>) attributes {tir.entry = "column_by_column", tir.inputs = 1 : i64, tir.outputs = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  tir.parallel (%i) in (4) {
    %0 = vector.load %in[%i, %c0, %c0] : memref<4x13x1xf32>, vector<8xf32>
    vector.store %0, %out[%i, %c0, %c0] : memref<4x13x1xf32>, vector<8xf32>
    %1 = vector.load %in[%i, %c8, %c0] : memref<4x13x1xf32>, vector<5xf32>
    vector.store %1, %out[%i, %c8, %c0] : memref<4x13x1xf32>, vector<5xf32>
  }
  return
}

// -----

// A vector that continues into the next row may be anywhere.
// CHECK-LABEL: func.func @next_row
// CHECK-NOT: tir.in_place
func.func @next_row(%in: memref<4x6xf32>, %out: memref<4x6xf32>) attributes {tir.entry = "next_row", tir.inputs = 1 : i64, tir.outputs = 1 : i64} {
  %c0 = arith.constant 0 : index
  tir.parallel (%i) in (3) {
    %0 = vector.load %in[%i, %c0] : memref<4x6xf32>, vector<8xf32>
    vector.store %0, %out[%i, %c0] : memref<4x6xf32>, vector<8xf32>
  }
  return
}
