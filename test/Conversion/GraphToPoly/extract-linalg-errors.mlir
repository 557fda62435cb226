// Which structured ops of linalg poly-extract refuses.

// RUN: gc-opt %s --split-input-file --poly-extract --verify-diagnostics

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d1)>
#col = affine_map<(d0, d1) -> (d0)>

func.func @sine(%x: tensor<40x32xf16>) -> tensor<40x32xf16> {
  %e = tensor.empty() : tensor<40x32xf16>
  // expected-error@+1 {{'linalg.generic' op cannot run on target 'npu': what it computes has 'math.sin', which the vector unit cannot compute}}
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<40x32xf16>) outs(%e : tensor<40x32xf16>) {
  ^bb0(%a: f16, %o: f16):
    %1 = math.sin %a : f16
    linalg.yield %1 : f16
  } -> tensor<40x32xf16>
  return %0 : tensor<40x32xf16>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#col = affine_map<(d0, d1) -> (d0)>

func.func @sum(%x: tensor<40x32xf16>, %s: tensor<40xf16>) -> tensor<40xf16> {
  // expected-error@+1 {{its body rounds the sum to f16 after each term, but the NPU adds up in f32; extend the terms to f32, and round the sum in the end}}
  %0 = linalg.generic {indexing_maps = [#id, #col], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<40x32xf16>) outs(%s : tensor<40xf16>) {
  ^bb0(%a: f16, %o: f16):
    %1 = arith.addf %a, %o : f16
    linalg.yield %1 : f16
  } -> tensor<40xf16>
  return %0 : tensor<40xf16>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#col = affine_map<(d0, d1) -> (d0)>

func.func @product(%x: tensor<40x32xf32>, %s: tensor<40xf32>) -> tensor<40xf32> {
  // expected-error@+1 {{its body is not a reduction of the vector unit, which adds up elements or finds the largest or smallest}}
  %0 = linalg.generic {indexing_maps = [#id, #col], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<40x32xf32>) outs(%s : tensor<40xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = arith.mulf %a, %o : f32
    linalg.yield %1 : f32
  } -> tensor<40xf32>
  return %0 : tensor<40xf32>
}

// -----

#id = affine_map<(d0) -> (d0)>

func.func @index(%x: tensor<32xf32>) -> tensor<32xf32> {
  %e = tensor.empty() : tensor<32xf32>
  // expected-error@+1 {{it computes with the indices of elements, which the vector unit does not have}}
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<32xf32>) outs(%e : tensor<32xf32>) {
  ^bb0(%a: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = arith.index_cast %i : index to i32
    %f = arith.sitofp %j : i32 to f32
    %1 = arith.addf %a, %f : f32
    linalg.yield %1 : f32
  } -> tensor<32xf32>
  return %0 : tensor<32xf32>
}

// -----

// expected-error@+1 {{with argument 0: the sizes of 'tensor<?xf32>' are not all known}}
func.func @dynamic(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %0 = linalg.exp ins(%x : tensor<?xf32>) outs(%y : tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @window(%x: tensor<34xf32>, %s: tensor<32xf32>, %w: tensor<3xf32>) -> tensor<32xf32> {
  // expected-error@+1 {{'linalg.conv_1d' op cannot run on target 'npu': the indexing map of operand 0 does not take each index from a loop of its own}}
  %0 = linalg.conv_1d ins(%x, %w : tensor<34xf32>, tensor<3xf32>) outs(%s : tensor<32xf32>) -> tensor<32xf32>
  return %0 : tensor<32xf32>
}

// -----

func.func @matmul_f32(%x: tensor<34x32xf32>, %s: tensor<34x16xf32>, %w: tensor<32x16xf32>) -> tensor<34x16xf32> {
  // expected-error@+1 {{of such sums only products of two matrices of f16, extended to f32 before they are multiplied, are for the cube unit}}
  %0 = linalg.matmul ins(%x, %w : tensor<34x32xf32>, tensor<32x16xf32>) outs(%s : tensor<34x16xf32>) -> tensor<34x16xf32>
  return %0 : tensor<34x16xf32>
}

// -----

func.func @matmul_start(%x: tensor<34x32xf16>, %s: tensor<34x16xf32>, %w: tensor<32x16xf16>) -> tensor<34x16xf32> {
  // expected-error@+1 {{it adds its products to other numbers than zeros, but the cube unit begins with zeros; add the numbers to the result}}
  %0 = linalg.matmul ins(%x, %w : tensor<34x32xf16>, tensor<32x16xf16>) outs(%s : tensor<34x16xf32>) -> tensor<34x16xf32>
  return %0 : tensor<34x16xf32>
}

// -----

func.func @integers(%x: tensor<34x32xi32>) -> tensor<34x32xi32> {
  %s = tensor.empty() : tensor<34x32xi32>
  // expected-error@+1 {{its elements are 'i32', but the vector unit computes f16 and f32}}
  %0 = linalg.add ins(%x, %x : tensor<34x32xi32>, tensor<34x32xi32>) outs(%s : tensor<34x32xi32>) -> tensor<34x32xi32>
  return %0 : tensor<34x32xi32>
}

// -----

func.func @moved(%x: tensor<34x32xi8>) -> tensor<32x34xi8> {
  %s = tensor.empty() : tensor<32x34xi8>
  // expected-error@+1 {{its elements are 'i8', but the vector unit computes f16 and f32}}
  %0 = linalg.transpose ins(%x : tensor<34x32xi8>) outs(%s : tensor<32x34xi8>) permutation = [1, 0]
  return %0 : tensor<32x34xi8>
}

// -----

#id = affine_map<(d0) -> (d0)>

// expected-error@+1 {{with argument 1: 'f32' is not a tensor of known rank}}
func.func @outer(%x: tensor<32xf32>, %f: f32) -> tensor<32xf32> {
  %e = tensor.empty() : tensor<32xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<32xf32>) outs(%e : tensor<32xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = arith.addf %a, %f : f32
    linalg.yield %1 : f32
  } -> tensor<32xf32>
  return %0 : tensor<32xf32>
}

// -----

func.func @slice(%x: tensor<34x32xf32>) -> tensor<20x32xf32> {
  %s = tensor.empty() : tensor<20x32xf32>
  // expected-error@+1 {{'tensor.extract_slice' op cannot run on target 'npu': nothing on the NPU computes it}}
  %c = tensor.extract_slice %x[4, 0] [20, 32] [1, 1] : tensor<34x32xf32> to tensor<20x32xf32>
  %0 = linalg.exp ins(%c : tensor<20x32xf32>) outs(%s : tensor<20x32xf32>) -> tensor<20x32xf32>
  return %0 : tensor<20x32xf32>
}

// -----

#id = affine_map<(d0) -> (d0)>

func.func @constants() -> tensor<32xf32> {
  %c = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<32xf32>
  // expected-error@+1 {{its elements are constants, but kernels store what they compute}}
  %0 = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]}
      outs(%e : tensor<32xf32>) {
  ^bb0(%o: f32):
    linalg.yield %c : f32
  } -> tensor<32xf32>
  return %0 : tensor<32xf32>
}

// -----

#id = affine_map<(d0) -> (d0)>

// expected-error@+1 {{with argument 1: the NPU has no elements of 'i1', only f16, f32, i8 and i32}}
func.func @truth(%x: tensor<32xf32>, %y: tensor<32xi1>) -> tensor<32xf32> {
  %e = tensor.empty() : tensor<32xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%x, %y : tensor<32xf32>, tensor<32xi1>) outs(%e : tensor<32xf32>) {
  ^bb0(%a: f32, %b: i1, %o: f32):
    %d = arith.negf %a : f32
    %1 = arith.select %b, %a, %d : f32
    linalg.yield %1 : f32
  } -> tensor<32xf32>
  return %0 : tensor<32xf32>
}

// -----

#id = affine_map<(d0) -> (d0)>

func.func @table(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %y = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  // expected-error@+1 {{operand 1 is a constant, but not of equal elements}}
  %0 = linalg.add ins(%x, %y : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @filled(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %c = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  // expected-error@+1 {{'linalg.fill' op cannot run on target 'npu': it is returned, but kernels return what they compute}}
  %f = linalg.fill ins(%c : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %0 = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %0, %f : tensor<4xf32>, tensor<4xf32>
}

// -----

// expected-error@+1 {{with argument 0: 'memref<4xf32>' is not a tensor of known rank}}
func.func @buffers(%x: memref<4xf32>) {
  linalg.exp ins(%x : memref<4xf32>) outs(%x : memref<4xf32>)
  return
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#col = affine_map<(d0, d1) -> (d0)>

func.func @prefix(%x: tensor<40x32xf32>, %s: tensor<40xf32>) -> tensor<40xf32> {
  // expected-error@+1 {{its terms are computed from a result so far}}
  %0 = linalg.generic {indexing_maps = [#id, #col], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<40x32xf32>) outs(%s : tensor<40xf32>) {
  ^bb0(%a: f32, %o: f32):
    %2 = arith.mulf %a, %o : f32
    %1 = arith.addf %2, %o : f32
    linalg.yield %1 : f32
  } -> tensor<40xf32>
  return %0 : tensor<40xf32>
}

// -----

// expected-error@+1 {{with argument 0: the NPU has no elements of 'f64', only f16, f32, i8 and i32}}
func.func @wide(%x: tensor<34x32xf64>) -> tensor<34x32xf64> {
  %s = tensor.empty() : tensor<34x32xf64>
  %0 = linalg.exp ins(%x : tensor<34x32xf64>) outs(%s : tensor<34x32xf64>) -> tensor<34x32xf64>
  return %0 : tensor<34x32xf64>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#col = affine_map<(d0, d1) -> (d0)>

func.func @rows(%x: tensor<40x32xf32>, %y: tensor<40xf32>) -> tensor<40x32xf32> {
  %e = tensor.empty() : tensor<40x32xf32>
  // expected-error@+1 {{it selects elements by a comparison that is the same for several of them, which cannot be broadcast}}
  %0 = linalg.generic {indexing_maps = [#id, #col, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<40x32xf32>, tensor<40xf32>) outs(%e : tensor<40x32xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %zero = arith.constant 0.0 : f32
    %1 = arith.cmpf ogt, %b, %zero : f32
    %2 = arith.select %1, %a, %b : f32
    linalg.yield %2 : f32
  } -> tensor<40x32xf32>
  return %0 : tensor<40x32xf32>
}

// -----

#id = affine_map<(d0) -> (d0)>

func.func @truncated(%x: tensor<32xf32>) -> tensor<32xf32> {
  %e = tensor.empty() : tensor<32xf32>
  // expected-error@+1 {{what it computes has 'arith.fptosi' with a result of 'i32', but the vector unit computes f16 and f32}}
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<32xf32>) outs(%e : tensor<32xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = arith.fptosi %a : f32 to i32
    %2 = arith.sitofp %1 : i32 to f32
    linalg.yield %2 : f32
  } -> tensor<32xf32>
  return %0 : tensor<32xf32>
}

// -----

// Of a NaN and a number it is the number, unlike the vector unit's maximum.

#id = affine_map<(d0) -> (d0)>

func.func @number(%x: tensor<32xf32>, %y: tensor<32xf32>) -> tensor<32xf32> {
  %e = tensor.empty() : tensor<32xf32>
  // expected-error@+1 {{what it computes has 'arith.maxnumf', which the vector unit cannot compute}}
  %0 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%x, %y : tensor<32xf32>, tensor<32xf32>) outs(%e : tensor<32xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = arith.maxnumf %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<32xf32>
  return %0 : tensor<32xf32>
}
