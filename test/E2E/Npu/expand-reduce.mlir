// Reductions, expanded: each shape takes another sequence of steps.
// 1x7: one masked block. 16x16, 23x16, 257x16: blocks, with rows left over. 64x128:
// groups, then folds. 17x256, 9x4096, 16x1024: groups, twice. 13x513, 5x300, 60x1000,
// 3x9000: parts of rows that are not a multiple of anything. 40x16 with rows far
// apart. Sums of f16 into f16 are in f32 from end to end. 1x16385: one row, with more
// blocks than a stride can count.
//
// RUN: gc-runner --target=npu --check --entry=redsum_f16_f32_1x7_0 %s | FileCheck %s
// RUN: gc-runner --target=npu --check --entry=redmax_f16_f16_16x16_0 %s | FileCheck %s
// RUN: gc-runner --target=npu --check --entry=redsum_f32_f32_23x16_0 %s | FileCheck %s
// RUN: gc-runner --target=npu --check --entry=redsum_f16_f32_257x16_0 %s | FileCheck %s
// RUN: gc-runner --target=npu --check --entry=redsum_f32_f32_64x128_0 %s | FileCheck %s
// RUN: gc-runner --target=npu --check --entry=redmax_f16_f16_17x256_0 %s | FileCheck %s
// RUN: gc-runner --target=npu --check --entry=redsum_f16_f32_9x4096_0 %s | FileCheck %s
// RUN: gc-runner --target=npu --check --entry=redmax_f32_f32_16x1024_0 %s | FileCheck %s
// RUN: gc-runner --target=npu --check --entry=redsum_f16_f32_13x513_0 %s | FileCheck %s
// RUN: gc-runner --target=npu --check --entry=redmax_f16_f16_5x300_0 %s | FileCheck %s
// RUN: gc-runner --target=npu --check --entry=redsum_f16_f32_60x1000_0 %s | FileCheck %s
// RUN: gc-runner --target=npu --check --entry=redsum_f32_f32_3x9000_0 %s | FileCheck %s
// RUN: gc-runner --target=npu --check --entry=redmin_f16_f16_40x200_0 %s | FileCheck %s
// RUN: gc-runner --target=npu --check --entry=redsum_f16_f16_40x200_0 %s | FileCheck %s
// RUN: gc-runner --target=npu --check --entry=redmax_f16_f16_1x16385 %s | FileCheck %s
// RUN: gc-runner --target=npu --check --entry=redsum_f32_f32_10x100_2048 %s | FileCheck %s
// RUN: gc-runner --target=npu --check --entry=redsum_f32_f32_2x3x100_0 %s | FileCheck %s
//
// CHECK: check     passed

func.func private @redsum_f16_f32_1x7_0_ref(%a0: tensor<1x7xf16>) -> tensor<1xf32> {
  %w = graph.type_cast %a0 : tensor<1x7xf16> -> tensor<1x7xf32>
  %r = graph.reduce_sum %w {axes = array<i64: 1>, keep_dims = false} : (tensor<1x7xf32>) -> tensor<1xf32>
  return %r : tensor<1xf32>
}
func.func @redsum_f16_f32_1x7_0(%a0: memref<1x7xf16, #npu.space<gm>>, %o0: memref<1xf32, #npu.space<gm>>) attributes {npu.kernel, reference = @redsum_f16_f32_1x7_0_ref} {
  %v1 = npu.alloc : memref<1x16xf16, #npu.space<ub>>
  %v2 = memref.subview %v1[0, 0] [1, 7] [1, 1] : memref<1x16xf16, #npu.space<ub>> to memref<1x7xf16, strided<[16, 1]>, #npu.space<ub>>
  npu.copy %a0 to %v2 : memref<1x7xf16, #npu.space<gm>> to memref<1x7xf16, strided<[16, 1]>, #npu.space<ub>>
  %v3 = npu.alloc : memref<1xf32, #npu.space<ub>>
  npu.reduce sum %v2 to %v3 : memref<1x7xf16, strided<[16, 1]>, #npu.space<ub>> to memref<1xf32, #npu.space<ub>>
  npu.copy %v3 to %o0 : memref<1xf32, #npu.space<ub>> to memref<1xf32, #npu.space<gm>>
  return
}

