// Convolutions and poolings, by maps in which a dimension is a sum of loops.

// RUN: gc-opt %s --convert-linalg-to-graph --split-input-file | FileCheck %s --implicit-check-not=linalg. --implicit-check-not=tensor.pad

// Padding becomes part of the convolution.

// CHECK-LABEL: func.func @convolution(
// CHECK-SAME:    %[[X:.*]]: tensor<2x9x9x3xf32>, %[[W:.*]]: tensor<3x3x3x8xf32>)
// CHECK-NEXT:    %[[R:.*]] = graph.convolution %[[X]], %[[W]] {dilations = array<i64: 1, 1>, pads_begin = array<i64: 0, 1>, pads_end = array<i64: 0, 1>, strides = array<i64: 2, 2>}
// CHECK-NEXT:    return %[[R]]
func.func @convolution(%x: tensor<2x9x9x3xf32>, %w: tensor<3x3x3x8xf32>) -> tensor<2x4x5x8xf32> {
  %zero = arith.constant 0.0 : f32
  %init = arith.constant dense<0.0> : tensor<2x4x5x8xf32>
  %pad = tensor.pad %x low[0, 0, 1, 0] high[0, 0, 1, 0] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %zero : f32
  } : tensor<2x9x9x3xf32> to tensor<2x9x11x3xf32>
  %0 = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>}
      ins(%pad, %w : tensor<2x9x11x3xf32>, tensor<3x3x3x8xf32>) outs(%init : tensor<2x4x5x8xf32>) -> tensor<2x4x5x8xf32>
  return %0 : tensor<2x4x5x8xf32>
}

// -----

// Channels second; the bias is the init.

