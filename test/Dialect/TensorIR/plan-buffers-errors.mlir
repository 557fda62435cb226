// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: gc-opt %s --pass-pipeline="builtin.module(func.func(tir-plan-buffers))" --split-input-file --verify-diagnostics

// 2^45 floats take 2^47 bytes, more than is addressed.
func.func @large() attributes {tir.entry = "large"} {
  // expected-error @below {{'tir.scratch' op is larger than memory can be}}
  %0 = tir.scratch : memref<35184372088832xf32>
  return
}

// -----

// The size in bytes overflows.
func.func @overflow() attributes {tir.entry = "overflow"} {
  // expected-error @below {{'tir.scratch' op is larger than memory can be}}
  %0 = tir.scratch per_thread : memref<4294967296x4294967296x4xf32>
  return
}
