// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Temporaries inside loops, and in outputs.

// RUN: gc-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(tir-plan-buffers))" | FileCheck %s
// RUN: gc-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(tir-plan-buffers{reuse=false}))" | FileCheck %s --check-prefix=APART
// RUN: gc-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(tir-plan-buffers{outputs=false}))" | FileCheck %s --check-prefix=ARENA

func.func private @write(memref<64xf32>)
func.func private @copy(memref<64xf32>, memref<64xf32>)

// Within one iteration %a is dead when %c is written. Their views are made once.
// CHECK-LABEL: func.func @body
// CHECK-SAME: tir.arena_bytes = 0 : i64
// CHECK-SAME: tir.thread_arena_bytes = 512 : i64
// CHECK-DAG: memref.view %arg1[%{{.*}}][] : memref<?xi8> to memref<64xf32>
// CHECK: tir.parallel
// CHECK-NOT: memref.view
// APART-LABEL: func.func @body
// APART-SAME: tir.thread_arena_bytes = 768 : i64
func.func @body() attributes {tir.entry = "body"} {
  tir.parallel (%p) in (4) {
    %a = tir.scratch per_thread : memref<64xf32>
    %b = tir.scratch per_thread : memref<64xf32>
    %c = tir.scratch per_thread : memref<64xf32>
    func.call @write(%a) : (memref<64xf32>) -> ()
    func.call @copy(%a, %b) : (memref<64xf32>, memref<64xf32>) -> ()
    func.call @copy(%b, %c) : (memref<64xf32>, memref<64xf32>) -> ()
  }
  return
}

// %a is of the parallel body: the loop that uses it uses it as a whole. %b and %c
// are of the loop's body, and %c takes the place of %b in each iteration.
// CHECK-LABEL: func.func @inner
// CHECK-SAME: tir.thread_arena_bytes = 512 : i64
// APART-LABEL: func.func @inner
// APART-SAME: tir.thread_arena_bytes = 1024 : i64
func.func @inner() attributes {tir.entry = "inner"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  tir.parallel (%p) in (4) {
    %a = tir.scratch per_thread : memref<64xf32>
    scf.for %i = %c0 to %c8 step %c1 {
      %b = tir.scratch per_thread : memref<64xf32>
      %c = tir.scratch per_thread : memref<64xf32>
      func.call @write(%b) : (memref<64xf32>) -> ()
      func.call @write(%c) : (memref<64xf32>) -> ()
      func.call @write(%a) : (memref<64xf32>) -> ()
    }
    // After the loop all is free.
    %d = tir.scratch per_thread : memref<64xf32>
    func.call @write(%d) : (memref<64xf32>) -> ()
  }
  return
}

// Two parallel loops, one after the other: the thread is done with the first.
// CHECK-LABEL: func.func @phases
// CHECK-SAME: tir.thread_arena_bytes = 256 : i64
func.func @phases() attributes {tir.entry = "phases"} {
  tir.parallel (%p) in (4) nowait {
    %a = tir.scratch per_thread : memref<64xf32>
    func.call @write(%a) : (memref<64xf32>) -> ()
  }
  tir.parallel (%p) in (4) {
    %b = tir.scratch per_thread : memref<64xf32>
    func.call @write(%b) : (memref<64xf32>) -> ()
  }
  return
}

// -----

func.func private @fill(memref<64xf32>)
func.func private @step(memref<64xf32>, memref<64xf32>)
func.func private @wide(memref<64xf32>, memref<32xf64>)

// %a and %b are dead before the output is written. With %b there, %a and %c share
// a place; %c is read by the op that writes the output.
// CHECK-LABEL: func.func @output
// CHECK-SAME: %[[IN:.*]]: memref<64xf32>, %[[OUT:.*]]: memref<8x8xf32>, %[[MEM:.*]]: memref<?xi8>, %{{.*}}: memref<?xi8>)
// CHECK-SAME: tir.arena_bytes = 256 : i64
// ARENA-LABEL: func.func @output
// ARENA-SAME: tir.arena_bytes = 512 : i64
// ARENA-COUNT-1: memref.reinterpret_cast %arg1
// ARENA-NOT: memref.reinterpret_cast %arg1
// APART-LABEL: func.func @output
// APART-SAME: tir.arena_bytes = 768 : i64
func.func @output(%in: memref<64xf32>, %out: memref<8x8xf32>) attributes {tir.entry = "output", tir.inputs = 1 : i64, tir.outputs = 1 : i64} {
  // CHECK: %[[A:.*]] = memref.view %[[MEM]]
  // CHECK: %[[B:.*]] = memref.reinterpret_cast %[[OUT]] to offset: [0], sizes: [64], strides: [1]
  // CHECK: %[[C:.*]] = memref.view %[[MEM]]
  // CHECK: call @fill(%[[A]])
  // CHECK: call @step(%[[A]], %[[B]])
  // CHECK: call @step(%[[B]], %[[C]])
  %a = tir.scratch : memref<64xf32>
  %b = tir.scratch : memref<64xf32>
  %c = tir.scratch : memref<64xf32>
  call @fill(%a) : (memref<64xf32>) -> ()
  call @step(%a, %b) : (memref<64xf32>, memref<64xf32>) -> ()
  call @step(%b, %c) : (memref<64xf32>, memref<64xf32>) -> ()
  %o = memref.reinterpret_cast %out to offset: [0], sizes: [64], strides: [1] : memref<8x8xf32> to memref<64xf32>
  call @step(%c, %o) : (memref<64xf32>, memref<64xf32>) -> ()
  return
}

