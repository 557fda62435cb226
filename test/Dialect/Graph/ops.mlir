// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Every op in every form it can be written in, through text, the generic form
// and bytecode.

// RUN: gc-opt %s --verify-roundtrip | FileCheck %s
// RUN: gc-opt %s | gc-opt | FileCheck %s
// RUN: gc-opt %s --mlir-print-op-generic | gc-opt | FileCheck %s

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

// Convolution with a dynamic batch, and with dynamic sizes in space and channels.
// CHECK-LABEL: func.func @dynamic_convolution
func.func @dynamic_convolution(%x: tensor<?x8x8x3xf32>, %y: tensor<1x?x8x?xf32>, %w: tensor<3x3x3x5xf32>) {
  // CHECK: -> tensor<?x6x6x5xf32>
  %0 = graph.convolution %x, %w {strides = array<i64: 1, 1>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>, dilations = array<i64: 1, 1>} : (tensor<?x8x8x3xf32>, tensor<3x3x3x5xf32>) -> tensor<?x6x6x5xf32>
  // CHECK: -> tensor<1x?x6x5xf32>
  %1 = graph.convolution %y, %w {strides = array<i64: 1, 1>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x?x8x?xf32>, tensor<3x3x3x5xf32>) -> tensor<1x?x6x5xf32>
  return
}

