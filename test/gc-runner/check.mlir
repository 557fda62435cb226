// RUN: gc-runner %s --entry=layer --check --threads=2 | FileCheck %s --check-prefix=PASS
// RUN: gc-runner %s --entry=layer --check --threads=1 --pipeline-options=kernel=vector | FileCheck %s --check-prefix=PASS
// RUN: not gc-runner %s --entry=layer --check --target=reference 2>&1 | FileCheck %s --check-prefix=REF
// RUN: not gc-runner %s --entry=layer --check --rtol=0 --atol=0 | FileCheck %s --check-prefix=FAIL
// RUN: gc-runner %s --entry=layer --check --rtol=0.01 --atol=0.001 | FileCheck %s --check-prefix=PASS
// RUN: gc-runner %s --entry=zero --check --strict=false | FileCheck %s --check-prefix=WEAK
// RUN: not gc-runner %s --entry=zero --check --strict | FileCheck %s --check-prefix=WEAK
// RUN: gc-runner %s --entry=zero --check --strict=false --json=- | FileCheck %s --check-prefix=JSON
// RUN: gc-runner %s --entry=roots --check --strict=false --threads=1 | FileCheck %s --check-prefix=UNBOUNDED
// RUN: gc-runner %s --entry=roots --check --strict --threads=1 --atol=1 | FileCheck %s --check-prefix=TOLERANCE
// RUN: gc-runner %s --entry=few_roots --check --strict --threads=1 | FileCheck %s --check-prefix=FEW

// RUN: gc-runner %s --entry=wide --check --strict=false --threads=1 | FileCheck %s --check-prefix=WIDE

// PASS: check     passed, max abs error
// Comparing the reference with itself would prove nothing.
// REF: error: --check does not apply to --target=reference
// FAIL: check     failed
// FAIL-NEXT: result0: at [
// WEAK: check     weak, max abs error 0, max rel error 0
// WEAK-NEXT: result 0: all 64 elements are equal
// JSON:      "status": "weak"
// JSON:      "unbounded": 0
// JSON-NEXT: "message": "result 0: all 64 elements are equal"
// UNBOUNDED: check     weak, max abs error {{.*}}, 4 of 128 elements without an error bound
// UNBOUNDED-NEXT: result 0: 4 of 128 elements have no error bound
// TOLERANCE: check     passed, max abs error {{[^,]*}}, max rel error {{[^,]*}}{{$}}
// WIDE: check     weak, max abs error {{.*}}, 128 of 128 elements without an error bound
// FEW: check     passed, max abs error {{.*}}, 1 of 128 elements without an error bound

func.func @layer(%x: tensor<17x29xf32>, %w: tensor<29x31xf32> {graph.const_arg}) -> tensor<17x31xf32> {
  %0 = graph.matmul %x, %w : (tensor<17x29xf32>, tensor<29x31xf32>) -> tensor<17x31xf32>
  %1 = graph.sigmoid %0 : (tensor<17x31xf32>) -> tensor<17x31xf32>
  return %1 : tensor<17x31xf32>
}

// A result of zeros agrees with anything that computes nothing.
func.func @zero(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = graph.subtract %x, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// The root of 0, give or take an error, may be anything: four elements are such.
func.func @roots(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %row = graph.constant dense<[[1.0], [0.0], [0.0], [0.0], [0.0], [0.0], [0.0], [0.0]]> : tensor<8x1xf32>
  %column = graph.constant dense<[[1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0]]> : tensor<1x16xf32>
  %0 = graph.multiply %row, %column : (tensor<8x1xf32>, tensor<1x16xf32>) -> tensor<8x16xf32>
  %1 = graph.exp %x : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %2 = graph.multiply %1, %0 : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
  %3 = graph.subtract %1, %2 : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
  %4 = graph.sqrt %3 : (tensor<8x16xf32>) -> tensor<8x16xf32>
  return %4 : tensor<8x16xf32>
}

// Of 8 bits a bound may allow all: sums with 1e8 have an error of 4 in f32,
// which the scale makes 400.
func.func @wide(%x: tensor<8x16xf32>) -> tensor<8x16xsi8> {
  %c = graph.constant dense<1.0e8> : tensor<1x1xf32>
  %0 = graph.add %x, %c : (tensor<8x16xf32>, tensor<1x1xf32>) -> tensor<8x16xf32>
  %1 = graph.subtract %0, %c : (tensor<8x16xf32>, tensor<1x1xf32>) -> tensor<8x16xf32>
  %2 = graph.quantize %1 {scales = array<f32: 0.01>, zps = array<i64: 0>} : (tensor<8x16xf32>) -> tensor<8x16xsi8>
  return %2 : tensor<8x16xsi8>
}

// One is less than 1%.
func.func @few_roots(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %row = graph.constant dense<[[1.0], [0.0], [0.0], [0.0], [0.0], [0.0], [0.0], [0.0]]> : tensor<8x1xf32>
  %column = graph.constant dense<[[1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]]> : tensor<1x16xf32>
  %0 = graph.multiply %row, %column : (tensor<8x1xf32>, tensor<1x16xf32>) -> tensor<8x16xf32>
  %1 = graph.exp %x : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %2 = graph.multiply %1, %0 : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
  %3 = graph.subtract %1, %2 : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
  %4 = graph.sqrt %3 : (tensor<8x16xf32>) -> tensor<8x16xf32>
  return %4 : tensor<8x16xf32>
}
