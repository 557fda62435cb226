// RUN: gc-opt %s --convert-tir-to-llvm --split-input-file | FileCheck %s

// The share of thread t of T: q = n / T iterations, one more for t < n mod T.

// CHECK-LABEL: llvm.func @one_compute(
// CHECK-SAME:    %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %[[TEAM:.*]]: !llvm.ptr)
// CHECK-DAG:   %[[N:.*]] = llvm.mlir.constant(13 : index)
// CHECK:       %[[T:.*]] = llvm.load %[[TEAM]] invariant : !llvm.ptr -> i64
// CHECK:       %[[AT:.*]] = llvm.getelementptr inbounds %[[TEAM]][1]
// CHECK:       %[[SIZE:.*]] = llvm.load %[[AT]] invariant : !llvm.ptr -> i64
// CHECK:       %[[Q:.*]] = llvm.udiv %[[N]], %[[SIZE]]
// CHECK:       %[[ALL:.*]] = llvm.mul %[[Q]], %[[SIZE]]
// CHECK:       %[[REST:.*]] = llvm.sub %[[N]], %[[ALL]]
// CHECK:       %[[OWN:.*]] = llvm.mul %[[T]], %[[Q]]
// CHECK:       %[[EXTRA:.*]] = llvm.intr.umin(%[[T]], %[[REST]])
// CHECK:       %[[BEGIN:.*]] = llvm.add %[[OWN]], %[[EXTRA]]
// CHECK:       %[[ONE_MORE:.*]] = llvm.icmp "ult" %[[T]], %[[REST]]
// CHECK:       %[[END_Q:.*]] = llvm.add %[[BEGIN]], %[[Q]]
// CHECK:       %[[BIT:.*]] = llvm.zext %[[ONE_MORE]]
// CHECK:       %[[END:.*]] = llvm.add %[[END_Q]], %[[BIT]]
// CHECK:       llvm.br ^[[HEAD:bb.*]](%[[BEGIN]] : i64)
// CHECK:     ^[[HEAD]](%[[I:.*]]: i64):
// CHECK:       llvm.icmp "slt" %[[I]], %[[END]]
// Nothing follows: the join of the fork is the barrier.
// CHECK-NOT:   gc_barrier_wait
// CHECK:       llvm.return
func.func @one(%o: memref<13xf32>)
    attributes {tir.entry = "one", tir.role = "compute", tir.inputs = 0 : i64, tir.outputs = 1 : i64} {
  %x = arith.constant 1.0 : f32
  tir.parallel (%i) in (13) {
    memref.store %x, %o[%i] : memref<13xf32>
  }
  return
}

// -----

// Sizes of 1 vanish; the other indices are carried along the flat loop: divided
// once, then counted up with a carry.

// CHECK-LABEL: llvm.func @box_compute(
// CHECK-DAG:   %[[C5:.*]] = llvm.mlir.constant(5 : index)
// CHECK-DAG:   %[[C15:.*]] = llvm.mlir.constant(15 : index)
// CHECK-DAG:   %[[C0:.*]] = llvm.mlir.constant(0 : index)
// CHECK-DAG:   %[[C1:.*]] = llvm.mlir.constant(1 : index)
// CHECK:       llvm.udiv %[[C15]]
// CHECK:       %[[J0:.*]] = llvm.urem %{{.*}}, %[[C5]]
// CHECK:       %[[I0:.*]] = llvm.udiv %{{.*}}, %[[C5]]
// CHECK:       llvm.br ^[[HEAD:bb.*]](%{{.*}}, %[[I0]], %[[J0]]
// CHECK:     ^[[HEAD]](%[[FLAT:.*]]: i64, %[[I:.*]]: i64, %[[J:.*]]: i64):
// CHECK-NOT:   llvm.udiv
// CHECK:       llvm.store
// CHECK:       %[[NEXT:.*]] = llvm.add %[[J]], %[[C1]]
// CHECK:       %[[WRAP:.*]] = llvm.icmp "eq" %[[NEXT]], %[[C5]]
// CHECK:       %[[J1:.*]] = llvm.select %[[WRAP]], %[[C0]], %[[NEXT]]
// CHECK:       %[[CARRY:.*]] = llvm.zext %[[WRAP]]
// CHECK:       %[[I1:.*]] = llvm.add %[[I]], %[[CARRY]]
// CHECK:       llvm.br ^[[HEAD]](%{{.*}}, %[[I1]], %[[J1]]
func.func @box(%o: memref<3x1x5x1xf32>)
    attributes {tir.entry = "box", tir.role = "compute", tir.inputs = 0 : i64, tir.outputs = 1 : i64} {
  %x = arith.constant 1.0 : f32
  tir.parallel (%i, %j, %k, %l) in (3, 1, 5, 1) {
    memref.store %x, %o[%i, %j, %k, %l] : memref<3x1x5x1xf32>
  }
  return
}

