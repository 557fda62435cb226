// RUN: gc-opt %s --machine=zen4-2 --convert-tir-to-llvm | FileCheck %s
// RUN: gc-opt %s --machine=zen3-2 --convert-tir-to-llvm | FileCheck %s --check-prefix=LIMITS
// RUN: gc-machine --print=zen4-2 | sed 's/"vector_bits": 512/"vector_bits": 256/' > %t.json
// RUN: gc-opt %s --machine=%t.json --convert-tir-to-llvm | FileCheck %s --check-prefix=HALF

// Casts to 8 bits leave one limit to the instruction that narrows, where
// there is one. Vectors that do not consist of registers, and limits that are not
// those of the type, are as on other machines.

// CHECK-LABEL: llvm.func @unsigned_compute(
// CHECK:       llvm.fcmp "ogt"
// CHECK-NOT:   llvm.fcmp "olt"
// CHECK:       llvm.call_intrinsic "llvm.x86.avx512.mask.cvtps2dq.512"
// CHECK:       llvm.intr.umin
// CHECK:       llvm.trunc
// HALF-LABEL:  llvm.func @unsigned_compute(
// HALF-COUNT-2: llvm.call_intrinsic "llvm.x86.avx.cvt.ps2dq.256"
// LIMITS-LABEL: llvm.func @unsigned_compute(
// LIMITS-NOT:  call_intrinsic
// LIMITS:      llvm.fcmp "olt"
// LIMITS:      llvm.fadd
// LIMITS-NOT:  call_intrinsic
func.func @unsigned(%a: memref<16xf32>, %o: memref<16xi8>)
    attributes {tir.entry = "unsigned", tir.role = "compute", tir.inputs = 1 : i64,
                tir.outputs = 1 : i64} {
  %c0 = arith.constant 0 : index
  %least = arith.constant dense<0.0> : vector<16xf32>
  %most = arith.constant dense<255.0> : vector<16xf32>
  %shift = arith.constant dense<12582912.0> : vector<16xf32>
  %x = vector.load %a[%c0] : memref<16xf32>, vector<16xf32>
  %0 = arith.cmpf ogt, %x, %least : vector<16xf32>
  %1 = arith.select %0, %x, %least : vector<16xi1>, vector<16xf32>
  %2 = arith.cmpf olt, %1, %most : vector<16xf32>
  %3 = arith.select %2, %1, %most : vector<16xi1>, vector<16xf32>
  %4 = arith.addf %3, %shift : vector<16xf32>
  %5 = arith.bitcast %4 : vector<16xf32> to vector<16xi32>
  %6 = arith.trunci %5 : vector<16xi32> to vector<16xi8>
  vector.store %6, %o[%c0] : memref<16xi8>, vector<16xi8>
  return
}

// CHECK-LABEL: llvm.func @signed_compute(
// CHECK-NOT:   llvm.fcmp "ogt"
// CHECK:       llvm.fcmp "ult"
// CHECK:       llvm.call_intrinsic "llvm.x86.avx512.mask.cvtps2dq.512"
// CHECK:       llvm.intr.smax
// CHECK:       llvm.intr.smin
// CHECK:       llvm.trunc
func.func @signed(%a: memref<16xf32>, %o: memref<16xi8>)
    attributes {tir.entry = "signed", tir.role = "compute", tir.inputs = 1 : i64,
                tir.outputs = 1 : i64} {
  %c0 = arith.constant 0 : index
  %least = arith.constant dense<-128.0> : vector<16xf32>
  %most = arith.constant dense<127.0> : vector<16xf32>
  %shift = arith.constant dense<12582912.0> : vector<16xf32>
  %x = vector.load %a[%c0] : memref<16xf32>, vector<16xf32>
  %0 = arith.cmpf ogt, %x, %least : vector<16xf32>
  %1 = arith.select %0, %x, %least : vector<16xi1>, vector<16xf32>
  %2 = arith.cmpf olt, %1, %most : vector<16xf32>
  %3 = arith.select %2, %1, %most : vector<16xi1>, vector<16xf32>
  %4 = arith.addf %3, %shift : vector<16xf32>
  %5 = arith.bitcast %4 : vector<16xf32> to vector<16xi32>
  %6 = arith.trunci %5 : vector<16xi32> to vector<16xi8>
  vector.store %6, %o[%c0] : memref<16xi8>, vector<16xi8>
  return
}

