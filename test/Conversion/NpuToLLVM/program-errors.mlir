// RUN: gc-opt --convert-npu-to-llvm --split-input-file --verify-diagnostics %s

func.func @tile(%x: memref<128xf16, #npu.space<gm>>) attributes {npu.kernel} {
  %a = npu.alloc at 0 : memref<128xf16, #npu.space<ub>>
  // expected-error @below {{'npu.copy' op is an op on whole tiles: run npu-expand-tiles first}}
  npu.copy %x to %a : memref<128xf16, #npu.space<gm>> to memref<128xf16, #npu.space<ub>>
  return
}

// -----

func.func @address() attributes {npu.kernel} {
  // expected-error @below {{'npu.alloc' op has no address: run npu-plan-memory first}}
  %a = npu.alloc : memref<128xf16, #npu.space<ub>>
  return
}

// -----

func.func @memory(%x: memref<128xf16, #npu.space<gm>>) attributes {npu.kernel} {
  %c0 = arith.constant 0 : index
  // expected-error @below {{'memref.load' op is not part of an NPU program}}
  %0 = memref.load %x[%c0] : memref<128xf16, #npu.space<gm>>
  return
}

// -----

// expected-error @below {{argument 0 is 'memref<?xf16, #npu.space<gm>>'; a program takes row-major memrefs in gm}}
func.func @dynamic(%x: memref<?xf16, #npu.space<gm>>) attributes {npu.kernel} {
  return
}

// -----

// expected-error @below {{argument 1 is 'index'}}
func.func @number(%x: memref<8xf16, #npu.space<gm>>, %n: index) attributes {npu.kernel} {
  return
}

// -----

// expected-error @below {{returns values}}
func.func @result() -> index attributes {npu.kernel} {
  %c0 = arith.constant 0 : index
  return %c0 : index
}

// -----

// expected-error @below {{has branches}}
func.func @branches() attributes {npu.kernel} {
  cf.br ^next
^next:
  return
}

// -----

// expected-error @below {{has a name of the simulator's interface}}
func.func @gc_npu_barrier() attributes {npu.kernel} {
  return
}

// -----

func.func @no_step() attributes {npu.kernel} {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  // expected-error @below {{has a step of 0, so it never ends}}
  scf.for %i = %c0 to %c4 step %c0 {
  }
  return
}

// -----

func.func @division(%x: memref<4xf16, #npu.space<gm>>) attributes {npu.kernel} {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  // expected-error @below {{divides by zero}}
  %trips = arith.divsi %c4, %c0 : index
  scf.for %i = %c0 to %trips step %c4 {
  }
  return
}

// -----

func.func @endless() attributes {npu.kernel} {
  %true = arith.constant true
  // expected-error @below {{has a condition that is always true, so it never ends}}
  scf.while : () -> () {
    scf.condition(%true)
  } do {
    npu.barrier all
    scf.yield
  }
  return
}

// -----

// expected-error @below {{argument 1 has a TiB or more}}
func.func @large(%x: memref<8xf16, #npu.space<gm>>, %y: memref<1048576x524288xf16, #npu.space<gm>>) attributes {npu.kernel} {
  return
}