// CHECK-LABEL: func.func @matmul
func.func @matmul(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>,
                  %bt: tensor<2x8xf32>, %at: tensor<8x4xf32>,
                  %bias: tensor<2xf32>) {
  // CHECK: graph.matmul %{{.*}}, %{{.*}} : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  %0 = graph.matmul %a, %b : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  // CHECK: graph.matmul %{{.*}}, %{{.*}}, %{{.*}} : (tensor<4x8xf32>, tensor<8x2xf32>, tensor<2xf32>) -> tensor<4x2xf32>
  %1 = graph.matmul %a, %b, %bias : (tensor<4x8xf32>, tensor<8x2xf32>, tensor<2xf32>) -> tensor<4x2xf32>
  // CHECK: graph.matmul %{{.*}}, %{{.*}} {transpose_a = true, transpose_b = true} : (tensor<8x4xf32>, tensor<2x8xf32>) -> tensor<4x2xf32>
  %2 = graph.matmul %at, %bt {transpose_a = true, transpose_b = true} : (tensor<8x4xf32>, tensor<2x8xf32>) -> tensor<4x2xf32>
  // Defaults are not printed.
  // CHECK: graph.matmul %{{.*}}, %{{.*}} : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  %3 = graph.matmul %a, %b {transpose_a = false, transpose_b = false} : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  // CHECK: {template_params = #graph.matmul_template<MPN = 2, NPN = 1, MB = 2, NB = 2, KB = 4, BS = 2, order = [n, m, k], packA = false, packB = true>}
  %4 = graph.matmul %a, %b {template_params = #graph.matmul_template<MPN = 2, NPN = 1, MB = 2, NB = 2, KB = 4, BS = 2, order = [n, m, k], packA = false, packB = true>} : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  return
}

// Leading dimensions broadcast; one-dimensional operands are a row and a column.
// CHECK-LABEL: func.func @matmul_ranks
func.func @matmul_ranks(%a: tensor<3x1x4x8xf32>, %b: tensor<5x8x2xf32>,
                        %row: tensor<8xf32>, %column: tensor<8xf32>,
                        %bias: tensor<f32>) {
  // CHECK: graph.matmul {{.*}} -> tensor<3x5x4x2xf32>
  %0 = graph.matmul %a, %b : (tensor<3x1x4x8xf32>, tensor<5x8x2xf32>) -> tensor<3x5x4x2xf32>
  // CHECK: graph.matmul {{.*}} : (tensor<8xf32>, tensor<5x8x2xf32>) -> tensor<5x2xf32>
  %1 = graph.matmul %row, %b : (tensor<8xf32>, tensor<5x8x2xf32>) -> tensor<5x2xf32>
  // CHECK: graph.matmul {{.*}} : (tensor<3x1x4x8xf32>, tensor<8xf32>) -> tensor<3x1x4xf32>
  %2 = graph.matmul %a, %column : (tensor<3x1x4x8xf32>, tensor<8xf32>) -> tensor<3x1x4xf32>
  // CHECK: graph.matmul {{.*}} : (tensor<8xf32>, tensor<8xf32>, tensor<f32>) -> tensor<f32>
  %3 = graph.matmul %row, %column, %bias : (tensor<8xf32>, tensor<8xf32>, tensor<f32>) -> tensor<f32>
  return
}

// CHECK-LABEL: func.func @matmul_types
func.func @matmul_types(%a: tensor<4x8xbf16>, %b: tensor<8x2xbf16>, %bias: tensor<2xf32>,
                        %d: tensor<?x8xf16>, %w: tensor<8x2xf16>) {
  // CHECK: (tensor<4x8xbf16>, tensor<8x2xbf16>, tensor<2xf32>) -> tensor<4x2xbf16>
  %0 = graph.matmul %a, %b, %bias : (tensor<4x8xbf16>, tensor<8x2xbf16>, tensor<2xf32>) -> tensor<4x2xbf16>
  // CHECK: (tensor<?x8xf16>, tensor<8x2xf16>) -> tensor<?x2xf16>
  %1 = graph.matmul %d, %w : (tensor<?x8xf16>, tensor<8x2xf16>) -> tensor<?x2xf16>
  return
}

// CHECK-LABEL: func.func @bias_add
func.func @bias_add(%x: tensor<2x3x4xf32>, %last: tensor<4xf32>, %second: tensor<3xf32>) {
  // CHECK: graph.bias_add %{{.*}}, %{{.*}} : (tensor<2x3x4xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
  %0 = graph.bias_add %x, %last {data_format = "NXC"} : (tensor<2x3x4xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
  // CHECK: graph.bias_add %{{.*}}, %{{.*}} {data_format = "NCX"} : (tensor<2x3x4xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>
  %1 = graph.bias_add %x, %second {data_format = "NCX"} : (tensor<2x3x4xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>
  return
}

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @unary
func.func @unary(%x: tensor<2x3xf32>) {
  // CHECK: graph.abs %{{.*}} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %0 = graph.abs %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: graph.clamp %{{.*}} {max = 6.000000e+00 : f32, min = -1.000000e+00 : f32} :
  %1 = graph.clamp %x {min = -1.0 : f32, max = 6.0 : f32} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: graph.elu %{{.*}} {alpha = 5.000000e-01 : f32} :
  %2 = graph.elu %x {alpha = 0.5 : f32} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: graph.erf %{{.*}} :
  %3 = graph.erf %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: graph.exp %{{.*}} :
  %4 = graph.exp %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: graph.gelu %{{.*}} : (
  %5 = graph.gelu %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: graph.gelu %{{.*}} {mode = "gelu_tanh"} :
  %6 = graph.gelu %x {mode = "gelu_tanh"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: graph.hard_sigmoid %{{.*}} {alpha = 1.250000e-01 : f32, beta = 5.000000e-01 : f32} :
  %7 = graph.hard_sigmoid %x {alpha = 0.125 : f32, beta = 0.5 : f32} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: graph.hard_swish %{{.*}} :
  %8 = graph.hard_swish %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: graph.leaky_relu %{{.*}} {alpha = 2.500000e-01 : f32} :
  %9 = graph.leaky_relu %x {alpha = 0.25 : f32} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: graph.log %{{.*}} :
  %10 = graph.log %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: graph.mish %{{.*}} :
  %11 = graph.mish %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: graph.pow %{{.*}} {beta = 3.000000e+00 : f32} :
  %12 = graph.pow %x {beta = 3.0 : f32} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: graph.reciprocal %{{.*}} :
  %13 = graph.reciprocal %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: graph.relu %{{.*}} :
  %14 = graph.relu %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: graph.round %{{.*}} :
  %15 = graph.round %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: graph.sigmoid %{{.*}} :
  %16 = graph.sigmoid %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: graph.soft_plus %{{.*}} : (
  %17 = graph.soft_plus %x {beta = 1.0 : f32} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: graph.soft_plus %{{.*}} {beta = -2.000000e+00 : f32} :
  %18 = graph.soft_plus %x {beta = -2.0 : f32} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: graph.sqrt %{{.*}} :
  %19 = graph.sqrt %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: graph.square %{{.*}} :
  %20 = graph.square %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: graph.tanh %{{.*}} :
  %21 = graph.tanh %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// A result may have its own layout; rank 0 is a tensor like any other.
// CHECK-LABEL: func.func @unary_types
func.func @unary_types(%x: tensor<2x3xbf16>, %scalar: tensor<f16>, %dynamic: tensor<?x3xf32>) {
  // CHECK: graph.relu {{.*}} -> tensor<2x3xbf16, #graph.layout<strided, [1, 2]>>
  %0 = graph.relu %x : (tensor<2x3xbf16>) -> tensor<2x3xbf16, #graph.layout<strided, [1, 2]>>
  // CHECK: graph.exp {{.*}} : (tensor<f16>) -> tensor<f16>
  %1 = graph.exp %scalar : (tensor<f16>) -> tensor<f16>
  // CHECK: graph.abs {{.*}} : (tensor<?x3xf32>) -> tensor<4x3xf32>
  %2 = graph.abs %dynamic : (tensor<?x3xf32>) -> tensor<4x3xf32>
  return
}

// CHECK-LABEL: func.func @binary
func.func @binary(%x: tensor<2x3xf32>, %row: tensor<3xf32>, %column: tensor<2x1xf32>,
                  %scalar: tensor<f32>) {
  // CHECK: graph.add %{{.*}}, %{{.*}} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %0 = graph.add %x, %row : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK: graph.subtract %{{.*}}, %{{.*}} : (tensor<3xf32>, tensor<2x1xf32>) -> tensor<2x3xf32>
  %1 = graph.subtract %row, %column : (tensor<3xf32>, tensor<2x1xf32>) -> tensor<2x3xf32>
  // CHECK: graph.multiply %{{.*}}, %{{.*}} : (tensor<f32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = graph.multiply %scalar, %x : (tensor<f32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: graph.divide %{{.*}}, %{{.*}} {auto_broadcast = "none"} :
  %3 = graph.divide %x, %x {auto_broadcast = "none"} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: graph.maximum
  %4 = graph.maximum %x, %row {auto_broadcast = "numpy"} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK: graph.minimum
  %5 = graph.minimum %x, %column : (tensor<2x3xf32>, tensor<2x1xf32>) -> tensor<2x3xf32>
  // CHECK: graph.squared_difference
  %6 = graph.squared_difference %x, %row : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return
}

// CHECK-LABEL: func.func @binary_types
func.func @binary_types(%f: tensor<2x3xf32>, %b: tensor<3xbf16>, %i: tensor<2x3xsi32>,
                        %d: tensor<?x3xf32>) {
  // CHECK: (tensor<3xbf16>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %0 = graph.add %b, %f : (tensor<3xbf16>, tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: (tensor<2x3xsi32>, tensor<2x3xsi32>) -> tensor<2x3xsi32>
  %1 = graph.multiply %i, %i : (tensor<2x3xsi32>, tensor<2x3xsi32>) -> tensor<2x3xsi32>
  // A dynamic size is compatible with any size but one.
  // CHECK: (tensor<?x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = graph.add %d, %f : (tensor<?x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

//===----------------------------------------------------------------------===//
// Data movement
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @movement
func.func @movement(%x: tensor<2x3x4xf32>, %i: tensor<2x6xui8>) {
  // CHECK: graph.static_reshape %{{.*}} {shape = array<i64: 6, -1>} : (tensor<2x3x4xf32>) -> tensor<6x4xf32>
  %0 = graph.static_reshape %x {shape = array<i64: 6, -1>} : (tensor<2x3x4xf32>) -> tensor<6x4xf32>
  // CHECK: graph.static_reshape %{{.*}} {shape = array<i64: 0, 12>, special_zero = true} : (tensor<2x3x4xf32>) -> tensor<2x12xf32>
  %1 = graph.static_reshape %x {shape = array<i64: 0, 12>, special_zero = true} : (tensor<2x3x4xf32>) -> tensor<2x12xf32>
  // CHECK: graph.static_reshape {{.*}} : (tensor<2x6xui8>) -> tensor<12xui8>
  %2 = graph.static_reshape %i {shape = array<i64: 12>} : (tensor<2x6xui8>) -> tensor<12xui8>
  // CHECK: graph.static_transpose %{{.*}} {order = array<i64: 2, 0, 1>} : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  %3 = graph.static_transpose %x {order = array<i64: 2, 0, 1>} : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  // Negative entries count from the last dimension: 2, 1, 0.
  // CHECK: graph.static_transpose %{{.*}} {order = array<i64: -1, -2, 0>} : (tensor<2x3x4xf32>) -> tensor<4x3x2xf32>
  %4 = graph.static_transpose %x {order = array<i64: -1, -2, 0>} : (tensor<2x3x4xf32>) -> tensor<4x3x2xf32>
  // CHECK: graph.reorder %{{.*}} : tensor<2x6xui8> -> tensor<2x6xui8, #graph.layout<blocked, outer = [1, 0], inner = [1 : 4]>>
  %5 = graph.reorder %i : tensor<2x6xui8> -> tensor<2x6xui8, #graph.layout<blocked, outer = [1, 0], inner = [1 : 4]>>
  // CHECK: graph.type_cast %{{.*}} : tensor<2x3x4xf32> -> tensor<2x3x4xbf16>
  %6 = graph.type_cast %x : tensor<2x3x4xf32> -> tensor<2x3x4xbf16>
  // CHECK: graph.type_cast %{{.*}} : tensor<2x3x4xbf16> -> tensor<2x3x4xf32>
  %7 = graph.type_cast %6 : tensor<2x3x4xbf16> -> tensor<2x3x4xf32>
  return
}

//===----------------------------------------------------------------------===//
// Structure
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @structure
func.func @structure(%x: tensor<2x2xf32>) {
  // CHECK: graph.constant dense<{{.*}}> : tensor<2xf32>
  %0 = graph.constant dense<[1.0, 2.0]> : tensor<2xf32>
  // CHECK: graph.constant dense<-3> : tensor<4xsi8>
  %1 = graph.constant dense<-3> : tensor<4xsi8>
  // CHECK: graph.constant dense_resource<weight> : tensor<2x2xf32>
  %2 = graph.constant dense_resource<weight> : tensor<2x2xf32>
  // CHECK: graph.end %{{.*}} : tensor<2x2xf32>
  graph.end %2 : tensor<2x2xf32>
  // CHECK: graph.wildcard : () -> ()
  graph.wildcard : () -> ()
  // CHECK: graph.wildcard %{{.*}}, %{{.*}} {kind = "Foo"} : (tensor<2x2xf32>, tensor<2xf32>) -> (tensor<f32>, tensor<?xi64>)
  %3:2 = graph.wildcard %x, %0 {kind = "Foo"} : (tensor<2x2xf32>, tensor<2xf32>) -> (tensor<f32>, tensor<?xi64>)
  return
}

// CHECK-LABEL: func.func @fused_op
func.func @fused_op(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>) {
  // CHECK: %[[F:.*]]:2 = graph.fused_op attributes {name = "matmul+relu"} -> (tensor<4x2xf32>, tensor<4x2xf32>) {
  %0:2 = graph.fused_op attributes {name = "matmul+relu"} -> (tensor<4x2xf32>, tensor<4x2xf32>) {
    %1 = graph.matmul %a, %b : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
    // CHECK: graph.relu %{{.*}} {graph.anchor = #graph.anchor<post, 1>} :
    %2 = graph.relu %1 {graph.anchor = #graph.anchor<post, 1>} : (tensor<4x2xf32>) -> tensor<4x2xf32>
    // CHECK: graph.yield %{{.*}}, %{{.*}} : tensor<4x2xf32>, tensor<4x2xf32>
    graph.yield %1, %2 : tensor<4x2xf32>, tensor<4x2xf32>
  }
  // A region without results, as a dead op leaves it.
  // CHECK: graph.fused_op {
  // CHECK-NEXT: graph.relu
  // CHECK-NEXT: graph.yield
  // CHECK-NEXT: }
  graph.fused_op {
    %3 = graph.relu %a : (tensor<4x8xf32>) -> tensor<4x8xf32>
    graph.yield
  }
  // CHECK: return %[[F]]#0, %[[F]]#1
  return %0#0, %0#1 : tensor<4x2xf32>, tensor<4x2xf32>
}

// Attributes of functions, arguments and ops.
// CHECK-LABEL: func.func @attributes
// CHECK-SAME: %{{.*}}: tensor<2xf32> {graph.name = "x"}
// CHECK-SAME: %{{.*}}: tensor<2xf32> {graph.const_arg, graph.name = "w"}
// CHECK-SAME: %{{.*}}: tensor<2xf32> {graph.folded = 0 : i64}
// CHECK-SAME: attributes {graph.fold_function = @unary}
func.func @attributes(%x: tensor<2xf32> {graph.name = "x"},
                      %w: tensor<2xf32> {graph.const_arg, graph.name = "w"},
                      %f: tensor<2xf32> {graph.folded = 0 : i64})
    attributes {graph.fold_function = @unary} {
  // CHECK: graph.exp %{{.*}} {graph.constant_value} :
  %0 = graph.exp %w {graph.constant_value} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// CHECK: weight: "0x040000000000803F000000400000404000008040"
{-#
  dialect_resources: {
    builtin: {
      weight: "0x040000000000803F000000400000404000008040"
    }
  }
#-}
