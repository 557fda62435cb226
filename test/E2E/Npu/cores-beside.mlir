// A kernel whose last core runs a program of its own.
//
// RUN: split-file %s %t
// RUN: gc-runner --target=npu --check %t/right.mlir | FileCheck %s
// RUN: not gc-runner --target=npu --check --cores=2 %t/right.mlir 2>&1 | FileCheck %s --check-prefix=CORES
// RUN: not gc-runner --target=npu --check %t/race.mlir 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: not gc-runner --target=npu %t/number.mlir 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: not gc-runner --target=npu %t/arguments.mlir 2>&1 | FileCheck %s --check-prefix=ARGUMENTS
// RUN: not gc-runner --target=npu %t/nothing.mlir 2>&1 | FileCheck %s --check-prefix=NOTHING
// RUN: not gc-translate --npu-to-cce %t/instructions.mlir 2>&1 | FileCheck %s --check-prefix=CCE

// CHECK: right on npu, gm64, values, 4 cores
// CHECK: memory 4096 bytes read, 4096 written
// CHECK: check passed
// CORES: kernel 'main' has programs beside it, so --cores cannot change its number of cores
// RACE: race: {{.*}}; cores are not ordered
// NUMBER: 'func.func' op begins with core 2, but beside @main core 3 is the next one
// ARGUMENTS: 'func.func' op is beside @main, but has other arguments
// NOTHING: there is no NPU program
// CCE: is a program of other cores of a kernel; only kernels whose cores all run one program are exported

//--- right.mlir
!gm = memref<16x128xf16, #npu.space<gm>>
!rows = memref<5x128xf16, strided<[128, 1], offset: ?>, #npu.space<gm>>
!row = memref<1x128xf16, strided<[128, 1], offset: ?>, #npu.space<gm>>
func.func private @absolute(%x: tensor<16x128xf16>) -> tensor<16x128xf16> {
  %0 = graph.abs %x : (tensor<16x128xf16>) -> tensor<16x128xf16>
  return %0 : tensor<16x128xf16>
}
func.func @main(%x: !gm, %z: !gm) attributes {npu.kernel, npu.cores = 3, reference = @absolute} {
  %core = npu.core_id
  %at = affine.apply affine_map<(d0) -> (d0 * 5)>(%core)
  %a = npu.alloc : memref<5x128xf16, #npu.space<ub>>
  %from = memref.subview %x[%at, 0] [5, 128] [1, 1] : !gm to !rows
  %to = memref.subview %z[%at, 0] [5, 128] [1, 1] : !gm to !rows
  npu.copy %from to %a : !rows to memref<5x128xf16, #npu.space<ub>>
  npu.unary abs %a to %a : memref<5x128xf16, #npu.space<ub>> to memref<5x128xf16, #npu.space<ub>>
  npu.copy %a to %to : memref<5x128xf16, #npu.space<ub>> to !rows
  return
}
func.func @last(%x: !gm, %z: !gm) attributes {npu.kernel, npu.beside = @main, npu.first_core = 3} {
  %core = npu.core_id
  %at = affine.apply affine_map<(d0) -> (d0 * 5)>(%core)
  %a = npu.alloc : memref<1x128xf16, #npu.space<ub>>
  %from = memref.subview %x[%at, 0] [1, 128] [1, 1] : !gm to !row
  %to = memref.subview %z[%at, 0] [1, 128] [1, 1] : !gm to !row
  npu.copy %from to %a : !row to memref<1x128xf16, #npu.space<ub>>
  npu.unary abs %a to %a : memref<1x128xf16, #npu.space<ub>> to memref<1x128xf16, #npu.space<ub>>
  npu.copy %a to %to : memref<1x128xf16, #npu.space<ub>> to !row
  return
}

// Both write row 14.
//--- race.mlir
!gm = memref<16x128xf16, #npu.space<gm>>
!rows = memref<15x128xf16, strided<[128, 1]>, #npu.space<gm>>
!row = memref<2x128xf16, strided<[128, 1], offset: 1792>, #npu.space<gm>>
func.func private @absolute(%x: tensor<16x128xf16>) -> tensor<16x128xf16> {
  %0 = graph.abs %x : (tensor<16x128xf16>) -> tensor<16x128xf16>
  return %0 : tensor<16x128xf16>
}
func.func @main(%x: !gm, %z: !gm) attributes {npu.kernel, reference = @absolute} {
  %a = npu.alloc : memref<15x128xf16, #npu.space<ub>>
  %from = memref.subview %x[0, 0] [15, 128] [1, 1] : !gm to !rows
  %to = memref.subview %z[0, 0] [15, 128] [1, 1] : !gm to !rows
  npu.copy %from to %a : !rows to memref<15x128xf16, #npu.space<ub>>
  npu.unary abs %a to %a : memref<15x128xf16, #npu.space<ub>> to memref<15x128xf16, #npu.space<ub>>
  npu.copy %a to %to : memref<15x128xf16, #npu.space<ub>> to !rows
  return
}
func.func @last(%x: !gm, %z: !gm) attributes {npu.kernel, npu.beside = @main, npu.first_core = 1} {
  %a = npu.alloc : memref<2x128xf16, #npu.space<ub>>
  %from = memref.subview %x[14, 0] [2, 128] [1, 1] : !gm to !row
  %to = memref.subview %z[14, 0] [2, 128] [1, 1] : !gm to !row
  npu.copy %from to %a : !row to memref<2x128xf16, #npu.space<ub>>
  npu.unary abs %a to %a : memref<2x128xf16, #npu.space<ub>> to memref<2x128xf16, #npu.space<ub>>
  npu.copy %a to %to : memref<2x128xf16, #npu.space<ub>> to !row
  return
}

//--- number.mlir
!gm = memref<16x128xf16, #npu.space<gm>>
func.func @main(%x: !gm) attributes {npu.kernel, npu.cores = 3} {
  return
}
func.func @last(%x: !gm) attributes {npu.kernel, npu.beside = @main, npu.first_core = 2} {
  return
}

//--- arguments.mlir
!gm = memref<16x128xf16, #npu.space<gm>>
func.func @main(%x: !gm) attributes {npu.kernel} {
  return
}
func.func @last(%x: !gm, %y: !gm) attributes {npu.kernel, npu.beside = @main, npu.first_core = 1} {
  return
}

//--- nothing.mlir
!gm = memref<16x128xf16, #npu.space<gm>>
func.func @last(%x: !gm) attributes {npu.kernel, npu.beside = @main, npu.first_core = 1} {
  return
}

//--- instructions.mlir
!gm = memref<16x128xf16, #npu.space<gm>>
func.func @main(%x: !gm) attributes {npu.kernel} {
  return
}
func.func @last(%x: !gm) attributes {npu.kernel, npu.beside = @main, npu.first_core = 1} {
  return
}
