// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Comparisons with a value for each row and with constants: rows of whole repeats,
// rows of one repeat, others with gaps. Zeros are equal.
//
// RUN: gc-runner --target=npu %s --entry=long --check --strict
// RUN: gc-runner --target=npu %s --entry=repeat --check --strict
// RUN: gc-runner --target=npu %s --entry=gaps --check --strict
// RUN: gc-runner --target=npu %s --entry=constant --check --strict
// RUN: gc-runner --target=npu %s --entry=scalar --check --strict
// RUN: gc-opt %s --gc-npu-pipeline=stop-after=promote | FileCheck %s

// One comparison for both, and a selection in f16.
// CHECK-LABEL: poly.scop @long
// CHECK: npu.compare eq
// CHECK-NOT: npu.compare
// CHECK: npu.select {{.*}} to memref<{{[0-9]+}}x128xf16
func.func @long(%a: tensor<50x1xf32>, %b: tensor<1x1024xf32>) -> tensor<50x1024xf16> {
  %x = graph.relu %a : (tensor<50x1xf32>) -> tensor<50x1xf32>
  %y = graph.relu %b : (tensor<1x1024xf32>) -> tensor<1x1024xf32>
  %zero = graph.constant dense<0.0> : tensor<f16>
  %one = graph.constant dense<1.0> : tensor<f16>
  %0 = graph.greater_equal %x, %y : (tensor<50x1xf32>, tensor<1x1024xf32>) -> tensor<50x1024xi1>
  %1 = graph.greater_equal %y, %x : (tensor<1x1024xf32>, tensor<50x1xf32>) -> tensor<50x1024xi1>
  %2 = graph.select %1, %one, %zero : (tensor<50x1024xi1>, tensor<f16>, tensor<f16>) -> tensor<50x1024xf16>
  %3 = graph.select %0, %2, %zero : (tensor<50x1024xi1>, tensor<50x1024xf16>, tensor<f16>) -> tensor<50x1024xf16>
  return %3 : tensor<50x1024xf16>
}

// A block of each value, eight times the same.
// CHECK-LABEL: poly.scop @repeat
// CHECK: npu.transpose {{.*}}x8xf32
// CHECK: npu.compare eq
func.func @repeat(%a: tensor<160x1xf32>, %b: tensor<1x64xf32>) -> tensor<160x64xf16> {
  %x = graph.relu %a : (tensor<160x1xf32>) -> tensor<160x1xf32>
  %y = graph.relu %b : (tensor<1x64xf32>) -> tensor<1x64xf32>
  %zero = graph.constant dense<0.0> : tensor<f16>
  %one = graph.constant dense<1.0> : tensor<f16>
  %0 = graph.greater_equal %x, %y : (tensor<160x1xf32>, tensor<1x64xf32>) -> tensor<160x64xi1>
  %1 = graph.greater_equal %y, %x : (tensor<1x64xf32>, tensor<160x1xf32>) -> tensor<160x64xi1>
  %2 = graph.select %1, %one, %zero : (tensor<160x64xi1>, tensor<f16>, tensor<f16>) -> tensor<160x64xf16>
  %3 = graph.select %0, %2, %zero : (tensor<160x64xi1>, tensor<160x64xf16>, tensor<f16>) -> tensor<160x64xf16>
  return %3 : tensor<160x64xf16>
}

func.func @gaps(%a: tensor<100x1xf32>, %b: tensor<1x6xf32>) -> tensor<100x6xf16> {
  %x = graph.relu %a : (tensor<100x1xf32>) -> tensor<100x1xf32>
  %y = graph.relu %b : (tensor<1x6xf32>) -> tensor<1x6xf32>
  %zero = graph.constant dense<0.0> : tensor<f16>
  %one = graph.constant dense<1.0> : tensor<f16>
  %0 = graph.greater_equal %x, %y : (tensor<100x1xf32>, tensor<1x6xf32>) -> tensor<100x6xi1>
  %1 = graph.greater_equal %y, %x : (tensor<1x6xf32>, tensor<100x1xf32>) -> tensor<100x6xi1>
  %2 = graph.select %1, %one, %zero : (tensor<100x6xi1>, tensor<f16>, tensor<f16>) -> tensor<100x6xf16>
  %3 = graph.select %0, %2, %zero : (tensor<100x6xi1>, tensor<100x6xf16>, tensor<f16>) -> tensor<100x6xf16>
  return %3 : tensor<100x6xf16>
}

func.func @constant(%a: tensor<30x128xf32>, %b: tensor<30x128xf32>) -> tensor<30x128xf32> {
  %zero = graph.constant dense<0.0> : tensor<f32>
  %0 = graph.greater_equal %a, %zero : (tensor<30x128xf32>, tensor<f32>) -> tensor<30x128xi1>
  %1 = graph.select %0, %b, %zero : (tensor<30x128xi1>, tensor<30x128xf32>, tensor<f32>) -> tensor<30x128xf32>
  return %1 : tensor<30x128xf32>
}

func.func @scalar(%a: tensor<30x128xf16>, %s: tensor<f16>) -> tensor<30x128xf16> {
  %0 = graph.multiply %a, %s : (tensor<30x128xf16>, tensor<f16>) -> tensor<30x128xf16>
  return %0 : tensor<30x128xf16>
}
