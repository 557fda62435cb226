// RUN: gc-opt %s --convert-tir-to-llvm | FileCheck %s

// Conversions of bf16 are integer arithmetic: processors without AVX512-BF16 have
// no instruction for them and LLVM would call a library.

// CHECK-LABEL: llvm.func @f_compute(
// CHECK-NOT:   llvm.{{fpext|fptrunc}}
// CHECK:       llvm.shl %{{.*}} : vector<8xi32>
// CHECK:       llvm.lshr %{{.*}} : vector<8xi32>
// CHECK-NOT:   llvm.{{fpext|fptrunc}}
// CHECK:       llvm.return
func.func @f(%a: memref<8xbf16>, %o: memref<8xbf16>)
    attributes {tir.entry = "f", tir.role = "compute", tir.inputs = 1 : i64,
                tir.outputs = 1 : i64} {
  %c0 = arith.constant 0 : index
  %x = vector.load %a[%c0] : memref<8xbf16>, vector<8xbf16>
  %y = arith.extf %x : vector<8xbf16> to vector<8xf32>
  %z = arith.mulf %y, %y : vector<8xf32>
  %r = arith.truncf %z : vector<8xf32> to vector<8xbf16>
  vector.store %r, %o[%c0] : memref<8xbf16>, vector<8xbf16>
  return
}
