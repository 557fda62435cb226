// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A panel of the first operand is larger than L1: 10 of its 24 slices stay for all
// columns, and every tile loads the others.
//
// RUN: gc-opt %s --gc-npu-pipeline=stop-after=promote | FileCheck %s
// RUN: gc-runner --target=npu --check --strict %s | FileCheck %s --check-prefix=PASSED

// CHECK-DAG: poly.buffer @I0_l1 of @I0 : memref<10x8x272x16xf16, #npu.space<l1>>
// CHECK-DAG: poly.buffer @I0_stream of @I0 : memref<8x272x16xf16, #npu.space<l1>>
// CHECK-DAG: poly.tile @pack_I0 domain "{ pack_I0[0, 0, i2] : 0 <= i2 <= 23 and 12*floor((5i2)/12) <= -7 + 5i2 }"
// CHECK-DAG: poly.tile @pack_I0_1 domain "{ pack_I0_1[0, i1, i2] : 0 <= i1 <= 2 and 0 <= i2 <= 23 and 12*floor((5i2)/12) >= -6 + 5i2 }"
// CHECK-DAG: poly.tile @fractals_I0_1

// PASSED: check     passed
func.func @main(%a: tensor<272x3000xf16>, %b: tensor<3000x520xf16>) -> tensor<272x520xf16> {
  %0 = graph.matmul %a, %b : (tensor<272x3000xf16>, tensor<3000x520xf16>) -> tensor<272x520xf16>
  return %0 : tensor<272x520xf16>
}
