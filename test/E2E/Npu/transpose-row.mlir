// RUN: gc-runner --target=npu %s --check --strict | FileCheck %s

// Each element of a row, as a block of its own.

// CHECK: check     passed

func.func private @reference(%x: tensor<1x48xf32>) -> tensor<48x8xf32> {
  %0 = graph.static_reshape %x {shape = array<i64: 48, 1>, special_zero = false} : (tensor<1x48xf32>) -> tensor<48x1xf32>
  %1 = graph.constant dense<0.0> : tensor<48x8xf32>
  %2 = graph.add %0, %1 : (tensor<48x1xf32>, tensor<48x8xf32>) -> tensor<48x8xf32>
  return %2 : tensor<48x8xf32>
}

func.func @transpose(%x: memref<1x48xf32, #npu.space<gm>>, %y: memref<48x8xf32, #npu.space<gm>>) attributes {npu.kernel, reference = @reference} {
  %a = npu.alloc : memref<1x48xf32, #npu.space<ub>>
  %b = npu.alloc : memref<48x8xf32, #npu.space<ub>>
  npu.copy %x to %a : memref<1x48xf32, #npu.space<gm>> to memref<1x48xf32, #npu.space<ub>>
  npu.transpose %a to %b : memref<1x48xf32, #npu.space<ub>> to memref<48x8xf32, #npu.space<ub>>
  npu.copy %b to %y : memref<48x8xf32, #npu.space<ub>> to memref<48x8xf32, #npu.space<gm>>
  return
}
