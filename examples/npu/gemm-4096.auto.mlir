// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// C = A B, 4096 x 4096 x 4096 in f16: the tiles of gemm-4096.tuned.mlir, but
// without addresses, slots or flags. Six slices of a panel of A stay in L1 for a
// row of tiles, the others come with every tile. See gemm-1024.auto.mlir.
//
//   gc-runner --target=npu examples/npu/gemm-4096.auto.mlir --mode=cycles

#gm = #npu.space<gm>
#l1 = #npu.space<l1>
#ub = #npu.space<ub>

// Step t is slice k = t mod 32 of the tile at row t / 512, column t / 32 mod 16.
#slice = affine_map<(t) -> (t mod 32)>
#depth = affine_map<(t) -> (t mod 32 * 128)>
#row = affine_map<(t)[q] -> (t floordiv 512 * 256 + q * 64)>
#column = affine_map<(t) -> (t floordiv 32 mod 16 * 256)>
#panel_slice = affine_map<(t) -> (t mod 32 mod 6)>
#panel_depth = affine_map<(t) -> (t mod 32 mod 6 * 128)>
#next_row = affine_map<(t) -> (t floordiv 512 * 256 + 256)>
#tile_in_row = affine_map<(t) -> (t floordiv 32 mod 16)>
#cube_step = affine_map<(t)[h] -> (t mod 32 * 2 + h)>
#half_fractals = affine_map<(h) -> (h * 4)>
#half_rows = affine_map<(h) -> (h * 64)>
#quarter = affine_map<(q) -> (q * 4)>

!matrix = memref<4096x4096xf16, #gm>
!part_a = memref<256x128xf16, strided<[4096, 1], offset: ?>, #gm>
!part_b = memref<128x256xf16, strided<[4096, 1], offset: ?>, #gm>
!part_c = memref<64x256xf16, strided<[4096, 1], offset: ?>, #gm>
!panel = memref<6x8x256x16xf16, #l1>
!kept_a = memref<8x256x16xf16, strided<[4096, 16, 1], offset: ?>, #l1>
!slice_a = memref<8x256x16xf16, #l1>
!half_a = memref<4x256x16xf16, strided<[4096, 16, 1], offset: ?>, #l1>
!slice_b = memref<16x128x16xf16, #l1>
!half_b = memref<16x64x16xf16, strided<[2048, 16, 1], offset: ?>, #l1>
!a = memref<16x4x16x16xf16, #npu.space<l0a>>
!quarter_a = memref<4x4x16x16xf16, strided<[1024, 256, 16, 1], offset: ?>, #npu.space<l0a>>
!b = memref<4x16x16x16xf16, #npu.space<l0b>>
!c = memref<16x16x16x16xf32, #npu.space<l0c>>
!quarter_c = memref<16x4x16x16xf32, strided<[4096, 256, 16, 1], offset: ?>, #npu.space<l0c>>
!out = memref<16x64x16xf16, #ub>

func.func private @reference(%a: tensor<4096x4096xf16>, %b: tensor<4096x4096xf16>)
    -> tensor<4096x4096xf16> {
  %c = graph.matmul %a, %b
      : (tensor<4096x4096xf16>, tensor<4096x4096xf16>) -> tensor<4096x4096xf16>
  return %c : tensor<4096x4096xf16>
}

