// Elementwise ops on tiles, expanded: each is a shape that another plan is best for.
// add_f16_1: one lane. add_f16_127: one masked repeat. add_f16_40000: more
// repeats than one instruction has, and a tail. add_f16_7x16, _100x24: blocks of a
// repeat along the rows. sub_f32_3x5x48, _2x3x4x200: three and four dimensions,
// rows with padding. mul_f32_..: broadcast. _4096: rows far apart.
//
// RUN: gc-runner --target=npu --check --entry=add_f16_1_1_0 %s | FileCheck %s
// RUN: gc-runner --target=npu --check --entry=add_f16_127_127_0 %s | FileCheck %s
// RUN: gc-runner --target=npu --check --entry=add_f16_40000_40000_0 %s | FileCheck %s
// RUN: gc-runner --target=npu --check --entry=add_f16_7x16_7x16_0 %s | FileCheck %s
// RUN: gc-runner --target=npu --check --entry=add_f16_100x24_100x24_0 %s | FileCheck %s
// RUN: gc-runner --target=npu --check --entry=sub_f32_3x5x48_3x5x48_0 %s | FileCheck %s
// RUN: gc-runner --target=npu --check --entry=sub_f32_2x3x4x200_2x3x4x200_0 %s | FileCheck %s
// RUN: gc-runner --target=npu --check --entry=add_f16_64x256_1x256_0 %s | FileCheck %s
// RUN: gc-runner --target=npu --check --entry=mul_f32_5x64x24_1x64x24_0 %s | FileCheck %s
// RUN: gc-runner --target=npu --check --entry=mul_f32_5x64x24_5x1x24_0 %s | FileCheck %s
// RUN: gc-runner --target=npu --check --entry=add_f16_4x2000_4x2000_4096 %s | FileCheck %s
// RUN: gc-runner --target=npu --check --entry=max_f16_3x200_3x200_0 %s | FileCheck %s
// RUN: gc-runner --target=npu --check --entry=exp_f16_5x150 %s | FileCheck %s
// RUN: gc-runner --target=npu --check --entry=rec_f32_5x150 %s | FileCheck %s
//
// CHECK: check     passed

func.func private @add_f16_1_1_0_ref(%a0: tensor<1xf16>, %a1: tensor<1xf16>) -> tensor<1xf16> {
  %r = graph.add %a0, %a1 : (tensor<1xf16>, tensor<1xf16>) -> tensor<1xf16>
  return %r : tensor<1xf16>
}
func.func @add_f16_1_1_0(%a0: memref<1xf16, #npu.space<gm>>, %a1: memref<1xf16, #npu.space<gm>>, %o0: memref<1xf16, #npu.space<gm>>) attributes {npu.kernel, reference = @add_f16_1_1_0_ref} {
  %v1 = npu.alloc : memref<16xf16, #npu.space<ub>>
  %v2 = memref.subview %v1[0] [1] [1] : memref<16xf16, #npu.space<ub>> to memref<1xf16, strided<[1]>, #npu.space<ub>>
  npu.copy %a0 to %v2 : memref<1xf16, #npu.space<gm>> to memref<1xf16, strided<[1]>, #npu.space<ub>>
  %v3 = npu.alloc : memref<16xf16, #npu.space<ub>>
  %v4 = memref.subview %v3[0] [1] [1] : memref<16xf16, #npu.space<ub>> to memref<1xf16, strided<[1]>, #npu.space<ub>>
  npu.copy %a1 to %v4 : memref<1xf16, #npu.space<gm>> to memref<1xf16, strided<[1]>, #npu.space<ub>>
  %v5 = npu.alloc : memref<16xf16, #npu.space<ub>>
  %v6 = memref.subview %v5[0] [1] [1] : memref<16xf16, #npu.space<ub>> to memref<1xf16, strided<[1]>, #npu.space<ub>>
  npu.binary add %v2, %v4 to %v6 : memref<1xf16, strided<[1]>, #npu.space<ub>>, memref<1xf16, strided<[1]>, #npu.space<ub>> to memref<1xf16, strided<[1]>, #npu.space<ub>>
  npu.copy %v6 to %o0 : memref<1xf16, strided<[1]>, #npu.space<ub>> to memref<1xf16, #npu.space<gm>>
  return
}

