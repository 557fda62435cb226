// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A plan does not say how a kernel is divided among cores: none is written.

// RUN: rm -f %t.json
// RUN: not gc-opt %s --gc-npu-pipeline="cores=8 export-plan=%t.json" 2>&1 | FileCheck %s
// RUN: not ls %t.json
// RUN: gc-opt %s --gc-npu-pipeline="export-plan=%t.json" -o %t.mlir
// RUN: FileCheck %s --check-prefix=PLAN --input-file=%t.json

// CHECK: error: 'poly.scop' op runs on 8 cores; a plan is of a kernel on one core
// PLAN: "kernel": "rows"
func.func @rows(%x: tensor<1024x512xf16>) -> tensor<1024x512xf16> {
  %0 = graph.softmax %x {axis = 1 : i64} : (tensor<1024x512xf16>) -> tensor<1024x512xf16>
  return %0 : tensor<1024x512xf16>
}
