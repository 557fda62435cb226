// RUN: gc-opt %s --graph-partition | FileCheck %s
// RUN: gc-opt %s --graph-partition=policy=debug | FileCheck %s --check-prefix=DEBUG
// RUN: gc-opt %s --graph-partition --graph-partition | FileCheck %s --check-prefix=AGAIN

// Matmuls and what is between them are one partition.
// CHECK-LABEL: func.func @mlp
// CHECK-SAME:  graph.partition_support = array<i1: true>
// CHECK-COUNT-4: graph.partition = 0 : i64
// CHECK-NOT:   graph.partition
// CHECK:       return
// DEBUG-LABEL: func.func @mlp
// DEBUG-SAME:  graph.partition_support = array<i1: true, true, true, true>
// DEBUG:       graph.matmul {{.*}}graph.partition = 0
// DEBUG:       graph.relu {{.*}}graph.partition = 1
// DEBUG:       graph.matmul {{.*}}graph.partition = 2
// DEBUG:       graph.softmax {{.*}}graph.partition = 3
func.func @mlp(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> tensor<4x8xf32> {
  %0 = graph.matmul %x, %w : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %1 = graph.relu %0 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %2 = graph.matmul %1, %w : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %3 = graph.softmax %2 {axis = 1 : i64} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %3 : tensor<4x8xf32>
}

// What shares an argument only is not connected.
// CHECK-LABEL: func.func @unconnected
// CHECK: graph.relu {{.*}}graph.partition = 0
// CHECK: graph.exp {{.*}}graph.partition = 1
func.func @unconnected(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = graph.relu %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = graph.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// Nor is what shares a constant, which is copied, whatever its size. Nothing is
// copied twice to one partition.
// CHECK-LABEL: func.func @constant
// CHECK-SAME:  graph.partition_support = array<i1: true, true>
// CHECK-NEXT:  %[[FIRST:.*]] = graph.constant {graph.partition = 0 : i64} dense<[1.000000e+00, 2.000000e+00]>
// CHECK-NEXT:  %[[SECOND:.*]] = graph.constant {graph.partition = 1 : i64} dense<[1.000000e+00, 2.000000e+00]>
// CHECK-NEXT:  %[[SUM:.*]] = graph.add %arg0, %[[FIRST]] {graph.partition = 0 : i64}
// CHECK-NEXT:  graph.multiply %[[SUM]], %[[FIRST]] {graph.partition = 0 : i64}
// CHECK-NEXT:  graph.subtract %arg1, %[[SECOND]] {graph.partition = 1 : i64}
// CHECK-NEXT:  return
// DEBUG-LABEL: func.func @constant
// DEBUG-SAME:  graph.partition_support = array<i1: true, true, true>
// DEBUG-COUNT-3: graph.constant
// DEBUG-NOT:   graph.constant
// DEBUG:       return
// AGAIN-LABEL: func.func @constant
// AGAIN-COUNT-2: graph.constant
// AGAIN-NOT:   graph.constant
// AGAIN:       return
func.func @constant(%x: tensor<2xf32>, %y: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %c = graph.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %0 = graph.add %x, %c : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %1 = graph.multiply %0, %c : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %2 = graph.subtract %y, %c : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %1, %2 : tensor<2xf32>, tensor<2xf32>
}

// What a graph returns, or nothing reads, is a partition of its own.
// CHECK-LABEL: func.func @constants
// CHECK-SAME:  graph.partition_support = array<i1: true, true>
// CHECK:       graph.constant {graph.partition = 0 : i64} dense<1.000000e+00>
// CHECK:       graph.constant {graph.partition = 1 : i64} dense<2.000000e+00>
func.func @constants() -> tensor<f32> {
  %0 = graph.constant dense<1.0> : tensor<f32>
  %1 = graph.constant dense<2.0> : tensor<f32>
  return %1 : tensor<f32>
}

// An op reads a constant also where its regions do.
// CHECK-LABEL: func.func @region
// CHECK-NEXT:  %[[C:.*]] = graph.constant {graph.partition = 0 : i64}
// CHECK-NEXT:  %[[D:.*]] = graph.constant {graph.partition = 1 : i64}
// CHECK-NEXT:  graph.fused_op attributes {graph.partition = 0 : i64}
// CHECK-NEXT:    graph.add %{{.*}}, %[[C]]
// CHECK:       graph.multiply %{{.*}}, %[[D]] {graph.partition = 1 : i64}
func.func @region(%x: tensor<2xf32>, %y: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %c = graph.constant dense<2.0> : tensor<2xf32>
  %0 = graph.fused_op -> (tensor<2xf32>) {
    %1 = graph.add %x, %c : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    graph.yield %1 : tensor<2xf32>
  }
  %2 = graph.multiply %y, %c : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0, %2 : tensor<2xf32>, tensor<2xf32>
}

// The wildcard keeps %0 and %2 apart, although %0 also feeds %2.
// CHECK-LABEL: func.func @around
// CHECK-SAME:  graph.partition_support = array<i1: true, false, true>
// CHECK: graph.matmul {{.*}}graph.partition = 0
// CHECK: graph.wildcard {{.*}}graph.partition = 1
// CHECK: graph.add {{.*}}graph.partition = 2
// CHECK: graph.relu {{.*}}graph.partition = 2
func.func @around(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> tensor<4x8xf32> {
  %0 = graph.matmul %x, %w : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %1 = graph.wildcard %0 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %2 = graph.add %0, %1 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %3 = graph.relu %2 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %3 : tensor<4x8xf32>
}

// %3 could join %0 or %1 with %2, but not both: the wildcard leads from %0 to %2.
// CHECK-LABEL: func.func @crossed
// CHECK: graph.relu {{.*}}graph.partition = 0
// CHECK: graph.exp {{.*}}graph.partition = 2
// CHECK: graph.wildcard {{.*}}graph.partition = 1
// CHECK: graph.add {{.*}}graph.partition = 2
// CHECK: graph.multiply {{.*}}graph.partition = 2
func.func @crossed(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = graph.relu %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = graph.exp %y : (tensor<4xf32>) -> tensor<4xf32>
  %w = graph.wildcard %0 : (tensor<4xf32>) -> tensor<4xf32>
  %2 = graph.add %1, %w : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = graph.multiply %0, %1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %2, %3 : tensor<4xf32>, tensor<4xf32>
}

// An end is alone; what it reads is not.
// CHECK-LABEL: func.func @end
// CHECK-SAME:  graph.partition_support = array<i1: true, false>
// CHECK: graph.exp {{.*}}graph.partition = 0
// CHECK: graph.end {{.*}}graph.partition = 1
// CHECK: graph.relu {{.*}}graph.partition = 0
func.func @end(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  graph.end %0 : tensor<4xf32>
  %1 = graph.relu %0 : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// A convolution with its followers; the next one begins another partition.
// CHECK-LABEL: func.func @convolutions
// CHECK: graph.convolution {{.*}}graph.partition = 0
// CHECK: graph.relu {{.*}}graph.partition = 0
// CHECK: graph.convolution {{.*}}graph.partition = 1
// CHECK: graph.add {{.*}}graph.partition = 1
func.func @convolutions(%x: tensor<1x8x4xf32>, %w: tensor<1x4x4xf32>) -> tensor<1x8x4xf32> {
  %0 = graph.convolution %x, %w {strides = array<i64: 1>, pads_begin = array<i64: 0>, pads_end = array<i64: 0>, dilations = array<i64: 1>} : (tensor<1x8x4xf32>, tensor<1x4x4xf32>) -> tensor<1x8x4xf32>
  %1 = graph.relu %0 : (tensor<1x8x4xf32>) -> tensor<1x8x4xf32>
  %2 = graph.convolution %1, %w {strides = array<i64: 1>, pads_begin = array<i64: 0>, pads_end = array<i64: 0>, dilations = array<i64: 1>} : (tensor<1x8x4xf32>, tensor<1x4x4xf32>) -> tensor<1x8x4xf32>
  %3 = graph.add %1, %2 : (tensor<1x8x4xf32>, tensor<1x8x4xf32>) -> tensor<1x8x4xf32>
  return %3 : tensor<1x8x4xf32>
}

// What follows a convolution joins it, what else it reads does not.
// CHECK-LABEL: func.func @residual
// CHECK: graph.exp {{.*}}graph.partition = 0
// CHECK: graph.convolution {{.*}}graph.partition = 1
// CHECK: graph.add {{.*}}graph.partition = 1
func.func @residual(%x: tensor<1x8x4xf32>, %w: tensor<1x4x4xf32>) -> tensor<1x8x4xf32> {
  %0 = graph.exp %x : (tensor<1x8x4xf32>) -> tensor<1x8x4xf32>
  %1 = graph.convolution %x, %w {strides = array<i64: 1>, pads_begin = array<i64: 0>, pads_end = array<i64: 0>, dilations = array<i64: 1>} : (tensor<1x8x4xf32>, tensor<1x4x4xf32>) -> tensor<1x8x4xf32>
  %2 = graph.add %0, %1 : (tensor<1x8x4xf32>, tensor<1x8x4xf32>) -> tensor<1x8x4xf32>
  return %2 : tensor<1x8x4xf32>
}

// Dequantization belongs to the convolution that reads it, quantization to the
// one that it follows, so that integers are between partitions.
// CHECK-LABEL: func.func @quantized
// CHECK: graph.dequantize %arg0 {{.*}}graph.partition = 0
// CHECK: graph.dequantize %arg1 {{.*}}graph.partition = 0
// CHECK: graph.convolution {{.*}}graph.partition = 0
// CHECK: graph.quantize {{.*}}graph.partition = 0
// CHECK: graph.dequantize {{.*}}graph.partition = 1
// CHECK: graph.convolution {{.*}}graph.partition = 1
func.func @quantized(%x: tensor<1x8x4xui8>, %w: tensor<1x4x4xsi8>, %v: tensor<1x4x4xf32>) -> tensor<1x8x4xf32> {
  %0 = graph.dequantize %x {scales = array<f32: 0.5>} : (tensor<1x8x4xui8>) -> tensor<1x8x4xf32>
  %1 = graph.dequantize %w {scales = array<f32: 0.5>} : (tensor<1x4x4xsi8>) -> tensor<1x4x4xf32>
  %2 = graph.convolution %0, %1 {strides = array<i64: 1>, pads_begin = array<i64: 0>, pads_end = array<i64: 0>, dilations = array<i64: 1>} : (tensor<1x8x4xf32>, tensor<1x4x4xf32>) -> tensor<1x8x4xf32>
  %3 = graph.quantize %2 {scales = array<f32: 0.5>} : (tensor<1x8x4xf32>) -> tensor<1x8x4xui8>
  %4 = graph.dequantize %3 {scales = array<f32: 0.5>} : (tensor<1x8x4xui8>) -> tensor<1x8x4xf32>
  %5 = graph.convolution %4, %v {strides = array<i64: 1>, pads_begin = array<i64: 0>, pads_end = array<i64: 0>, dilations = array<i64: 1>} : (tensor<1x8x4xf32>, tensor<1x4x4xf32>) -> tensor<1x8x4xf32>
  return %5 : tensor<1x8x4xf32>
}

// A matmul does not join a convolution.
// CHECK-LABEL: func.func @convolution_matmul
// CHECK: graph.convolution {{.*}}graph.partition = 0
// CHECK: graph.static_reshape {{.*}}graph.partition = 0
// CHECK: graph.matmul {{.*}}graph.partition = 1
func.func @convolution_matmul(%x: tensor<1x8x4xf32>, %w: tensor<1x4x4xf32>, %v: tensor<4x2xf32>) -> tensor<8x2xf32> {
  %0 = graph.convolution %x, %w {strides = array<i64: 1>, pads_begin = array<i64: 0>, pads_end = array<i64: 0>, dilations = array<i64: 1>} : (tensor<1x8x4xf32>, tensor<1x4x4xf32>) -> tensor<1x8x4xf32>
  %1 = graph.static_reshape %0 {shape = array<i64: 8, 4>} : (tensor<1x8x4xf32>) -> tensor<8x4xf32>
  %2 = graph.matmul %1, %v : (tensor<8x4xf32>, tensor<4x2xf32>) -> tensor<8x2xf32>
  return %2 : tensor<8x2xf32>
}

// Sizes may be unknown.
// CHECK-LABEL: func.func @dynamic
// CHECK: graph.matmul {{.*}}graph.partition = 0
// CHECK: graph.relu {{.*}}graph.partition = 0
func.func @dynamic(%x: tensor<?x8xf32>, %w: tensor<8x?xf32>) -> tensor<?x?xf32> {
  %0 = graph.matmul %x, %w : (tensor<?x8xf32>, tensor<8x?xf32>) -> tensor<?x?xf32>
  %1 = graph.relu %0 : (tensor<?x?xf32>) -> tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}

// CHECK-LABEL: func.func @nothing
// CHECK-SAME:  graph.partition_support = array<i1>
func.func @nothing(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
