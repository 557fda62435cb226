// Partitions of a graph that the NPU runs in part, and why not the rest.

// RUN: gc-opt %s --graph-partition=target=npu | FileCheck %s
// RUN: gc-opt %s --graph-partition=target=npu --split-input-file --verify-diagnostics --remark-format=emitRemark --remarks-filter-missed=graph-partition

// CHECK-LABEL: func.func @types
// CHECK-SAME:  graph.partition_support = array<i1: true, false, true>
// CHECK:       graph.matmul {{.*}}graph.partition = 0
// CHECK:       graph.relu {{.*}}graph.partition = 0
// CHECK:       graph.gather {{.*}}graph.partition = 1
// CHECK:       graph.softmax {{.*}}graph.partition = 2
func.func @types(%a: tensor<16x32xf16>, %b: tensor<32x16xf16>, %i: tensor<4xsi32>) -> tensor<4x16xf16> {
  %0 = graph.matmul %a, %b : (tensor<16x32xf16>, tensor<32x16xf16>) -> tensor<16x16xf16>
  %1 = graph.relu %0 : (tensor<16x16xf16>) -> tensor<16x16xf16>
  // expected-remark@+1 {{nothing on the NPU computes it}}
  %2 = graph.gather %1, %i : (tensor<16x16xf16>, tensor<4xsi32>) -> tensor<4x16xf16>
  %3 = graph.softmax %2 {axis = 1} : (tensor<4x16xf16>) -> tensor<4x16xf16>
  return %3 : tensor<4x16xf16>
}

// Elements of i1 do not leave a kernel: what selects by those of an op that the
// NPU does not run cannot run there either.
// CHECK-LABEL: func.func @bits
// CHECK-SAME:  graph.partition_support = array<i1: false, false, true>
func.func @bits(%i: tensor<4x16xsi32>, %x: tensor<4x16xf16>) -> tensor<4x16xf16> {
  // expected-remark@+1 {{what it computes has 'arith.cmpi'}}
  %0 = graph.greater_equal %i, %i : (tensor<4x16xsi32>, tensor<4x16xsi32>) -> tensor<4x16xi1>
  // expected-remark@+1 {{elements of 'i1' are only what an elementwise op has just computed}}
  %1 = graph.select %0, %x, %x : (tensor<4x16xi1>, tensor<4x16xf16>, tensor<4x16xf16>) -> tensor<4x16xf16>
  %2 = graph.relu %1 : (tensor<4x16xf16>) -> tensor<4x16xf16>
  return %2 : tensor<4x16xf16>
}