// Not in an output that is too small, of another element type, or with gaps; not
// in an input.
// CHECK-LABEL: func.func @unfit
// CHECK-SAME: tir.arena_bytes = 256 : i64
// CHECK-NOT: memref.reinterpret_cast
func.func @unfit(%in: memref<64xf32>, %x: memref<63xf32>, %y: memref<64xi32>, %z: memref<64xf32, strided<[2]>>, %v: f32, %n: i32) attributes {tir.entry = "unfit", tir.inputs = 1 : i64, tir.outputs = 3 : i64} {
  %c0 = arith.constant 0 : index
  %a = tir.scratch : memref<64xf32>
  call @fill(%a) : (memref<64xf32>) -> ()
  memref.store %v, %x[%c0] : memref<63xf32>
  memref.store %n, %y[%c0] : memref<64xi32>
  memref.store %v, %z[%c0] : memref<64xf32, strided<[2]>>
  memref.store %v, %in[%c0] : memref<64xf32>
  return
}

// -----

func.func private @fill(memref<4x64xf32>)

// The last loop reads an element of %a right before it writes that element of the
// output: %a may live there.
// CHECK-LABEL: func.func @elementwise
// CHECK-SAME: tir.arena_bytes = 0 : i64
// CHECK: memref.reinterpret_cast %arg0
func.func @elementwise(%out: memref<4x64xf32>) attributes {tir.entry = "elementwise", tir.inputs = 0 : i64, tir.outputs = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %a = tir.scratch : memref<4x64xf32>
  call @fill(%a) : (memref<4x64xf32>) -> ()
  tir.parallel (%i) in (4) {
    scf.for %j = %c0 to %c64 step %c8 {
      %0 = vector.load %a[%i, %j] : memref<4x64xf32>, vector<8xf32>
      %1 = arith.addf %0, %0 : vector<8xf32>
      vector.store %1, %out[%i, %j] : memref<4x64xf32>, vector<8xf32>
    }
  }
  return
}

// Not if it writes another element, writes before it reads, or comes to the same
// element twice.
// CHECK-LABEL: func.func @transposed
// CHECK-SAME: tir.arena_bytes = 16384 : i64
func.func private @square(memref<64x64xf32>)
func.func @transposed(%out: memref<64x64xf32>) attributes {tir.entry = "transposed", tir.inputs = 0 : i64, tir.outputs = 1 : i64} {
  %a = tir.scratch : memref<64x64xf32>
  call @square(%a) : (memref<64x64xf32>) -> ()
  tir.parallel (%i, %j) in (64, 64) {
    %0 = memref.load %a[%i, %j] : memref<64x64xf32>
    memref.store %0, %out[%j, %i] : memref<64x64xf32>
  }
  return
}

// CHECK-LABEL: func.func @late
// CHECK-SAME: tir.arena_bytes = 1024 : i64
func.func @late(%out: memref<4x64xf32>, %x: f32) attributes {tir.entry = "late", tir.inputs = 0 : i64, tir.outputs = 1 : i64} {
  %a = tir.scratch : memref<4x64xf32>
  call @fill(%a) : (memref<4x64xf32>) -> ()
  tir.parallel (%i, %j) in (4, 64) {
    memref.store %x, %out[%i, %j] : memref<4x64xf32>
    %0 = memref.load %a[%i, %j] : memref<4x64xf32>
    %1 = arith.addf %0, %x : f32
    memref.store %1, %out[%i, %j] : memref<4x64xf32>
  }
  return
}

// CHECK-LABEL: func.func @twice
// CHECK-SAME: tir.arena_bytes = 1024 : i64
func.func @twice(%out: memref<4x64xf32>, %x: f32) attributes {tir.entry = "twice", tir.inputs = 0 : i64, tir.outputs = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %a = tir.scratch : memref<4x64xf32>
  call @fill(%a) : (memref<4x64xf32>) -> ()
  tir.parallel (%i, %j) in (4, 64) {
    scf.for %k = %c0 to %c2 step %c1 {
      %0 = memref.load %a[%i, %j] : memref<4x64xf32>
      %1 = arith.addf %0, %x : f32
      memref.store %1, %out[%i, %j] : memref<4x64xf32>
    }
  }
  return
}
