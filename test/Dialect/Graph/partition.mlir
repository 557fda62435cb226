// RUN: gc-opt %s --graph-partition | FileCheck %s
// RUN: gc-opt %s --graph-partition=policy=debug | FileCheck %s --check-prefix=DEBUG

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
