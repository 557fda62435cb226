// The smallest program: one transfer in for each operand, one add, one transfer
// out, and the flags between them.
//
// RUN: gc-runner --target=npu --check %s | FileCheck %s
// RUN: gc-runner --target=npu --check --json=- %s | FileCheck %s --check-prefix=JSON
// RUN: gc-runner --target=npu --mode=cycles %s | FileCheck %s --check-prefix=CYCLES
//
// The transfers begin at cycles 1 and 5 (one package of 4 cycles each) and are
// visible 200 cycles after their end: 205 and 209. The add takes 10 + 2 cycles
// and is visible 14 later, at 235; so is what leaves at 439.
// CHECK: vector-add on npu, gm64, values, 1 core
// CHECK-NEXT: cycles 439, bound 212 (memory), fraction 0.483
// CHECK-NEXT: memory 512 bytes read, 256 written (512 and 256 needed)
// CHECK: program   10 instructions, 3 flags set, 0 barriers
// CHECK: check     passed

// JSON: "target": "npu"
// JSON: "profile": "gm64"
// JSON: "bound_cycles": 212
// JSON: "gm_bytes": 768
// JSON: "status": "passed"

// CYCLES: vector-add on npu, gm64, cycles only, 1 core
// CYCLES-NEXT: cycles 439

func.func private @add(%a: tensor<128xf16>, %b: tensor<128xf16>) -> tensor<128xf16> {
  %0 = graph.add %a, %b : (tensor<128xf16>, tensor<128xf16>) -> tensor<128xf16>
  return %0 : tensor<128xf16>
}

func.func @vector_add(%x: memref<128xf16, #npu.space<gm>>, %y: memref<128xf16, #npu.space<gm>>, %z: memref<128xf16, #npu.space<gm>>) attributes {npu.kernel, reference = @add} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = npu.alloc at 0 : memref<128xf16, #npu.space<ub>>
  %b = npu.alloc at 256 : memref<128xf16, #npu.space<ub>>
  %c = npu.alloc at 512 : memref<128xf16, #npu.space<ub>>
  npu.dma %x to %a length 256 : memref<128xf16, #npu.space<gm>> to memref<128xf16, #npu.space<ub>>
  npu.set_flag mte2 -> v [%c0]
  npu.dma %y to %b length 256 : memref<128xf16, #npu.space<gm>> to memref<128xf16, #npu.space<ub>>
  npu.set_flag mte2 -> v [%c1]
  npu.wait_flag mte2 -> v [%c0]
  npu.wait_flag mte2 -> v [%c1]
  npu.vector add (%a, %b) to %c : (memref<128xf16, #npu.space<ub>>, memref<128xf16, #npu.space<ub>>) to memref<128xf16, #npu.space<ub>>
  npu.set_flag v -> mte3 [%c0]
  npu.wait_flag v -> mte3 [%c0]
  npu.dma %c to %z length 256 : memref<128xf16, #npu.space<ub>> to memref<128xf16, #npu.space<gm>>
  return
}