// CHECK-LABEL: func.func @channels_second(
// CHECK-SAME:    %[[X:.*]]: tensor<1x3x8x8xf32>, %[[W:.*]]: tensor<4x3x3x3xf32>, %[[B:.*]]: tensor<4xf32>)
// CHECK-DAG:     %[[C:.*]] = graph.convolution %[[X]], %[[W]] {data_format = "NCX", dilations = array<i64: 2, 2>{{.*}}weights_format = "OIX"}
// CHECK-DAG:     %[[S:.*]] = graph.static_reshape %[[B]] {shape = array<i64: 4, 1, 1>}
// CHECK:         graph.add %[[C]], %[[S]] : (tensor<1x4x4x4xf32>, tensor<4x1x1xf32>)
func.func @channels_second(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>, %b: tensor<4xf32>) -> tensor<1x4x4x4xf32> {
  %empty = tensor.empty() : tensor<1x4x4x4xf32>
  %init = linalg.broadcast ins(%b : tensor<4xf32>) outs(%empty : tensor<1x4x4x4xf32>) dimensions = [0, 2, 3]
  %0 = linalg.conv_2d_nchw_fchw {dilations = dense<2> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%x, %w : tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) outs(%init : tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
  return %0 : tensor<1x4x4x4xf32>
}

// -----

// CHECK-LABEL: func.func @groups(
// CHECK:         graph.convolution %{{.*}} {data_format = "NCX", {{.*}}groups = 2 : i64{{.*}}weights_format = "OIX"} : (tensor<1x6x8x8xf32>, tensor<8x3x3x3xf32>) -> tensor<1x8x6x6xf32>
func.func @groups(%x: tensor<1x2x3x8x8xf32>, %w: tensor<2x4x3x3x3xf32>) -> tensor<1x2x4x6x6xf32> {
  %init = arith.constant dense<0.0> : tensor<1x2x4x6x6xf32>
  %0 = linalg.conv_2d_ngchw_gfchw {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%x, %w : tensor<1x2x3x8x8xf32>, tensor<2x4x3x3x3xf32>) outs(%init : tensor<1x2x4x6x6xf32>) -> tensor<1x2x4x6x6xf32>
  return %0 : tensor<1x2x4x6x6xf32>
}

// -----

// CHECK-LABEL: func.func @depthwise(
// CHECK:         %[[W:.*]] = graph.static_reshape %{{.*}} {shape = array<i64: 3, 3, 1, 4>}
// CHECK:         graph.convolution %{{.*}}, %[[W]] {{{.*}}groups = 4 : i64
func.func @depthwise(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4xf32>) -> tensor<1x6x6x4xf32> {
  %init = arith.constant dense<0.0> : tensor<1x6x6x4xf32>
  %0 = linalg.depthwise_conv_2d_nhwc_hwc {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%x, %w : tensor<1x8x8x4xf32>, tensor<3x3x4xf32>) outs(%init : tensor<1x6x6x4xf32>) -> tensor<1x6x6x4xf32>
  return %0 : tensor<1x6x6x4xf32>
}

// -----

// A one-dimensional convolution as a generic op.

// CHECK-LABEL: func.func @generic(
// CHECK:         graph.convolution %{{.*}} {dilations = array<i64: 1>, {{.*}}strides = array<i64: 2>} : (tensor<1x9x3xf32>, tensor<3x3x4xf32>) -> tensor<1x4x4xf32>
func.func @generic(%x: tensor<1x9x3xf32>, %w: tensor<3x3x4xf32>) -> tensor<1x4x4xf32> {
  %init = arith.constant dense<0.0> : tensor<1x4x4xf32>
  %0 = linalg.generic {indexing_maps = [
      affine_map<(n, x, f, k, c) -> (n, x * 2 + k, c)>,
      affine_map<(n, x, f, k, c) -> (k, c, f)>,
      affine_map<(n, x, f, k, c) -> (n, x, f)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w : tensor<1x9x3xf32>, tensor<3x3x4xf32>) outs(%init : tensor<1x4x4xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<1x4x4xf32>
  return %0 : tensor<1x4x4xf32>
}

// -----

// -infinity is the neutral element of the maximum; other inits take part.

// CHECK-LABEL: func.func @pooling(
// CHECK:         %[[V:.*]] = graph.windows %{{.*}} {dilations = array<i64: 1, 1>, kernel = array<i64: 3, 3>, offsets = array<i64: 0, 0>, positions = array<i64: 3, 3>, spacing = array<i64: 1, 1>, strides = array<i64: 2, 2>}
// CHECK-NEXT:    %[[M:.*]] = graph.reduce_max %[[V]] {axes = array<i64: 3, 4>}
// CHECK-NEXT:    return %[[M]]
func.func @pooling(%x: tensor<1x7x7x4xf32>) -> tensor<1x3x3x4xf32> {
  %init = arith.constant dense<0xFF800000> : tensor<1x3x3x4xf32>
  %window = tensor.empty() : tensor<3x3xf32>
  %0 = linalg.pooling_nhwc_max {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>}
      ins(%x, %window : tensor<1x7x7x4xf32>, tensor<3x3xf32>) outs(%init : tensor<1x3x3x4xf32>) -> tensor<1x3x3x4xf32>
  return %0 : tensor<1x3x3x4xf32>
}

// -----

// Rows and columns that no window reaches are cut off.

// CHECK-LABEL: func.func @larger(
// CHECK:         %[[C:.*]] = graph.windows %{{.*}}positions = array<i64: 6, 6>
// CHECK:         %[[S:.*]] = graph.static_reshape %[[C]] {shape = array<i64: 1, 6, 6, 1>}
// CHECK:         graph.convolution %[[S]], %{{.*}} -> tensor<1x3x3x1xf32>
func.func @larger(%x: tensor<1x9x9x1xf32>, %w: tensor<2x2x1x1xf32>) -> tensor<1x3x3x1xf32> {
  %init = arith.constant dense<0.0> : tensor<1x3x3x1xf32>
  %0 = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>}
      ins(%x, %w : tensor<1x9x9x1xf32>, tensor<2x2x1x1xf32>) outs(%init : tensor<1x3x3x1xf32>) -> tensor<1x3x3x1xf32>
  return %0 : tensor<1x3x3x1xf32>
}