func.func private @add_f16_127_127_0_ref(%a0: tensor<127xf16>, %a1: tensor<127xf16>) -> tensor<127xf16> {
  %r = graph.add %a0, %a1 : (tensor<127xf16>, tensor<127xf16>) -> tensor<127xf16>
  return %r : tensor<127xf16>
}
func.func @add_f16_127_127_0(%a0: memref<127xf16, #npu.space<gm>>, %a1: memref<127xf16, #npu.space<gm>>, %o0: memref<127xf16, #npu.space<gm>>) attributes {npu.kernel, reference = @add_f16_127_127_0_ref} {
  %v1 = npu.alloc : memref<128xf16, #npu.space<ub>>
  %v2 = memref.subview %v1[0] [127] [1] : memref<128xf16, #npu.space<ub>> to memref<127xf16, strided<[1]>, #npu.space<ub>>
  npu.copy %a0 to %v2 : memref<127xf16, #npu.space<gm>> to memref<127xf16, strided<[1]>, #npu.space<ub>>
  %v3 = npu.alloc : memref<128xf16, #npu.space<ub>>
  %v4 = memref.subview %v3[0] [127] [1] : memref<128xf16, #npu.space<ub>> to memref<127xf16, strided<[1]>, #npu.space<ub>>
  npu.copy %a1 to %v4 : memref<127xf16, #npu.space<gm>> to memref<127xf16, strided<[1]>, #npu.space<ub>>
  %v5 = npu.alloc : memref<128xf16, #npu.space<ub>>
  %v6 = memref.subview %v5[0] [127] [1] : memref<128xf16, #npu.space<ub>> to memref<127xf16, strided<[1]>, #npu.space<ub>>
  npu.binary add %v2, %v4 to %v6 : memref<127xf16, strided<[1]>, #npu.space<ub>>, memref<127xf16, strided<[1]>, #npu.space<ub>> to memref<127xf16, strided<[1]>, #npu.space<ub>>
  npu.copy %v6 to %o0 : memref<127xf16, strided<[1]>, #npu.space<ub>> to memref<127xf16, #npu.space<gm>>
  return
}

func.func private @add_f16_40000_40000_0_ref(%a0: tensor<40000xf16>, %a1: tensor<40000xf16>) -> tensor<40000xf16> {
  %r = graph.add %a0, %a1 : (tensor<40000xf16>, tensor<40000xf16>) -> tensor<40000xf16>
  return %r : tensor<40000xf16>
}
func.func @add_f16_40000_40000_0(%a0: memref<40000xf16, #npu.space<gm>>, %a1: memref<40000xf16, #npu.space<gm>>, %o0: memref<40000xf16, #npu.space<gm>>) attributes {npu.kernel, reference = @add_f16_40000_40000_0_ref} {
  %v1 = npu.alloc : memref<40000xf16, #npu.space<ub>>
  npu.copy %a0 to %v1 : memref<40000xf16, #npu.space<gm>> to memref<40000xf16, #npu.space<ub>>
  %v2 = npu.alloc : memref<40000xf16, #npu.space<ub>>
  npu.copy %a1 to %v2 : memref<40000xf16, #npu.space<gm>> to memref<40000xf16, #npu.space<ub>>
  %v3 = npu.alloc : memref<40000xf16, #npu.space<ub>>
  npu.binary add %v1, %v2 to %v3 : memref<40000xf16, #npu.space<ub>>, memref<40000xf16, #npu.space<ub>> to memref<40000xf16, #npu.space<ub>>
  npu.copy %v3 to %o0 : memref<40000xf16, #npu.space<ub>> to memref<40000xf16, #npu.space<gm>>
  return
}