func.func private @redmax_f16_f16_16x16_0_ref(%a0: tensor<16x16xf16>) -> tensor<16xf16> {
  %r = graph.reduce_max %a0 {axes = array<i64: 1>, keep_dims = false} : (tensor<16x16xf16>) -> tensor<16xf16>
  return %r : tensor<16xf16>
}
func.func @redmax_f16_f16_16x16_0(%a0: memref<16x16xf16, #npu.space<gm>>, %o0: memref<16xf16, #npu.space<gm>>) attributes {npu.kernel, reference = @redmax_f16_f16_16x16_0_ref} {
  %v1 = npu.alloc : memref<16x16xf16, #npu.space<ub>>
  npu.copy %a0 to %v1 : memref<16x16xf16, #npu.space<gm>> to memref<16x16xf16, #npu.space<ub>>
  %v2 = npu.alloc : memref<16xf16, #npu.space<ub>>
  npu.reduce max %v1 to %v2 : memref<16x16xf16, #npu.space<ub>> to memref<16xf16, #npu.space<ub>>
  npu.copy %v2 to %o0 : memref<16xf16, #npu.space<ub>> to memref<16xf16, #npu.space<gm>>
  return
}

func.func private @redsum_f32_f32_23x16_0_ref(%a0: tensor<23x16xf32>) -> tensor<23xf32> {
  %r = graph.reduce_sum %a0 {axes = array<i64: 1>, keep_dims = false} : (tensor<23x16xf32>) -> tensor<23xf32>
  return %r : tensor<23xf32>
}
func.func @redsum_f32_f32_23x16_0(%a0: memref<23x16xf32, #npu.space<gm>>, %o0: memref<23xf32, #npu.space<gm>>) attributes {npu.kernel, reference = @redsum_f32_f32_23x16_0_ref} {
  %v1 = npu.alloc : memref<23x16xf32, #npu.space<ub>>
  npu.copy %a0 to %v1 : memref<23x16xf32, #npu.space<gm>> to memref<23x16xf32, #npu.space<ub>>
  %v2 = npu.alloc : memref<23xf32, #npu.space<ub>>
  npu.reduce sum %v1 to %v2 : memref<23x16xf32, #npu.space<ub>> to memref<23xf32, #npu.space<ub>>
  npu.copy %v2 to %o0 : memref<23xf32, #npu.space<ub>> to memref<23xf32, #npu.space<gm>>
  return
}

func.func private @redsum_f16_f32_257x16_0_ref(%a0: tensor<257x16xf16>) -> tensor<257xf32> {
  %w = graph.type_cast %a0 : tensor<257x16xf16> -> tensor<257x16xf32>
  %r = graph.reduce_sum %w {axes = array<i64: 1>, keep_dims = false} : (tensor<257x16xf32>) -> tensor<257xf32>
  return %r : tensor<257xf32>
}
func.func @redsum_f16_f32_257x16_0(%a0: memref<257x16xf16, #npu.space<gm>>, %o0: memref<257xf32, #npu.space<gm>>) attributes {npu.kernel, reference = @redsum_f16_f32_257x16_0_ref} {
  %v1 = npu.alloc : memref<257x16xf16, #npu.space<ub>>
  npu.copy %a0 to %v1 : memref<257x16xf16, #npu.space<gm>> to memref<257x16xf16, #npu.space<ub>>
  %v2 = npu.alloc : memref<257xf32, #npu.space<ub>>
  npu.reduce sum %v1 to %v2 : memref<257x16xf16, #npu.space<ub>> to memref<257xf32, #npu.space<ub>>
  npu.copy %v2 to %o0 : memref<257xf32, #npu.space<ub>> to memref<257xf32, #npu.space<gm>>
  return
}

func.func private @redsum_f32_f32_64x128_0_ref(%a0: tensor<64x128xf32>) -> tensor<64xf32> {
  %r = graph.reduce_sum %a0 {axes = array<i64: 1>, keep_dims = false} : (tensor<64x128xf32>) -> tensor<64xf32>
  return %r : tensor<64xf32>
}
func.func @redsum_f32_f32_64x128_0(%a0: memref<64x128xf32, #npu.space<gm>>, %o0: memref<64xf32, #npu.space<gm>>) attributes {npu.kernel, reference = @redsum_f32_f32_64x128_0_ref} {
  %v1 = npu.alloc : memref<64x128xf32, #npu.space<ub>>
  npu.copy %a0 to %v1 : memref<64x128xf32, #npu.space<gm>> to memref<64x128xf32, #npu.space<ub>>
  %v2 = npu.alloc : memref<64xf32, #npu.space<ub>>
  npu.reduce sum %v1 to %v2 : memref<64x128xf32, #npu.space<ub>> to memref<64xf32, #npu.space<ub>>
  npu.copy %v2 to %o0 : memref<64xf32, #npu.space<ub>> to memref<64xf32, #npu.space<gm>>
  return
}

