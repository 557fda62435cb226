// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// C = A B, 4096 x 4096 x 4096 in f16, every queue and flag placed by hand.
//
// Like gemm-1024.tuned.mlir, which explains the steps, flags and quarters. Here a
// panel of A (256 x 4096) is larger than L1, so that only its first six slices of
// 128 stay while a row of tiles is computed; the others come with every tile, in
// the same four slots as those of B. A tile then reads 58 slices in the time of 64
// and has room for its 2 of results: global memory keeps up.
//
//   gc-runner --target=npu examples/npu/gemm-4096.tuned.mlir --mode=cycles

#gm = #npu.space<gm>
#l1 = #npu.space<l1>
#l0a = #npu.space<l0a>
#l0b = #npu.space<l0b>
#l0c = #npu.space<l0c>
#ub = #npu.space<ub>

// Step t is slice k = t mod 32 of the tile at row t / 512, column t / 32 mod 16.
#slice = affine_map<(t) -> (t mod 32)>
#depth = affine_map<(t) -> (t mod 32 * 128)>
#slot = affine_map<(t) -> (t mod 4)>
#stream = affine_map<(t) -> (t mod 4 + 6)>
#row = affine_map<(t)[q] -> (t floordiv 512 * 256 + q * 64)>
#column = affine_map<(t) -> (t floordiv 32 mod 16 * 256)>
#tile_in_row = affine_map<(t) -> (t floordiv 32 mod 16)>
#ahead = affine_map<(t) -> (t + 3)>
#cube_step = affine_map<(t)[h] -> (t mod 32 * 2 + h)>
#fractal = affine_map<(j)[h] -> (h * 4 + j)>
#fractal_row = affine_map<(j)[h] -> (h * 64 + j * 16)>
#quarter = affine_map<(q) -> (q * 4)>

