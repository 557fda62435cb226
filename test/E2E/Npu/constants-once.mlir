// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What depends on constants only is computed by kernels that run once.

// RUN: gc-runner --target=npu %s --entry=narrowed --check --strict | FileCheck %s --check-prefix=ONCE
// RUN: gc-runner --target=npu %s --entry=shaped --check --strict | FileCheck %s --check-prefix=NEVER
// RUN: gc-runner --target=npu %s --entry=chain --check --strict | FileCheck %s --check-prefix=CHAIN
// RUN: gc-runner --target=npu %s --entry=all --check --strict | FileCheck %s --check-prefix=NEVER
// RUN: gc-runner --target=npu %s --entry=used_twice --check --strict | FileCheck %s --check-prefix=ONCE
// RUN: gc-runner --target=npu %s --entry=narrowed --mode=cycles --json=- | FileCheck %s --check-prefix=JSON
// RUN: gc-runner --target=npu %s --entry=narrowed --cores=2 --check --strict | FileCheck %s --check-prefix=ONCE

// RUN: gc-runner --target=npu %s --entry=select_bits --check --strict | FileCheck %s --check-prefix=NEVER
// RUN: gc-runner --target=npu %s --entry=bytes --check | FileCheck %s --check-prefix=NEVER

// ONCE: once {{.*}}_fold_0: {{[0-9]+}} cycles, bound
// ONCE: check passed
// NEVER-NOT: _fold
// NEVER: check passed
// CHAIN: once chain_fold_0:
// CHAIN: kernel chain_0:
// CHAIN: check passed

// The bytes are those of the product: 48 x 80 and 80 x 33 read, 48 x 33 written.
// JSON: "gm_bytes_read": 12960
// JSON: "gm_bytes_written": 3168
// JSON: "once": [
// JSON: "name": "narrowed_fold_0"
// JSON: "gm_bytes_read": 10560
// JSON: "gm_bytes_written": 5280
// JSON-NOT: "kernels"

func.func @narrowed(%x: tensor<48x80xf16>, %w: tensor<80x33xf32> {graph.const_arg}) -> tensor<48x33xf16> {
  %t = graph.type_cast %w : tensor<80x33xf32> -> tensor<80x33xf16>
  %0 = graph.matmul %x, %t : (tensor<48x80xf16>, tensor<80x33xf16>) -> tensor<48x33xf16>
  return %0 : tensor<48x33xf16>
}
func.func @shaped(%x: tensor<48x80xf16>, %w: tensor<5x16x33xf16> {graph.const_arg}) -> tensor<48x33xf16> {
  %t = graph.static_reshape %w {shape = array<i64: 80, 33>, special_zero = false} : (tensor<5x16x33xf16>) -> tensor<80x33xf16>
  %0 = graph.matmul %x, %t : (tensor<48x80xf16>, tensor<80x33xf16>) -> tensor<48x33xf16>
  return %0 : tensor<48x33xf16>
}
func.func @chain(%x: tensor<48x80xf16>, %v: tensor<80x48xf16> {graph.const_arg}, %w: tensor<48x33xf16> {graph.const_arg}, %b: tensor<33xf16> {graph.const_arg}) -> (tensor<48x33xf16>, tensor<80x33xf16>) {
  %t = graph.matmul %v, %w : (tensor<80x48xf16>, tensor<48x33xf16>) -> tensor<80x33xf16>
  %u = graph.softmax %t {axis = 0 : i64} : (tensor<80x33xf16>) -> tensor<80x33xf16>
  %e = graph.exp %b : (tensor<33xf16>) -> tensor<33xf16>
  %0 = graph.matmul %x, %u : (tensor<48x80xf16>, tensor<80x33xf16>) -> tensor<48x33xf16>
  %1 = graph.add %0, %e : (tensor<48x33xf16>, tensor<33xf16>) -> tensor<48x33xf16>
  return %1, %u : tensor<48x33xf16>, tensor<80x33xf16>
}
func.func @all(%w: tensor<48x33xf16> {graph.const_arg}) -> tensor<48x33xf16> {
  %e = graph.exp %w : (tensor<48x33xf16>) -> tensor<48x33xf16>
  return %e : tensor<48x33xf16>
}
func.func @used_twice(%x: tensor<48x80xf16>, %w: tensor<5x16x33xf16> {graph.const_arg}) -> tensor<48x33xf16> {
  %t = graph.static_reshape %w {shape = array<i64: 80, 33>, special_zero = false} : (tensor<5x16x33xf16>) -> tensor<80x33xf16>
  %s = graph.reduce_max %t {axes = array<i64: 0>, keep_dims = true} : (tensor<80x33xf16>) -> tensor<1x33xf16>
  %0 = graph.matmul %x, %t : (tensor<48x80xf16>, tensor<80x33xf16>) -> tensor<48x33xf16>
  %1 = graph.divide %0, %s : (tensor<48x33xf16>, tensor<1x33xf16>) -> tensor<48x33xf16>
  return %1 : tensor<48x33xf16>
}
// Elements of one bit have no representation between kernels.
func.func @select_bits(%x: tensor<16x32xf16>, %a: tensor<16x32xf16> {graph.const_arg}, %b: tensor<16x32xf16> {graph.const_arg}) -> tensor<16x32xf16> {
  %c = graph.greater_equal %a, %b : (tensor<16x32xf16>, tensor<16x32xf16>) -> tensor<16x32xi1>
  %0 = graph.select %c, %x, %a : (tensor<16x32xi1>, tensor<16x32xf16>, tensor<16x32xf16>) -> tensor<16x32xf16>
  return %0 : tensor<16x32xf16>
}
// What is returned is computed where it is returned.
func.func @bytes(%x: tensor<64x64xsi8>, %a: tensor<64x64xsi8> {graph.const_arg}, %b: tensor<64x64xsi8> {graph.const_arg}) -> tensor<64x64xsi8> {
  %s = graph.matmul %a, %b : (tensor<64x64xsi8>, tensor<64x64xsi8>) -> tensor<64x64xsi32>
  %c = graph.type_cast %s : tensor<64x64xsi32> -> tensor<64x64xsi8>
  return %c : tensor<64x64xsi8>
}
