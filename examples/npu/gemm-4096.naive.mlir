// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// C = A B, 4096 x 4096 x 4096 in f16, the simple way: tiles of 256 x 256, slices of
// 128 of K, one buffer of each kind, and all pipes wait for each other after
// every step. docs/npu-tutorial.md goes from here to gemm-1024.tuned.mlir.
//
//   gc-runner --target=npu examples/npu/gemm-4096.naive.mlir --mode=cycles

#gm = #npu.space<gm>
#l1 = #npu.space<l1>
!matrix = memref<4096x4096xf16, #gm>
!part_a = memref<256x128xf16, strided<[4096, 1], offset: ?>, #gm>
!part_b = memref<128x256xf16, strided<[4096, 1], offset: ?>, #gm>
!part_c = memref<256x256xf16, strided<[4096, 1], offset: ?>, #gm>
!l1_a = memref<8x256x16xf16, #l1>
!l1_b = memref<16x128x16xf16, #l1>
!column_a = memref<256x16xf16, strided<[16, 1], offset: ?>, #l1>
!row_b = memref<16x16x16xf16, strided<[2048, 16, 1], offset: ?>, #l1>
!a = memref<16x4x16x16xf16, #npu.space<l0a>>
!column_l0a = memref<16x16x16xf16, strided<[1024, 16, 1], offset: ?>, #npu.space<l0a>>
!b = memref<4x16x16x16xf16, #npu.space<l0b>>
!row_l0b = memref<16x16x16xf16, strided<[256, 16, 1], offset: ?>, #npu.space<l0b>>
!c = memref<16x16x16x16xf32, #npu.space<l0c>>
!out = memref<16x256x16xf16, #npu.space<ub>>

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
  %128 = arith.constant 128 : index
  %256 = arith.constant 256 : index
  %size = arith.constant 4096 : index
  %l1_a = npu.alloc at 0 : !l1_a
  %l1_b = npu.alloc at 65536 : !l1_b
  %a = npu.alloc at 0 : !a
  %b = npu.alloc at 0 : !b
  %c = npu.alloc at 0 : !c
  %out = npu.alloc at 0 : !out
  scf.for %m = %0 to %size step %256 {
    scf.for %n = %0 to %size step %256 {
      scf.for %k = %0 to %size step %128 {
        %pa = memref.subview %ga[%m, %k] [256, 128] [1, 1] : !matrix to !part_a
        %pb = memref.subview %gb[%k, %n] [128, 256] [1, 1] : !matrix to !part_b
        npu.pack %pa to %l1_a : !part_a to !l1_a
        npu.pack %pb to %l1_b : !part_b to !l1_b
        npu.barrier all
        scf.for %h = %0 to %2 step %1 {
          scf.for %j = %0 to %4 step %1 {
            %fractal = affine.apply affine_map<(h, j) -> (h * 4 + j)>(%h, %j)
            %row = affine.apply affine_map<(h, j) -> (h * 64 + j * 16)>(%h, %j)
            %column_a = memref.subview %l1_a[%fractal, 0, 0] [1, 256, 16] [1, 1, 1] : !l1_a to !column_a
            %column_l0a = memref.subview %a[0, %j, 0, 0] [16, 1, 16, 16] [1, 1, 1, 1] : !a to !column_l0a
            npu.load2d %column_a to %column_l0a fractals 16 target_stride 4 : !column_a to !column_l0a
            %row_b = memref.subview %l1_b[0, %row, 0] [16, 16, 16] [1, 1, 1] : !l1_b to !row_b
            %row_l0b = memref.subview %b[%j, 0, 0, 0] [1, 16, 16, 16] [1, 1, 1, 1] : !b to !row_l0b
            npu.load2d %row_b to %row_l0b fractals 16 source_stride 8 transposed : !row_b to !row_l0b
          }
          npu.barrier all
          %first_slice = arith.cmpi eq, %k, %0 : index
          %first_half = arith.cmpi eq, %h, %0 : index
          %first = arith.andi %first_slice, %first_half : i1
          npu.matmul %a, %b into %c initialise %first : !a, !b into !c
          npu.barrier all
        }
      }
      %pc = memref.subview %gc[%m, %n] [256, 256] [1, 1] : !matrix to !part_c
      npu.drain %c to %out : !c to !out
      npu.barrier all
      npu.unpack %out to %pc : !out to !part_c
      npu.barrier all
    }
  }
  return
}
