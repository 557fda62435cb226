// What a program does wrong is one error at the op in question, and exit code 2.
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