func.func @gemm(%ga: !matrix, %gb: !matrix, %gc: !matrix)
    attributes {npu.kernel, reference = @reference} {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %2 = arith.constant 2 : index
  %4 = arith.constant 4 : index
  %6 = arith.constant 6 : index
  %12 = arith.constant 12 : index
  %15 = arith.constant 15 : index
  %63 = arith.constant 63 : index
  %last_row = arith.constant 7680 : index
  %steps = arith.constant 8192 : index
  %panel = npu.alloc : !panel
  %c = npu.alloc : !c
  // The slices of the first row of tiles that stay.
  scf.for %k = %0 to %6 step %1 {
    %depth = affine.apply #depth(%k)
    %first = memref.subview %panel[%k, 0, 0, 0] [1, 8, 256, 16] [1, 1, 1, 1] : !panel to !kept_a
    %pa = memref.subview %ga[0, %depth] [256, 128] [1, 1] : !matrix to !part_a
    npu.pack %pa to %first : !part_a to !kept_a
  }
  scf.for %t = %0 to %steps step %1 {
    %slice_b = npu.alloc : !slice_b
    %depth = affine.apply #depth(%t)
    %column = affine.apply #column(%t)
    %pb = memref.subview %gb[%depth, %column] [128, 256] [1, 1] : !matrix to !part_b
    npu.pack %pb to %slice_b : !part_b to !slice_b
    // In the last tile of a row the slices that stay make room for those of the
    // next row.
    %slice = affine.apply #slice(%t)
    %stays = arith.cmpi ult, %slice, %6 : index
    %tile_in_row = affine.apply #tile_in_row(%t)
    %last_tile = arith.cmpi eq, %tile_in_row, %15 : index
    %after = arith.cmpi ult, %slice, %12 : index
    %not_last_row = arith.cmpi ult, %t, %last_row : index
    %streams = arith.cmpi uge, %slice, %6 : index
    %replace_0 = arith.andi %last_tile, %after : i1
    %replace_1 = arith.andi %replace_0, %streams : i1
    %replace = arith.andi %replace_1, %not_last_row : i1
    %panel_slice = affine.apply #panel_slice(%t)
    %kept = memref.subview %panel[%panel_slice, 0, 0, 0] [1, 8, 256, 16] [1, 1, 1, 1] : !panel to !kept_a
    scf.if %replace {
      %next_row = affine.apply #next_row(%t)
      %panel_depth = affine.apply #panel_depth(%t)
      %next = memref.subview %ga[%next_row, %panel_depth] [256, 128] [1, 1] : !matrix to !part_a
      npu.pack %next to %kept : !part_a to !kept_a
    }
    %slice_a = npu.alloc : !slice_a
    %row = affine.apply #row(%t)[%0]
    %pa = memref.subview %ga[%row, %depth] [256, 128] [1, 1] : !matrix to !part_a
    scf.if %streams {
      npu.pack %pa to %slice_a : !part_a to !slice_a
    }

    scf.for %h = %0 to %2 step %1 {
      %a = npu.alloc : !a
      %b = npu.alloc : !b
      %half_fractals = affine.apply #half_fractals(%h)
      %half_rows = affine.apply #half_rows(%h)
      %half_b = memref.subview %slice_b[0, %half_rows, 0] [16, 64, 16] [1, 1, 1] : !slice_b to !half_b
      scf.if %stays {
        %half_a = memref.subview %kept[%half_fractals, 0, 0] [4, 256, 16] [1, 1, 1] : !kept_a to !half_a
        npu.load_fractals %half_a to %a : !half_a to !a
      } else {
        %half_a = memref.subview %slice_a[%half_fractals, 0, 0] [4, 256, 16] [1, 1, 1] : !slice_a to !half_a
        npu.load_fractals %half_a to %a : !half_a to !a
      }
      npu.load_fractals %half_b to %b transposed : !half_b to !b
      %cube_step = affine.apply #cube_step(%t)[%h]
      %first = arith.cmpi eq, %cube_step, %0 : index
      %last = arith.cmpi eq, %cube_step, %63 : index
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
          %out_row = affine.apply #row(%t)[%q]
          %pc = memref.subview %gc[%out_row, %column] [64, 256] [1, 1] : !matrix to !part_c
          npu.unpack %out to %pc : !out to !part_c
        } {npu.pipeline = 4}
      }
    } {npu.pipeline = 2}
  } {npu.pipeline = 4}
  return
}
