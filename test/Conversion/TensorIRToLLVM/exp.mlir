// RUN: gc-opt %s --machine=zen4-2 --convert-tir-to-llvm | FileCheck %s
// RUN: gc-opt %s --machine=zen3-2 --convert-tir-to-llvm | FileCheck %s --check-prefix=BITS
// RUN: gc-machine --print=zen4-2 | sed 's/"vector_bits": 512/"vector_bits": 256/' > %t.json
// RUN: gc-opt %s --machine=%t.json --convert-tir-to-llvm | FileCheck %s --check-prefix=HALF

// RUN: gc-machine --print=zen4-2 | sed '/"avx512dq",/d' > %t-foundation.json
// RUN: gc-opt %s --machine=%t-foundation.json --convert-tir-to-llvm | FileCheck %s --check-prefix=FOUNDATION

// AVX-512 multiplies by a power of two; elsewhere its bits are put together.
// Vectors of one register are scaled at once, longer ones in parts, others in
// the other way.

// CHECK-LABEL: llvm.func @any_compute(
// CHECK:       llvm.intr.roundeven
// CHECK:       llvm.call_intrinsic "llvm.x86.avx512.mask.scalef.ps.512"
// CHECK-NOT:   llvm.shl
// CHECK:       llvm.return
// HALF-LABEL:  llvm.func @any_compute(
// HALF-COUNT-2: llvm.call_intrinsic "llvm.x86.avx512.mask.scalef.ps.256"
// BITS-LABEL:  llvm.func @any_compute(
// BITS-NOT:    scalef
// BITS:        llvm.shl
func.func @any(%a: memref<16xf32>, %o: memref<16xf32>)
    attributes {tir.entry = "any", tir.role = "compute", tir.inputs = 1 : i64,
                tir.outputs = 1 : i64} {
  %c0 = arith.constant 0 : index
  %x = vector.load %a[%c0] : memref<16xf32>, vector<16xf32>
  %r = math.exp %x : vector<16xf32>
  vector.store %r, %o[%c0] : memref<16xf32>, vector<16xf32>
  return
}

// What is at most 0 is reduced by an instruction, too.
// CHECK-LABEL:   llvm.func @parts_compute(
// CHECK-COUNT-4: llvm.call_intrinsic "llvm.x86.avx512.mask.reduce.ps.512"
// CHECK-COUNT-4: llvm.call_intrinsic "llvm.x86.avx512.mask.scalef.ps.512"
// CHECK-NOT:     scalef
// Without AVX512DQ as other numbers.
// FOUNDATION-LABEL: llvm.func @parts_compute(
// FOUNDATION-NOT: mask.reduce
// FOUNDATION:     llvm.intr.roundeven
// FOUNDATION-NOT: mask.reduce
// FOUNDATION-COUNT-4: llvm.call_intrinsic "llvm.x86.avx512.mask.scalef.ps.512"
// CHECK:         llvm.return
func.func @parts(%a: memref<64xf32>, %o: memref<64xf32>)
    attributes {tir.entry = "parts", tir.role = "compute", tir.inputs = 1 : i64,
                tir.outputs = 1 : i64} {
  %c0 = arith.constant 0 : index
  %x = vector.load %a[%c0] : memref<64xf32>, vector<64xf32>
  %r = math.exp %x {tir.at_most_one} : vector<64xf32>
  vector.store %r, %o[%c0] : memref<64xf32>, vector<64xf32>
  return
}

// CHECK-LABEL: llvm.func @short_compute(
// CHECK:       llvm.call_intrinsic "llvm.x86.avx512.mask.scalef.ps.256"
// CHECK:       llvm.shl %{{.*}} : vector<5xi32>
func.func @short(%a: memref<8xf32>, %b: memref<5xf32>, %o: memref<8xf32>,
                 %p: memref<5xf32>)
    attributes {tir.entry = "short", tir.role = "compute", tir.inputs = 2 : i64,
                tir.outputs = 2 : i64} {
  %c0 = arith.constant 0 : index
  %x = vector.load %a[%c0] : memref<8xf32>, vector<8xf32>
  %r = math.exp %x : vector<8xf32>
  vector.store %r, %o[%c0] : memref<8xf32>, vector<8xf32>
  %y = vector.load %b[%c0] : memref<5xf32>, vector<5xf32>
  %s = math.exp %y : vector<5xf32>
  vector.store %s, %p[%c0] : memref<5xf32>, vector<5xf32>
  return
}
