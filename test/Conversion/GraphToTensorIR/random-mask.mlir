// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Four neighbours share a block of random numbers: of consecutive indices from a
// multiple of four on each block is computed once, for other ones a block for each.

// RUN: gc-opt %s --machine=zen3-2 --gc-cpu-pipeline="threads=2 stop-after=tensor" | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK: %[[FIRST:.*]] = vector.extract %[[INDEX:.*]][0] : i32 from vector<32xi32>
// CHECK: arith.cmpi eq, %[[INDEX]]
// CHECK: vector.reduction <and>
// CHECK: arith.andi %[[FIRST]], %c3
// CHECK: scf.if {{.*}} -> (vector<32xi1>)
// CHECK: vector.shuffle %[[INDEX]], %[[INDEX]] [0, 4, 8, 12, 16, 20, 24, 28]
// CHECK-COUNT-20: arith.muli {{.*}} : vector<8xi64>
// CHECK-NOT: arith.muli
// CHECK: vector.interleave
// CHECK: vector.interleave
// CHECK: vector.interleave {{.*}} : vector<16xi32> -> vector<32xi32>
// CHECK: } else {
// CHECK-COUNT-20: arith.muli {{.*}} : vector<32xi64>
// CHECK: return
func.func @main(%x: tensor<64x128xf32>, %seed: tensor<1xui64>, %offset: tensor<1xui64>, %p: tensor<1xf32>) -> tensor<64x128xf32> {
  %0 = graph.dropout %x, %seed, %offset, %p : (tensor<64x128xf32>, tensor<1xui64>, tensor<1xui64>, tensor<1xf32>) -> tensor<64x128xf32>
  return %0 : tensor<64x128xf32>
}
