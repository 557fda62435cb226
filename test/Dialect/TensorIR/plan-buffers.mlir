// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: gc-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(tir-plan-buffers))" | FileCheck %s
// A function that has been planned is not planned again.
// RUN: gc-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(tir-plan-buffers,tir-plan-buffers))" | FileCheck %s

func.func private @write(memref<64xf32>)
func.func private @copy(memref<64xf32>, memref<64xf32>)

// The example of the pass's description: 256 bytes each, the third takes the
// place of the first, which is not needed any more when it is first used.
// CHECK-LABEL: func.func @example
// CHECK-SAME: %[[ARENA:[^:]*]]: memref<?xi8>, %{{[^:]*}}: memref<?xi8>)
// CHECK-SAME: tir.arena_bytes = 512 : i64
// CHECK-SAME: tir.thread_arena_bytes = 0 : i64
func.func @example() attributes {tir.entry = "example"} {
  // CHECK: %[[O0:.*]] = arith.constant 0 : index
  // CHECK: %[[A:.*]] = memref.view %[[ARENA]][%[[O0]]][] : memref<?xi8> to memref<64xf32>
  // CHECK: %[[O1:.*]] = arith.constant 256 : index
  // CHECK: %[[B:.*]] = memref.view %[[ARENA]][%[[O1]]][]
  // CHECK: %[[O2:.*]] = arith.constant 0 : index
  // CHECK: %[[C:.*]] = memref.view %[[ARENA]][%[[O2]]][]
  %a = tir.scratch : memref<64xf32>
  %b = tir.scratch : memref<64xf32>
  %c = tir.scratch : memref<64xf32>
  // CHECK: call @write(%[[A]])
  // CHECK: call @copy(%[[A]], %[[B]])
  // CHECK: call @copy(%[[B]], %[[C]])
  call @write(%a) : (memref<64xf32>) -> ()
  call @copy(%a, %b) : (memref<64xf32>, memref<64xf32>) -> ()
  call @copy(%b, %c) : (memref<64xf32>, memref<64xf32>) -> ()
  return
}

// -----

// Both live in the same op: none can take the other's place.
// CHECK-LABEL: func.func @overlap
// CHECK-SAME: tir.arena_bytes = 512 : i64
func.func private @copy(memref<64xf32>, memref<64xf32>)
func.func @overlap() attributes {tir.entry = "overlap"} {
  %a = tir.scratch : memref<64xf32>
  %b = tir.scratch : memref<64xf32>
  call @copy(%a, %b) : (memref<64xf32>, memref<64xf32>) -> ()
  return
}

// -----

// Of the two places that are free, the fourth buffer takes the one that was used
// last: that of %b, not of %a.
// CHECK-LABEL: func.func @hottest
// CHECK-SAME: %[[ARENA:[^:]*]]: memref<?xi8>,
// CHECK-SAME: tir.arena_bytes = 512 : i64
func.func private @write(memref<64xf32>)
func.func private @copy(memref<64xf32>, memref<64xf32>)
func.func @hottest() attributes {tir.entry = "hottest"} {
  %a = tir.scratch : memref<64xf32>
  %b = tir.scratch : memref<64xf32>
  // CHECK: %[[O:.*]] = arith.constant 256 : index
  // CHECK: memref.view %[[ARENA]][%[[O]]][]
  // CHECK: %[[O:.*]] = arith.constant 256 : index
  // CHECK: %[[C:.*]] = memref.view %[[ARENA]][%[[O]]][]
  %c = tir.scratch : memref<64xf32>
  call @copy(%a, %b) : (memref<64xf32>, memref<64xf32>) -> ()
  call @write(%b) : (memref<64xf32>) -> ()
  // CHECK: call @write(%[[C]])
  call @write(%c) : (memref<64xf32>) -> ()
  return
}

// -----

// Places begin at multiples of 64 bytes: one float, then 65 bytes, then 4 bytes.
// CHECK-LABEL: func.func @alignment
// CHECK-SAME: tir.arena_bytes = 256 : i64
func.func private @use(memref<f32>, memref<65xi8>, memref<2xbf16>)
func.func @alignment() attributes {tir.entry = "alignment"} {
  // CHECK: arith.constant 0 : index
  // CHECK: to memref<f32>
  %a = tir.scratch : memref<f32>
  // CHECK: arith.constant 64 : index
  // CHECK: to memref<65xi8>
  %b = tir.scratch : memref<65xi8>
  // CHECK: arith.constant 192 : index
  // CHECK: to memref<2xbf16>
  %c = tir.scratch : memref<2xbf16>
  call @use(%a, %b, %c) : (memref<f32>, memref<65xi8>, memref<2xbf16>) -> ()
  return
}

// -----

// Thread-local temporaries are in a separate arena; shared and local ones do not
// take each other's places.
// CHECK-LABEL: func.func @per_thread
// CHECK-SAME: %[[SHARED:[^:]*]]: memref<?xi8>, %[[LOCAL:[^:]*]]: memref<?xi8>)
// CHECK-SAME: tir.arena_bytes = 256 : i64
// CHECK-SAME: tir.thread_arena_bytes = 128 : i64
func.func private @write(memref<64xf32>)
func.func private @small(memref<32xf32>)
func.func @per_thread() attributes {tir.entry = "per_thread"} {
  // CHECK: memref.view %[[SHARED]][{{.*}} to memref<64xf32>
  %a = tir.scratch : memref<64xf32>
  // CHECK: memref.view %[[LOCAL]][{{.*}} to memref<32xf32>
  %b = tir.scratch per_thread : memref<32xf32>
  call @write(%a) : (memref<64xf32>) -> ()
  call @small(%b) : (memref<32xf32>) -> ()
  return
}

