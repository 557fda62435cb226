// RUN: gc-runner %s --entry=layer --check --threads=2 | FileCheck %s --check-prefix=PASS
// RUN: gc-runner %s --entry=layer --check --threads=1 --pipeline-options=kernel=vector | FileCheck %s --check-prefix=PASS
// RUN: gc-runner %s --entry=layer --check --target=reference | FileCheck %s --check-prefix=REF
// RUN: not gc-runner %s --entry=layer --check --rtol=0 --atol=0 | FileCheck %s --check-prefix=FAIL
// RUN: gc-runner %s --entry=layer --check --rtol=0.01 --atol=0.001 | FileCheck %s --check-prefix=PASS
// RUN: not gc-runner %s --entry=zero --check | FileCheck %s --check-prefix=VACUOUS

// PASS: check     passed, max abs error
// REF: check on reference
// REF: check     passed, max abs error 0, max rel error 0
// FAIL: check     failed
// FAIL-NEXT: result0: at [
// VACUOUS: check     vacuous

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
