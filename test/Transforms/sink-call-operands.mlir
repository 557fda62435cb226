// RUN: gc-opt %s -split-input-file -gc-sink-call-operands | FileCheck %s

// The buffers move in front of the call in their order; what is not marked, or has
// other uses, stays.

// CHECK-LABEL: func.func @marked(
// CHECK-SAME:    %[[X:.*]]: tensor<4xf32>, %[[Y:.*]]: tensor<4xf32>)
// CHECK-NEXT:    bufferization.to_buffer %[[Y]] : tensor
// CHECK-NEXT:    arith.addf
// CHECK-NEXT:    %[[A:.*]] = bufferization.to_buffer %[[X]] read_only
// CHECK-NEXT:    %[[B:.*]] = bufferization.to_buffer %[[Y]] read_only
// CHECK-NEXT:    call @layer(%[[A]], %[[B]])
func.func private @layer(memref<4xf32>, memref<4xf32>)
func.func private @other(memref<4xf32>)

func.func @marked(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %a = bufferization.to_buffer %x read_only {call_operand = 0 : i64} : tensor<4xf32> to memref<4xf32>
  %b = bufferization.to_buffer %y read_only {call_operand = 1 : i64} : tensor<4xf32> to memref<4xf32>
  %c = bufferization.to_buffer %y : tensor<4xf32> to memref<4xf32>
  %s = arith.addf %x, %y : tensor<4xf32>
  call @layer(%a, %b) : (memref<4xf32>, memref<4xf32>) -> ()
  call @other(%c) : (memref<4xf32>) -> ()
  return %s : tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @shared(
// CHECK-NEXT:    bufferization.to_buffer
// CHECK-NEXT:    call @other
// CHECK-NEXT:    call @other
func.func private @other(memref<4xf32>)

func.func @shared(%x: tensor<4xf32>) {
  %a = bufferization.to_buffer %x read_only {call_operand = 0 : i64} : tensor<4xf32> to memref<4xf32>
  call @other(%a) : (memref<4xf32>) -> ()
  call @other(%a) : (memref<4xf32>) -> ()
  return
}
