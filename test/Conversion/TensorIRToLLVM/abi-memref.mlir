// RUN: gc-opt %s --convert-tir-to-llvm=abi=memref | FileCheck %s
// RUN: not gc-opt %s --convert-tir-to-llvm=abi=tensor 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// The wrapper has the graph's name and visibility; results are allocated, strided
// ones with the whole span of their elements. Calls of the declaration that
// gc-memref-abi-calls made go to it.

// UNKNOWN: for the --abi option: Cannot find option named 'tensor'!

// CHECK-LABEL: func.func @caller(
// CHECK:         call @f(%{{.*}}) : (memref<4xf32>) -> memref<2x4xf32, strided<[8, 1]>>
// CHECK-NOT:   f__memref
// CHECK:       llvm.mlir.global internal @f_module_instance() {{.*}} : !llvm.ptr
// CHECK-LABEL: func.func private @f(
// CHECK-SAME:    %[[X:.*]]: memref<4xf32>) -> memref<2x4xf32, strided<[8, 1]>>
// CHECK:         %[[SPAN:.*]] = memref.alloc() : memref<12xf32>
// CHECK:         %[[O:.*]] = memref.reinterpret_cast %[[SPAN]] to offset: [0], sizes: [2, 4], strides: [8, 1]
// CHECK:         memref.extract_aligned_pointer_as_index %[[X]]
// CHECK:         memref.extract_aligned_pointer_as_index %[[O]]
// CHECK:         %[[MODULE:.*]] = llvm.mlir.addressof @f_module : !llvm.ptr
// CHECK:         %[[SLOT:.*]] = llvm.mlir.addressof @f_module_instance : !llvm.ptr
// CHECK:         %[[STATUS:.*]] = llvm.call @gc_execute_module(%[[MODULE]], %[[SLOT]], %{{.*}}, %{{.*}})
// CHECK:         %[[FINE:.*]] = arith.cmpi eq, %[[STATUS]]
// CHECK:         cf.assert %[[FINE]], "execution of @f failed"
// CHECK:         return %[[O]]

func.func private @f(%x: memref<4xf32>, %o: memref<2x4xf32, strided<[8, 1]>>)
    attributes {tir.entry = "f", tir.role = "compute", tir.inputs = 1 : i64,
                tir.outputs = 1 : i64} {
  tir.parallel (%i, %j) in (2, 4) {
    %v = memref.load %x[%j] : memref<4xf32>
    memref.store %v, %o[%i, %j] : memref<2x4xf32, strided<[8, 1]>>
  }
  return
}

func.func private @f__memref(memref<4xf32>) -> memref<2x4xf32, strided<[8, 1]>>

func.func @caller(%x: memref<4xf32>) -> memref<2x4xf32, strided<[8, 1]>> {
  %0 = call @f__memref(%x) : (memref<4xf32>) -> memref<2x4xf32, strided<[8, 1]>>
  return %0 : memref<2x4xf32, strided<[8, 1]>>
}
