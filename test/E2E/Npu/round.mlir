// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The nearest integer, to even on a tie, by additions of f32.

// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: %python make.py
// RUN: gc-runner --target=npu round.mlir --entry=f32 --input=arg0=f32.npy --check --rtol=0 --atol=0 --output-dir=. | FileCheck %s
// RUN: gc-runner --target=npu round.mlir --entry=f16 --input=arg0=f16.npy --check --rtol=0 --atol=0 | FileCheck %s
// RUN: gc-runner --target=npu round.mlir --entry=chain --check --strict | FileCheck %s
// CHECK: check passed

//--- make.py
import numpy as np
ties = np.arange(-40, 40) / 2 + 0.0
edges = [2.0**e + d for e in range(20, 26) for d in (-1.5, -1, -0.5, 0, 0.5, 1, 1.5)]
values = np.concatenate([ties, edges, -np.array(edges), [0.0, -0.0, 1e-30, 1e30, -1e30, 3.4e38, np.inf, -np.inf, np.nan,
                         0.49999997, -0.49999997, 0.50000006, 8388609.0, 4194303.75, 6291456.5, 6291457.5]])
values = np.resize(values.astype(np.float32), 300)
np.save("f32.npy", values)
halves = np.resize(np.concatenate([ties, [1023.5, 1024.5, 2047.5, 65504, -65504, np.inf, np.nan]]), 300)
np.save("f16.npy", halves.astype(np.float16))
//--- round.mlir
func.func @f32(%x: tensor<300xf32>) -> tensor<300xf32> {
  %0 = graph.round %x : (tensor<300xf32>) -> tensor<300xf32>
  return %0 : tensor<300xf32>
}
func.func @f16(%x: tensor<300xf16>) -> tensor<300xf16> {
  %0 = graph.round %x : (tensor<300xf16>) -> tensor<300xf16>
  return %0 : tensor<300xf16>
}
func.func @chain(%x: tensor<40x77xf16>) -> tensor<40x77xf16> {
  %c = graph.constant dense<4.0> : tensor<f16>
  %0 = graph.multiply %x, %c : (tensor<40x77xf16>, tensor<f16>) -> tensor<40x77xf16>
  %1 = graph.round %0 : (tensor<40x77xf16>) -> tensor<40x77xf16>
  %2 = graph.subtract %0, %1 : (tensor<40x77xf16>, tensor<40x77xf16>) -> tensor<40x77xf16>
  return %2 : tensor<40x77xf16>
}