func.func private @add_f16_7x16_7x16_0_ref(%a0: tensor<7x16xf16>, %a1: tensor<7x16xf16>) -> tensor<7x16xf16> {
  %r = graph.add %a0, %a1 : (tensor<7x16xf16>, tensor<7x16xf16>) -> tensor<7x16xf16>
  return %r : tensor<7x16xf16>
}
func.func @add_f16_7x16_7x16_0(%a0: memref<7x16xf16, #npu.space<gm>>, %a1: memref<7x16xf16, #npu.space<gm>>, %o0: memref<7x16xf16, #npu.space<gm>>) attributes {npu.kernel, reference = @add_f16_7x16_7x16_0_ref} {
  %v1 = npu.alloc : memref<7x16xf16, #npu.space<ub>>
  npu.copy %a0 to %v1 : memref<7x16xf16, #npu.space<gm>> to memref<7x16xf16, #npu.space<ub>>
  %v2 = npu.alloc : memref<7x16xf16, #npu.space<ub>>
  npu.copy %a1 to %v2 : memref<7x16xf16, #npu.space<gm>> to memref<7x16xf16, #npu.space<ub>>
  %v3 = npu.alloc : memref<7x16xf16, #npu.space<ub>>
  npu.binary add %v1, %v2 to %v3 : memref<7x16xf16, #npu.space<ub>>, memref<7x16xf16, #npu.space<ub>> to memref<7x16xf16, #npu.space<ub>>
  npu.copy %v3 to %o0 : memref<7x16xf16, #npu.space<ub>> to memref<7x16xf16, #npu.space<gm>>
  return
}

func.func private @add_f16_100x24_100x24_0_ref(%a0: tensor<100x24xf16>, %a1: tensor<100x24xf16>) -> tensor<100x24xf16> {
  %r = graph.add %a0, %a1 : (tensor<100x24xf16>, tensor<100x24xf16>) -> tensor<100x24xf16>
  return %r : tensor<100x24xf16>
}
func.func @add_f16_100x24_100x24_0(%a0: memref<100x24xf16, #npu.space<gm>>, %a1: memref<100x24xf16, #npu.space<gm>>, %o0: memref<100x24xf16, #npu.space<gm>>) attributes {npu.kernel, reference = @add_f16_100x24_100x24_0_ref} {
  %v1 = npu.alloc : memref<100x32xf16, #npu.space<ub>>
  %v2 = memref.subview %v1[0, 0] [100, 24] [1, 1] : memref<100x32xf16, #npu.space<ub>> to memref<100x24xf16, strided<[32, 1]>, #npu.space<ub>>
  npu.copy %a0 to %v2 : memref<100x24xf16, #npu.space<gm>> to memref<100x24xf16, strided<[32, 1]>, #npu.space<ub>>
  %v3 = npu.alloc : memref<100x32xf16, #npu.space<ub>>
  %v4 = memref.subview %v3[0, 0] [100, 24] [1, 1] : memref<100x32xf16, #npu.space<ub>> to memref<100x24xf16, strided<[32, 1]>, #npu.space<ub>>
  npu.copy %a1 to %v4 : memref<100x24xf16, #npu.space<gm>> to memref<100x24xf16, strided<[32, 1]>, #npu.space<ub>>
  %v5 = npu.alloc : memref<100x32xf16, #npu.space<ub>>
  %v6 = memref.subview %v5[0, 0] [100, 24] [1, 1] : memref<100x32xf16, #npu.space<ub>> to memref<100x24xf16, strided<[32, 1]>, #npu.space<ub>>
  npu.binary add %v2, %v4 to %v6 : memref<100x24xf16, strided<[32, 1]>, #npu.space<ub>>, memref<100x24xf16, strided<[32, 1]>, #npu.space<ub>> to memref<100x24xf16, strided<[32, 1]>, #npu.space<ub>>
  npu.copy %v6 to %o0 : memref<100x24xf16, strided<[32, 1]>, #npu.space<ub>> to memref<100x24xf16, #npu.space<gm>>
  return
}

