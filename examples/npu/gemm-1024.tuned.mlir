// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// C = A B, 1024 x 1024 x 1024 in f16, every queue and flag placed by hand.
//
// Tiles of 256 x 256 of C fill L0C. The panel of A that a row of tiles needs, 256
// x 1024, stays in L1 (512 KiB); B streams through four slots of 128 x 256. A step
// is one such slice: 128 of K, two cube steps of 64 with two slots each in L0A
// and L0B. Loads run three steps ahead. In the last tile of a row each slice of
// the panel is replaced as soon as it has been used for the last time.
//
// C drains in quarters of 64 rows: the first and the last cube step of a tile are
// four products over M, so that a quarter drains while the next one is finished,
// and the next tile starts on the quarters that are drained.
//
// Flags: mte2 -> mte1 [t mod 4]  slices of step t are in L1
//        mte1 -> mte2 [t mod 4]  their slot of B is free
//        mte1 -> m    [h]        L0A and L0B slot h hold a cube step
//        m    -> mte1 [h]        they are free
//        m    -> v    [q]        quarter q of C is complete
//        v    -> m    [q]        it is drained
//        v    -> mte3 [q]        quarter q is in UB
//        mte3 -> v    [q]        its place in UB is free
// The panel needs none of its own: a slice is replaced after a wait for a slot of
// B that was used after it, and used after a wait for one that was loaded later.
//
//   gc-runner --target=npu examples/npu/gemm-1024.tuned.mlir --check

#gm = #npu.space<gm>
#l1 = #npu.space<l1>
#l0a = #npu.space<l0a>
#l0b = #npu.space<l0b>
#l0c = #npu.space<l0c>
#ub = #npu.space<ub>

// Step t is slice k = t mod 8 of the tile at row t / 32, column t / 8 mod 4.
#slice = affine_map<(t) -> (t mod 8)>
#depth = affine_map<(t) -> (t mod 8 * 128)>
#slot = affine_map<(t) -> (t mod 4)>
#row = affine_map<(t)[q] -> (t floordiv 32 * 256 + q * 64)>
#column = affine_map<(t) -> (t floordiv 8 mod 4 * 256)>
// The step that has just been used, and the row of tiles after its own.
#used = affine_map<(t) -> ((t - 1) mod 8)>
#used_depth = affine_map<(t) -> ((t - 1) mod 8 * 128)>
#next_row = affine_map<(t) -> ((t - 1) floordiv 32 * 256 + 256)>
#step_in_row = affine_map<(t) -> ((t - 1) mod 32)>
#ahead = affine_map<(t) -> (t + 3)>
#l0_slot = affine_map<(h) -> (h)>
#cube_step = affine_map<(t)[h] -> (t mod 8 * 2 + h)>
#fractal = affine_map<(j)[h] -> (h * 4 + j)>
#fractal_row = affine_map<(j)[h] -> (h * 64 + j * 16)>
#quarter = affine_map<(q) -> (q * 4)>

