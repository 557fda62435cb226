// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// C = A B, 1024 x 1024 x 1024 in int8: i32 sums, which the drain saturates to int8.
//
// Like gemm-1024.tuned.mlir, which explains the steps, flags and quarters. Elements
// are half as wide, so that a slice is 256 of K, a cube step 128, and L1 has room
// for two panels of A: the next row of tiles has its panel loaded during the
// third tile of a row. B is transposed on its way into L1, since load2d transposes
// elements of 16 bits only.
//
//   gc-runner --target=npu examples/npu/gemm-int8-1024.tuned.mlir --check

#gm = #npu.space<gm>
#l1 = #npu.space<l1>
#l0a = #npu.space<l0a>
#l0b = #npu.space<l0b>
#l0c = #npu.space<l0c>
#ub = #npu.space<ub>

// Step t is slice k = t mod 4 of the tile at row t / 16, column t / 4 mod 4.
#depth = affine_map<(t) -> (t mod 4 * 256)>
#slot = affine_map<(t) -> (t mod 4)>
#row = affine_map<(t)[q] -> (t floordiv 16 * 256 + q * 64)>
#column = affine_map<(t) -> (t floordiv 4 mod 4 * 256)>
#tile_in_row = affine_map<(t) -> (t floordiv 4 mod 4)>
// Slices of A: two panels of four.
#slice = affine_map<(t) -> (t mod 4 + t floordiv 16 mod 2 * 4)>
#next_slice = affine_map<(t) -> (t mod 4 + (t floordiv 16 + 1) mod 2 * 4)>
#next_row = affine_map<(t) -> (t floordiv 16 * 256 + 256)>
#ahead = affine_map<(t) -> (t + 3)>
#cube_step = affine_map<(t)[h] -> (t mod 4 * 2 + h)>
#fractal = affine_map<(j)[h] -> (h * 4 + j)>
#quarter = affine_map<(q) -> (q * 4)>

!matrix = memref<1024x1024xi8, #gm>
!part_a = memref<256x256xi8, strided<[1024, 1], offset: ?>, #gm>
!part_b = memref<256x256xi8, strided<[1024, 1], offset: ?>, #gm>
!part_c = memref<64x256xi8, strided<[1024, 1], offset: ?>, #gm>
!panel = memref<8x8x256x32xi8, #l1>
!slice_a = memref<8x256x32xi8, strided<[8192, 32, 1], offset: ?>, #l1>
!column_a = memref<256x32xi8, strided<[32, 1], offset: ?>, #l1>
!slice_b = memref<8x256x32xi8, #l1>
!slot_b = memref<8x256x32xi8, strided<[8192, 32, 1], offset: ?>, #l1>
!row_b = memref<256x32xi8, strided<[32, 1], offset: ?>, #l1>
!a = memref<16x4x16x32xi8, #l0a>
!slot_l0a = memref<16x4x16x32xi8, strided<[2048, 512, 32, 1], offset: ?>, #l0a>
!column_l0a = memref<16x16x32xi8, strided<[2048, 32, 1], offset: ?>, #l0a>
!quarter_l0a = memref<4x4x16x32xi8, strided<[2048, 512, 32, 1], offset: ?>, #l0a>
!b = memref<4x16x16x32xi8, #l0b>
!slot_l0b = memref<4x16x16x32xi8, strided<[8192, 512, 32, 1], offset: ?>, #l0b>
!row_l0b = memref<16x16x32xi8, strided<[512, 32, 1], offset: ?>, #l0b>
!c = memref<16x16x16x16xi32, #l0c>
!quarter_c = memref<16x4x16x16xi32, strided<[4096, 256, 16, 1], offset: ?>, #l0c>
!out = memref<8x64x32xi8, #ub>
!slot_out = memref<8x64x32xi8, strided<[2048, 32, 1], offset: ?>, #ub>

func.func private @reference(%a: tensor<1024x1024xsi8>, %b: tensor<1024x1024xsi8>)
    -> tensor<1024x1024xsi8> {
  %sums = graph.matmul %a, %b
      : (tensor<1024x1024xsi8>, tensor<1024x1024xsi8>) -> tensor<1024x1024xsi32>
  %c = graph.type_cast %sums : tensor<1024x1024xsi32> -> tensor<1024x1024xsi8>
  return %c : tensor<1024x1024xsi8>
}

