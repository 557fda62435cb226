// In cycles-only mode no values exist: ops that need one for an address or a
// branch are rejected, ops that only compute with it are not.
//
// RUN: gc-opt --convert-npu-to-llvm=mode=cycles --split-input-file --verify-diagnostics %s
// RUN: not gc-opt --convert-npu-to-llvm=mode=some %s 2>&1 | FileCheck %s --check-prefix=MODE

// MODE: Cannot find option named 'some'

func.func @data() attributes {npu.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %one = arith.constant 1.0 : f32
  %a = npu.alloc at 0 : memref<64xf32, #npu.space<ub>>
  %sum = scf.for %i = %c0 to %c4 step %c1 iter_args(%s = %one) -> f32 {
    %v = npu.load_scalar %a[%i] : memref<64xf32, #npu.space<ub>> -> f32
    %t = arith.addf %s, %v : f32
    scf.yield %t : f32
  }
  npu.vector muls (%a), %sum to %a : (memref<64xf32, #npu.space<ub>>) to memref<64xf32, #npu.space<ub>>
  return
}

// -----

func.func @branch() attributes {npu.kernel} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %a = npu.alloc at 0 : memref<64xf32, #npu.space<ub>>
  %v = npu.load_scalar %a[%c0] : memref<64xf32, #npu.space<ub>> -> f32
  %b = arith.cmpf ogt, %v, %zero : f32
  // expected-error @below {{has an address or a branch that depends on a value loaded from UB, which cycles-only mode does not know; run with values}}
  scf.if %b {
    npu.barrier all
  }
  return
}

// -----

func.func @address() attributes {npu.kernel} {
  %c0 = arith.constant 0 : index
  %a = npu.alloc at 0 : memref<64xi32, #npu.space<ub>>
  %v = npu.load_scalar %a[%c0] : memref<64xi32, #npu.space<ub>> -> i32
  %i = arith.index_cast %v : i32 to index
  // expected-error @below {{depends on a value loaded from UB}}
  %w = npu.load_scalar %a[%i] : memref<64xi32, #npu.space<ub>> -> i32
  return
}

// -----

// By way of a loop and a branch.
func.func @carried() attributes {npu.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %a = npu.alloc at 0 : memref<64xi32, #npu.space<ub>>
  %v = npu.load_scalar %a[%c0] : memref<64xi32, #npu.space<ub>> -> i32
  %n = arith.index_cast %v : i32 to index
  %m = scf.for %i = %c0 to %c4 step %c1 iter_args(%s = %n) -> index {
    scf.yield %s : index
  }
  // expected-error @below {{depends on a value loaded from UB}}
  scf.for %i = %c0 to %m step %c1 {
    npu.barrier all
  }
  return
}
