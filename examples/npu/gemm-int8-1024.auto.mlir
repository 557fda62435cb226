// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// C = A B, 1024 x 1024 x 1024 in int8 with i32 sums, saturated to int8: the tiles
// of gemm-int8-1024.tuned.mlir, but without addresses, slots or flags. See
// gemm-1024.auto.mlir.
//
//   gc-runner --target=npu examples/npu/gemm-int8-1024.auto.mlir --check

#gm = #npu.space<gm>
#l1 = #npu.space<l1>
#ub = #npu.space<ub>

// Step t is slice k = t mod 4 of the tile at row t / 16, column t / 4 mod 4. A has
// two panels of four slices: that of the next row of tiles comes with the third
// tile of a row.
#depth = affine_map<(t) -> (t mod 4 * 256)>
#row = affine_map<(t)[q] -> (t floordiv 16 * 256 + q * 64)>
#column = affine_map<(t) -> (t floordiv 4 mod 4 * 256)>
#tile_in_row = affine_map<(t) -> (t floordiv 4 mod 4)>
#slice = affine_map<(t) -> (t mod 4 + t floordiv 16 mod 2 * 4)>
#next_slice = affine_map<(t) -> (t mod 4 + (t floordiv 16 + 1) mod 2 * 4)>
#next_row = affine_map<(t) -> (t floordiv 16 * 256 + 256)>
#cube_step = affine_map<(t)[h] -> (t mod 4 * 2 + h)>
#half_fractals = affine_map<(h) -> (h * 4)>
#quarter = affine_map<(q) -> (q * 4)>

!matrix = memref<1024x1024xi8, #gm>
!part = memref<256x256xi8, strided<[1024, 1], offset: ?>, #gm>
!part_c = memref<64x256xi8, strided<[1024, 1], offset: ?>, #gm>
!panels = memref<8x8x256x32xi8, #l1>
!slice_a = memref<8x256x32xi8, strided<[8192, 32, 1], offset: ?>, #l1>
!slice_b = memref<8x256x32xi8, #l1>
!half = memref<4x256x32xi8, strided<[8192, 32, 1], offset: ?>, #l1>
!a = memref<16x4x16x32xi8, #npu.space<l0a>>
!quarter_a = memref<4x4x16x32xi8, strided<[2048, 512, 32, 1], offset: ?>, #npu.space<l0a>>
!b = memref<4x16x16x32xi8, #npu.space<l0b>>
!c = memref<16x16x16x16xi32, #npu.space<l0c>>
!quarter_c = memref<16x4x16x16xi32, strided<[4096, 256, 16, 1], offset: ?>, #npu.space<l0c>>
!out = memref<8x64x32xi8, #ub>

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
  %4 = arith.constant 4 : index
  %7 = arith.constant 7 : index
  %48 = arith.constant 48 : index
  %steps = arith.constant 64 : index
  %panels = npu.alloc : !panels
  %c = npu.alloc : !c
  // The panel of the first row of tiles.
  scf.for %k = %0 to %4 step %1 {
    %depth = affine.apply #depth(%k)
    %first = memref.subview %panels[%k, 0, 0, 0] [1, 8, 256, 32] [1, 1, 1, 1] : !panels to !slice_a
    %pa = memref.subview %ga[0, %depth] [256, 256] [1, 1] : !matrix to !part
    npu.pack %pa to %first : !part to !slice_a
  }
  scf.for %t = %0 to %steps step %1 {
    %slice_b = npu.alloc : !slice_b
    %depth = affine.apply #depth(%t)
    %column = affine.apply #column(%t)
    %pb = memref.subview %gb[%depth, %column] [256, 256] [1, 1] : !matrix to !part
    npu.pack %pb to %slice_b transposed : !part to !slice_b
    %tile_in_row = affine.apply #tile_in_row(%t)
    %third = arith.cmpi eq, %tile_in_row, %2 : index
    %not_last = arith.cmpi ult, %t, %48 : index
    %next_panel = arith.andi %third, %not_last : i1
    scf.if %next_panel {
      %next_row = affine.apply #next_row(%t)
      %next_slice = affine.apply #next_slice(%t)
      %next = memref.subview %panels[%next_slice, 0, 0, 0] [1, 8, 256, 32] [1, 1, 1, 1] : !panels to !slice_a
      %pa = memref.subview %ga[%next_row, %depth] [256, 256] [1, 1] : !matrix to !part
      npu.pack %pa to %next : !part to !slice_a
    }

    %slice = affine.apply #slice(%t)
    %slice_a = memref.subview %panels[%slice, 0, 0, 0] [1, 8, 256, 32] [1, 1, 1, 1] : !panels to !slice_a
    scf.for %h = %0 to %2 step %1 {
      %a = npu.alloc : !a
      %b = npu.alloc : !b
      %half_fractals = affine.apply #half_fractals(%h)
      %half_a = memref.subview %slice_a[%half_fractals, 0, 0] [4, 256, 32] [1, 1, 1] : !slice_a to !half
      %half_b = memref.subview %slice_b[%half_fractals, 0, 0] [4, 256, 32] [1, 1, 1] : !slice_b to !half
      npu.load_fractals %half_a to %a : !half to !a
      npu.load_fractals %half_b to %b : !half to !b
      %cube_step = affine.apply #cube_step(%t)[%h]
      %first = arith.cmpi eq, %cube_step, %0 : index
      %last = arith.cmpi eq, %cube_step, %7 : index
      scf.if %first {
        scf.for %q = %0 to %4 step %1 {
          %part = affine.apply #quarter(%q)
          %a_q = memref.subview %a[%part, 0, 0, 0] [4, 4, 16, 32] [1, 1, 1, 1] : !a to !quarter_a
          %c_q = memref.subview %c[0, %part, 0, 0] [16, 4, 16, 16] [1, 1, 1, 1] : !c to !quarter_c
          npu.matmul %a_q, %b into %c_q initialised : !quarter_a, !b into !quarter_c
        }
      } else {
        scf.if %last {
          scf.for %q = %0 to %4 step %1 {
            %part = affine.apply #quarter(%q)
            %a_q = memref.subview %a[%part, 0, 0, 0] [4, 4, 16, 32] [1, 1, 1, 1] : !a to !quarter_a
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
