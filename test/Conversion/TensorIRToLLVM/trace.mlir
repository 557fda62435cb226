// RUN: gc-opt %s --convert-tir-to-llvm=trace | FileCheck %s
// RUN: gc-opt %s --convert-tir-to-llvm | FileCheck %s --check-prefix=OFF

// Regions are numbered over compute, then fold; each thread records its share,
// the wait at the barrier is outside.

// CHECK-LABEL: llvm.func @f_compute(
// CHECK-DAG:   %[[R0:.*]] = llvm.mlir.constant(0 : i64) : i64
// CHECK-DAG:   %[[R1:.*]] = llvm.mlir.constant(1 : i64) : i64
// CHECK:       llvm.call @gc_trace_begin(%[[TEAM:.*]], %[[R0]])
// CHECK:       llvm.udiv
// CHECK:       llvm.call @gc_trace_end(%[[TEAM]], %[[R0]])
// CHECK-NEXT:  llvm.call @gc_barrier_wait
// CHECK:       llvm.call @gc_trace_begin(%[[TEAM]], %[[R1]])
// CHECK:       llvm.call @gc_trace_end(%[[TEAM]], %[[R1]])
// CHECK-LABEL: llvm.func @f_fold(
// CHECK:       %[[R2:.*]] = llvm.mlir.constant(2 : i64) : i64
// CHECK:       llvm.call @gc_trace_begin(%{{.*}}, %[[R2]])
// CHECK:       @f_module_region_0("first\00")
// CHECK:       @f_module_region_1("f.compute.1\00")
// CHECK:       @f_module_region_2("prepack\00")

// OFF-NOT: gc_trace

func.func @f(%a: memref<4xf32>, %o: memref<4xf32>, %w: memref<4xf32>)
    attributes {tir.entry = "f", tir.role = "compute", tir.inputs = 1 : i64,
                tir.outputs = 1 : i64, tir.folded = 1 : i64} {
  tir.parallel (%i) in (4) attributes {name = "first"} {
    %x = memref.load %w[%i] : memref<4xf32>
    memref.store %x, %o[%i] : memref<4xf32>
  }
  tir.parallel (%i) in (4) {
    %x = memref.load %o[%i] : memref<4xf32>
    memref.store %x, %o[%i] : memref<4xf32>
  }
  return
}

func.func private @f_fold(%a: memref<4xf32>, %w: memref<4xf32>)
    attributes {tir.entry = "f", tir.role = "fold", tir.inputs = 1 : i64,
                tir.outputs = 1 : i64, tir.fold_inputs = array<i64: 0>} {
  tir.parallel (%i) in (4) attributes {name = "prepack"} {
    %x = memref.load %a[%i] : memref<4xf32>
    memref.store %x, %w[%i] : memref<4xf32>
  }
  return
}