func.func private @redmax_f16_f16_17x256_0_ref(%a0: tensor<17x256xf16>) -> tensor<17xf16> {
  %r = graph.reduce_max %a0 {axes = array<i64: 1>, keep_dims = false} : (tensor<17x256xf16>) -> tensor<17xf16>
  return %r : tensor<17xf16>
}
func.func @redmax_f16_f16_17x256_0(%a0: memref<17x256xf16, #npu.space<gm>>, %o0: memref<17xf16, #npu.space<gm>>) attributes {npu.kernel, reference = @redmax_f16_f16_17x256_0_ref} {
  %v1 = npu.alloc : memref<17x256xf16, #npu.space<ub>>
  npu.copy %a0 to %v1 : memref<17x256xf16, #npu.space<gm>> to memref<17x256xf16, #npu.space<ub>>
  %v2 = npu.alloc : memref<17xf16, #npu.space<ub>>
  npu.reduce max %v1 to %v2 : memref<17x256xf16, #npu.space<ub>> to memref<17xf16, #npu.space<ub>>
  npu.copy %v2 to %o0 : memref<17xf16, #npu.space<ub>> to memref<17xf16, #npu.space<gm>>
  return
}

func.func private @redsum_f16_f32_9x4096_0_ref(%a0: tensor<9x4096xf16>) -> tensor<9xf32> {
  %w = graph.type_cast %a0 : tensor<9x4096xf16> -> tensor<9x4096xf32>
  %r = graph.reduce_sum %w {axes = array<i64: 1>, keep_dims = false} : (tensor<9x4096xf32>) -> tensor<9xf32>
  return %r : tensor<9xf32>
}
func.func @redsum_f16_f32_9x4096_0(%a0: memref<9x4096xf16, #npu.space<gm>>, %o0: memref<9xf32, #npu.space<gm>>) attributes {npu.kernel, reference = @redsum_f16_f32_9x4096_0_ref} {
  %v1 = npu.alloc : memref<9x4096xf16, #npu.space<ub>>
  npu.copy %a0 to %v1 : memref<9x4096xf16, #npu.space<gm>> to memref<9x4096xf16, #npu.space<ub>>
  %v2 = npu.alloc : memref<9xf32, #npu.space<ub>>
  npu.reduce sum %v1 to %v2 : memref<9x4096xf16, #npu.space<ub>> to memref<9xf32, #npu.space<ub>>
  npu.copy %v2 to %o0 : memref<9xf32, #npu.space<ub>> to memref<9xf32, #npu.space<gm>>
  return
}

func.func private @redmax_f32_f32_16x1024_0_ref(%a0: tensor<16x1024xf32>) -> tensor<16xf32> {
  %r = graph.reduce_max %a0 {axes = array<i64: 1>, keep_dims = false} : (tensor<16x1024xf32>) -> tensor<16xf32>
  return %r : tensor<16xf32>
}
func.func @redmax_f32_f32_16x1024_0(%a0: memref<16x1024xf32, #npu.space<gm>>, %o0: memref<16xf32, #npu.space<gm>>) attributes {npu.kernel, reference = @redmax_f32_f32_16x1024_0_ref} {
  %v1 = npu.alloc : memref<16x1024xf32, #npu.space<ub>>
  npu.copy %a0 to %v1 : memref<16x1024xf32, #npu.space<gm>> to memref<16x1024xf32, #npu.space<ub>>
  %v2 = npu.alloc : memref<16xf32, #npu.space<ub>>
  npu.reduce max %v1 to %v2 : memref<16x1024xf32, #npu.space<ub>> to memref<16xf32, #npu.space<ub>>
  npu.copy %v2 to %o0 : memref<16xf32, #npu.space<ub>> to memref<16xf32, #npu.space<gm>>
  return
}