// Numbers that are known not to be large need no limit, and four registers are packed.
// CHECK-LABEL: llvm.func @packed_compute(
// CHECK-NOT:   fcmp
// CHECK-COUNT-4: llvm.call_intrinsic "llvm.x86.avx512.mask.cvtps2dq.512"
// CHECK-COUNT-2: llvm.call_intrinsic "llvm.x86.avx512.packssdw.512"
// CHECK:       llvm.call_intrinsic "llvm.x86.avx512.packuswb.512"
// CHECK:       llvm.shufflevector %{{.*}} [0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15]
// HALF-LABEL:  llvm.func @packed_compute(
// HALF-NOT:    packssdw
// HALF:        llvm.intr.smax
// HALF:        llvm.intr.umin
// LIMITS-LABEL: llvm.func @packed_compute(
// LIMITS:      llvm.fcmp "ogt"
// LIMITS:      llvm.fcmp "olt"
func.func @packed(%a: memref<64xf32>, %o: memref<64xi8>)
    attributes {tir.entry = "packed", tir.role = "compute", tir.inputs = 1 : i64,
                tir.outputs = 1 : i64} {
  %c0 = arith.constant 0 : index
  %least = arith.constant dense<0.0> : vector<64xf32>
  %most = arith.constant dense<255.0> : vector<64xf32>
  %shift = arith.constant dense<12582912.0> : vector<64xf32>
  %x = vector.load %a[%c0] : memref<64xf32>, vector<64xf32>
  %0 = arith.cmpf ogt, %x, %least : vector<64xf32>
  %1 = arith.select %0, %x, %least : vector<64xi1>, vector<64xf32>
  %2 = arith.cmpf olt, %1, %most : vector<64xf32>
  %3 = arith.select %2, %1, %most : vector<64xi1>, vector<64xf32>
  %4 = arith.addf %3, %shift : vector<64xf32>
  %5 = arith.bitcast %4 : vector<64xf32> to vector<64xi32>
  %6 = arith.trunci %5 {tir.bounded} : vector<64xi32> to vector<64xi8>
  vector.store %6, %o[%c0] : memref<64xi8>, vector<64xi8>
  return
}

// CHECK-LABEL: llvm.func @packed_signed_compute(
// CHECK-NOT:   fcmp
// CHECK:       llvm.call_intrinsic "llvm.x86.avx512.packsswb.512"
// CHECK:       llvm.call_intrinsic "llvm.x86.avx512.packsswb.512"
func.func @packed_signed(%a: memref<128xf32>, %o: memref<128xi8>)
    attributes {tir.entry = "packed_signed", tir.role = "compute", tir.inputs = 1 : i64,
                tir.outputs = 1 : i64} {
  %c0 = arith.constant 0 : index
  %least = arith.constant dense<-128.0> : vector<128xf32>
  %most = arith.constant dense<127.0> : vector<128xf32>
  %shift = arith.constant dense<12582912.0> : vector<128xf32>
  %x = vector.load %a[%c0] : memref<128xf32>, vector<128xf32>
  %0 = arith.cmpf ogt, %x, %least : vector<128xf32>
  %1 = arith.select %0, %x, %least : vector<128xi1>, vector<128xf32>
  %2 = arith.cmpf olt, %1, %most : vector<128xf32>
  %3 = arith.select %2, %1, %most : vector<128xi1>, vector<128xf32>
  %4 = arith.addf %3, %shift : vector<128xf32>
  %5 = arith.bitcast %4 : vector<128xf32> to vector<128xi32>
  %6 = arith.trunci %5 {tir.bounded} : vector<128xi32> to vector<128xi8>
  vector.store %6, %o[%c0] : memref<128xi8>, vector<128xi8>
  return
}

