// RUN: gc-opt %s --convert-tir-to-llvm=part-ops=4 | FileCheck %s
// RUN: gc-opt %s --convert-tir-to-llvm | FileCheck %s --check-prefix=WHOLE
// RUN: gc-opt %s --convert-tir-to-llvm=part-ops=0 | FileCheck %s --check-prefix=WHOLE
// RUN: not gc-opt %s --convert-tir-to-llvm=part-ops=-1 2>&1 | FileCheck %s --check-prefix=NEGATIVE

// NEGATIVE: error: part-ops is negative
// WHOLE-NOT: _part

// A long entry function becomes calls of its parts. Each reads the arguments and
// computes the places that it needs for itself.

// CHECK-LABEL: llvm.func @long_compute(
// CHECK-SAME:    %[[ARGS:.*]]: !llvm.ptr, %[[ARENA:.*]]: !llvm.ptr, %[[TEAM:.*]]: !llvm.ptr) -> i32
// CHECK-NOT:     llvm.load
// CHECK:         llvm.call @long_compute_part(%[[ARGS]], %[[ARENA]], %[[TEAM]])
// CHECK-NEXT:    llvm.call @long_compute_part_0(%[[ARGS]], %[[ARENA]], %[[TEAM]])
// CHECK-NEXT:    llvm.return
func.func @long(%a: memref<13xf32>, %b: memref<13xf32>, %arena: memref<?xi8>, %own: memref<?xi8>)
    attributes {tir.entry = "long", tir.role = "compute", tir.inputs = 1 : i64, tir.outputs = 1 : i64, tir.arena_bytes = 64 : i64} {
  %zero = arith.constant 0 : index
  %view = memref.view %arena[%zero][] : memref<?xi8> to memref<13xf32>
  tir.parallel (%i) in (13) {
    %0 = memref.load %a[%i] : memref<13xf32>
    %1 = arith.addf %0, %0 : f32
    memref.store %1, %view[%i] : memref<13xf32>
  }
  tir.parallel (%i) in (13) {
    %0 = memref.load %view[%i] : memref<13xf32>
    %1 = arith.mulf %0, %0 : f32
    memref.store %1, %b[%i] : memref<13xf32>
  }
  return
}

// CHECK-LABEL: llvm.func internal @long_compute_part(
// CHECK:         llvm.load %{{.*}} invariant
// CHECK:         llvm.fadd
// CHECK-NOT:     llvm.fmul
// CHECK:         llvm.return
// CHECK-LABEL: llvm.func internal @long_compute_part_0(
// CHECK-NOT:     llvm.fadd
// CHECK:         llvm.load %{{.*}} invariant
// CHECK:         llvm.fmul
// CHECK:         llvm.return

// Between what uses a value that is computed once there is no cut.

// CHECK-NOT:     @once_compute_part

func.func @once(%a: memref<13xf32>, %b: memref<13xf32>)
    attributes {tir.entry = "once", tir.role = "compute", tir.inputs = 1 : i64, tir.outputs = 1 : i64} {
  %zero = arith.constant 0 : index
  %x = memref.load %a[%zero] : memref<13xf32>
  tir.parallel (%i) in (13) {
    memref.store %x, %b[%i] : memref<13xf32>
  }
  tir.parallel (%i) in (13) {
    memref.store %x, %b[%i] : memref<13xf32>
  }
  return
}
