// RUN: gc-opt %s --convert-tosa-to-graph --split-input-file | FileCheck %s --implicit-check-not=tosa.

// CHECK-LABEL: func.func @softmax(
// CHECK-SAME:    %[[X:.*]]: tensor<4x8xf32>)
// CHECK-NEXT:    %[[M:.*]] = graph.reduce_max %[[X]] {axes = array<i64: 1>, keep_dims = true}
// CHECK-NEXT:    %[[S:.*]] = graph.subtract %[[X]], %[[M]]
// CHECK-NEXT:    %[[E:.*]] = graph.exp %[[S]]
// CHECK-NEXT:    %[[R:.*]] = graph.reduce_sum %[[E]] {axes = array<i64: 1>, keep_dims = true}
// CHECK-NEXT:    graph.divide %[[E]], %[[R]]
func.func @softmax(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %shift = "tosa.const"() {values = dense<0> : tensor<1xi8>} : () -> tensor<1xi8>
  %m = tosa.reduce_max %x {axis = 1 : i32} : (tensor<4x8xf32>) -> tensor<4x1xf32>
  %s = tosa.sub %x, %m : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  %e = tosa.exp %s : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %r = tosa.reduce_sum %e {axis = 1 : i32} : (tensor<4x8xf32>) -> tensor<4x1xf32>
  %i = tosa.reciprocal %r : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %o = tosa.mul %e, %i, %shift : (tensor<4x8xf32>, tensor<4x1xf32>, tensor<1xi8>) -> tensor<4x8xf32>
  return %o : tensor<4x8xf32>
}

// -----

// Filters get their output channels last.