// CHECK-LABEL: llvm.func @bounded_compute(
// CHECK-NOT:   fcmp
// CHECK:       llvm.intr.smax
// CHECK:       llvm.intr.smin
func.func @bounded(%a: memref<16xf32>, %o: memref<16xi8>)
    attributes {tir.entry = "bounded", tir.role = "compute", tir.inputs = 1 : i64,
                tir.outputs = 1 : i64} {
  %c0 = arith.constant 0 : index
  %least = arith.constant dense<-128.0> : vector<16xf32>
  %most = arith.constant dense<127.0> : vector<16xf32>
  %shift = arith.constant dense<12582912.0> : vector<16xf32>
  %x = vector.load %a[%c0] : memref<16xf32>, vector<16xf32>
  %0 = arith.cmpf ogt, %x, %least : vector<16xf32>
  %1 = arith.select %0, %x, %least : vector<16xi1>, vector<16xf32>
  %2 = arith.cmpf olt, %1, %most : vector<16xf32>
  %3 = arith.select %2, %1, %most : vector<16xi1>, vector<16xf32>
  %4 = arith.addf %3, %shift : vector<16xf32>
  %5 = arith.bitcast %4 : vector<16xf32> to vector<16xi32>
  %6 = arith.trunci %5 {tir.bounded} : vector<16xi32> to vector<16xi8>
  vector.store %6, %o[%c0] : memref<16xi8>, vector<16xi8>
  return
}

// CHECK-LABEL: llvm.func @others_compute(
// CHECK-NOT:   call_intrinsic
// CHECK-COUNT-2: llvm.fadd
// CHECK-NOT:   call_intrinsic
func.func @others(%a: memref<16xf32>, %b: memref<5xf32>, %o: memref<16xi8>, %p: memref<5xi8>)
    attributes {tir.entry = "others", tir.role = "compute", tir.inputs = 2 : i64,
                tir.outputs = 2 : i64} {
  %c0 = arith.constant 0 : index
  %least = arith.constant dense<0.0> : vector<16xf32>
  %most = arith.constant dense<127.0> : vector<16xf32>
  %shift = arith.constant dense<12582912.0> : vector<16xf32>
  %x = vector.load %a[%c0] : memref<16xf32>, vector<16xf32>
  %0 = arith.cmpf ogt, %x, %least : vector<16xf32>
  %1 = arith.select %0, %x, %least : vector<16xi1>, vector<16xf32>
  %2 = arith.cmpf olt, %1, %most : vector<16xf32>
  %3 = arith.select %2, %1, %most : vector<16xi1>, vector<16xf32>
  %4 = arith.addf %3, %shift : vector<16xf32>
  %5 = arith.bitcast %4 : vector<16xf32> to vector<16xi32>
  %6 = arith.trunci %5 : vector<16xi32> to vector<16xi8>
  vector.store %6, %o[%c0] : memref<16xi8>, vector<16xi8>
  %least5 = arith.constant dense<0.0> : vector<5xf32>
  %most5 = arith.constant dense<255.0> : vector<5xf32>
  %shift5 = arith.constant dense<12582912.0> : vector<5xf32>
  %y = vector.load %b[%c0] : memref<5xf32>, vector<5xf32>
  %7 = arith.cmpf ogt, %y, %least5 : vector<5xf32>
  %8 = arith.select %7, %y, %least5 : vector<5xi1>, vector<5xf32>
  %9 = arith.cmpf olt, %8, %most5 : vector<5xf32>
  %10 = arith.select %9, %8, %most5 : vector<5xi1>, vector<5xf32>
  %11 = arith.addf %10, %shift5 : vector<5xf32>
  %12 = arith.bitcast %11 : vector<5xf32> to vector<5xi32>
  %13 = arith.trunci %12 : vector<5xi32> to vector<5xi8>
  vector.store %13, %p[%c0] : memref<5xi8>, vector<5xi8>
  return
}
