// RUN: gc-opt %s --machine=zen3-2 --convert-tir-to-llvm | FileCheck %s
// RUN: gc-opt %s --machine=zen4-2 --convert-tir-to-llvm | FileCheck %s --check-prefix=BF16

// Conversions of bf16 are integer arithmetic: processors without AVX512-BF16 have
// no instruction for them and LLVM would call a library. With it vectors of 256
// and 512 bits are rounded by one.

// BF16-LABEL: llvm.func @f_compute(
// BF16:         llvm.call_intrinsic "llvm.x86.avx512bf16.cvtneps2bf16.256"(%{{.*}}) : (vector<8xf32>) -> vector<8xbf16>
// BF16:         llvm.return

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

// Longer ones are rounded in parts, and joined as integers.

// BF16-LABEL:   llvm.func @long_compute(
// BF16-COUNT-4: llvm.call_intrinsic "llvm.x86.avx512bf16.cvtneps2bf16.512"(%{{.*}}) : (vector<16xf32>) -> vector<16xbf16>
// BF16-NOT:     llvm.lshr
// BF16:         llvm.store %{{.*}} : vector<64xi16>, !llvm.ptr
// CHECK-LABEL:  llvm.func @long_compute(
// CHECK:        llvm.lshr %{{.*}} : vector<64xi32>
func.func @long(%a: memref<64xf32>, %o: memref<64xbf16>)
    attributes {tir.entry = "long", tir.role = "compute", tir.inputs = 1 : i64,
                tir.outputs = 1 : i64} {
  %c0 = arith.constant 0 : index
  %x = vector.load %a[%c0] : memref<64xf32>, vector<64xf32>
  %r = arith.truncf %x : vector<64xf32> to vector<64xbf16>
  vector.store %r, %o[%c0] : memref<64xbf16>, vector<64xbf16>
  return
}

// In memory it is integers: LLVM has no code for vectors of bf16 of odd lengths
// where the processor has AVX512-BF16.

// CHECK-LABEL: llvm.func @copy_compute(
// CHECK:       %[[V:.*]] = llvm.load %{{.*}} : !llvm.ptr -> vector<9xi16>
// CHECK:       llvm.store %[[V]], %{{.*}} : vector<9xi16>, !llvm.ptr
// CHECK:       %[[S:.*]] = llvm.load %{{.*}} : !llvm.ptr -> i16
// CHECK:       llvm.store %[[S]], %{{.*}} : i16, !llvm.ptr
// CHECK-NOT:   bf16
// CHECK:       llvm.return
func.func @copy(%a: memref<10xbf16>, %o: memref<10xbf16>)
    attributes {tir.entry = "copy", tir.role = "compute", tir.inputs = 1 : i64,
                tir.outputs = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c9 = arith.constant 9 : index
  %x = vector.load %a[%c0] : memref<10xbf16>, vector<9xbf16>
  vector.store %x, %o[%c0] : memref<10xbf16>, vector<9xbf16>
  %y = memref.load %a[%c9] : memref<10xbf16>
  memref.store %y, %o[%c9] : memref<10xbf16>
  return
}
