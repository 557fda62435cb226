// What poly-extract refuses.

// RUN: gc-opt %s --split-input-file --poly-extract --verify-diagnostics

// expected-error@+1 {{'func.func' op cannot run on target 'npu' with argument 0: the sizes of 'tensor<?xf16>' are not all known}}
func.func @dynamic(%x: tensor<?xf16>) -> tensor<?xf16> {
  %y = graph.relu %x : (tensor<?xf16>) -> tensor<?xf16>
  return %y : tensor<?xf16>
}

// -----

// expected-error@+1 {{with argument 0: the NPU has no elements of 'bf16', only f16, f32, i8 and i32}}
func.func @bf16(%x: tensor<4xbf16>) -> tensor<4xbf16> {
  %y = graph.relu %x : (tensor<4xbf16>) -> tensor<4xbf16>
  return %y : tensor<4xbf16>
}

// -----

// expected-error@+1 {{with argument 0: the NPU has no elements of 'ui8'}}
func.func @unsigned(%a: tensor<64x48xui8>, %b: tensor<48x32xsi8>) -> tensor<64x32xsi32> {
  %0 = graph.matmul %a, %b : (tensor<64x48xui8>, tensor<48x32xsi8>) -> tensor<64x32xsi32>
  return %0 : tensor<64x32xsi32>
}

// -----

func.func @f32(%a: tensor<64x48xf32>, %b: tensor<48x32xf32>) -> tensor<64x32xf32> {
  // expected-error@+1 {{'graph.matmul' op cannot run on target 'npu': it multiplies 'f32' by 'f32', but the cube unit multiplies f16 by f16 or i8 by i8}}
  %0 = graph.matmul %a, %b : (tensor<64x48xf32>, tensor<48x32xf32>) -> tensor<64x32xf32>
  return %0 : tensor<64x32xf32>
}

// -----

func.func @complex(%x: tensor<4x8xf16>) -> tensor<4x8xf16> {
  // expected-error@+1 {{'graph.softmax' op cannot run on target 'npu': it has to be decomposed; run graph-decompose first}}
  %0 = graph.softmax %x {axis = 1 : i64} : (tensor<4x8xf16>) -> tensor<4x8xf16>
  return %0 : tensor<4x8xf16>
}

// -----

func.func @constant(%x: tensor<2xf16>) -> tensor<2xf16> {
  // expected-error@+1 {{the NPU has only constants of equal elements; pass others as arguments}}
  %0 = graph.constant dense<[1.0, 2.0]> : tensor<2xf16>
  %1 = graph.add %x, %0 : (tensor<2xf16>, tensor<2xf16>) -> tensor<2xf16>
  return %1 : tensor<2xf16>
}

// -----

func.func @bias(%a: tensor<64x48xf16>, %b: tensor<48x32xf16>, %c: tensor<32xf16>) -> tensor<64x32xf16> {
  // expected-error@+1 {{the cube unit computes products of two matrices, or of windows and a matrix, to which nothing is added}}
  %0 = graph.matmul %a, %b, %c : (tensor<64x48xf16>, tensor<48x32xf16>, tensor<32xf16>) -> tensor<64x32xf16>
  return %0 : tensor<64x32xf16>
}

// -----

