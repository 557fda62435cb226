// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: gc-opt %s --split-input-file --poly-cut-kernels | FileCheck %s
// RUN: gc-opt %s --split-input-file --poly-cut-kernels --remarks-filter-passed=poly-cut-kernels --remarks-filter-missed=poly-cut-kernels --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: gc-opt %s --split-input-file --poly-cut-kernels='producers=never' | FileCheck %s --check-prefix=NEVER
// RUN: gc-opt %s --split-input-file --poly-cut-kernels='producers=always' | FileCheck %s --check-prefix=ALWAYS
// RUN: not gc-opt %s --poly-cut-kernels='producers=sometimes' 2>&1 | FileCheck %s --check-prefix=ERROR

// ERROR: Cannot find option named 'sometimes'!

// Elementwise ops before a contraction are part of its kernel where that is
// predicted to be faster than storing the factor and loading it again. If it is
// the whole function, that stays as it is.

// CHECK-LABEL: func.func @both(
// CHECK-NOT: call
// CHECK: graph.matmul
// NEVER-COUNT-3: call @both_
// REMARK: [Passed] Producer{{.*}}Reason="{{[0-9]+}} cycles instead of {{[0-9]+}} of two kernels", Remark="'graph.exp' is computed in the tiles of 'graph.matmul'"
// REMARK: [Passed] Producer{{.*}}Remark="'graph.relu' is computed in the tiles of 'graph.matmul'"
func.func @both(%x: tensor<256x256xf16>, %w: tensor<256x256xf16>) -> tensor<256x256xf16> {
  %0 = graph.relu %x : (tensor<256x256xf16>) -> tensor<256x256xf16>
  %1 = graph.exp %w : (tensor<256x256xf16>) -> tensor<256x256xf16>
  %2 = graph.matmul %0, %1 : (tensor<256x256xf16>, tensor<256x256xf16>) -> tensor<256x256xf16>
  return %2 : tensor<256x256xf16>
}

// -----

// Functions that the vector unit does not have take long, and are computed once
// for each tile of columns: two kernels are faster.

// CHECK-LABEL: func.func @costly_0(
// CHECK: graph.tanh
// CHECK-LABEL: func.func @costly_1(
// CHECK-NEXT: graph.matmul
// ALWAYS-LABEL: func.func @costly(
// ALWAYS-NEXT: graph.tanh
// ALWAYS-NEXT: graph.matmul
// REMARK: [Missed] Producer{{.*}}Reason="{{[0-9]+}} cycles instead of {{[0-9]+}} of two kernels", Remark="'graph.tanh' is not computed in the tiles of 'graph.matmul'"
func.func @costly(%x: tensor<1024x4096xf16>, %w: tensor<4096x4096xf16>) -> tensor<1024x4096xf16> {
  %0 = graph.tanh %w : (tensor<4096x4096xf16>) -> tensor<4096x4096xf16>
  %1 = graph.matmul %x, %0 : (tensor<1024x4096xf16>, tensor<4096x4096xf16>) -> tensor<1024x4096xf16>
  return %1 : tensor<1024x4096xf16>
}

// -----

// What cannot be computed in tiles is not, whatever is asked for.

// ALWAYS-LABEL: func.func @wide_0(
// ALWAYS-NEXT: graph.type_cast
// REMARK: [Missed] Producer{{.*}}Reason="{{.*}}its elements are 'f32'; matrices of f16 are supported", Remark="'graph.type_cast' is not computed in the tiles of 'graph.matmul'"
func.func @wide(%x: tensor<64x64xf32>, %w: tensor<64x64xf16>) -> tensor<64x64xf16> {
  %0 = graph.type_cast %x : tensor<64x64xf32> -> tensor<64x64xf16>
  %1 = graph.matmul %0, %w : (tensor<64x64xf16>, tensor<64x64xf16>) -> tensor<64x64xf16>
  return %1 : tensor<64x64xf16>
}

// -----

// ALWAYS-LABEL: func.func @used_twice_0(
// ALWAYS-NEXT: graph.relu
// REMARK: [Missed] Producer{{.*}}Reason="others read its result, too", Remark="'graph.relu' is not computed in the tiles of 'graph.matmul'"
func.func @used_twice(%x: tensor<64x64xf16>, %w: tensor<64x64xf16>) -> tensor<64x64xf16> {
  %0 = graph.relu %x : (tensor<64x64xf16>) -> tensor<64x64xf16>
  %1 = graph.matmul %0, %w : (tensor<64x64xf16>, tensor<64x64xf16>) -> tensor<64x64xf16>
  %2 = graph.add %1, %0 : (tensor<64x64xf16>, tensor<64x64xf16>) -> tensor<64x64xf16>
  return %2 : tensor<64x64xf16>
}

// -----

// Kernels that are left are numbered anew.

// CHECK-LABEL: func.func @chain_0(
// CHECK-NEXT: graph.relu
// CHECK-NEXT: graph.matmul
// CHECK-NEXT: return
// CHECK-LABEL: func.func @chain_1(
// CHECK-NEXT: graph.reduce_sum
// CHECK-LABEL: func.func @chain(
// CHECK: call @chain_0
// CHECK: call @chain_1
// REMARK: [Passed] Producer
func.func @chain(%x: tensor<64x64xf16>, %w: tensor<64x64xf16>) -> tensor<64x1xf16> {
  %0 = graph.relu %x : (tensor<64x64xf16>) -> tensor<64x64xf16>
  %1 = graph.matmul %0, %w : (tensor<64x64xf16>, tensor<64x64xf16>) -> tensor<64x64xf16>
  %2 = graph.reduce_sum %1 {axes = array<i64: 1>, keep_dims = true} : (tensor<64x64xf16>) -> tensor<64x1xf16>
  return %2 : tensor<64x1xf16>
}
