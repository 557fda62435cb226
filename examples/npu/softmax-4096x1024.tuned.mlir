// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Softmax over the rows of 4096 x 1024 in f16. Global memory takes 64 cycles for
// a row (in and out), the shortest vector code about 54: both pipes have to be
// busy nearly all the time.
//
// A tile is 32 rows, in place in one of three slots of 64 KiB. What a row's maximum
// and sum need is a chain of short instructions, each after a barrier of V,
// because results are visible some cycles after an instruction ends. So the
// maximum of tile i shares its barriers with the sum of tile i - 1, and is long
// visible when the front end loads it: in iteration i
//
//   tile i - 2            | tile i - 1            | tile i
//   times 1 / sum, store  |                       |
//                         | subtract the maximum  |
//                         | exp                   |
//                         | sums of 16 elements   | maxima of 16 elements
//                         | sums of 16 of those   | maxima of 16 of those
//                         | sums of rows          | maxima of rows
//                         | 1 / sum               |
//
// After two steps of group_max a row has 4 values, 4 rows share a block: four
// instructions with a mask each leave the value of row r at r mod 4 * 16 + r / 4.
//
//   gc-runner --target=npu examples/npu/softmax-4096x1024.tuned.mlir --check --rtol=1e-2 --atol=2e-3

#gm = #npu.space<gm>
#ub = #npu.space<ub>
#row = affine_map<(i) -> (i * 32)>
#half = affine_map<(h) -> (h * 16)>
#half_of = affine_map<(h)[row] -> (row + h * 16)>
#place = affine_map<(r) -> (r mod 4 * 16 + r floordiv 4)>
#next = affine_map<(i) -> (i + 1)>
#previous = affine_map<(i) -> (i - 1)>
#oldest = affine_map<(i) -> (i - 2)>
#slot = affine_map<(i) -> (i mod 3)>

!tensor = memref<4096x1024xf16, #gm>
!rows = memref<16x1024xf16, strided<[1024, 1], offset: ?>, #gm>
!tile = memref<32x1024xf16, #ub>
!slot = memref<32x1024xf16, strided<[1024, 1], offset: ?>, #ub>
!half = memref<16x1024xf16, strided<[1024, 1], offset: ?>, #ub>
!row = memref<1024xf16, strided<[1], offset: ?>, #ub>
!groups = memref<2048xf16, #ub>
!groups_2 = memref<128xf16, #ub>
!values = memref<64xf16, #ub>

func.func private @reference(%x: tensor<4096x1024xf16>) -> tensor<4096x1024xf16> {
  %y = graph.softmax %x {axis = -1 : i64} : (tensor<4096x1024xf16>) -> tensor<4096x1024xf16>
  return %y : tensor<4096x1024xf16>
}

