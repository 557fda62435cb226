// A mistake of a program is one error at the op in question, with exit code 2.
//
// RUN: split-file %s %t
// RUN: %python %gc_source/test/gc-runner/Inputs/exit-code.py 2 gc-runner --target=npu %t/race.mlir 2>&1 | FileCheck %t/race.mlir --check-prefix=RACE
// RUN: %python %gc_source/test/gc-runner/Inputs/exit-code.py 2 gc-runner --target=npu --mode=cycles %t/race.mlir 2>&1 | FileCheck %t/race.mlir --check-prefix=RACE
// RUN: %python %gc_source/test/gc-runner/Inputs/exit-code.py 2 gc-runner --target=npu %t/deadlock.mlir 2>&1 | FileCheck %t/deadlock.mlir --check-prefix=DEADLOCK
// RUN: %python %gc_source/test/gc-runner/Inputs/exit-code.py 2 gc-runner --target=npu %t/unmatched.mlir 2>&1 | FileCheck %t/unmatched.mlir --check-prefix=UNMATCHED
// RUN: %python %gc_source/test/gc-runner/Inputs/exit-code.py 2 gc-runner --target=npu %t/left.mlir 2>&1 | FileCheck %t/left.mlir --check-prefix=LEFT
// RUN: %python %gc_source/test/gc-runner/Inputs/exit-code.py 2 gc-runner --target=npu %t/poison.mlir 2>&1 | FileCheck %t/poison.mlir --check-prefix=POISON
// RUN: %python %gc_source/test/gc-runner/Inputs/exit-code.py 2 gc-runner --target=npu %t/bounds.mlir 2>&1 | FileCheck %t/bounds.mlir --check-prefix=BOUNDS
// RUN: %python %gc_source/test/gc-runner/Inputs/exit-code.py 2 gc-runner --target=npu %t/input.mlir 2>&1 | FileCheck %t/input.mlir --check-prefix=INPUT
// RUN: %python %gc_source/test/gc-runner/Inputs/exit-code.py 2 gc-runner --target=npu %t/event.mlir 2>&1 | FileCheck %t/event.mlir --check-prefix=EVENT
// RUN: %python %gc_source/test/gc-runner/Inputs/exit-code.py 2 gc-runner --target=npu %t/neighbour.mlir 2>&1 | FileCheck %t/neighbour.mlir --check-prefix=NEIGHBOUR
// RUN: %python %gc_source/test/gc-runner/Inputs/exit-code.py 2 gc-runner --target=npu --max-instructions=1000000 %t/endless.mlir 2>&1 | FileCheck %t/endless.mlir --check-prefix=ENDLESS
// RUN: %python %gc_source/test/gc-runner/Inputs/exit-code.py 2 gc-runner --target=npu --max-instructions=1000000 %t/idle.mlir 2>&1 | FileCheck %t/idle.mlir --check-prefix=IDLE
// RUN: %python %gc_source/test/gc-runner/Inputs/exit-code.py 1 gc-runner --target=npu --check %t/mismatch.mlir | FileCheck %t/mismatch.mlir --check-prefix=MISMATCH