func.func @gemm(%ga: !matrix, %gb: !matrix, %gc: !matrix)
    attributes {npu.kernel, reference = @reference} {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %2 = arith.constant 2 : index
  %3 = arith.constant 3 : index
  %4 = arith.constant 4 : index
  %7 = arith.constant 7 : index
  %48 = arith.constant 48 : index
  %61 = arith.constant 61 : index
  %steps = arith.constant 64 : index
  %panel = npu.alloc at 0 : !panel
  %bs = npu.alloc slots 4 at 524288 : !slice_b
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
    %pa = memref.subview %ga[0, %depth] [256, 256] [1, 1] : !matrix to !part_a
    %a = memref.subview %panel[%t, 0, 0, 0] [1, 8, 256, 32] [1, 1, 1, 1] : !panel to !slice_a
    npu.pack %pa to %a : !part_a to !slice_a
    %pb = memref.subview %gb[%depth, 0] [256, 256] [1, 1] : !matrix to !part_b
    %b = npu.slot %bs[%t] : !slice_b to !slot_b
    npu.pack %pb to %b transposed : !part_b to !slot_b
    npu.set_flag mte2 -> mte1 [%t]
  }

  scf.for %t = %0 to %steps step %1 {
    // Step t + 3 into the slot of B that step t - 1 has left, and in the first
    // tile its slice of A.
    %more = arith.cmpi ult, %t, %61 : index
    scf.if %more {
      %ahead = affine.apply #ahead(%t)
      %free = affine.apply #slot(%ahead)
      npu.wait_flag mte1 -> mte2 [%free]
      %depth = affine.apply #depth(%ahead)
      %first_tile = arith.cmpi ult, %ahead, %4 : index
      scf.if %first_tile {
        %pa = memref.subview %ga[0, %depth] [256, 256] [1, 1] : !matrix to !part_a
        %a = memref.subview %panel[%ahead, 0, 0, 0] [1, 8, 256, 32] [1, 1, 1, 1] : !panel to !slice_a
        npu.pack %pa to %a : !part_a to !slice_a
      }
      %column = affine.apply #column(%ahead)
      %pb = memref.subview %gb[%depth, %column] [256, 256] [1, 1] : !matrix to !part_b
      %b = npu.slot %bs[%free] : !slice_b to !slot_b
      npu.pack %pb to %b transposed : !part_b to !slot_b
      // The third tile of a row brings the next panel of A.
      %tile_in_row = affine.apply #tile_in_row(%ahead)
      %third = arith.cmpi eq, %tile_in_row, %2 : index
      %not_last = arith.cmpi ult, %ahead, %48 : index
      %next_panel = arith.andi %third, %not_last : i1
      scf.if %next_panel {
        %next_row = affine.apply #next_row(%ahead)
        %next_slice = affine.apply #next_slice(%ahead)
        %pa = memref.subview %ga[%next_row, %depth] [256, 256] [1, 1] : !matrix to !part_a
        %a = memref.subview %panel[%next_slice, 0, 0, 0] [1, 8, 256, 32] [1, 1, 1, 1] : !panel to !slice_a
        npu.pack %pa to %a : !part_a to !slice_a
      }
      npu.set_flag mte2 -> mte1 [%free]
    }

    %slot = affine.apply #slot(%t)
    %slice = affine.apply #slice(%t)
    %slice_b = npu.slot %bs[%slot] : !slice_b to !slot_b
    npu.wait_flag mte2 -> mte1 [%slot]
    scf.for %h = %0 to %2 step %1 {
      %a = npu.slot %as0[%h] : !a to !slot_l0a
      %b = npu.slot %bs0[%h] : !b to !slot_l0b
      npu.wait_flag m -> mte1 [%h]
      scf.for %j = %0 to %4 step %1 {
        %fractal = affine.apply #fractal(%j)[%h]
        %column_a = memref.subview %panel[%slice, %fractal, 0, 0] [1, 1, 256, 32] [1, 1, 1, 1] : !panel to !column_a
        %column_l0a = memref.subview %a[0, %j, 0, 0] [16, 1, 16, 32] [1, 1, 1, 1] : !slot_l0a to !column_l0a
        npu.load2d %column_a to %column_l0a fractals 16 target_stride 4 : !column_a to !column_l0a
        %row_b = memref.subview %slice_b[%fractal, 0, 0] [1, 256, 32] [1, 1, 1] : !slot_b to !row_b
        %row_l0b = memref.subview %b[%j, 0, 0, 0] [1, 16, 16, 32] [1, 1, 1, 1] : !slot_l0b to !row_l0b
        npu.load2d %row_b to %row_l0b fractals 16 : !row_b to !row_l0b
      }
      npu.set_flag mte1 -> m [%h]

      npu.wait_flag mte1 -> m [%h]
      %cube_step = affine.apply #cube_step(%t)[%h]
      %first = arith.cmpi eq, %cube_step, %0 : index
      %last = arith.cmpi eq, %cube_step, %7 : index
      scf.if %first {
        scf.for %q = %0 to %4 step %1 {
          %part = affine.apply #quarter(%q)
          %a_q = memref.subview %a[%part, 0, 0, 0] [4, 4, 16, 32] [1, 1, 1, 1] : !slot_l0a to !quarter_l0a
          %c_q = memref.subview %c[0, %part, 0, 0] [16, 4, 16, 16] [1, 1, 1, 1] : !c to !quarter_c
          npu.wait_flag v -> m [%q]
          npu.matmul %a_q, %b into %c_q initialised : !quarter_l0a, !slot_l0b into !quarter_c
        }
      } else {
        scf.if %last {
          scf.for %q = %0 to %4 step %1 {
            %part = affine.apply #quarter(%q)
            %a_q = memref.subview %a[%part, 0, 0, 0] [4, 4, 16, 32] [1, 1, 1, 1] : !slot_l0a to !quarter_l0a
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
