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

// -----

// The largest of widened elements is the widened largest one; what else reads
// them does so in f32.
// CHECK-LABEL: func.func @largest
// CHECK-DAG:     %[[X:.*]] = graph.type_cast %arg0 : tensor<4x8xf16> -> tensor<4x8xf32>
// CHECK-DAG:     %[[M:.*]] = graph.reduce_max %arg0 {any_if_nan, axes = array<i64: 1>, keep_dims = true} : (tensor<4x8xf16>) -> tensor<4x1xf16>
// CHECK-DAG:     %[[W:.*]] = graph.type_cast %[[M]] : tensor<4x1xf16> -> tensor<4x1xf32>
// CHECK:         graph.subtract %[[X]], %[[W]]
func.func @largest(%x: tensor<4x8xf16>) -> tensor<4x8xf32> {
  %0 = graph.type_cast %x : tensor<4x8xf16> -> tensor<4x8xf32>
  %1 = graph.reduce_max %0 {axes = array<i64: 1>, keep_dims = true, any_if_nan} : (tensor<4x8xf32>) -> tensor<4x1xf32>
  %2 = graph.subtract %0, %1 : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @smallest
// CHECK-NEXT:    %[[M:.*]] = graph.reduce_min %arg0
// CHECK-NEXT:    graph.type_cast %[[M]] : tensor<8xf16> -> tensor<8xf32>
// CHECK-NEXT:    return
func.func @smallest(%x: tensor<4x8xf16>) -> tensor<8xf32> {
  %0 = graph.type_cast %x : tensor<4x8xf16> -> tensor<4x8xf32>
  %1 = graph.reduce_min %0 {axes = array<i64: 0>} : (tensor<4x8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

// Sums and products of f16 would round, and so would the largest of what was
// f32; bf16 is not an element of the machine.
// CHECK-LABEL: func.func @sum
// CHECK:         graph.reduce_sum %{{.*}} : (tensor<4x8xf32>) -> tensor<4xf32>
// CHECK:         graph.reduce_prod %{{.*}} : (tensor<4x8xf32>) -> tensor<4xf32>
func.func @sum(%x: tensor<4x8xf16>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = graph.type_cast %x : tensor<4x8xf16> -> tensor<4x8xf32>
  %1 = graph.reduce_sum %0 {axes = array<i64: 1>} : (tensor<4x8xf32>) -> tensor<4xf32>
  %2 = graph.reduce_prod %0 {axes = array<i64: 1>} : (tensor<4x8xf32>) -> tensor<4xf32>
  return %1, %2 : tensor<4xf32>, tensor<4xf32>
}
// CHECK-LABEL: func.func @narrowed
// CHECK:         graph.reduce_max %{{.*}} : (tensor<4x8xf16>) -> tensor<4xf16>
// CHECK-NEXT:    return
func.func @narrowed(%x: tensor<4x8xf32>) -> tensor<4xf16> {
  %0 = graph.type_cast %x : tensor<4x8xf32> -> tensor<4x8xf16>
  %1 = graph.reduce_max %0 {axes = array<i64: 1>} : (tensor<4x8xf16>) -> tensor<4xf16>
  return %1 : tensor<4xf16>
}
// CHECK-LABEL: func.func @bf16_max
// CHECK:         graph.reduce_max %{{.*}} : (tensor<4x8xf32>) -> tensor<4xf32>
func.func @bf16_max(%x: tensor<4x8xbf16>) -> tensor<4xf32> {
  %0 = graph.type_cast %x : tensor<4x8xbf16> -> tensor<4x8xf32>
  %1 = graph.reduce_max %0 {axes = array<i64: 1>} : (tensor<4x8xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// Only conversions of the graph widen.
// CHECK-LABEL: func.func @others
// CHECK: graph.matmul {{.*}} : (tensor<32x16xf32>, tensor<16x32xf32>) -> tensor<32x32xf32>
// CHECK: graph.matmul {{.*}} : (tensor<32x16xf32>, tensor<16x32xf32>) -> tensor<32x32xf32>
func.func @others(%x: tensor<512xf16>, %y: tensor<16x32xf16>) -> (tensor<32x32xf32>, tensor<32x32xf32>) {
  %0 = builtin.unrealized_conversion_cast to tensor<32x16xf32>
  %1 = builtin.unrealized_conversion_cast %x : tensor<512xf16> to tensor<32x16xf32>
  %2 = graph.type_cast %y : tensor<16x32xf16> -> tensor<16x32xf32>
  %3 = graph.matmul %0, %2 : (tensor<32x16xf32>, tensor<16x32xf32>) -> tensor<32x32xf32>
  %4 = graph.matmul %1, %2 : (tensor<32x16xf32>, tensor<16x32xf32>) -> tensor<32x32xf32>
  return %3, %4 : tensor<32x32xf32>, tensor<32x32xf32>
}