func.func @softmax(%x: !tensor, %y: !tensor)
    attributes {npu.kernel, reference = @reference} {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %2 = arith.constant 2 : index
  %3 = arith.constant 3 : index
  %32 = arith.constant 32 : index
  %127 = arith.constant 127 : index
  %128 = arith.constant 128 : index
  %iterations = arith.constant 130 : index
  %tiles = npu.alloc slots 3 at 0 : !tile
  %maxima_16 = npu.alloc at 196608 : !groups
  %maxima_256 = npu.alloc at 200704 : !groups_2
  %maxima = npu.alloc at 200960 : !values
  %sums_16 = npu.alloc at 201088 : !groups
  %sums_256 = npu.alloc at 205184 : !groups_2
  %sums = npu.alloc at 205440 : !values
  %factors = npu.alloc at 205568 : !values

  %first = memref.subview %x[0, 0] [32, 1024] [1, 1] : !tensor to memref<32x1024xf16, strided<[1024, 1]>, #gm>
  %first_slot = npu.slot %tiles[%0] : !tile to !slot
  npu.dma %first to %first_slot length 65536 : memref<32x1024xf16, strided<[1024, 1]>, #gm> to !slot
  npu.set_flag mte2 -> v [%0]

  scf.for %i = %0 to %iterations step %1 {
    %has_new = arith.cmpi ult, %i, %128 : index
    %has_next = arith.cmpi ult, %i, %127 : index
    %started = arith.cmpi uge, %i, %1 : index
    %not_ended = arith.cmpi ule, %i, %128 : index
    %has_middle = arith.andi %started, %not_ended : i1
    %has_oldest = arith.cmpi uge, %i, %2 : index
    // A slot is free when tile i - 2 has been stored, and MTE3 may say so again
    // when MTE2 has heard it.
    %frees = arith.andi %has_oldest, %has_next : i1
    %answered = arith.cmpi uge, %i, %3 : index
    %has_answer = arith.andi %answered, %has_new : i1
    %previous = affine.apply #previous(%i)
    %next = affine.apply #next(%i)
    %new_index = affine.apply #slot(%i)
    %middle_index = affine.apply #slot(%previous)
    %free_index = affine.apply #slot(%next)
    %new = npu.slot %tiles[%new_index] : !tile to !slot
    %middle = npu.slot %tiles[%middle_index] : !tile to !slot

    scf.if %has_oldest {
      %oldest_tile = affine.apply #oldest(%i)
      %oldest_index = affine.apply #slot(%oldest_tile)
      %oldest = npu.slot %tiles[%oldest_index] : !tile to !slot
      npu.wait_flag v -> s [%1]
      scf.for %r = %0 to %32 step %1 {
        %place = affine.apply #place(%r)
        %factor = npu.load_scalar %factors[%place] : !values -> f16
        %wide = arith.extf %factor : f16 to f32
        %row = memref.subview %oldest[%r, 0] [1, 1024] [1, 1] : !slot to !row
        npu.vector muls(%row), %wide to %row repeat 8 : (!row) to !row
      }
      npu.set_flag v -> mte3 [%oldest_index]
      npu.wait_flag v -> mte3 [%oldest_index]
      %at = affine.apply #row(%oldest_tile)
      scf.for %h = %0 to %2 step %1 {
        %first_row = affine.apply #half(%h)
        %first_out = affine.apply #half_of(%h)[%at]
        %part = memref.subview %oldest[%first_row, 0] [16, 1024] [1, 1] : !slot to !half
        %rows = memref.subview %y[%first_out, 0] [16, 1024] [1, 1] : !tensor to !rows
        npu.dma %part to %rows length 32768 : !half to !rows
        scf.if %has_answer {
          npu.wait_flag mte2 -> mte3 [%h]
        }
        scf.if %frees {
          npu.set_flag mte3 -> mte2 [%h]
        }
      }
    }
    scf.if %has_next {
      %at = affine.apply #row(%next)
      %free = npu.slot %tiles[%free_index] : !tile to !slot
      scf.for %h = %0 to %2 step %1 {
        %first_row = affine.apply #half(%h)
        %first_in = affine.apply #half_of(%h)[%at]
        %part = memref.subview %free[%first_row, 0] [16, 1024] [1, 1] : !slot to !half
        %rows = memref.subview %x[%first_in, 0] [16, 1024] [1, 1] : !tensor to !rows
        scf.if %has_oldest {
          npu.wait_flag mte3 -> mte2 [%h]
          npu.set_flag mte2 -> mte3 [%h]
        }
        npu.dma %rows to %part length 32768 : !rows to !half
      }
      npu.set_flag mte2 -> v [%free_index]
    }
    scf.if %has_middle {
      npu.wait_flag v -> s [%0]
      scf.for %r = %0 to %32 step %1 {
        %place = affine.apply #place(%r)
        %maximum = npu.load_scalar %maxima[%place] : !values -> f16
        %wide = arith.extf %maximum : f16 to f32
        %minus = arith.negf %wide : f32
        %row = memref.subview %middle[%r, 0] [1, 1024] [1, 1] : !slot to !row
        npu.vector adds(%row), %minus to %row repeat 8 : (!row) to !row
      }
    }
    npu.barrier v
    scf.if %has_middle {
      %low = memref.subview %middle[0, 0] [16, 1024] [1, 1] : !slot to !half
      %high = memref.subview %middle[16, 0] [16, 1024] [1, 1] : !slot to !half
      npu.vector exp(%low) to %low repeat 128 : (!half) to !half
      npu.vector exp(%high) to %high repeat 128 : (!half) to !half
    }
    npu.barrier v
    scf.if %has_middle {
      %low = memref.subview %middle[0, 0] [16, 1024] [1, 1] : !slot to !half
      %high = memref.subview %middle[16, 0] [16, 1024] [1, 1] : !slot to !half
      %low_16 = memref.subview %sums_16[0] [1024] [1] : !groups to memref<1024xf16, strided<[1]>, #ub>
      %high_16 = memref.subview %sums_16[1024] [1024] [1] : !groups to memref<1024xf16, strided<[1], offset: 1024>, #ub>
      npu.vector group_sum(%low) to %low_16 repeat 128 : (!half) to memref<1024xf16, strided<[1]>, #ub>
      npu.vector group_sum(%high) to %high_16 repeat 128 : (!half) to memref<1024xf16, strided<[1], offset: 1024>, #ub>
    }
    scf.if %has_new {
      %low = memref.subview %new[0, 0] [16, 1024] [1, 1] : !slot to !half
      %high = memref.subview %new[16, 0] [16, 1024] [1, 1] : !slot to !half
      %low_16 = memref.subview %maxima_16[0] [1024] [1] : !groups to memref<1024xf16, strided<[1]>, #ub>
      %high_16 = memref.subview %maxima_16[1024] [1024] [1] : !groups to memref<1024xf16, strided<[1], offset: 1024>, #ub>
      npu.wait_flag mte2 -> v [%new_index]
      npu.vector group_max(%low) to %low_16 repeat 128 : (!half) to memref<1024xf16, strided<[1]>, #ub>
      npu.vector group_max(%high) to %high_16 repeat 128 : (!half) to memref<1024xf16, strided<[1], offset: 1024>, #ub>
    }
    npu.barrier v
    scf.if %has_middle {
      npu.vector group_sum(%sums_16) to %sums_256 repeat 16 : (!groups) to !groups_2
    }
    scf.if %has_new {
      npu.vector group_max(%maxima_16) to %maxima_256 repeat 16 : (!groups) to !groups_2
    }
    npu.barrier v
    scf.if %has_new {
      %max_0 = memref.subview %maxima[0] [8] [1] : !values to memref<8xf16, strided<[1]>, #ub>
      %max_1 = memref.subview %maxima[16] [8] [1] : !values to memref<8xf16, strided<[1], offset: 16>, #ub>
      %max_2 = memref.subview %maxima[32] [8] [1] : !values to memref<8xf16, strided<[1], offset: 32>, #ub>
      %max_3 = memref.subview %maxima[48] [8] [1] : !values to memref<8xf16, strided<[1], offset: 48>, #ub>
      npu.vector group_max(%maxima_256) to %max_0 mask [4222189076152335, 4222189076152335] : (!groups_2) to memref<8xf16, strided<[1]>, #ub>
      npu.vector group_max(%maxima_256) to %max_1 mask [67555025218437360, 67555025218437360] : (!groups_2) to memref<8xf16, strided<[1], offset: 16>, #ub>
      npu.vector group_max(%maxima_256) to %max_2 mask [1080880403494997760, 1080880403494997760] : (!groups_2) to memref<8xf16, strided<[1], offset: 32>, #ub>
      npu.vector group_max(%maxima_256) to %max_3 mask [-1152657617789587456, -1152657617789587456] : (!groups_2) to memref<8xf16, strided<[1], offset: 48>, #ub>
      npu.set_flag v -> s [%0]
    }
    scf.if %has_middle {
      %sum_0 = memref.subview %sums[0] [8] [1] : !values to memref<8xf16, strided<[1]>, #ub>
      %sum_1 = memref.subview %sums[16] [8] [1] : !values to memref<8xf16, strided<[1], offset: 16>, #ub>
      %sum_2 = memref.subview %sums[32] [8] [1] : !values to memref<8xf16, strided<[1], offset: 32>, #ub>
      %sum_3 = memref.subview %sums[48] [8] [1] : !values to memref<8xf16, strided<[1], offset: 48>, #ub>
      npu.vector group_sum(%sums_256) to %sum_0 mask [4222189076152335, 4222189076152335] : (!groups_2) to memref<8xf16, strided<[1]>, #ub>
      npu.vector group_sum(%sums_256) to %sum_1 mask [67555025218437360, 67555025218437360] : (!groups_2) to memref<8xf16, strided<[1], offset: 16>, #ub>
      npu.vector group_sum(%sums_256) to %sum_2 mask [1080880403494997760, 1080880403494997760] : (!groups_2) to memref<8xf16, strided<[1], offset: 32>, #ub>
      npu.vector group_sum(%sums_256) to %sum_3 mask [-1152657617789587456, -1152657617789587456] : (!groups_2) to memref<8xf16, strided<[1], offset: 48>, #ub>
      npu.barrier v
      npu.vector rec(%sums) to %factors mask [71777214294589695, 0] : (!values) to !values
      npu.set_flag v -> s [%1]
    }
  }
  return
}
