// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: not gc-runner --target=npu %s --entry=wide 2>&1 | FileCheck %s --check-prefix=WIDE
// RUN: not gc-runner --target=npu %s --entry=mlp --emit=llvm 2>&1 | FileCheck %s --check-prefix=LLVM

// One kernel that cannot be made is an error at its op.

// WIDE: error: {{.*}}'graph.matmul' op cannot run on target 'npu': it multiplies 'f32' by 'f32'
// WIDE-NOT: error
func.func @wide(%x: tensor<8x16xf16>, %w: tensor<16x16xf16>, %v: tensor<16x16xf32>) -> tensor<8x16xf32> {
  %0 = graph.matmul %x, %w : (tensor<8x16xf16>, tensor<16x16xf16>) -> tensor<8x16xf16>
  %1 = graph.type_cast %0 : tensor<8x16xf16> -> tensor<8x16xf32>
  %2 = graph.matmul %1, %v : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  return %2 : tensor<8x16xf32>
}

// LLVM: error: 'mlp' is 2 kernels; only --emit=mlir writes several
func.func @mlp(%x: tensor<8x16xf16>, %w: tensor<16x16xf16>) -> tensor<8x16xf16> {
  %0 = graph.matmul %x, %w : (tensor<8x16xf16>, tensor<16x16xf16>) -> tensor<8x16xf16>
  %1 = graph.matmul %0, %w : (tensor<8x16xf16>, tensor<16x16xf16>) -> tensor<8x16xf16>
  return %1 : tensor<8x16xf16>
}
