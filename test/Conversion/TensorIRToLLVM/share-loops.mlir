// RUN: gc-opt %s --convert-tir-to-llvm --split-input-file | FileCheck %s

// Two loops that do the same are one function of their buffers and bounds.

// CHECK-LABEL: llvm.func @twice_compute(
// CHECK-NOT:     llvm.fmul
// CHECK:         llvm.call @twice_loop(%[[BEGIN:.*]], %[[END:.*]], %[[A:.*]], %[[C:.*]]) : (i64, i64, !llvm.ptr, !llvm.ptr) -> ()
// CHECK:         llvm.call @gc_barrier_wait
// CHECK:         llvm.call @twice_loop(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) : (i64, i64, !llvm.ptr, !llvm.ptr) -> ()
// CHECK-NOT:     llvm.fmul
// CHECK:         llvm.return
// CHECK-LABEL: llvm.func internal @twice_loop(
// CHECK-SAME:    %[[BEGIN:.*]]: i64, %[[END:.*]]: i64, %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr)
// CHECK:         llvm.br ^[[HEAD:bb.*]](%[[BEGIN]] : i64)
// CHECK:       ^[[HEAD]](%[[I:.*]]: i64):
// CHECK:         llvm.icmp "slt" %[[I]], %[[END]]
// CHECK:         llvm.fmul
func.func @twice(%a: memref<13xf32>, %b: memref<13xf32>, %c: memref<13xf32>, %d: memref<13xf32>)
    attributes {tir.entry = "twice", tir.role = "compute", tir.inputs = 2 : i64, tir.outputs = 2 : i64} {
  %x = arith.constant 1.5 : f32
  %y = arith.constant 2.5 : f32
  tir.parallel (%i) in (13) {
    %v0 = memref.load %a[%i] : memref<13xf32>
    %v1 = arith.addf %v0, %x : f32
    %v2 = arith.mulf %v1, %x : f32
    %v3 = arith.addf %v2, %x : f32
    %v4 = arith.mulf %v3, %x : f32
    %v5 = arith.addf %v4, %x : f32
    %v6 = arith.mulf %v5, %x : f32
    %v7 = arith.addf %v6, %x : f32
    %v8 = arith.mulf %v7, %x : f32
    %v9 = arith.addf %v8, %x : f32
    %v10 = arith.mulf %v9, %x : f32
    %v11 = arith.addf %v10, %x : f32
    %v12 = arith.mulf %v11, %x : f32
    %v13 = arith.addf %v12, %x : f32
    %v14 = arith.mulf %v13, %x : f32
    %v15 = arith.addf %v14, %x : f32
    %v16 = arith.mulf %v15, %x : f32
    %v17 = arith.addf %v16, %x : f32
    %v18 = arith.mulf %v17, %x : f32
    %v19 = arith.addf %v18, %x : f32
    %v20 = arith.mulf %v19, %x : f32
    memref.store %v20, %c[%i] : memref<13xf32>
  }
  tir.parallel (%i) in (13) {
    %v0 = memref.load %b[%i] : memref<13xf32>
    %v1 = arith.addf %v0, %x : f32
    %v2 = arith.mulf %v1, %x : f32
    %v3 = arith.addf %v2, %x : f32
    %v4 = arith.mulf %v3, %x : f32
    %v5 = arith.addf %v4, %x : f32
    %v6 = arith.mulf %v5, %x : f32
    %v7 = arith.addf %v6, %x : f32
    %v8 = arith.mulf %v7, %x : f32
    %v9 = arith.addf %v8, %x : f32
    %v10 = arith.mulf %v9, %x : f32
    %v11 = arith.addf %v10, %x : f32
    %v12 = arith.mulf %v11, %x : f32
    %v13 = arith.addf %v12, %x : f32
    %v14 = arith.mulf %v13, %x : f32
    %v15 = arith.addf %v14, %x : f32
    %v16 = arith.mulf %v15, %x : f32
    %v17 = arith.addf %v16, %x : f32
    %v18 = arith.mulf %v17, %x : f32
    %v19 = arith.addf %v18, %x : f32
    %v20 = arith.mulf %v19, %x : f32
    memref.store %v20, %d[%i] : memref<13xf32>
  }
  return
}

// -----

// Not the same constant, or not the same pattern of buffers.