func.func private @redsum_f16_f32_13x513_0_ref(%a0: tensor<13x513xf16>) -> tensor<13xf32> {
  %w = graph.type_cast %a0 : tensor<13x513xf16> -> tensor<13x513xf32>
  %r = graph.reduce_sum %w {axes = array<i64: 1>, keep_dims = false} : (tensor<13x513xf32>) -> tensor<13xf32>
  return %r : tensor<13xf32>
}
func.func @redsum_f16_f32_13x513_0(%a0: memref<13x513xf16, #npu.space<gm>>, %o0: memref<13xf32, #npu.space<gm>>) attributes {npu.kernel, reference = @redsum_f16_f32_13x513_0_ref} {
  %v1 = npu.alloc : memref<13x528xf16, #npu.space<ub>>
  %v2 = memref.subview %v1[0, 0] [13, 513] [1, 1] : memref<13x528xf16, #npu.space<ub>> to memref<13x513xf16, strided<[528, 1]>, #npu.space<ub>>
  npu.copy %a0 to %v2 : memref<13x513xf16, #npu.space<gm>> to memref<13x513xf16, strided<[528, 1]>, #npu.space<ub>>
  %v3 = npu.alloc : memref<13xf32, #npu.space<ub>>
  npu.reduce sum %v2 to %v3 : memref<13x513xf16, strided<[528, 1]>, #npu.space<ub>> to memref<13xf32, #npu.space<ub>>
  npu.copy %v3 to %o0 : memref<13xf32, #npu.space<ub>> to memref<13xf32, #npu.space<gm>>
  return
}

func.func private @redmax_f16_f16_5x300_0_ref(%a0: tensor<5x300xf16>) -> tensor<5xf16> {
  %r = graph.reduce_max %a0 {axes = array<i64: 1>, keep_dims = false} : (tensor<5x300xf16>) -> tensor<5xf16>
  return %r : tensor<5xf16>
}
func.func @redmax_f16_f16_5x300_0(%a0: memref<5x300xf16, #npu.space<gm>>, %o0: memref<5xf16, #npu.space<gm>>) attributes {npu.kernel, reference = @redmax_f16_f16_5x300_0_ref} {
  %v1 = npu.alloc : memref<5x304xf16, #npu.space<ub>>
  %v2 = memref.subview %v1[0, 0] [5, 300] [1, 1] : memref<5x304xf16, #npu.space<ub>> to memref<5x300xf16, strided<[304, 1]>, #npu.space<ub>>
  npu.copy %a0 to %v2 : memref<5x300xf16, #npu.space<gm>> to memref<5x300xf16, strided<[304, 1]>, #npu.space<ub>>
  %v3 = npu.alloc : memref<5xf16, #npu.space<ub>>
  npu.reduce max %v2 to %v3 : memref<5x300xf16, strided<[304, 1]>, #npu.space<ub>> to memref<5xf16, #npu.space<ub>>
  npu.copy %v3 to %o0 : memref<5xf16, #npu.space<ub>> to memref<5xf16, #npu.space<gm>>
  return
}

func.func private @redsum_f16_f32_60x1000_0_ref(%a0: tensor<60x1000xf16>) -> tensor<60xf32> {
  %w = graph.type_cast %a0 : tensor<60x1000xf16> -> tensor<60x1000xf32>
  %r = graph.reduce_sum %w {axes = array<i64: 1>, keep_dims = false} : (tensor<60x1000xf32>) -> tensor<60xf32>
  return %r : tensor<60xf32>
}
func.func @redsum_f16_f32_60x1000_0(%a0: memref<60x1000xf16, #npu.space<gm>>, %o0: memref<60xf32, #npu.space<gm>>) attributes {npu.kernel, reference = @redsum_f16_f32_60x1000_0_ref} {
  %v1 = npu.alloc : memref<60x1008xf16, #npu.space<ub>>
  %v2 = memref.subview %v1[0, 0] [60, 1000] [1, 1] : memref<60x1008xf16, #npu.space<ub>> to memref<60x1000xf16, strided<[1008, 1]>, #npu.space<ub>>
  npu.copy %a0 to %v2 : memref<60x1000xf16, #npu.space<gm>> to memref<60x1000xf16, strided<[1008, 1]>, #npu.space<ub>>
  %v3 = npu.alloc : memref<60xf32, #npu.space<ub>>
  npu.reduce sum %v2 to %v3 : memref<60x1000xf16, strided<[1008, 1]>, #npu.space<ub>> to memref<60xf32, #npu.space<ub>>
  npu.copy %v3 to %o0 : memref<60xf32, #npu.space<ub>> to memref<60xf32, #npu.space<gm>>
  return
}