func.func private @sub_f32_3x5x48_3x5x48_0_ref(%a0: tensor<3x5x48xf32>, %a1: tensor<3x5x48xf32>) -> tensor<3x5x48xf32> {
  %r = graph.subtract %a0, %a1 : (tensor<3x5x48xf32>, tensor<3x5x48xf32>) -> tensor<3x5x48xf32>
  return %r : tensor<3x5x48xf32>
}
func.func @sub_f32_3x5x48_3x5x48_0(%a0: memref<3x5x48xf32, #npu.space<gm>>, %a1: memref<3x5x48xf32, #npu.space<gm>>, %o0: memref<3x5x48xf32, #npu.space<gm>>) attributes {npu.kernel, reference = @sub_f32_3x5x48_3x5x48_0_ref} {
  %v1 = npu.alloc : memref<3x5x48xf32, #npu.space<ub>>
  npu.copy %a0 to %v1 : memref<3x5x48xf32, #npu.space<gm>> to memref<3x5x48xf32, #npu.space<ub>>
  %v2 = npu.alloc : memref<3x5x48xf32, #npu.space<ub>>
  npu.copy %a1 to %v2 : memref<3x5x48xf32, #npu.space<gm>> to memref<3x5x48xf32, #npu.space<ub>>
  %v3 = npu.alloc : memref<3x5x48xf32, #npu.space<ub>>
  npu.binary sub %v1, %v2 to %v3 : memref<3x5x48xf32, #npu.space<ub>>, memref<3x5x48xf32, #npu.space<ub>> to memref<3x5x48xf32, #npu.space<ub>>
  npu.copy %v3 to %o0 : memref<3x5x48xf32, #npu.space<ub>> to memref<3x5x48xf32, #npu.space<gm>>
  return
}

func.func private @sub_f32_2x3x4x200_2x3x4x200_0_ref(%a0: tensor<2x3x4x200xf32>, %a1: tensor<2x3x4x200xf32>) -> tensor<2x3x4x200xf32> {
  %r = graph.subtract %a0, %a1 : (tensor<2x3x4x200xf32>, tensor<2x3x4x200xf32>) -> tensor<2x3x4x200xf32>
  return %r : tensor<2x3x4x200xf32>
}
func.func @sub_f32_2x3x4x200_2x3x4x200_0(%a0: memref<2x3x4x200xf32, #npu.space<gm>>, %a1: memref<2x3x4x200xf32, #npu.space<gm>>, %o0: memref<2x3x4x200xf32, #npu.space<gm>>) attributes {npu.kernel, reference = @sub_f32_2x3x4x200_2x3x4x200_0_ref} {
  %v1 = npu.alloc : memref<2x3x4x200xf32, #npu.space<ub>>
  npu.copy %a0 to %v1 : memref<2x3x4x200xf32, #npu.space<gm>> to memref<2x3x4x200xf32, #npu.space<ub>>
  %v2 = npu.alloc : memref<2x3x4x200xf32, #npu.space<ub>>
  npu.copy %a1 to %v2 : memref<2x3x4x200xf32, #npu.space<gm>> to memref<2x3x4x200xf32, #npu.space<ub>>
  %v3 = npu.alloc : memref<2x3x4x200xf32, #npu.space<ub>>
  npu.binary sub %v1, %v2 to %v3 : memref<2x3x4x200xf32, #npu.space<ub>>, memref<2x3x4x200xf32, #npu.space<ub>> to memref<2x3x4x200xf32, #npu.space<ub>>
  npu.copy %v3 to %o0 : memref<2x3x4x200xf32, #npu.space<ub>> to memref<2x3x4x200xf32, #npu.space<gm>>
  return
}