!matrix = memref<1024x1024xf16, #gm>
!part_a = memref<256x128xf16, strided<[1024, 1], offset: ?>, #gm>
!part_b = memref<128x256xf16, strided<[1024, 1], offset: ?>, #gm>
!part_c = memref<64x256xf16, strided<[1024, 1], offset: ?>, #gm>
!panel = memref<8x8x256x16xf16, #l1>
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
  %15 = arith.constant 15 : index
  %24 = arith.constant 24 : index
  %96 = arith.constant 96 : index
  %steps = arith.constant 128 : index
  %panel_steps = arith.constant 8 : index
  %quarters = arith.constant 4 : index
  %l0_slots = arith.constant 2 : index
  %l1_slots = arith.constant 4 : index
  %loads_ahead = arith.constant 3 : index
  %last_load = arith.subi %steps, %loads_ahead : index
  %panel = npu.alloc at 0 : !panel
  %bs = npu.alloc slots 4 at 524288 : !slice_b
  %as0 = npu.alloc slots 2 at 0 : !a
  %bs0 = npu.alloc slots 2 at 0 : !b
  %c = npu.alloc at 0 : !c
  %outs = npu.alloc slots 4 at 0 : !out

  // Everything is free.
  scf.for %i = %0 to %l0_slots step %1 {
    npu.set_flag m -> mte1 [%i]
  }
  scf.for %q = %0 to %quarters step %1 {
    npu.set_flag v -> m [%q]
    npu.set_flag mte3 -> v [%q]
  }
  npu.set_flag mte1 -> mte2 [%loads_ahead]

  // The first three steps.
  scf.for %t = %0 to %loads_ahead step %1 {
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
    // Step t + 3 into the slot of B that step t - 1 has left, and in the first
    // tile its slice of A.
    %more = arith.cmpi ult, %t, %last_load : index
    scf.if %more {
      %ahead = affine.apply #ahead(%t)
      %free = affine.apply #slot(%ahead)
      npu.wait_flag mte1 -> mte2 [%free]
      %depth = affine.apply #depth(%ahead)
      %first_tile = arith.cmpi ult, %ahead, %panel_steps : index
      scf.if %first_tile {
        %pa = memref.subview %ga[0, %depth] [256, 128] [1, 1] : !matrix to !part_a
        %a = memref.subview %panel[%ahead, 0, 0, 0] [1, 8, 256, 16] [1, 1, 1, 1] : !panel to !slice_a
        npu.pack %pa to %a : !part_a to !slice_a
      }
      %column = affine.apply #column(%ahead)
      %pb = memref.subview %gb[%depth, %column] [128, 256] [1, 1] : !matrix to !part_b
      %b = npu.slot %bs[%free] : !slice_b to !slot_b
      npu.pack %pb to %b : !part_b to !slot_b
      // What step t - 1 used of A is not needed any more in the last tile of a row.
      %in_row = affine.apply #step_in_row(%t)
      %last_tile = arith.cmpi uge, %in_row, %24 : index
      %not_first = arith.cmpi ne, %t, %0 : index
      %not_last = arith.cmpi ule, %t, %96 : index
      %replace_0 = arith.andi %last_tile, %not_first : i1
      %replace = arith.andi %replace_0, %not_last : i1
      scf.if %replace {
        %next_row = affine.apply #next_row(%t)
        %used_depth = affine.apply #used_depth(%t)
        %used = affine.apply #used(%t)
        %pa = memref.subview %ga[%next_row, %used_depth] [256, 128] [1, 1] : !matrix to !part_a
        %a = memref.subview %panel[%used, 0, 0, 0] [1, 8, 256, 16] [1, 1, 1, 1] : !panel to !slice_a
        npu.pack %pa to %a : !part_a to !slice_a
      }
      npu.set_flag mte2 -> mte1 [%free]
    }

    %slot = affine.apply #slot(%t)
    %slice = affine.apply #slice(%t)
    %slice_b = npu.slot %bs[%slot] : !slice_b to !slot_b
    npu.wait_flag mte2 -> mte1 [%slot]
    scf.for %h = %0 to %2 step %1 {
      %l0 = affine.apply #l0_slot(%h)
      %a = npu.slot %as0[%l0] : !a to !slot_l0a
      %b = npu.slot %bs0[%l0] : !b to !slot_l0b
      npu.wait_flag m -> mte1 [%l0]
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
      npu.set_flag mte1 -> m [%l0]

      npu.wait_flag mte1 -> m [%l0]
      %cube_step = affine.apply #cube_step(%t)[%h]
      %first = arith.cmpi eq, %cube_step, %0 : index
      %last = arith.cmpi eq, %cube_step, %15 : index
      scf.if %first {
        scf.for %q = %0 to %quarters step %1 {
          %part = affine.apply #quarter(%q)
          %a_q = memref.subview %a[%part, 0, 0, 0] [4, 4, 16, 16] [1, 1, 1, 1] : !slot_l0a to !quarter_l0a
          %c_q = memref.subview %c[0, %part, 0, 0] [16, 4, 16, 16] [1, 1, 1, 1] : !c to !quarter_c
          npu.wait_flag v -> m [%q]
          npu.matmul %a_q, %b into %c_q initialised : !quarter_l0a, !slot_l0b into !quarter_c
        }
      } else {
        scf.if %last {
          scf.for %q = %0 to %quarters step %1 {
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
      npu.set_flag m -> mte1 [%l0]
      scf.if %last {
        scf.for %q = %0 to %quarters step %1 {
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

  scf.for %i = %0 to %l0_slots step %1 {
    npu.wait_flag m -> mte1 [%i]
  }
  scf.for %q = %0 to %quarters step %1 {
    npu.wait_flag v -> m [%q]
    npu.wait_flag mte3 -> v [%q]
  }
  scf.for %i = %0 to %l1_slots step %1 {
    npu.wait_flag mte1 -> mte2 [%i]
  }
  return
}
