// RUN: gc-opt %s --split-input-file --poly-narrow-factors | FileCheck %s

// CHECK-LABEL: func.func @both
// CHECK-NEXT:    %[[Y:.*]] = graph.matmul %arg0, %arg1 : (tensor<4x8xf16>, tensor<8x8xf16>) -> tensor<4x8xf32>
// CHECK-NEXT:    return %[[Y]]
func.func @both(%x: tensor<4x8xf16>, %w: tensor<8x8xf16>) -> tensor<4x8xf32> {
  %0 = graph.type_cast %x : tensor<4x8xf16> -> tensor<4x8xf32>
  %1 = graph.type_cast %w : tensor<8x8xf16> -> tensor<8x8xf32>
  %2 = graph.matmul %0, %1 : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}

// -----

// A factor in f32 stays, and a conversion that something else reads.
// CHECK-LABEL: func.func @one
// CHECK:         %[[X:.*]] = graph.type_cast %arg0
// CHECK:         graph.matmul %[[X]], %arg1 : (tensor<4x8xf32>, tensor<8x8xf32>)
// CHECK-LABEL: func.func @square
// CHECK:         %[[X:.*]] = graph.type_cast %arg0
// CHECK:         %[[Y:.*]] = graph.matmul %arg0, %arg0 : (tensor<8x8xf16>, tensor<8x8xf16>) -> tensor<8x8xf32>
// CHECK:         graph.add %[[Y]], %[[X]]
func.func @one(%x: tensor<4x8xf16>, %w: tensor<8x8xf32>) -> tensor<4x8xf32> {
  %0 = graph.type_cast %x : tensor<4x8xf16> -> tensor<4x8xf32>
  %1 = graph.matmul %0, %w : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}
func.func @square(%x: tensor<8x8xf16>) -> tensor<8x8xf32> {
  %0 = graph.type_cast %x : tensor<8x8xf16> -> tensor<8x8xf32>
  %1 = graph.matmul %0, %0 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = graph.add %1, %0 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}

// -----

// One conversion is both factors, and nothing else reads it.
// CHECK-LABEL: func.func @self
// CHECK-NEXT:    graph.matmul %arg0, %arg0 : (tensor<8x8xf16>, tensor<8x8xf16>) -> tensor<8x8xf32>
func.func @self(%x: tensor<8x8xf16>) -> tensor<8x8xf32> {
  %0 = graph.type_cast %x : tensor<8x8xf16> -> tensor<8x8xf32>
  %1 = graph.matmul %0, %0 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}

// -----

// The cube unit has no bf16, and what is computed in f32 is no conversion: these
// factors stay.
// CHECK-LABEL: func.func @bf16
// CHECK:         graph.matmul %{{.*}}, %{{.*}} : (tensor<4x8xf32>, tensor<8x8xf32>)
func.func @bf16(%x: tensor<4x8xbf16>, %w: tensor<8x8xbf16>) -> tensor<4x8xf32> {
  %0 = graph.type_cast %x : tensor<4x8xbf16> -> tensor<4x8xf32>
  %1 = graph.type_cast %w : tensor<8x8xbf16> -> tensor<8x8xf32>
  %2 = graph.matmul %0, %1 : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}
// CHECK-LABEL: func.func @computed
// CHECK:         graph.matmul %{{.*}}, %{{.*}} : (tensor<4x8xf32>, tensor<8x8xf32>)
func.func @computed(%x: tensor<4x8xf16>, %w: tensor<8x8xf16>) -> tensor<4x8xf32> {
  %0 = graph.type_cast %x : tensor<4x8xf16> -> tensor<4x8xf32>
  %1 = graph.relu %0 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %2 = graph.type_cast %w : tensor<8x8xf16> -> tensor<8x8xf32>
  %3 = graph.matmul %1, %2 : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  return %3 : tensor<4x8xf32>
}