// -----

// A buffer lives as long as a view of it.
// CHECK-LABEL: func.func @views
// CHECK-SAME: tir.arena_bytes = 512 : i64
func.func private @write(memref<64xf32>)
func.func private @matrix(memref<8x8xf32>)
func.func @views() attributes {tir.entry = "views"} {
  %a = tir.scratch : memref<64xf32>
  %b = tir.scratch : memref<64xf32>
  %v = memref.reinterpret_cast %a to offset: [0], sizes: [8, 8], strides: [8, 1] : memref<64xf32> to memref<8x8xf32>
  call @write(%a) : (memref<64xf32>) -> ()
  call @write(%b) : (memref<64xf32>) -> ()
  call @matrix(%v) : (memref<8x8xf32>) -> ()
  return
}

func.func private @transposed(memref<64x1xf32, strided<[1, 64]>>)
// CHECK-LABEL: func.func @transpose
// CHECK-SAME: tir.arena_bytes = 512 : i64
func.func @transpose() attributes {tir.entry = "transpose"} {
  %a = tir.scratch : memref<1x64xf32>
  %b = tir.scratch : memref<64xf32>
  %v = memref.transpose %a (i, j) -> (j, i) : memref<1x64xf32> to memref<64x1xf32, strided<[1, 64]>>
  call @transposed(%v) : (memref<64x1xf32, strided<[1, 64]>>) -> ()
  call @write(%b) : (memref<64xf32>) -> ()
  call @transposed(%v) : (memref<64x1xf32, strided<[1, 64]>>) -> ()
  return
}

// -----

// Uses within a loop last as long as the loop: the second iteration reads what the
// first one wrote.
// CHECK-LABEL: func.func @loops
// CHECK-SAME: tir.arena_bytes = 512 : i64
func.func private @write(memref<64xf32>)
func.func @loops() attributes {tir.entry = "loops"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %a = tir.scratch : memref<64xf32>
  %b = tir.scratch : memref<64xf32>
  scf.for %i = %c0 to %c4 step %c1 {
    func.call @write(%a) : (memref<64xf32>) -> ()
    func.call @write(%b) : (memref<64xf32>) -> ()
  }
  return
}

// -----

// After a loop with a barrier the place is free. Without one, another thread may
// still be in the loop: its buffer lives until the team meets.
// CHECK-LABEL: func.func @barrier
// CHECK-SAME: tir.arena_bytes = 256 : i64
func.func @barrier(%x: f32) attributes {tir.entry = "barrier"} {
  %a = tir.scratch : memref<64xf32>
  %b = tir.scratch : memref<64xf32>
  tir.parallel (%i) in (64) {
    memref.store %x, %a[%i] : memref<64xf32>
  }
  tir.parallel (%i) in (64) {
    memref.store %x, %b[%i] : memref<64xf32>
  }
  return
}

// CHECK-LABEL: func.func @nowait
// CHECK-SAME: tir.arena_bytes = 512 : i64
func.func @nowait(%x: f32) attributes {tir.entry = "nowait"} {
  // CHECK: arith.constant 0 : index
  %a = tir.scratch : memref<64xf32>
  // CHECK: arith.constant 256 : index
  %b = tir.scratch : memref<64xf32>
  tir.parallel (%i) in (64) nowait {
    memref.store %x, %a[%i] : memref<64xf32>
  }
  tir.parallel (%i) in (64) {
    memref.store %x, %b[%i] : memref<64xf32>
  }
  // After the team has met.
  // CHECK: arith.constant {{0|256}} : index
  %c = tir.scratch : memref<64xf32>
  tir.parallel (%i) in (64) {
    memref.store %x, %c[%i] : memref<64xf32>
  }
  return
}

// CHECK-LABEL: func.func @nowait_barrier
// CHECK-SAME: tir.arena_bytes = 256 : i64
func.func @nowait_barrier(%x: f32) attributes {tir.entry = "nowait_barrier"} {
  %a = tir.scratch : memref<64xf32>
  %b = tir.scratch : memref<64xf32>
  tir.parallel (%i) in (64) nowait {
    memref.store %x, %a[%i] : memref<64xf32>
  }
  tir.barrier
  tir.parallel (%i) in (64) {
    memref.store %x, %b[%i] : memref<64xf32>
  }
  return
}

// -----

// Entry functions without temporaries get empty arenas, so that all are called
// alike. Other functions are none of its business, nor declarations.
// CHECK-LABEL: func.func @none
// CHECK-SAME: (%{{.*}}: memref<?xi8>, %{{.*}}: memref<?xi8>)
// CHECK-SAME: tir.arena_bytes = 0 : i64
func.func @none() attributes {tir.entry = "none"} {
  return
}

// CHECK-LABEL: func.func @other()
// CHECK-NEXT: tir.scratch
func.func @other() {
  %a = tir.scratch : memref<64xf32>
  return
}

// CHECK-LABEL: func.func private @declaration() attributes {tir.entry = "declaration"}
func.func private @declaration() attributes {tir.entry = "declaration"}