// CHECK-LABEL: func.func @convolution(
// CHECK:         %[[W:.*]] = graph.static_transpose %{{.*}} {order = array<i64: 1, 2, 3, 0>}
// CHECK-NEXT:    %[[C:.*]] = graph.convolution %{{.*}}, %[[W]] {dilations = array<i64: 1, 1>, pads_begin = array<i64: 0, 1>, pads_end = array<i64: 0, 1>, strides = array<i64: 2, 2>}
// CHECK-NEXT:    graph.add %[[C]], %{{.*}} : (tensor<1x4x5x8xf32>, tensor<8xf32>)
func.func @convolution(%x: tensor<1x9x9x3xf32>, %w: tensor<8x3x3x3xf32>, %b: tensor<8xf32>) -> tensor<1x4x5x8xf32> {
  %zp = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %0 = tosa.conv2d %x, %w, %b, %zp, %zp {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 1, 1>, stride = array<i64: 2, 2>} : (tensor<1x9x9x3xf32>, tensor<8x3x3x3xf32>, tensor<8xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x4x5x8xf32>
  return %0 : tensor<1x4x5x8xf32>
}

// -----

// A bias of zeros is none.

// CHECK-LABEL: func.func @depthwise(
// CHECK:         %[[W:.*]] = graph.static_reshape %{{.*}} {shape = array<i64: 3, 3, 1, 6>}
// CHECK-NEXT:    %[[C:.*]] = graph.convolution %{{.*}}, %[[W]] {{{.*}}groups = 3
// CHECK-NEXT:    return %[[C]]
func.func @depthwise(%x: tensor<1x8x8x3xf32>, %w: tensor<3x3x3x2xf32>) -> tensor<1x6x6x6xf32> {
  %b = "tosa.const"() {values = dense<0.0> : tensor<6xf32>} : () -> tensor<6xf32>
  %zp = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %0 = tosa.depthwise_conv2d %x, %w, %b, %zp, %zp {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x8x8x3xf32>, tensor<3x3x3x2xf32>, tensor<6xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x6x6x6xf32>
  return %0 : tensor<1x6x6x6xf32>
}

// -----

// CHECK-LABEL: func.func @pooling(
// CHECK:         graph.max_pool %{{.*}} {kernel = array<i64: 3, 3>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 1, 1>, strides = array<i64: 2, 2>}
// CHECK:         graph.avg_pool %{{.*}} {exclude_pad = true, kernel = array<i64: 3, 3>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 1, 1>, strides = array<i64: 2, 2>}
func.func @pooling(%x: tensor<1x8x8x3xf32>) -> (tensor<1x4x4x3xf32>, tensor<1x4x4x3xf32>) {
  %0 = tosa.max_pool2d %x {kernel = array<i64: 3, 3>, pad = array<i64: 0, 1, 0, 1>, stride = array<i64: 2, 2>} : (tensor<1x8x8x3xf32>) -> tensor<1x4x4x3xf32>
  %zp = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %1 = tosa.avg_pool2d %x, %zp, %zp {acc_type = f32, kernel = array<i64: 3, 3>, pad = array<i64: 0, 1, 0, 1>, stride = array<i64: 2, 2>} : (tensor<1x8x8x3xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x4x4x3xf32>
  return %0, %1 : tensor<1x4x4x3xf32>, tensor<1x4x4x3xf32>
}

// -----

// Integers of 8 bits have a sign in the dialect; what is around keeps its types.

// CHECK-LABEL: func.func @quantized(
// CHECK-SAME:    %[[A:.*]]: tensor<2x4x8xi8>, %[[B:.*]]: tensor<2x8x4xi8>) -> tensor<2x4x4xi32>
// CHECK-DAG:     %[[SA:.*]] = tensor.bitcast %[[A]] : tensor<2x4x8xi8> to tensor<2x4x8xsi8>
// CHECK-DAG:     %[[SB:.*]] = tensor.bitcast %[[B]]
// CHECK:         %[[P:.*]] = graph.matmul %[[SA]], %[[SB]] {src_zp = 3 : i64, weights_zp = -2 : i64}
// CHECK-NEXT:    %[[R:.*]] = tensor.bitcast %[[P]] : tensor<2x4x4xsi32> to tensor<2x4x4xi32>
// CHECK-NEXT:    return %[[R]]
func.func @quantized(%a: tensor<2x4x8xi8>, %b: tensor<2x8x4xi8>) -> tensor<2x4x4xi32> {
  %azp = "tosa.const"() {values = dense<3> : tensor<1xi8>} : () -> tensor<1xi8>
  %bzp = "tosa.const"() {values = dense<-2> : tensor<1xi8>} : () -> tensor<1xi8>
  %0 = tosa.matmul %a, %b, %azp, %bzp : (tensor<2x4x8xi8>, tensor<2x8x4xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<2x4x4xi32>
  return %0 : tensor<2x4x4xi32>
}

// -----

// The comparison goes into the selection.

// CHECK-LABEL: func.func @leaky(
// CHECK-SAME:    %[[X:.*]]: tensor<4x8xf32>)
// CHECK-DAG:     %[[Z:.*]] = graph.constant dense<0.000000e+00> : tensor<f32>
// CHECK-DAG:     %[[S:.*]] = graph.multiply
// CHECK:         %[[G0:.*]] = graph.greater_equal %[[Z]], %[[X]]
// CHECK:         %[[I:.*]] = graph.select %[[G0]], %[[S]], %[[X]]
// CHECK:         %[[G1:.*]] = graph.greater_equal %[[X]], %[[Z]]
// CHECK:         graph.select %[[G1]], %[[I]], %[[S]]
func.func @leaky(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %shift = "tosa.const"() {values = dense<0> : tensor<1xi8>} : () -> tensor<1xi8>
  %zero = "tosa.const"() {values = dense<0.0> : tensor<1x1xf32>} : () -> tensor<1x1xf32>
  %slope = "tosa.const"() {values = dense<0.1> : tensor<1x1xf32>} : () -> tensor<1x1xf32>
  %p = tosa.greater %x, %zero : (tensor<4x8xf32>, tensor<1x1xf32>) -> tensor<4x8xi1>
  %s = tosa.mul %x, %slope, %shift : (tensor<4x8xf32>, tensor<1x1xf32>, tensor<1xi8>) -> tensor<4x8xf32>
  %o = tosa.select %p, %x, %s : (tensor<4x8xi1>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %o : tensor<4x8xf32>
}

// -----

// CHECK-LABEL: func.func @shapes(
// CHECK:         graph.static_reshape
// CHECK:         graph.static_transpose
// CHECK:         graph.concat
// CHECK:         graph.windows
// CHECK:         graph.windows {{.*}}fill = 1.000000e+00
// CHECK:         return %{{.*}} : tensor<7x10xf32>
func.func @shapes(%x: tensor<4x8xf32>) -> tensor<7x10xf32> {
  %shape = tosa.const_shape {values = dense<[2, 16]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %start = tosa.const_shape {values = dense<[3, 1]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %size = tosa.const_shape {values = dense<[6, 8]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %pads = tosa.const_shape {values = dense<[0, 1, 2, 0]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %one = "tosa.const"() {values = dense<1.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %0 = tosa.reshape %x, %shape : (tensor<4x8xf32>, !tosa.shape<2>) -> tensor<2x16xf32>
  %1 = tosa.transpose %0 {perms = array<i32: 1, 0>} : (tensor<2x16xf32>) -> tensor<16x2xf32>
  %2 = tosa.concat %1, %1, %1, %1, %1 {axis = 1 : i32} : (tensor<16x2xf32>, tensor<16x2xf32>, tensor<16x2xf32>, tensor<16x2xf32>, tensor<16x2xf32>) -> tensor<16x10xf32>
  %3 = tosa.slice %2, %start, %size : (tensor<16x10xf32>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<6x8xf32>
  %4 = tosa.pad %3, %pads, %one : (tensor<6x8xf32>, !tosa.shape<4>, tensor<1xf32>) -> tensor<7x10xf32>
  return %4 : tensor<7x10xf32>
}
