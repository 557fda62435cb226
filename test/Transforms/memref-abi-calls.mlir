// RUN: gc-opt %s --gc-memref-abi-calls | FileCheck %s
// RUN: gc-opt %s --gc-cpu-pipeline="abi=memref threads=2" | FileCheck %s --check-prefix=PIPELINE

// CHECK-LABEL: func.func @program(
// CHECK-SAME:    %[[X:.*]]: tensor<4xf32>)
// CHECK:         %[[B:.*]] = bufferization.to_buffer %[[X]] read_only {call_operand = 0 : i64} : tensor<4xf32> to memref<4xf32>
// CHECK:         %[[R:.*]] = call @layer__memref(%[[B]]) : (memref<4xf32>) -> memref<4xf32>
// CHECK:         %[[T:.*]] = bufferization.to_tensor %[[R]] restrict : memref<4xf32> to tensor<4xf32>
// CHECK:         arith.addf %[[T]], %[[T]]
// Functions that are not graphs are called as before.
// CHECK:         call @other
// CHECK:       func.func private @layer__memref(memref<4xf32>) -> memref<4xf32>

// PIPELINE:       llvm.func @layer_compute
// PIPELINE-LABEL: func.func @program(
// PIPELINE:         call @layer(%{{.*}}) : (memref<4xf32>) -> memref<4xf32>
// PIPELINE:         arith.addf
// PIPELINE:       func.func private @layer(%{{.*}}: memref<4xf32>) -> memref<4xf32>

func.func private @layer(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func private @other(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

func.func @program(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @layer(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = arith.addf %0, %0 : tensor<4xf32>
  %2 = call @other(%1) : (tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}
