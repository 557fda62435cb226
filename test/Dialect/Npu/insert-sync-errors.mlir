// RUN: gc-opt %s --npu-insert-sync --split-input-file --verify-diagnostics

!row = memref<1024xf16, #npu.space<ub>>

func.func @address() attributes {npu.kernel} {
  // expected-error @+1 {{'npu.alloc' op has no address; run npu-plan-memory first}}
  %a = npu.alloc : !row
  return
}

// -----

func.func @flags() attributes {npu.kernel} {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{'npu.set_flag' op is in a kernel that is to be synchronised; remove all flags and barriers, or do not run npu-insert-sync}}
  npu.set_flag mte2 -> v [%c0]
  npu.wait_flag mte2 -> v [%c0]
  return
}

// -----

func.func @barrier() attributes {npu.kernel} {
  // expected-error @+1 {{'npu.barrier' op is in a kernel that is to be synchronised}}
  npu.barrier all
  return
}

// -----

!row = memref<1024xf16, #npu.space<ub>>

func.func @tile() attributes {npu.kernel} {
  %a = npu.alloc at 0 : !row
  // expected-error @+1 {{'npu.unary' op is an op on tiles; run npu-expand-tiles first}}
  npu.unary exp %a to %a : !row to !row
  return
}

// -----

func.func private @callee()
func.func @call() attributes {npu.kernel} {
  // expected-error @+1 {{'func.call' op may hide instructions; inline it first}}
  call @callee() : () -> ()
  return
}

// -----

!row = memref<1024xf16, #npu.space<ub>>

func.func @region(%n: index) attributes {npu.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = npu.alloc at 0 : !row
  // expected-error @+1 {{'scf.parallel' op holds instructions; only scf.for and scf.if may}}
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    npu.vector exp (%a) to %a repeat 8 : (!row) to !row
  }
  return
}
