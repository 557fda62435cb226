// RUN: split-file %s %t
// RUN: gc-opt %t/slots.mlir --gc-verify-npu-phase=phase=slots --verify-diagnostics
// RUN: gc-opt %t/slots.mlir --gc-verify-npu-phase=phase=sync --verify-diagnostics
// RUN: gc-opt %t/instructions.mlir --gc-verify-npu-phase=phase=npu --verify-diagnostics
// RUN: gc-opt %t/instructions.mlir --gc-verify-npu-phase=phase=memory --verify-diagnostics
// RUN: gc-opt %t/addresses.mlir --gc-verify-npu-phase=phase=memory --verify-diagnostics
// RUN: gc-opt %t/addresses.mlir --gc-verify-npu-phase=phase=sync --verify-diagnostics
// RUN: gc-opt %t/graph.mlir --gc-npu-pipeline=stop-after=map -o %t/map.mlir
// RUN: not gc-opt %t/map.mlir --gc-verify-npu-phase=phase=promote 2>&1 | FileCheck %s --check-prefix=STATEMENT
// STATEMENT: error: 'poly.statement' op is not an op on tiles after phase 'promote'
// RUN: gc-opt %t/map.mlir --gc-verify-npu-phase=phase=map
// RUN: gc-opt %t/graph.mlir --gc-npu-pipeline=stop-after=promote -o %t/promote.mlir
// RUN: not gc-opt %t/promote.mlir --gc-verify-npu-phase=phase=kernels 2>&1 | FileCheck %s --check-prefix=SCOP
// SCOP: error: 'poly.scop' op is still a scop after phase 'kernels'
// RUN: gc-opt %t/promote.mlir --gc-verify-npu-phase=phase=promote
// RUN: gc-opt %t/fine.mlir --gc-verify-npu-phase
// RUN: gc-opt %t/other.mlir --gc-verify-npu-phase
// RUN: not gc-opt %t/fine.mlir --gc-verify-npu-phase=phase=tensor 2>&1 | FileCheck %s
// CHECK: Cannot find option named 'tensor'

// What a phase of the NPU pipeline did not do. Later phases must preserve it.

//--- graph.mlir
func.func @relu(%x: tensor<4096xf16>) -> tensor<4096xf16> {
  %y = graph.relu %x : (tensor<4096xf16>) -> tensor<4096xf16>
  return %y : tensor<4096xf16>
}
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
  // expected-error @+1 {{is not an instruction after phase 'npu'}}
  npu.copy %x to %a : memref<128xf16, #npu.space<gm>> to memref<128xf16, #npu.space<ub>>
  return
}
//--- addresses.mlir
func.func @f() attributes {npu.kernel} {
  // expected-error @+1 {{has no address after phase 'memory'}}
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