// -----

// A barrier between loops, none after a loop with nowait, none at the end; the
// explicit one stays, the one before the return does not.

// CHECK-LABEL: llvm.func @barriers_compute(
// CHECK:       llvm.mlir.constant(3 : index)
// CHECK:       llvm.udiv
// CHECK:       llvm.call @gc_barrier_wait(%[[TEAM:.*]]) : (!llvm.ptr) -> ()
// CHECK:       llvm.udiv
// CHECK-NOT:   gc_barrier_wait
// CHECK:       llvm.udiv
// CHECK:       llvm.call @gc_barrier_wait(%[[TEAM]])
// CHECK-NEXT:  llvm.call @gc_barrier_wait(%[[TEAM]])
// CHECK:       llvm.udiv
// CHECK-NOT:   gc_barrier_wait
// CHECK:       llvm.return
func.func @barriers(%o: memref<3xf32>)
    attributes {tir.entry = "barriers", tir.role = "compute", tir.inputs = 0 : i64, tir.outputs = 1 : i64} {
  %x = arith.constant 1.0 : f32
  tir.parallel (%i) in (3) {
    memref.store %x, %o[%i] : memref<3xf32>
  }
  tir.parallel (%i) in (3) nowait {
    memref.store %x, %o[%i] : memref<3xf32>
  }
  tir.parallel (%i) in (3) {
    memref.store %x, %o[%i] : memref<3xf32>
  }
  tir.barrier
  tir.parallel (%i) in (3) {
    memref.store %x, %o[%i] : memref<3xf32>
  }
  tir.barrier
  return
}

// -----

// Code after the last loop reads what other threads wrote: the barrier stays.

// CHECK-LABEL: llvm.func @after_compute(
// CHECK:       llvm.udiv
// CHECK:       llvm.call @gc_barrier_wait
// CHECK:       llvm.store
// CHECK:       llvm.return
func.func @after(%o: memref<3xf32>)
    attributes {tir.entry = "after", tir.role = "compute", tir.inputs = 0 : i64, tir.outputs = 1 : i64} {
  %x = arith.constant 1.0 : f32
  %c0 = arith.constant 0 : index
  tir.parallel (%i) in (3) {
    memref.store %x, %o[%i] : memref<3xf32>
  }
  memref.store %x, %o[%c0] : memref<3xf32>
  return
}

// -----

// Stores that bypass the caches are visible to the other threads after the
// barrier.

// CHECK-LABEL: llvm.func @streams_compute(
// CHECK: llvm.store %{{.*}}, %{{.*}} {alignment = 32 : i64, nontemporal}
// CHECK: llvm.fence seq_cst
// CHECK: llvm.return
func.func @streams(%o: memref<16x8xf32>)
    attributes {tir.entry = "streams", tir.role = "compute", tir.inputs = 0 : i64, tir.outputs = 1 : i64} {
  %c0 = arith.constant 0 : index
  %x = arith.constant dense<1.0> : vector<8xf32>
  tir.parallel (%i) in (16) {
    vector.store %x, %o[%i, %c0] {alignment = 32 : i64, nontemporal = true} : memref<16x8xf32>, vector<8xf32>
  }
  return
}