// CHECK-LABEL: llvm.func @apart_compute(
// CHECK-NOT:     llvm.call @apart_loop
// CHECK:         llvm.return
// CHECK-NOT:   @apart_loop
func.func @apart(%a: memref<13xf32>, %b: memref<13xf32>, %c: memref<13xf32>, %d: memref<13xf32>)
    attributes {tir.entry = "apart", tir.role = "compute", tir.inputs = 2 : i64, tir.outputs = 2 : i64} {
  %x = arith.constant 1.5 : f32
  %y = arith.constant 2.5 : f32
  tir.parallel (%i) in (13) {
    %v0 = memref.load %a[%i] : memref<13xf32>
    %v1 = arith.addf %v0, %x : f32
    %v2 = arith.mulf %v1, %x : f32
    %v3 = arith.addf %v2, %x : f32
    %v4 = arith.mulf %v3, %x : f32
    %v5 = arith.addf %v4, %x : f32
    %v6 = arith.mulf %v5, %x : f32
    %v7 = arith.addf %v6, %x : f32
    %v8 = arith.mulf %v7, %x : f32
    %v9 = arith.addf %v8, %x : f32
    %v10 = arith.mulf %v9, %x : f32
    %v11 = arith.addf %v10, %x : f32
    %v12 = arith.mulf %v11, %x : f32
    %v13 = arith.addf %v12, %x : f32
    %v14 = arith.mulf %v13, %x : f32
    %v15 = arith.addf %v14, %x : f32
    %v16 = arith.mulf %v15, %x : f32
    %v17 = arith.addf %v16, %x : f32
    %v18 = arith.mulf %v17, %x : f32
    %v19 = arith.addf %v18, %x : f32
    %v20 = arith.mulf %v19, %x : f32
    memref.store %v20, %c[%i] : memref<13xf32>
  }
  tir.parallel (%i) in (13) {
    %v0 = memref.load %b[%i] : memref<13xf32>
    %v1 = arith.addf %v0, %y : f32
    %v2 = arith.mulf %v1, %y : f32
    %v3 = arith.addf %v2, %y : f32
    %v4 = arith.mulf %v3, %y : f32
    %v5 = arith.addf %v4, %y : f32
    %v6 = arith.mulf %v5, %y : f32
    %v7 = arith.addf %v6, %y : f32
    %v8 = arith.mulf %v7, %y : f32
    %v9 = arith.addf %v8, %y : f32
    %v10 = arith.mulf %v9, %y : f32
    %v11 = arith.addf %v10, %y : f32
    %v12 = arith.mulf %v11, %y : f32
    %v13 = arith.addf %v12, %y : f32
    %v14 = arith.mulf %v13, %y : f32
    %v15 = arith.addf %v14, %y : f32
    %v16 = arith.mulf %v15, %y : f32
    %v17 = arith.addf %v16, %y : f32
    %v18 = arith.mulf %v17, %y : f32
    %v19 = arith.addf %v18, %y : f32
    %v20 = arith.mulf %v19, %y : f32
    memref.store %v20, %d[%i] : memref<13xf32>
  }
  tir.parallel (%i) in (13) {
    %v0 = memref.load %b[%i] : memref<13xf32>
    %v1 = arith.addf %v0, %x : f32
    %v2 = arith.mulf %v1, %x : f32
    %v3 = arith.addf %v2, %x : f32
    %v4 = arith.mulf %v3, %x : f32
    %v5 = arith.addf %v4, %x : f32
    %v6 = arith.mulf %v5, %x : f32
    %v7 = arith.addf %v6, %x : f32
    %v8 = arith.mulf %v7, %x : f32
    %v9 = arith.addf %v8, %x : f32
    %v10 = arith.mulf %v9, %x : f32
    %v11 = arith.addf %v10, %x : f32
    %v12 = arith.mulf %v11, %x : f32
    %v13 = arith.addf %v12, %x : f32
    %v14 = arith.mulf %v13, %x : f32
    %v15 = arith.addf %v14, %x : f32
    %v16 = arith.mulf %v15, %x : f32
    %v17 = arith.addf %v16, %x : f32
    %v18 = arith.mulf %v17, %x : f32
    %v19 = arith.addf %v18, %x : f32
    %v20 = arith.mulf %v19, %x : f32
    memref.store %v20, %b[%i] : memref<13xf32>
  }
  return
}

// -----

// A call would be most of so few ops.

// CHECK-LABEL: llvm.func @short_compute(
// CHECK-NOT:     llvm.call @short_loop
// CHECK:         llvm.return
// CHECK-NOT:   @short_loop
func.func @short(%a: memref<13xf32>, %b: memref<13xf32>, %c: memref<13xf32>, %d: memref<13xf32>)
    attributes {tir.entry = "short", tir.role = "compute", tir.inputs = 2 : i64, tir.outputs = 2 : i64} {
  %x = arith.constant 1.5 : f32
  %y = arith.constant 2.5 : f32
  tir.parallel (%i) in (13) {
    %v0 = memref.load %a[%i] : memref<13xf32>
    %v1 = arith.addf %v0, %x : f32
    %v2 = arith.mulf %v1, %x : f32
    memref.store %v2, %c[%i] : memref<13xf32>
  }
  tir.parallel (%i) in (13) {
    %v0 = memref.load %b[%i] : memref<13xf32>
    %v1 = arith.addf %v0, %x : f32
    %v2 = arith.mulf %v1, %x : f32
    memref.store %v2, %d[%i] : memref<13xf32>
  }
  return
}
