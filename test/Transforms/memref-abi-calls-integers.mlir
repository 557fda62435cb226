// RUN: gc-opt %s --gc-memref-abi-calls | FileCheck %s

// Integers have no sign in memrefs.

// CHECK-LABEL: func.func @integers(
// CHECK:         %[[S:.*]] = tensor.bitcast %{{.*}} : tensor<4xsi32> to tensor<4xi32>
// CHECK:         bufferization.to_buffer %[[S]] read_only {call_operand = 0 : i64} : tensor<4xi32> to memref<4xi32>
// CHECK:         %[[T:.*]] = bufferization.to_tensor %{{.*}} restrict : memref<4xi32> to tensor<4xi32>
// CHECK:         tensor.bitcast %[[T]] : tensor<4xi32> to tensor<4xsi32>

func.func private @sum(%x: tensor<4xsi32>) -> tensor<4xsi32> {
  %0 = graph.add %x, %x : (tensor<4xsi32>, tensor<4xsi32>) -> tensor<4xsi32>
  return %0 : tensor<4xsi32>
}

func.func @integers(%x: tensor<4xsi32>) -> tensor<4xsi32> {
  %0 = call @sum(%x) : (tensor<4xsi32>) -> tensor<4xsi32>
  return %0 : tensor<4xsi32>
}