func.func private @redsum_f32_f32_3x9000_0_ref(%a0: tensor<3x9000xf32>) -> tensor<3xf32> {
  %r = graph.reduce_sum %a0 {axes = array<i64: 1>, keep_dims = false} : (tensor<3x9000xf32>) -> tensor<3xf32>
  return %r : tensor<3xf32>
}
func.func @redsum_f32_f32_3x9000_0(%a0: memref<3x9000xf32, #npu.space<gm>>, %o0: memref<3xf32, #npu.space<gm>>) attributes {npu.kernel, reference = @redsum_f32_f32_3x9000_0_ref} {
  %v1 = npu.alloc : memref<3x9000xf32, #npu.space<ub>>
  npu.copy %a0 to %v1 : memref<3x9000xf32, #npu.space<gm>> to memref<3x9000xf32, #npu.space<ub>>
  %v2 = npu.alloc : memref<3xf32, #npu.space<ub>>
  npu.reduce sum %v1 to %v2 : memref<3x9000xf32, #npu.space<ub>> to memref<3xf32, #npu.space<ub>>
  npu.copy %v2 to %o0 : memref<3xf32, #npu.space<ub>> to memref<3xf32, #npu.space<gm>>
  return
}

func.func private @redmin_f16_f16_40x200_0_ref(%a0: tensor<40x200xf16>) -> tensor<40xf16> {
  %r = graph.reduce_min %a0 {axes = array<i64: 1>, keep_dims = false} : (tensor<40x200xf16>) -> tensor<40xf16>
  return %r : tensor<40xf16>
}
func.func @redmin_f16_f16_40x200_0(%a0: memref<40x200xf16, #npu.space<gm>>, %o0: memref<40xf16, #npu.space<gm>>) attributes {npu.kernel, reference = @redmin_f16_f16_40x200_0_ref} {
  %v1 = npu.alloc : memref<40x208xf16, #npu.space<ub>>
  %v2 = memref.subview %v1[0, 0] [40, 200] [1, 1] : memref<40x208xf16, #npu.space<ub>> to memref<40x200xf16, strided<[208, 1]>, #npu.space<ub>>
  npu.copy %a0 to %v2 : memref<40x200xf16, #npu.space<gm>> to memref<40x200xf16, strided<[208, 1]>, #npu.space<ub>>
  %v3 = npu.alloc : memref<40xf16, #npu.space<ub>>
  npu.reduce min %v2 to %v3 : memref<40x200xf16, strided<[208, 1]>, #npu.space<ub>> to memref<40xf16, #npu.space<ub>>
  npu.copy %v3 to %o0 : memref<40xf16, #npu.space<ub>> to memref<40xf16, #npu.space<gm>>
  return
}

func.func private @redsum_f16_f16_40x200_0_ref(%a0: tensor<40x200xf16>) -> tensor<40xf16> {
  %r = graph.reduce_sum %a0 {axes = array<i64: 1>, keep_dims = false} : (tensor<40x200xf16>) -> tensor<40xf16>
  return %r : tensor<40xf16>
}
func.func @redsum_f16_f16_40x200_0(%a0: memref<40x200xf16, #npu.space<gm>>, %o0: memref<40xf16, #npu.space<gm>>) attributes {npu.kernel, reference = @redsum_f16_f16_40x200_0_ref} {
  %v1 = npu.alloc : memref<40x208xf16, #npu.space<ub>>
  %v2 = memref.subview %v1[0, 0] [40, 200] [1, 1] : memref<40x208xf16, #npu.space<ub>> to memref<40x200xf16, strided<[208, 1]>, #npu.space<ub>>
  npu.copy %a0 to %v2 : memref<40x200xf16, #npu.space<gm>> to memref<40x200xf16, strided<[208, 1]>, #npu.space<ub>>
  %v3 = npu.alloc : memref<40xf16, #npu.space<ub>>
  npu.reduce sum %v2 to %v3 : memref<40x200xf16, strided<[208, 1]>, #npu.space<ub>> to memref<40xf16, #npu.space<ub>>
  npu.copy %v3 to %o0 : memref<40xf16, #npu.space<ub>> to memref<40xf16, #npu.space<gm>>
  return
}