func.func private @add_f16_64x256_1x256_0_ref(%a0: tensor<64x256xf16>, %a1: tensor<1x256xf16>) -> tensor<64x256xf16> {
  %r = graph.add %a0, %a1 : (tensor<64x256xf16>, tensor<1x256xf16>) -> tensor<64x256xf16>
  return %r : tensor<64x256xf16>
}
func.func @add_f16_64x256_1x256_0(%a0: memref<64x256xf16, #npu.space<gm>>, %a1: memref<1x256xf16, #npu.space<gm>>, %o0: memref<64x256xf16, #npu.space<gm>>) attributes {npu.kernel, reference = @add_f16_64x256_1x256_0_ref} {
  %v1 = npu.alloc : memref<64x256xf16, #npu.space<ub>>
  npu.copy %a0 to %v1 : memref<64x256xf16, #npu.space<gm>> to memref<64x256xf16, #npu.space<ub>>
  %v2 = npu.alloc : memref<1x256xf16, #npu.space<ub>>
  npu.copy %a1 to %v2 : memref<1x256xf16, #npu.space<gm>> to memref<1x256xf16, #npu.space<ub>>
  %v3 = npu.alloc : memref<64x256xf16, #npu.space<ub>>
  npu.binary add %v1, %v2 to %v3 : memref<64x256xf16, #npu.space<ub>>, memref<1x256xf16, #npu.space<ub>> to memref<64x256xf16, #npu.space<ub>>
  npu.copy %v3 to %o0 : memref<64x256xf16, #npu.space<ub>> to memref<64x256xf16, #npu.space<gm>>
  return
}

func.func private @mul_f32_5x64x24_1x64x24_0_ref(%a0: tensor<5x64x24xf32>, %a1: tensor<1x64x24xf32>) -> tensor<5x64x24xf32> {
  %r = graph.multiply %a0, %a1 : (tensor<5x64x24xf32>, tensor<1x64x24xf32>) -> tensor<5x64x24xf32>
  return %r : tensor<5x64x24xf32>
}
func.func @mul_f32_5x64x24_1x64x24_0(%a0: memref<5x64x24xf32, #npu.space<gm>>, %a1: memref<1x64x24xf32, #npu.space<gm>>, %o0: memref<5x64x24xf32, #npu.space<gm>>) attributes {npu.kernel, reference = @mul_f32_5x64x24_1x64x24_0_ref} {
  %v1 = npu.alloc : memref<5x64x24xf32, #npu.space<ub>>
  npu.copy %a0 to %v1 : memref<5x64x24xf32, #npu.space<gm>> to memref<5x64x24xf32, #npu.space<ub>>
  %v2 = npu.alloc : memref<1x64x24xf32, #npu.space<ub>>
  npu.copy %a1 to %v2 : memref<1x64x24xf32, #npu.space<gm>> to memref<1x64x24xf32, #npu.space<ub>>
  %v3 = npu.alloc : memref<5x64x24xf32, #npu.space<ub>>
  npu.binary mul %v1, %v2 to %v3 : memref<5x64x24xf32, #npu.space<ub>>, memref<1x64x24xf32, #npu.space<ub>> to memref<5x64x24xf32, #npu.space<ub>>
  npu.copy %v3 to %o0 : memref<5x64x24xf32, #npu.space<ub>> to memref<5x64x24xf32, #npu.space<gm>>
  return
}

func.func private @mul_f32_5x64x24_5x1x24_0_ref(%a0: tensor<5x64x24xf32>, %a1: tensor<5x1x24xf32>) -> tensor<5x64x24xf32> {
  %r = graph.multiply %a0, %a1 : (tensor<5x64x24xf32>, tensor<5x1x24xf32>) -> tensor<5x64x24xf32>
  return %r : tensor<5x64x24xf32>
}
func.func @mul_f32_5x64x24_5x1x24_0(%a0: memref<5x64x24xf32, #npu.space<gm>>, %a1: memref<5x1x24xf32, #npu.space<gm>>, %o0: memref<5x64x24xf32, #npu.space<gm>>) attributes {npu.kernel, reference = @mul_f32_5x64x24_5x1x24_0_ref} {
  %v1 = npu.alloc : memref<5x64x24xf32, #npu.space<ub>>
  npu.copy %a0 to %v1 : memref<5x64x24xf32, #npu.space<gm>> to memref<5x64x24xf32, #npu.space<ub>>
  %v2 = npu.alloc : memref<5x1x24xf32, #npu.space<ub>>
  npu.copy %a1 to %v2 : memref<5x1x24xf32, #npu.space<gm>> to memref<5x1x24xf32, #npu.space<ub>>
  %v3 = npu.alloc : memref<5x64x24xf32, #npu.space<ub>>
  npu.binary mul %v1, %v2 to %v3 : memref<5x64x24xf32, #npu.space<ub>>, memref<5x1x24xf32, #npu.space<ub>> to memref<5x64x24xf32, #npu.space<ub>>
  npu.copy %v3 to %o0 : memref<5x64x24xf32, #npu.space<ub>> to memref<5x64x24xf32, #npu.space<gm>>
  return
}