func.func @groups(%x: tensor<2x8x8x32xf16>, %w: tensor<2x1x1x144x16xf16>) -> tensor<2x2x8x8x16xf16> {
  // expected-error@+1 {{the cube unit multiplies windows of one group of channels, counted by [n, y...]}}
  %0 = graph.matmul %x, %w {window = #graph.window<kernel = [3, 3], strides = [1, 1], dilations = [1, 1], pads_begin = [1, 1], pads_end = [1, 1], groups = 2>} : (tensor<2x8x8x32xf16>, tensor<2x1x1x144x16xf16>) -> tensor<2x2x8x8x16xf16>
  return %0 : tensor<2x2x8x8x16xf16>
}

// -----

func.func private @relu_graph(tensor<4xf16>) -> tensor<4xf16>
// expected-error@+1 {{cannot be renamed to 'relu_graph', since there is another function of that name}}
func.func @relu(%x: tensor<4xf16>) -> tensor<4xf16> {
  %y = graph.relu %x : (tensor<4xf16>) -> tensor<4xf16>
  return %y : tensor<4xf16>
}

// -----

func.func @zero_point(%a: tensor<64x48xsi8>, %b: tensor<48x32xsi8>) -> tensor<64x32xsi32> {
  // expected-error@+1 {{has zero points, but the cube unit multiplies numbers as they are}}
  %0 = graph.matmul %a, %b {src_zp = 3 : i64} : (tensor<64x48xsi8>, tensor<48x32xsi8>) -> tensor<64x32xsi32>
  return %0 : tensor<64x32xsi32>
}

// -----

func.func @returned(%a: tensor<64xf32>, %b: tensor<64xf32>) -> tensor<64xi1> {
  // expected-error@+1 {{elements of 'i1' are for elementwise ops, but 'func.return' reads them}}
  %0 = graph.greater_equal %a, %b : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xi1>
  return %0 : tensor<64xi1>
}

// -----

// expected-error@+1 {{with argument 0: the NPU has no elements of 'i1', only f16, f32, i8 and i32}}
func.func @given(%c: tensor<64xi1>, %a: tensor<64xf32>, %b: tensor<64xf32>) -> tensor<64xf32> {
  %0 = graph.select %c, %a, %b : (tensor<64xi1>, tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}

// -----

func.func @overlap(%x: tensor<2x24x24x64xf16>) -> tensor<2x11x11x64xf16> {
  // expected-error@+1 {{no load has its windows: they are loaded if they have each element once and a reduction reads them}}
  %0 = graph.windows %x {dilations = array<i64: 1, 1>, kernel = array<i64: 3, 3>, offsets = array<i64: 0, 0>, positions = array<i64: 11, 11>, spacing = array<i64: 1, 1>, strides = array<i64: 2, 2>} : (tensor<2x24x24x64xf16>) -> tensor<2x11x11x3x3x64xf16>
  %1 = graph.reduce_max %0 {axes = array<i64: 3, 4>} : (tensor<2x11x11x3x3x64xf16>) -> tensor<2x11x11x64xf16>
  return %1 : tensor<2x11x11x64xf16>
}

// -----

// What is not reduced would have to be moved.
func.func @returned(%x: tensor<2x24x24x64xf16>) -> tensor<2x12x12x2x2x64xf16> {
  // expected-error@+1 {{no load has its windows}}
  %0 = graph.windows %x {dilations = array<i64: 1, 1>, kernel = array<i64: 2, 2>, offsets = array<i64: 0, 0>, positions = array<i64: 12, 12>, spacing = array<i64: 1, 1>, strides = array<i64: 2, 2>} : (tensor<2x24x24x64xf16>) -> tensor<2x12x12x2x2x64xf16>
  return %0 : tensor<2x12x12x2x2x64xf16>
}

// -----

// The last column is in no window.
func.func @rest(%x: tensor<2x24x25x64xf16>) -> tensor<2x12x12x64xf16> {
  // expected-error@+1 {{no load has its windows}}
  %0 = graph.windows %x {dilations = array<i64: 1, 1>, kernel = array<i64: 2, 2>, offsets = array<i64: 0, 0>, positions = array<i64: 12, 12>, spacing = array<i64: 1, 1>, strides = array<i64: 2, 2>} : (tensor<2x24x25x64xf16>) -> tensor<2x12x12x2x2x64xf16>
  %1 = graph.reduce_max %0 {axes = array<i64: 3, 4>} : (tensor<2x12x12x2x2x64xf16>) -> tensor<2x12x12x64xf16>
  return %1 : tensor<2x12x12x64xf16>
}