!matrix = memref<4096x4096xf16, #gm>
!part_a = memref<256x128xf16, strided<[4096, 1], offset: ?>, #gm>
!part_b = memref<128x256xf16, strided<[4096, 1], offset: ?>, #gm>
!part_c = memref<64x256xf16, strided<[4096, 1], offset: ?>, #gm>
!panel = memref<10x8x256x16xf16, #l1>
!slice_a = memref<8x256x16xf16, strided<[4096, 16, 1], offset: ?>, #l1>
!column_a = memref<256x16xf16, strided<[16, 1], offset: ?>, #l1>
!slice_b = memref<16x128x16xf16, #l1>
!slot_b = memref<16x128x16xf16, strided<[2048, 16, 1], offset: ?>, #l1>
!row_b = memref<16x16x16xf16, strided<[2048, 16, 1], offset: ?>, #l1>
!a = memref<16x4x16x16xf16, #l0a>
!slot_l0a = memref<16x4x16x16xf16, strided<[1024, 256, 16, 1], offset: ?>, #l0a>
!column_l0a = memref<16x16x16xf16, strided<[1024, 16, 1], offset: ?>, #l0a>
!quarter_l0a = memref<4x4x16x16xf16, strided<[1024, 256, 16, 1], offset: ?>, #l0a>
!b = memref<4x16x16x16xf16, #l0b>
!slot_l0b = memref<4x16x16x16xf16, strided<[4096, 256, 16, 1], offset: ?>, #l0b>
!row_l0b = memref<16x16x16xf16, strided<[256, 16, 1], offset: ?>, #l0b>
!c = memref<16x16x16x16xf32, #l0c>
!quarter_c = memref<16x4x16x16xf32, strided<[4096, 256, 16, 1], offset: ?>, #l0c>
!out = memref<16x64x16xf16, #ub>
!slot_out = memref<16x64x16xf16, strided<[1024, 16, 1], offset: ?>, #ub>

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
  %3 = arith.constant 3 : index
  %4 = arith.constant 4 : index
  %6 = arith.constant 6 : index
  %63 = arith.constant 63 : index
  %last_load = arith.constant 8189 : index
  %steps = arith.constant 8192 : index
  %panel = npu.alloc at 0 : !panel
  %bs = npu.alloc slots 4 at 655360 : !slice_b
  %as0 = npu.alloc slots 2 at 0 : !a
  %bs0 = npu.alloc slots 2 at 0 : !b
  %c = npu.alloc at 0 : !c
  %outs = npu.alloc slots 4 at 0 : !out

  // Everything is free.
  npu.set_flag m -> mte1 [%0]
  npu.set_flag m -> mte1 [%1]
  scf.for %q = %0 to %4 step %1 {
    npu.set_flag v -> m [%q]
    npu.set_flag mte3 -> v [%q]
  }
  npu.set_flag mte1 -> mte2 [%3]

  // The first three steps.
  scf.for %t = %0 to %3 step %1 {
    %depth = affine.apply #depth(%t)
    %pa = memref.subview %ga[0, %depth] [256, 128] [1, 1] : !matrix to !part_a
    %a = memref.subview %panel[%t, 0, 0, 0] [1, 8, 256, 16] [1, 1, 1, 1] : !panel to !slice_a
    npu.pack %pa to %a : !part_a to !slice_a
    %pb = memref.subview %gb[%depth, 0] [128, 256] [1, 1] : !matrix to !part_b
    %b = npu.slot %bs[%t] : !slice_b to !slot_b
    npu.pack %pb to %b : !part_b to !slot_b
    npu.set_flag mte2 -> mte1 [%t]
  }

  scf.for %t = %0 to %steps step %1 {
    // Step t + 3 into the slots that step t - 1 has left; its slice of A may still
    // be there from the tile before.
    %more = arith.cmpi ult, %t, %last_load : index
    scf.if %more {
      %ahead = affine.apply #ahead(%t)
      %free = affine.apply #slot(%ahead)
      npu.wait_flag mte1 -> mte2 [%free]
      %depth = affine.apply #depth(%ahead)
      %ahead_slice = affine.apply #slice(%ahead)
      %tile_in_row = affine.apply #tile_in_row(%ahead)
      %first_tile = arith.cmpi eq, %tile_in_row, %0 : index
      %streams = arith.cmpi uge, %ahead_slice, %6 : index
      %load_a = arith.ori %first_tile, %streams : i1
      scf.if %load_a {
        %row = affine.apply #row(%ahead)[%0]
        %stream = affine.apply #stream(%ahead)
        %place = arith.select %streams, %stream, %ahead_slice : index
        %pa = memref.subview %ga[%row, %depth] [256, 128] [1, 1] : !matrix to !part_a
        %a = memref.subview %panel[%place, 0, 0, 0] [1, 8, 256, 16] [1, 1, 1, 1] : !panel to !slice_a
        npu.pack %pa to %a : !part_a to !slice_a
      }
      %column = affine.apply #column(%ahead)
      %pb = memref.subview %gb[%depth, %column] [128, 256] [1, 1] : !matrix to !part_b
      %b = npu.slot %bs[%free] : !slice_b to !slot_b
      npu.pack %pb to %b : !part_b to !slot_b
      npu.set_flag mte2 -> mte1 [%free]
    }

    %slot = affine.apply #slot(%t)
    %k = affine.apply #slice(%t)
    %stays = arith.cmpi ult, %k, %6 : index
    %stream = affine.apply #stream(%t)
    %slice = arith.select %stays, %k, %stream : index
    %slice_b = npu.slot %bs[%slot] : !slice_b to !slot_b
    npu.wait_flag mte2 -> mte1 [%slot]
    scf.for %h = %0 to %2 step %1 {
      %a = npu.slot %as0[%h] : !a to !slot_l0a
      %b = npu.slot %bs0[%h] : !b to !slot_l0b
      npu.wait_flag m -> mte1 [%h]
      scf.for %j = %0 to %4 step %1 {
        %fractal = affine.apply #fractal(%j)[%h]
        %column_a = memref.subview %panel[%slice, %fractal, 0, 0] [1, 1, 256, 16] [1, 1, 1, 1] : !panel to !column_a
        %column_l0a = memref.subview %a[0, %j, 0, 0] [16, 1, 16, 16] [1, 1, 1, 1] : !slot_l0a to !column_l0a
        npu.load2d %column_a to %column_l0a fractals 16 target_stride 4 : !column_a to !column_l0a
        %row = affine.apply #fractal_row(%j)[%h]
        %row_b = memref.subview %slice_b[0, %row, 0] [16, 16, 16] [1, 1, 1] : !slot_b to !row_b
        %row_l0b = memref.subview %b[%j, 0, 0, 0] [1, 16, 16, 16] [1, 1, 1, 1] : !slot_l0b to !row_l0b
        npu.load2d %row_b to %row_l0b fractals 16 source_stride 8 transposed : !row_b to !row_l0b
      }
      npu.set_flag mte1 -> m [%h]

      npu.wait_flag mte1 -> m [%h]
      %cube_step = affine.apply #cube_step(%t)[%h]
      %first = arith.cmpi eq, %cube_step, %0 : index
      %last = arith.cmpi eq, %cube_step, %63 : index
      scf.if %first {
        scf.for %q = %0 to %4 step %1 {
          %part = affine.apply #quarter(%q)
          %a_q = memref.subview %a[%part, 0, 0, 0] [4, 4, 16, 16] [1, 1, 1, 1] : !slot_l0a to !quarter_l0a
          %c_q = memref.subview %c[0, %part, 0, 0] [16, 4, 16, 16] [1, 1, 1, 1] : !c to !quarter_c
          npu.wait_flag v -> m [%q]
          npu.matmul %a_q, %b into %c_q initialised : !quarter_l0a, !slot_l0b into !quarter_c
        }
      } else {
        scf.if %last {
          scf.for %q = %0 to %4 step %1 {
            %part = affine.apply #quarter(%q)
            %a_q = memref.subview %a[%part, 0, 0, 0] [4, 4, 16, 16] [1, 1, 1, 1] : !slot_l0a to !quarter_l0a
            %c_q = memref.subview %c[0, %part, 0, 0] [16, 4, 16, 16] [1, 1, 1, 1] : !c to !quarter_c
            npu.matmul %a_q, %b into %c_q : !quarter_l0a, !slot_l0b into !quarter_c
            npu.set_flag m -> v [%q]
          }
        } else {
          npu.matmul %a, %b into %c : !slot_l0a, !slot_l0b into !c
        }
      }
      npu.set_flag m -> mte1 [%h]
      scf.if %last {
        scf.for %q = %0 to %4 step %1 {
          %part = affine.apply #quarter(%q)
          %c_q = memref.subview %c[0, %part, 0, 0] [16, 4, 16, 16] [1, 1, 1, 1] : !c to !quarter_c
          %out = npu.slot %outs[%q] : !out to !slot_out
          npu.wait_flag m -> v [%q]
          npu.wait_flag mte3 -> v [%q]
          npu.drain %c_q to %out : !quarter_c to !slot_out
          npu.set_flag v -> m [%q]
          npu.set_flag v -> mte3 [%q]
          %row = affine.apply #row(%t)[%q]
          %column = affine.apply #column(%t)
          %pc = memref.subview %gc[%row, %column] [64, 256] [1, 1] : !matrix to !part_c
          npu.wait_flag v -> mte3 [%q]
          npu.unpack %out to %pc : !slot_out to !part_c
          npu.set_flag mte3 -> v [%q]
        }
      }
    }
    npu.set_flag mte1 -> mte2 [%slot]
  }

  npu.wait_flag m -> mte1 [%0]
  npu.wait_flag m -> mte1 [%1]
  scf.for %q = %0 to %4 step %1 {
    npu.wait_flag v -> m [%q]
    npu.wait_flag mte3 -> v [%q]
    npu.wait_flag mte1 -> mte2 [%q]
  }
  return
}