func.func private @add_f16_4x2000_4x2000_4096_ref(%a0: tensor<4x2000xf16>, %a1: tensor<4x2000xf16>) -> tensor<4x2000xf16> {
  %r = graph.add %a0, %a1 : (tensor<4x2000xf16>, tensor<4x2000xf16>) -> tensor<4x2000xf16>
  return %r : tensor<4x2000xf16>
}
func.func @add_f16_4x2000_4x2000_4096(%a0: memref<4x2000xf16, #npu.space<gm>>, %a1: memref<4x2000xf16, #npu.space<gm>>, %o0: memref<4x2000xf16, #npu.space<gm>>) attributes {npu.kernel, reference = @add_f16_4x2000_4x2000_4096_ref} {
  %v1 = npu.alloc : memref<4x6096xf16, #npu.space<ub>>
  %v2 = memref.subview %v1[0, 0] [4, 2000] [1, 1] : memref<4x6096xf16, #npu.space<ub>> to memref<4x2000xf16, strided<[6096, 1]>, #npu.space<ub>>
  npu.copy %a0 to %v2 : memref<4x2000xf16, #npu.space<gm>> to memref<4x2000xf16, strided<[6096, 1]>, #npu.space<ub>>
  %v3 = npu.alloc : memref<4x2000xf16, #npu.space<ub>>
  npu.copy %a1 to %v3 : memref<4x2000xf16, #npu.space<gm>> to memref<4x2000xf16, #npu.space<ub>>
  %v4 = npu.alloc : memref<4x2000xf16, #npu.space<ub>>
  npu.binary add %v2, %v3 to %v4 : memref<4x2000xf16, strided<[6096, 1]>, #npu.space<ub>>, memref<4x2000xf16, #npu.space<ub>> to memref<4x2000xf16, #npu.space<ub>>
  npu.copy %v4 to %o0 : memref<4x2000xf16, #npu.space<ub>> to memref<4x2000xf16, #npu.space<gm>>
  return
}

func.func private @max_f16_3x200_3x200_0_ref(%a0: tensor<3x200xf16>, %a1: tensor<3x200xf16>) -> tensor<3x200xf16> {
  %r = graph.maximum %a0, %a1 : (tensor<3x200xf16>, tensor<3x200xf16>) -> tensor<3x200xf16>
  return %r : tensor<3x200xf16>
}
func.func @max_f16_3x200_3x200_0(%a0: memref<3x200xf16, #npu.space<gm>>, %a1: memref<3x200xf16, #npu.space<gm>>, %o0: memref<3x200xf16, #npu.space<gm>>) attributes {npu.kernel, reference = @max_f16_3x200_3x200_0_ref} {
  %v1 = npu.alloc : memref<3x208xf16, #npu.space<ub>>
  %v2 = memref.subview %v1[0, 0] [3, 200] [1, 1] : memref<3x208xf16, #npu.space<ub>> to memref<3x200xf16, strided<[208, 1]>, #npu.space<ub>>
  npu.copy %a0 to %v2 : memref<3x200xf16, #npu.space<gm>> to memref<3x200xf16, strided<[208, 1]>, #npu.space<ub>>
  %v3 = npu.alloc : memref<3x208xf16, #npu.space<ub>>
  %v4 = memref.subview %v3[0, 0] [3, 200] [1, 1] : memref<3x208xf16, #npu.space<ub>> to memref<3x200xf16, strided<[208, 1]>, #npu.space<ub>>
  npu.copy %a1 to %v4 : memref<3x200xf16, #npu.space<gm>> to memref<3x200xf16, strided<[208, 1]>, #npu.space<ub>>
  %v5 = npu.alloc : memref<3x208xf16, #npu.space<ub>>
  %v6 = memref.subview %v5[0, 0] [3, 200] [1, 1] : memref<3x208xf16, #npu.space<ub>> to memref<3x200xf16, strided<[208, 1]>, #npu.space<ub>>
  npu.binary max %v2, %v4 to %v6 : memref<3x200xf16, strided<[208, 1]>, #npu.space<ub>>, memref<3x200xf16, strided<[208, 1]>, #npu.space<ub>> to memref<3x200xf16, strided<[208, 1]>, #npu.space<ub>>
  npu.copy %v6 to %o0 : memref<3x200xf16, strided<[208, 1]>, #npu.space<ub>> to memref<3x200xf16, #npu.space<gm>>
  return
}

