// Attributes that keep a kernel, or a buffer, to less than the core has.

// RUN: split-file %s %t
// RUN: gc-opt %t/slots.mlir --pass-pipeline='builtin.module(func.func(npu-double-buffer))' | FileCheck %s --check-prefix=SLOTS
// SLOTS-LABEL: func.func @slots
// SLOTS-DAG:     npu.alloc slots 3 : memref<128xf16, #npu.space<ub>>
// SLOTS-DAG:     npu.alloc slots 2 {npu.most_slots = 2 : i64} : memref<128xf16, #npu.space<ub>>

// RUN: not gc-opt %t/memory.mlir --pass-pipeline='builtin.module(func.func(npu-expand-tiles,npu-plan-memory))' 2>&1 | FileCheck %s --check-prefix=MEMORY
// MEMORY: error: {{.*}}1024

// RUN: not gc-opt %t/wrong-space.mlir 2>&1 | FileCheck %s --check-prefix=SPACE
// SPACE: error: 'func.func' op 'npu.memory' has "gm" = 4 : i64; a positive number for a memory of the core is needed
// RUN: not gc-opt %t/wrong-value.mlir 2>&1 | FileCheck %s --check-prefix=VALUE
// VALUE: error: 'func.func' op 'npu.memory' is not a dictionary
// RUN: not gc-opt %t/wrong-slots.mlir 2>&1 | FileCheck %s --check-prefix=COUNT
// COUNT: error: 'npu.alloc' op 'npu.most_slots' must be an integer of 1 or more on npu.alloc

//--- slots.mlir
func.func @slots(%x: memref<8x128xf16, #npu.space<gm>>, %y: memref<8x128xf16, #npu.space<gm>>) attributes {npu.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %a = npu.alloc : memref<128xf16, #npu.space<ub>>
    %b = npu.alloc {npu.most_slots = 2 : i64} : memref<128xf16, #npu.space<ub>>
    %from = memref.subview %x[%i, 0] [1, 128] [1, 1] : memref<8x128xf16, #npu.space<gm>> to memref<128xf16, strided<[1], offset: ?>, #npu.space<gm>>
    %to = memref.subview %y[%i, 0] [1, 128] [1, 1] : memref<8x128xf16, #npu.space<gm>> to memref<128xf16, strided<[1], offset: ?>, #npu.space<gm>>
    npu.copy %from to %a : memref<128xf16, strided<[1], offset: ?>, #npu.space<gm>> to memref<128xf16, #npu.space<ub>>
    npu.unary relu %a to %b : memref<128xf16, #npu.space<ub>> to memref<128xf16, #npu.space<ub>>
    npu.copy %b to %to : memref<128xf16, #npu.space<ub>> to memref<128xf16, strided<[1], offset: ?>, #npu.space<gm>>
  } {npu.pipeline = 3}
  return
}
//--- memory.mlir
func.func @memory(%x: memref<1024xf16, #npu.space<gm>>, %y: memref<1024xf16, #npu.space<gm>>) attributes {npu.kernel, npu.memory = {ub = 1024 : i64}} {
  %a = npu.alloc : memref<1024xf16, #npu.space<ub>>
  npu.copy %x to %a : memref<1024xf16, #npu.space<gm>> to memref<1024xf16, #npu.space<ub>>
  npu.copy %a to %y : memref<1024xf16, #npu.space<ub>> to memref<1024xf16, #npu.space<gm>>
  return
}
//--- wrong-space.mlir
func.func @memory() attributes {npu.kernel, npu.memory = {gm = 4 : i64}} {
  return
}
//--- wrong-value.mlir
func.func @memory() attributes {npu.kernel, npu.memory = 4 : i64} {
  return
}
//--- wrong-slots.mlir
func.func @memory() attributes {npu.kernel} {
  %a = npu.alloc {npu.most_slots = 0 : i64} : memref<16xf16, #npu.space<ub>>
  return
}
