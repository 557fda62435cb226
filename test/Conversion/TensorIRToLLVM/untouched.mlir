// RUN: gc-opt %s --convert-tir-to-llvm | FileCheck %s

// Functions and globals that belong to others stay as they are; private helpers
// of an entry function come along, as do globals that only it uses.

// CHECK:       memref.global "private" constant @shared
// CHECK:       llvm.mlir.global private constant @own
// CHECK-LABEL: func.func @other(%{{.*}}: tensor<4xf32>) -> tensor<4xf32>
// CHECK:         memref.get_global @shared
// CHECK-LABEL: func.func private @declared()
// CHECK-LABEL: llvm.func @f_compute(
// CHECK:         llvm.mlir.addressof @own
// CHECK:         llvm.call @helper(%{{.*}}, %{{.*}}) : (i64, !llvm.ptr) -> ()
// CHECK-LABEL: llvm.func internal @helper(%{{.*}}: i64, %{{.*}}: !llvm.ptr)

memref.global "private" constant @shared : memref<2xf32> = dense<[1.0, 2.0]>
memref.global "private" constant @own : memref<2xf32> = dense<[3.0, 4.0]>

func.func @other(%a: tensor<4xf32>) -> tensor<4xf32> {
  %g = memref.get_global @shared : memref<2xf32>
  %0 = arith.addf %a, %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func private @declared()

func.func @f(%o: memref<4xf32>)
    attributes {tir.entry = "f", tir.role = "compute", tir.inputs = 0 : i64,
                tir.outputs = 1 : i64} {
  %g = memref.get_global @own : memref<2xf32>
  tir.parallel (%i) in (2) {
    %x = memref.load %g[%i] : memref<2xf32>
    memref.store %x, %o[%i] : memref<4xf32>
    %p = memref.extract_aligned_pointer_as_index %o : memref<4xf32> -> index
    %pi = arith.index_cast %p : index to i64
    %ptr = llvm.inttoptr %pi : i64 to !llvm.ptr
    func.call @helper(%i, %ptr) : (index, !llvm.ptr) -> ()
  }
  return
}

func.func private @helper(%n: index, %p: !llvm.ptr) {
  %c = arith.constant 0.0 : f32
  llvm.store %c, %p : f32, !llvm.ptr
  return
}
