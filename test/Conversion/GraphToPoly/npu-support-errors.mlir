// What the NPU says that it does not run, and why. The pipeline reports the same.

// RUN: gc-opt %s --split-input-file --graph-check-support=target=npu --verify-diagnostics
// RUN: gc-opt %s --split-input-file --gc-npu-pipeline --verify-diagnostics

func.func @wildcard(%x: tensor<4x16xf16>) -> tensor<4x16xf16> {
  // expected-error@+1 {{'graph.wildcard' op cannot run on target 'npu': nothing on the NPU computes it}}
  %0 = graph.wildcard %x : (tensor<4x16xf16>) -> tensor<4x16xf16>
  return %0 : tensor<4x16xf16>
}

// -----

// All of them in one error.
func.func @several(%x: tensor<4x16xbf16>, %y: tensor<?x16xf32>, %z: tensor<4x16xf32>) -> (tensor<4x16xbf16>, tensor<?x16xf32>, tensor<4x16xf32>) {
  // expected-error@+1 {{'graph.relu' op cannot run on target 'npu': the NPU has no elements of 'bf16', only f16, f32, i8 and i32}}
  %0 = graph.relu %x : (tensor<4x16xbf16>) -> tensor<4x16xbf16>
  // expected-note@+1 {{neither can 'graph.exp': the sizes of 'tensor<?x16xf32>' are not all known}}
  %1 = graph.exp %y : (tensor<?x16xf32>) -> tensor<?x16xf32>
  // expected-note@+1 {{neither can 'graph.elu': what it computes has 'math.expm1', which the vector unit cannot compute}}
  %2 = graph.elu %z {alpha = 1.0 : f32} : (tensor<4x16xf32>) -> tensor<4x16xf32>
  return %0, %1, %2 : tensor<4x16xbf16>, tensor<?x16xf32>, tensor<4x16xf32>
}

// -----

func.func @empty(%x: tensor<0x16xf32>) -> tensor<0x16xf32> {
  // expected-error@+1 {{'tensor<0x16xf32>' has no elements}}
  %0 = graph.relu %x : (tensor<0x16xf32>) -> tensor<0x16xf32>
  return %0 : tensor<0x16xf32>
}

// -----

