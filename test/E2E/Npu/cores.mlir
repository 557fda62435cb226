// A program on several cores: each takes the rows of its number. Cores share the
// channel to global memory, not their buffers and flags.
//
// RUN: gc-runner --target=npu --check %s | FileCheck %s
// RUN: gc-runner --target=npu --mode=cycles %s | FileCheck %s --check-prefix=CYCLES
// RUN: not gc-runner --target=npu --check --cores=2 %s | FileCheck %s --check-prefix=HALF

// Each core moves 2 x 4 packages; 32 of them take 128 cycles of the channel.
// CHECK: cores on npu, gm64, values, 4 cores
// CHECK: memory 4096 bytes read, 4096 written (4096 and 4096 needed)
// CHECK: program 28 instructions
// CHECK: check passed
// CYCLES: 4 cores

// Two cores do half of the work.
// HALF: check failed
// HALF: result0: {{.*}}[8, 0]

func.func private @absolute(%x: tensor<16x128xf16>) -> tensor<16x128xf16> {
  %0 = graph.abs %x : (tensor<16x128xf16>) -> tensor<16x128xf16>
  return %0 : tensor<16x128xf16>
}

func.func @main(%x: memref<16x128xf16, #npu.space<gm>>, %z: memref<16x128xf16, #npu.space<gm>>) attributes {npu.kernel, npu.cores = 4, reference = @absolute} {
  %c0 = arith.constant 0 : index
  %core = npu.core_id
  %row = affine.apply affine_map<(d0) -> (d0 * 4)>(%core)
  %a = npu.alloc at 0 : memref<4x128xf16, #npu.space<ub>>
  %from = memref.subview %x[%row, 0] [4, 128] [1, 1] : memref<16x128xf16, #npu.space<gm>> to memref<4x128xf16, strided<[128, 1], offset: ?>, #npu.space<gm>>
  %to = memref.subview %z[%row, 0] [4, 128] [1, 1] : memref<16x128xf16, #npu.space<gm>> to memref<4x128xf16, strided<[128, 1], offset: ?>, #npu.space<gm>>
  npu.dma %from to %a length 1024 : memref<4x128xf16, strided<[128, 1], offset: ?>, #npu.space<gm>> to memref<4x128xf16, #npu.space<ub>>
  npu.set_flag mte2 -> v [%c0]
  npu.wait_flag mte2 -> v [%c0]
  npu.vector abs (%a) to %a repeat 4 : (memref<4x128xf16, #npu.space<ub>>) to memref<4x128xf16, #npu.space<ub>>
  npu.set_flag v -> mte3 [%c0]
  npu.wait_flag v -> mte3 [%c0]
  npu.dma %a to %to length 1024 : memref<4x128xf16, #npu.space<ub>> to memref<4x128xf16, strided<[128, 1], offset: ?>, #npu.space<gm>>
  return
}
