// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// C = A B, 1024 x 1024 x 1024 in f16: the tiles of gemm-1024.tuned.mlir, but
// without addresses, slots or flags. The loop over steps (128 of K in a tile of
// 256 x 256) may have four under way, the one over cube steps two; where their
// buffers lie, which loads are issued ahead and who waits for whom is the
// compiler's business.
//
//   gc-runner --target=npu examples/npu/gemm-1024.auto.mlir --check
//   gc-opt examples/npu/gemm-1024.auto.mlir --gc-npu-pipeline

#gm = #npu.space<gm>
#l1 = #npu.space<l1>
#ub = #npu.space<ub>

// Step t is slice k = t mod 8 of the tile at row t / 32, column t / 8 mod 4.
#slice = affine_map<(t) -> (t mod 8)>
#depth = affine_map<(t) -> (t mod 8 * 128)>
#row = affine_map<(t)[q] -> (t floordiv 32 * 256 + q * 64)>
#column = affine_map<(t) -> (t floordiv 8 mod 4 * 256)>
#step_in_row = affine_map<(t) -> (t mod 32)>
#cube_step = affine_map<(t)[h] -> (t mod 8 * 2 + h)>
#half_fractals = affine_map<(h) -> (h * 4)>
#half_rows = affine_map<(h) -> (h * 64)>
#quarter = affine_map<(q) -> (q * 4)>

!matrix = memref<1024x1024xf16, #gm>
!part_a = memref<256x128xf16, strided<[1024, 1], offset: ?>, #gm>
!part_b = memref<128x256xf16, strided<[1024, 1], offset: ?>, #gm>
!part_c = memref<64x256xf16, strided<[1024, 1], offset: ?>, #gm>
!panel = memref<8x8x256x16xf16, #l1>
!slice_a = memref<8x256x16xf16, strided<[4096, 16, 1], offset: ?>, #l1>
!half_a = memref<4x256x16xf16, strided<[4096, 16, 1], offset: ?>, #l1>
!slice_b = memref<16x128x16xf16, #l1>
!half_b = memref<16x64x16xf16, strided<[2048, 16, 1], offset: ?>, #l1>
!a = memref<16x4x16x16xf16, #npu.space<l0a>>
!quarter_a = memref<4x4x16x16xf16, strided<[1024, 256, 16, 1], offset: ?>, #npu.space<l0a>>
!b = memref<4x16x16x16xf16, #npu.space<l0b>>
!c = memref<16x16x16x16xf32, #npu.space<l0c>>
!quarter_c = memref<16x4x16x16xf32, strided<[4096, 256, 16, 1], offset: ?>, #npu.space<l0c>>
!out = memref<16x64x16xf16, #ub>

func.func private @reference(%a: tensor<1024x1024xf16>, %b: tensor<1024x1024xf16>)
    -> tensor<1024x1024xf16> {
  %c = graph.matmul %a, %b
      : (tensor<1024x1024xf16>, tensor<1024x1024xf16>) -> tensor<1024x1024xf16>
  return %c : tensor<1024x1024xf16>
}

func.func @gemm(%ga: !matrix, %gb: !matrix, %gc: !matrix)
    attributes {npu.kernel, reference = @reference} {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %2 = arith.constant 2 : index
  %4 = arith.constant 4 : index
  %8 = arith.constant 8 : index
  %15 = arith.constant 15 : index
  %steps = arith.constant 128 : index
  %panel = npu.alloc : !panel
  %c = npu.alloc : !c
  scf.for %t = %0 to %steps step %1 {
    %slice_b = npu.alloc : !slice_b
    %depth = affine.apply #depth(%t)
    %column = affine.apply #column(%t)
    %pb = memref.subview %gb[%depth, %column] [128, 256] [1, 1] : !matrix to !part_b
    npu.pack %pb to %slice_b : !part_b to !slice_b
    %slice = affine.apply #slice(%t)
    %slice_a = memref.subview %panel[%slice, 0, 0, 0] [1, 8, 256, 16] [1, 1, 1, 1] : !panel to !slice_a
    // The first tile of a row brings the panel of A.
    %step_in_row = affine.apply #step_in_row(%t)
    %first_tile = arith.cmpi ult, %step_in_row, %8 : index
    scf.if %first_tile {
      %row = affine.apply #row(%t)[%0]
      %pa = memref.subview %ga[%row, %depth] [256, 128] [1, 1] : !matrix to !part_a
      npu.pack %pa to %slice_a : !part_a to !slice_a
    }

    scf.for %h = %0 to %2 step %1 {
      %a = npu.alloc : !a
      %b = npu.alloc : !b
      %half_fractals = affine.apply #half_fractals(%h)
      %half_rows = affine.apply #half_rows(%h)
      %half_a = memref.subview %slice_a[%half_fractals, 0, 0] [4, 256, 16] [1, 1, 1] : !slice_a to !half_a
      %half_b = memref.subview %slice_b[0, %half_rows, 0] [16, 64, 16] [1, 1, 1] : !slice_b to !half_b
      npu.load_fractals %half_a to %a : !half_a to !a
      npu.load_fractals %half_b to %b transposed : !half_b to !b
      %cube_step = affine.apply #cube_step(%t)[%h]
      %first = arith.cmpi eq, %cube_step, %0 : index
      %last = arith.cmpi eq, %cube_step, %15 : index
      scf.if %first {
        scf.for %q = %0 to %4 step %1 {
          %part = affine.apply #quarter(%q)
          %a_q = memref.subview %a[%part, 0, 0, 0] [4, 4, 16, 16] [1, 1, 1, 1] : !a to !quarter_a
          %c_q = memref.subview %c[0, %part, 0, 0] [16, 4, 16, 16] [1, 1, 1, 1] : !c to !quarter_c
          npu.matmul %a_q, %b into %c_q initialised : !quarter_a, !b into !quarter_c
        }
      } else {
        scf.if %last {
          scf.for %q = %0 to %4 step %1 {
            %part = affine.apply #quarter(%q)
            %a_q = memref.subview %a[%part, 0, 0, 0] [4, 4, 16, 16] [1, 1, 1, 1] : !a to !quarter_a
            %c_q = memref.subview %c[0, %part, 0, 0] [16, 4, 16, 16] [1, 1, 1, 1] : !c to !quarter_c
            npu.matmul %a_q, %b into %c_q : !quarter_a, !b into !quarter_c
          }
        } else {
          npu.matmul %a, %b into %c : !a, !b into !c
        }
      }
      scf.if %last {
        scf.for %q = %0 to %4 step %1 {
          %out = npu.alloc : !out
          %part = affine.apply #quarter(%q)
          %c_q = memref.subview %c[0, %part, 0, 0] [16, 4, 16, 16] [1, 1, 1, 1] : !c to !quarter_c
          npu.drain %c_q to %out : !quarter_c to !out
          %row = affine.apply #row(%t)[%q]
          %pc = memref.subview %gc[%row, %column] [64, 256] [1, 1] : !matrix to !part_c
          npu.unpack %out to %pc : !out to !part_c
        } {npu.pipeline = 4}
      }
    } {npu.pipeline = 2}
  } {npu.pipeline = 4}
  return
}