func.func @layout(%x: tensor<4x16xf32, #graph.layout<strided, [20, 1]>>) -> tensor<4x16xf32> {
  // expected-error@+1 {{'tensor<4x16xf32, #graph.layout<strided, [20, 1]>>' is not in the plain layout}}
  %0 = graph.relu %x : (tensor<4x16xf32, #graph.layout<strided, [20, 1]>>) -> tensor<4x16xf32>
  return %0 : tensor<4x16xf32>
}

// -----

func.func @integers(%x: tensor<4x16xsi32>, %b: tensor<4x16xsi8>) -> (tensor<4x16xsi32>, tensor<16x4xsi8>) {
  // expected-error@+1 {{'graph.add' op cannot run on target 'npu': what it computes has 'arith.addi', which the vector unit cannot compute}}
  %0 = graph.add %x, %x : (tensor<4x16xsi32>, tensor<4x16xsi32>) -> tensor<4x16xsi32>
  // expected-note@+1 {{it only moves elements of 'i8', but the vector unit moves 16 or 32 bits}}
  %1 = graph.static_transpose %b {order = array<i64: 1, 0>} : (tensor<4x16xsi8>) -> tensor<16x4xsi8>
  return %0, %1 : tensor<4x16xsi32>, tensor<16x4xsi8>
}

// -----

func.func @reshaped_bytes(%b: tensor<4x16xsi8>) -> tensor<64xsi8> {
  // expected-error@+1 {{it only moves elements of 'i8'}}
  %0 = graph.static_reshape %b {shape = array<i64: 64>} : (tensor<4x16xsi8>) -> tensor<64xsi8>
  return %0 : tensor<64xsi8>
}

// -----

func.func @indices(%x: tensor<4x16xf32>) -> tensor<4x16xsi32> {
  // expected-error@+1 {{it computes with the indices of elements, which the vector unit does not have}}
  %0 = graph.gen_index %x {axis = 1} : (tensor<4x16xf32>) -> tensor<4x16xsi32>
  return %0 : tensor<4x16xsi32>
}

// -----

func.func @product_of_elements(%x: tensor<4x16xf32>) -> tensor<4x1xf32> {
  // expected-error@+1 {{the vector unit adds up elements or finds the largest or smallest, and no other reduction}}
  %0 = graph.reduce_prod %x {axes = array<i64: 1>, keep_dims = true} : (tensor<4x16xf32>) -> tensor<4x1xf32>
  return %0 : tensor<4x1xf32>
}

// -----

func.func @parts(%x: tensor<4x16xf32>) -> tensor<4x2xf32> {
  // expected-error@+1 {{it reduces a dimension in parts}}
  %0 = graph.reduce_sum %x {axes = array<i64: 1>, keep_dims = true, part_size = 8 : i64} : (tensor<4x16xf32>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// -----

func.func @windows(%x: tensor<1x6x6x4xf32>) -> tensor<1x3x3x2x2x4xf32> {
  // expected-error@+1 {{no load has its windows: they are loaded if they have each element once and a reduction reads them}}
  %0 = graph.windows %x {kernel = array<i64: 2, 2>, positions = array<i64: 3, 3>, strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, offsets = array<i64: 0, 0>, spacing = array<i64: 1, 1>} : (tensor<1x6x6x4xf32>) -> tensor<1x3x3x2x2x4xf32>
  return %0 : tensor<1x3x3x2x2x4xf32>
}

// -----

// Products: element types, zero points, groups.
func.func @products(%a: tensor<32x48xf32>, %b: tensor<48x32xf32>, %i: tensor<32x48xsi8>, %j: tensor<48x32xsi8>, %u: tensor<32x48xui8>) -> (tensor<32x32xf32>, tensor<32x32xsi32>, tensor<32x32xsi32>) {
  // expected-error@+1 {{it multiplies 'f32' by 'f32', but the cube unit multiplies f16 by f16 or i8 by i8}}
  %0 = graph.matmul %a, %b : (tensor<32x48xf32>, tensor<48x32xf32>) -> tensor<32x32xf32>
  // expected-note@+1 {{it has zero points, but the cube unit multiplies numbers as they are}}
  %1 = graph.matmul %i, %j {src_zp = 3 : i64} : (tensor<32x48xsi8>, tensor<48x32xsi8>) -> tensor<32x32xsi32>
  // expected-note@+1 {{the NPU has no elements of 'ui8'}}
  %2 = graph.matmul %u, %j : (tensor<32x48xui8>, tensor<48x32xsi8>) -> tensor<32x32xsi32>
  return %0, %1, %2 : tensor<32x32xf32>, tensor<32x32xsi32>, tensor<32x32xsi32>
}

// -----

func.func @constants(%x: tensor<2xf16>) -> tensor<2xf16> {
  // expected-error@+1 {{the NPU has only constants of equal elements; pass others as arguments}}
  %0 = graph.constant dense<[1.0, 2.0]> : tensor<2xf16>
  %1 = graph.add %x, %0 : (tensor<2xf16>, tensor<2xf16>) -> tensor<2xf16>
  return %1 : tensor<2xf16>
}

// -----

func.func @factor(%x: tensor<32x48xf16>) -> tensor<32x32xf16> {
  %0 = graph.constant dense<1.0> : tensor<48x32xf16>
  // expected-error@+1 {{it reads a constant, whose elements are in no array}}
  %1 = graph.matmul %x, %0 : (tensor<32x48xf16>, tensor<48x32xf16>) -> tensor<32x32xf16>
  return %1 : tensor<32x32xf16>
}

// -----

func.func @returned_constant() -> tensor<2xf16> {
  // expected-error@+1 {{it is returned, but kernels return what they compute}}
  %0 = graph.constant dense<1.0> : tensor<2xf16>
  return %0 : tensor<2xf16>
}

// -----

func.func @returned_bits(%a: tensor<64xf32>, %b: tensor<64xf32>) -> tensor<64xi1> {
  // expected-error@+1 {{elements of 'i1' are for elementwise ops, but 'func.return' reads them}}
  %0 = graph.greater_equal %a, %b : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xi1>
  return %0 : tensor<64xi1>
}

// -----

func.func @given_bits(%c: tensor<64xi1>, %a: tensor<64xf32>, %b: tensor<64xf32>) -> tensor<64xf32> {
  // expected-error@+1 {{elements of 'i1' are only what an elementwise op has just computed}}
  %0 = graph.select %c, %a, %b : (tensor<64xi1>, tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}

// -----

func.func @broadcast_bits(%a: tensor<4x1xf32>, %x: tensor<4x16xf32>, %y: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %0 = graph.greater_equal %a, %a : (tensor<4x1xf32>, tensor<4x1xf32>) -> tensor<4x1xi1>
  // expected-error@+1 {{elements of 'i1' (operand 0) cannot be broadcast}}
  %1 = graph.select %0, %x, %y : (tensor<4x1xi1>, tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<4x16xf32>
  return %1 : tensor<4x16xf32>
}

// -----

// Complex ops of unknown sizes or rank are not decomposed.
func.func @unknown(%x: tensor<?x16xf16>) -> tensor<?x16xf16> {
  // expected-error@+1 {{op cannot run on target 'npu': the sizes of 'tensor<?x16xf16>' are not all known}}
  %0 = graph.square %x : (tensor<?x16xf16>) -> tensor<?x16xf16>
  return %0 : tensor<?x16xf16>
}

// -----

// Copies of bytes.
func.func @returned_argument(%b: tensor<4x16xsi8>) -> (tensor<4x16xsi8>, tensor<4x16xf16>) {
  %0 = graph.type_cast %b : tensor<4x16xsi8> -> tensor<4x16xf16>
  // expected-error@+1 {{'func.return' op cannot run on target 'npu': result 0 is a copy of argument 0, of elements of 'i8', but the vector unit moves 16 or 32 bits}}
  return %b, %0 : tensor<4x16xsi8>, tensor<4x16xf16>
}

// -----

func.func @returned_twice(%a: tensor<32x64xsi8>, %b: tensor<64x48xsi8>, %x: tensor<4x16xf16>) -> (tensor<4x16xf16>, tensor<32x48xsi8>, tensor<32x48xsi8>) {
  %0 = graph.matmul %a, %b : (tensor<32x64xsi8>, tensor<64x48xsi8>) -> tensor<32x48xsi32>
  %1 = graph.type_cast %0 : tensor<32x48xsi32> -> tensor<32x48xsi8>
  // expected-error@+1 {{result 2 is a copy of result 1, of elements of 'i8'}}
  return %x, %1, %1 : tensor<4x16xf16>, tensor<32x48xsi8>, tensor<32x48xsi8>
}

// -----

func.func @returned_types(%x: tensor<4x16xbf16>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4x16xbf16>) {
  // expected-error@+1 {{result 1 cannot be returned: the NPU has no elements of 'bf16', only f16, f32, i8 and i32}}
  return %y, %x : tensor<4xf32>, tensor<4x16xbf16>
}

// -----

// f32 holds the sums of the others exactly.
func.func @long_dot(%a: tensor<1x1025xsi8>, %b: tensor<1025x1xsi8>) -> tensor<1x1xsi32> {
  // expected-error@+1 {{it multiplies one row by one column of 1025 elements of 'i8', but the vector unit adds up at most 1024 such products exactly}}
  %0 = graph.matmul %a, %b : (tensor<1x1025xsi8>, tensor<1025x1xsi8>) -> tensor<1x1xsi32>
  return %0 : tensor<1x1xsi32>
}

// -----

// Arguments are passed whether or not anything reads them.
// expected-error@+1 {{'func.func' op cannot run on target 'npu': argument 1, which nothing reads, cannot be passed: the NPU has no elements of 'bf16', only f16, f32, i8 and i32}}
func.func @unread(%x: tensor<4x16xf16>, %y: tensor<4x16xbf16>) -> tensor<4x16xf16> {
  %0 = graph.relu %y : (tensor<4x16xbf16>) -> tensor<4x16xbf16>
  %1 = graph.relu %x : (tensor<4x16xf16>) -> tensor<4x16xf16>
  return %1 : tensor<4x16xf16>
}

// -----

func.func @constant_condition(%x: tensor<4x16xf16>, %y: tensor<4x16xf16>) -> tensor<4x16xf16> {
  %0 = graph.constant dense<true> : tensor<4x16xi1>
  // expected-error@+1 {{'graph.select' op cannot run on target 'npu': it reads a constant of 'i1', but conditions are comparisons}}
  %1 = graph.select %0, %x, %y : (tensor<4x16xi1>, tensor<4x16xf16>, tensor<4x16xf16>) -> tensor<4x16xf16>
  return %1 : tensor<4x16xf16>
}

// -----

func.func @compared_constants(%x: tensor<4x16xf16>, %y: tensor<4x16xf16>) -> tensor<4x16xf16> {
  %c = graph.constant dense<1.0> : tensor<4x16xf16>
  // expected-error@+1 {{'graph.greater_equal' op cannot run on target 'npu': it compares constants}}
  %0 = graph.greater_equal %c, %c : (tensor<4x16xf16>, tensor<4x16xf16>) -> tensor<4x16xi1>
  // expected-note@+1 {{neither can 'graph.select': elements of 'i1' are only what an elementwise op has just computed}}
  %1 = graph.select %0, %x, %y : (tensor<4x16xi1>, tensor<4x16xf16>, tensor<4x16xf16>) -> tensor<4x16xf16>
  return %1 : tensor<4x16xf16>
}

// -----

// Reductions convert windows in f32, so that nothing is rounded before.

func.func @rounded_windows(%x: tensor<2x12x18x24xf32>) -> tensor<2x6x6x24xf16> {
  %w = graph.windows %x {kernel = array<i64: 2, 3>, positions = array<i64: 6, 6>, strides = array<i64: 2, 3>, dilations = array<i64: 1, 1>, offsets = array<i64: 0, 0>, spacing = array<i64: 1, 1>} : (tensor<2x12x18x24xf32>) -> tensor<2x6x6x2x3x24xf32>
  // expected-error@+1 {{it converts windows to a type that does not have all of their values}}
  %c = graph.type_cast %w : tensor<2x6x6x2x3x24xf32> -> tensor<2x6x6x2x3x24xf16>
  %s = graph.reduce_sum %c {axes = array<i64: 3, 4>, keep_dims = false} : (tensor<2x6x6x2x3x24xf16>) -> tensor<2x6x6x24xf16>
  return %s : tensor<2x6x6x24xf16>
}
