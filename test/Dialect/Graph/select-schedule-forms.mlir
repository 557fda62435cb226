// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What multiplies in generated kernels: dot products of bytes in fixed point for
// a row of f32 and weights of 4 bits, AMX for many rows of bytes, where the machine
// has them.

// RUN: gc-opt %s --gc-cpu-pipeline="machine=zen4-2 threads=2 stop-after=fusion" | FileCheck %s --check-prefix=DOTS
// RUN: gc-opt %s --gc-cpu-pipeline="machine=zen4-2 threads=2 fixed-point=false stop-after=fusion" | FileCheck %s --check-prefix=NONE
// RUN: gc-opt %s --gc-cpu-pipeline="machine=zen3-2 threads=2 stop-after=fusion" | FileCheck %s --check-prefix=NONE
// RUN: gc-opt %s --gc-cpu-pipeline="machine=server-avx512-64 threads=2 stop-after=fusion" | FileCheck %s --check-prefix=AMX
// The op for a kernel says so.
// RUN: gc-opt %s --gc-cpu-pipeline="machine=zen4-2 threads=2 stop-after=tensor" | FileCheck %s --check-prefix=OP

// DOTS-LABEL: func.func @row
// DOTS: kernel = vector, forms = [1x{{[0-9]+}}x128 : fixed_point]
// DOTS-LABEL: func.func @bytes
// DOTS-NOT: forms
// NONE-NOT: forms
// AMX-LABEL: func.func @bytes
// AMX: forms = [{{[0-9x]+}} : amx
// OP: tir.brgemm_dispatch {{.*}} implementation(fixed_point)
func.func @row(%x: tensor<1x512xf32>, %w: tensor<512x256xsi4> {graph.const_arg}, %s: tensor<4x256xf32> {graph.const_arg}) -> tensor<1x256xf32> {
  %0 = graph.dynamic_dequantize %w, %s {qtype = "per_group", group_shape = array<i64: 128, 1>} : (tensor<512x256xsi4>, tensor<4x256xf32>) -> tensor<512x256xf32>
  %1 = graph.matmul %x, %0 : (tensor<1x512xf32>, tensor<512x256xf32>) -> tensor<1x256xf32>
  return %1 : tensor<1x256xf32>
}

func.func @bytes(%x: tensor<256x256xui8>, %w: tensor<256x256xsi8> {graph.const_arg}) -> tensor<256x256xsi32> {
  %0 = graph.matmul %x, %w : (tensor<256x256xui8>, tensor<256x256xsi8>) -> tensor<256x256xsi32>
  return %0 : tensor<256x256xsi32>
}
