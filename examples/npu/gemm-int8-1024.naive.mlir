// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// C = A B, 1024 x 1024 x 1024 in int8 with i32 sums, saturated to int8, the simple
// way: tiles of 256 x 256, slices of 256 of K, one buffer of each kind, and all
// pipes wait for each other after every step.
//
//   gc-runner --target=npu examples/npu/gemm-int8-1024.naive.mlir --check

#gm = #npu.space<gm>
#l1 = #npu.space<l1>
!matrix = memref<1024x1024xi8, #gm>
!part = memref<256x256xi8, strided<[1024, 1], offset: ?>, #gm>
!slice = memref<8x256x32xi8, #l1>
!half = memref<4x256x32xi8, strided<[8192, 32, 1], offset: ?>, #l1>
!column_a = memref<256x32xi8, strided<[32, 1], offset: ?>, #l1>
!a = memref<16x4x16x32xi8, #npu.space<l0a>>
!column_l0a = memref<16x16x32xi8, strided<[2048, 32, 1], offset: ?>, #npu.space<l0a>>
!b = memref<4x16x16x32xi8, #npu.space<l0b>>
!c = memref<16x16x16x16xi32, #npu.space<l0c>>
!out = memref<8x256x32xi8, #npu.space<ub>>

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
  %4 = arith.constant 4 : index
  %8 = arith.constant 8 : index
  %256 = arith.constant 256 : index
  %size = arith.constant 1024 : index
  %l1_a = npu.alloc at 0 : !slice
  %l1_b = npu.alloc at 65536 : !slice
  %a = npu.alloc at 0 : !a
  %b = npu.alloc at 0 : !b
  %c = npu.alloc at 0 : !c
  %out = npu.alloc at 0 : !out
  scf.for %m = %0 to %size step %256 {
    scf.for %n = %0 to %size step %256 {
      scf.for %k = %0 to %size step %256 {
        %pa = memref.subview %ga[%m, %k] [256, 256] [1, 1] : !matrix to !part
        %pb = memref.subview %gb[%k, %n] [256, 256] [1, 1] : !matrix to !part
        npu.pack %pa to %l1_a : !part to !slice
        npu.pack %pb to %l1_b transposed : !part to !slice
        npu.barrier all
        scf.for %h = %0 to %8 step %4 {
          scf.for %j = %0 to %4 step %1 {
            %fractal = arith.addi %h, %j : index
            %column_a = memref.subview %l1_a[%fractal, 0, 0] [1, 256, 32] [1, 1, 1] : !slice to !column_a
            %column_l0a = memref.subview %a[0, %j, 0, 0] [16, 1, 16, 32] [1, 1, 1, 1] : !a to !column_l0a
            npu.load2d %column_a to %column_l0a fractals 16 target_stride 4 : !column_a to !column_l0a
          }
          %half_b = memref.subview %l1_b[%h, 0, 0] [4, 256, 32] [1, 1, 1] : !slice to !half
          npu.load2d %half_b to %b fractals 64 : !half to !b
          npu.barrier all
          %first_slice = arith.cmpi eq, %k, %0 : index
          %first_half = arith.cmpi eq, %h, %0 : index
          %first = arith.andi %first_slice, %first_half : i1
          npu.matmul %a, %b into %c initialise %first : !a, !b into !c
          npu.barrier all
        }
      }
      %pc = memref.subview %gc[%m, %n] [256, 256] [1, 1] : !matrix to !part
      npu.drain %c to %out : !c to !out
      npu.barrier all
      npu.unpack %out to %pc : !out to !part
      npu.barrier all
    }
  }
  return
}