//--- race.mlir
func.func @race(%x: memref<128xf16, #npu.space<gm>>, %z: memref<128xf16, #npu.space<gm>>) attributes {npu.kernel} {
  %c0 = arith.constant 0 : index
  %a = npu.alloc at 0 : memref<128xf16, #npu.space<ub>>
  npu.dma %x to %a length 256 : memref<128xf16, #npu.space<gm>> to memref<128xf16, #npu.space<ub>>
  // RACE: race.mlir:[[@LINE+2]]:3: race: vector relu on V reads bytes [0, 256) of ub, which dma on MTE2 writes; no flag from MTE2 to V orders them
  // RACE-NEXT: note: {{.*}}race.mlir:[[@LINE-2]]:3: the other instruction
  npu.vector relu (%a) to %a : (memref<128xf16, #npu.space<ub>>) to memref<128xf16, #npu.space<ub>>
  return
}
//--- deadlock.mlir
func.func @deadlock(%x: memref<128xf16, #npu.space<gm>>) attributes {npu.kernel} {
  %c0 = arith.constant 0 : index
  // DEADLOCK: deadlock.mlir:[[@LINE+1]]:3:
  npu.wait_flag v -> mte2 [%c0]
  npu.set_flag mte2 -> v [%c0]
  npu.wait_flag mte2 -> v [%c0]
  npu.set_flag v -> mte2 [%c0]
  return
}
//--- unmatched.mlir
func.func @unmatched(%x: memref<128xf16, #npu.space<gm>>) attributes {npu.kernel} {
  %c0 = arith.constant 0 : index
  // UNMATCHED: unmatched.mlir:[[@LINE+1]]:3:
  npu.wait_flag mte2 -> v [%c0]
  return
}
//--- left.mlir
func.func @left(%x: memref<128xf16, #npu.space<gm>>) attributes {npu.kernel} {
  %c0 = arith.constant 0 : index
  // LEFT: left.mlir:[[@LINE+1]]:3:
  npu.set_flag mte2 -> v [%c0]
  return
}
//--- poison.mlir
func.func @poison(%z: memref<128xf16, #npu.space<gm>>) attributes {npu.kernel} {
  %a = npu.alloc at 0 : memref<128xf16, #npu.space<ub>>
  // POISON: poison.mlir:[[@LINE+1]]:3:
  npu.dma %a to %z length 256 : memref<128xf16, #npu.space<ub>> to memref<128xf16, #npu.space<gm>>
  return
}
//--- bounds.mlir
// One row too far: the burst stays in its view, the view leaves the tensor.
func.func @bounds(%x: memref<4x128xf16, #npu.space<gm>>) attributes {npu.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %a = npu.alloc at 0 : memref<128xf16, #npu.space<ub>>
  scf.for %i = %c0 to %c5 step %c1 {
    %row = memref.subview %x[%i, 0] [1, 128] [1, 1] : memref<4x128xf16, #npu.space<gm>> to memref<128xf16, strided<[1], offset: ?>, #npu.space<gm>>
    // BOUNDS: bounds.mlir:[[@LINE+1]]:5:
    npu.dma %row to %a length 256 : memref<128xf16, strided<[1], offset: ?>, #npu.space<gm>> to memref<128xf16, #npu.space<ub>>
    npu.barrier mte2
  }
  return
}
//--- neighbour.mlir
// Half a tile too far, in the second iteration.
func.func @neighbour() attributes {npu.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %one = arith.constant 1.0 : f32
  %a = npu.alloc at 0 : memref<128xf16, #npu.space<ub>>
  %b = npu.alloc at 256 : memref<128xf16, #npu.space<ub>>
  npu.vector dup (), %one to %b : () to memref<128xf16, #npu.space<ub>>
  scf.for %i = %c0 to %c2 step %c1 {
    %at = arith.muli %i, %c64 : index
    %part = memref.subview %a[%at] [128] [1] : memref<128xf16, #npu.space<ub>> to memref<128xf16, strided<[1], offset: ?>, #npu.space<ub>>
    npu.barrier v
    // NEIGHBOUR: neighbour.mlir:[[@LINE+2]]:5: vector dup: bytes [128, 384) of ub are not all in the operand's buffer, bytes [0, 256)
    // NEIGHBOUR-NEXT: note: {{.*}}neighbour.mlir:8:8: the buffer
    npu.vector dup (), %one to %part : () to memref<128xf16, strided<[1], offset: ?>, #npu.space<ub>>
  }
  return
}
//--- endless.mlir
func.func @endless() attributes {npu.kernel} {
  %core = npu.core_id
  %c0 = arith.constant 0 : index
  scf.while : () -> () {
    %more = arith.cmpi eq, %core, %c0 : index
    scf.condition(%more)
  } do {
    // ENDLESS: endless.mlir:[[@LINE+1]]:5: the program is cut off after 1000000 instructions and loop iterations
    npu.barrier all
    scf.yield
  }
  return
}
//--- idle.mlir
func.func @idle() attributes {npu.kernel} {
  %core = npu.core_id
  %c0 = arith.constant 0 : index
  npu.barrier all
  // IDLE: idle.mlir:[[@LINE+1]]:3: the program is cut off after 1000000 instructions and loop iterations
  scf.while : () -> () {
    %more = arith.cmpi eq, %core, %c0 : index
    scf.condition(%more)
  } do {
    scf.yield
  }
  return
}
//--- input.mlir
func.func private @copy(%x: tensor<128xf16>) -> tensor<128xf16> {
  return %x : tensor<128xf16>
}
func.func @input(%x: memref<128xf16, #npu.space<gm>>, %z: memref<128xf16, #npu.space<gm>>) attributes {npu.kernel, reference = @copy} {
  %c0 = arith.constant 0 : index
  %a = npu.alloc at 0 : memref<128xf16, #npu.space<ub>>
  npu.dma %x to %a length 256 : memref<128xf16, #npu.space<gm>> to memref<128xf16, #npu.space<ub>>
  npu.barrier all
  // INPUT: input.mlir:[[@LINE+1]]:3:
  npu.dma %a to %x length 256 : memref<128xf16, #npu.space<ub>> to memref<128xf16, #npu.space<gm>>
  return
}
//--- event.mlir
func.func @event(%x: memref<128xf16, #npu.space<gm>>) attributes {npu.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  scf.for %i = %c0 to %c5 step %c1 {
    // EVENT: event.mlir:[[@LINE+1]]:5:
    npu.set_flag mte2 -> v [%i]
    npu.wait_flag mte2 -> v [%i]
  }
  return
}
//--- mismatch.mlir
// The second half is left out: its values are those that outputs begin with.
// MISMATCH: check     failed
// MISMATCH-NEXT: result0: {{.*}}[64]
func.func private @positive(%x: tensor<128xf16>) -> tensor<128xf16> {
  %0 = graph.relu %x : (tensor<128xf16>) -> tensor<128xf16>
  return %0 : tensor<128xf16>
}
func.func @mismatch(%x: memref<128xf16, #npu.space<gm>>, %z: memref<128xf16, #npu.space<gm>>) attributes {npu.kernel, reference = @positive} {
  %a = npu.alloc at 0 : memref<128xf16, #npu.space<ub>>
  npu.dma %x to %a length 256 : memref<128xf16, #npu.space<gm>> to memref<128xf16, #npu.space<ub>>
  npu.barrier all
  npu.vector relu (%a) to %a : (memref<128xf16, #npu.space<ub>>) to memref<128xf16, #npu.space<ub>>
  npu.barrier all
  npu.dma %a to %z length 128 : memref<128xf16, #npu.space<ub>> to memref<128xf16, #npu.space<gm>>
  return
}