func.func private @exp_f16_5x150_ref(%a0: tensor<5x150xf16>) -> tensor<5x150xf16> {
  %r = graph.exp %a0 : (tensor<5x150xf16>) -> tensor<5x150xf16>
  return %r : tensor<5x150xf16>
}
func.func @exp_f16_5x150(%a0: memref<5x150xf16, #npu.space<gm>>, %o0: memref<5x150xf16, #npu.space<gm>>) attributes {npu.kernel, reference = @exp_f16_5x150_ref} {
  %v1 = npu.alloc : memref<5x160xf16, #npu.space<ub>>
  %v2 = memref.subview %v1[0, 0] [5, 150] [1, 1] : memref<5x160xf16, #npu.space<ub>> to memref<5x150xf16, strided<[160, 1]>, #npu.space<ub>>
  npu.copy %a0 to %v2 : memref<5x150xf16, #npu.space<gm>> to memref<5x150xf16, strided<[160, 1]>, #npu.space<ub>>
  %v3 = npu.alloc : memref<5x160xf16, #npu.space<ub>>
  %v4 = memref.subview %v3[0, 0] [5, 150] [1, 1] : memref<5x160xf16, #npu.space<ub>> to memref<5x150xf16, strided<[160, 1]>, #npu.space<ub>>
  npu.unary exp %v2 to %v4 : memref<5x150xf16, strided<[160, 1]>, #npu.space<ub>> to memref<5x150xf16, strided<[160, 1]>, #npu.space<ub>>
  npu.copy %v4 to %o0 : memref<5x150xf16, strided<[160, 1]>, #npu.space<ub>> to memref<5x150xf16, #npu.space<gm>>
  return
}

func.func private @rec_f32_5x150_ref(%a0: tensor<5x150xf32>) -> tensor<5x150xf32> {
  %r = graph.reciprocal %a0 : (tensor<5x150xf32>) -> tensor<5x150xf32>
  return %r : tensor<5x150xf32>
}
func.func @rec_f32_5x150(%a0: memref<5x150xf32, #npu.space<gm>>, %o0: memref<5x150xf32, #npu.space<gm>>) attributes {npu.kernel, reference = @rec_f32_5x150_ref} {
  %v1 = npu.alloc : memref<5x152xf32, #npu.space<ub>>
  %v2 = memref.subview %v1[0, 0] [5, 150] [1, 1] : memref<5x152xf32, #npu.space<ub>> to memref<5x150xf32, strided<[152, 1]>, #npu.space<ub>>
  npu.copy %a0 to %v2 : memref<5x150xf32, #npu.space<gm>> to memref<5x150xf32, strided<[152, 1]>, #npu.space<ub>>
  %v3 = npu.alloc : memref<5x152xf32, #npu.space<ub>>
  %v4 = memref.subview %v3[0, 0] [5, 150] [1, 1] : memref<5x152xf32, #npu.space<ub>> to memref<5x150xf32, strided<[152, 1]>, #npu.space<ub>>
  npu.unary rec %v2 to %v4 : memref<5x150xf32, strided<[152, 1]>, #npu.space<ub>> to memref<5x150xf32, strided<[152, 1]>, #npu.space<ub>>
  npu.copy %v4 to %o0 : memref<5x150xf32, strided<[152, 1]>, #npu.space<ub>> to memref<5x150xf32, #npu.space<gm>>
  return
}
