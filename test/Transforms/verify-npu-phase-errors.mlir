// RUN: split-file %s %t
// RUN: gc-opt %t/slots.mlir --gc-verify-npu-phase=phase=slots --verify-diagnostics
// RUN: gc-opt %t/slots.mlir --gc-verify-npu-phase=phase=flags --verify-diagnostics
// RUN: gc-opt %t/instructions.mlir --gc-verify-npu-phase=phase=instructions --verify-diagnostics
// RUN: gc-opt %t/instructions.mlir --gc-verify-npu-phase=phase=addresses --verify-diagnostics
// RUN: gc-opt %t/addresses.mlir --gc-verify-npu-phase=phase=addresses --verify-diagnostics
// RUN: gc-opt %t/addresses.mlir --gc-verify-npu-phase=phase=flags --verify-diagnostics
// RUN: gc-opt %t/fine.mlir --gc-verify-npu-phase
// RUN: gc-opt %t/other.mlir --gc-verify-npu-phase
// RUN: not gc-opt %t/fine.mlir --gc-verify-npu-phase=phase=tensor 2>&1 | FileCheck %s
// CHECK: Cannot find option named 'tensor'

// What a phase of the NPU pipeline did not do. Later phases must preserve it.

//--- slots.mlir
func.func @f() attributes {npu.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  // expected-error @+1 {{is still marked after phase 'slots'}}
  scf.for %i = %c0 to %c8 step %c1 {
  } {npu.pipeline = 2 : i64}
  return
}
//--- instructions.mlir
func.func @f(%x: memref<128xf16, #npu.space<gm>>) attributes {npu.kernel} {
  %a = npu.alloc at 0 : memref<128xf16, #npu.space<ub>>
  // expected-error @+1 {{is not an instruction after phase 'instructions'}}
  npu.copy %x to %a : memref<128xf16, #npu.space<gm>> to memref<128xf16, #npu.space<ub>>
  return
}
//--- addresses.mlir
func.func @f() attributes {npu.kernel} {
  // expected-error @+1 {{has no address after phase 'addresses'}}
  %a = npu.alloc : memref<128xf16, #npu.space<ub>>
  return
}
//--- fine.mlir
func.func @f() attributes {npu.kernel} {
  %a = npu.alloc at 0 : memref<128xf16, #npu.space<ub>>
  return
}
//--- other.mlir
// Not a kernel: there are no promises.
func.func @f(%x: memref<128xf16, #npu.space<gm>>) {
  %a = npu.alloc : memref<128xf16, #npu.space<ub>>
  npu.copy %x to %a : memref<128xf16, #npu.space<gm>> to memref<128xf16, #npu.space<ub>>
  return
}