func.func private @redsum_f32_f32_10x100_2048_ref(%a0: tensor<10x100xf32>) -> tensor<10xf32> {
  %r = graph.reduce_sum %a0 {axes = array<i64: 1>, keep_dims = false} : (tensor<10x100xf32>) -> tensor<10xf32>
  return %r : tensor<10xf32>
}
func.func @redsum_f32_f32_10x100_2048(%a0: memref<10x100xf32, #npu.space<gm>>, %o0: memref<10xf32, #npu.space<gm>>) attributes {npu.kernel, reference = @redsum_f32_f32_10x100_2048_ref} {
  %v1 = npu.alloc : memref<10x2152xf32, #npu.space<ub>>
  %v2 = memref.subview %v1[0, 0] [10, 100] [1, 1] : memref<10x2152xf32, #npu.space<ub>> to memref<10x100xf32, strided<[2152, 1]>, #npu.space<ub>>
  npu.copy %a0 to %v2 : memref<10x100xf32, #npu.space<gm>> to memref<10x100xf32, strided<[2152, 1]>, #npu.space<ub>>
  %v3 = npu.alloc : memref<10xf32, #npu.space<ub>>
  npu.reduce sum %v2 to %v3 : memref<10x100xf32, strided<[2152, 1]>, #npu.space<ub>> to memref<10xf32, #npu.space<ub>>
  npu.copy %v3 to %o0 : memref<10xf32, #npu.space<ub>> to memref<10xf32, #npu.space<gm>>
  return
}

func.func private @redsum_f32_f32_2x3x100_0_ref(%a0: tensor<2x3x100xf32>) -> tensor<2x3xf32> {
  %r = graph.reduce_sum %a0 {axes = array<i64: 2>, keep_dims = false} : (tensor<2x3x100xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
func.func @redsum_f32_f32_2x3x100_0(%a0: memref<2x3x100xf32, #npu.space<gm>>, %o0: memref<2x3xf32, #npu.space<gm>>) attributes {npu.kernel, reference = @redsum_f32_f32_2x3x100_0_ref} {
  %v1 = npu.alloc : memref<2x3x104xf32, #npu.space<ub>>
  %v2 = memref.subview %v1[0, 0, 0] [2, 3, 100] [1, 1, 1] : memref<2x3x104xf32, #npu.space<ub>> to memref<2x3x100xf32, strided<[312, 104, 1]>, #npu.space<ub>>
  npu.copy %a0 to %v2 : memref<2x3x100xf32, #npu.space<gm>> to memref<2x3x100xf32, strided<[312, 104, 1]>, #npu.space<ub>>
  %v3 = npu.alloc : memref<2x3xf32, #npu.space<ub>>
  npu.reduce sum %v2 to %v3 : memref<2x3x100xf32, strided<[312, 104, 1]>, #npu.space<ub>> to memref<2x3xf32, #npu.space<ub>>
  npu.copy %v3 to %o0 : memref<2x3xf32, #npu.space<ub>> to memref<2x3xf32, #npu.space<gm>>
  return
}

func.func private @redmax_f16_f16_1x16385_ref(%x: tensor<1x16385xf16>) -> tensor<1xf16> {
  %r = graph.reduce_max %x {axes = array<i64: 1>, keep_dims = false} : (tensor<1x16385xf16>) -> tensor<1xf16>
  return %r : tensor<1xf16>
}
func.func @redmax_f16_f16_1x16385(%x: memref<1x16385xf16, #npu.space<gm>>, %y: memref<1xf16, #npu.space<gm>>)
    attributes {npu.kernel, reference = @redmax_f16_f16_1x16385_ref} {
  %a = npu.alloc : memref<1x16400xf16, #npu.space<ub>>
  %o = npu.alloc : memref<1xf16, #npu.space<ub>>
  %s = memref.subview %a[0, 0] [1, 16385] [1, 1] : memref<1x16400xf16, #npu.space<ub>> to memref<1x16385xf16, strided<[16400, 1]>, #npu.space<ub>>
  npu.copy %x to %s : memref<1x16385xf16, #npu.space<gm>> to memref<1x16385xf16, strided<[16400, 1]>, #npu.space<ub>>
  npu.reduce max %s to %o : memref<1x16385xf16, strided<[16400, 1]>, #npu.space<ub>> to memref<1xf16, #npu.space<ub>>
  npu.copy %o to %y : memref<1xf16, #npu.space<ub>> to memref<1xf16, #npu.space<gm>>
  return
}
