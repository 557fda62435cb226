// Elements of i1 do not leave a partition of the NPU, as they would where each op is
// one: neither what computes them nor what reads them runs there.

// RUN: gc-opt %s --graph-partition="target=npu policy=debug" | FileCheck %s
// RUN: gc-opt %s --graph-partition="target=npu policy=debug" --verify-diagnostics --remark-format=emitRemark --remarks-filter-missed=graph-partition
// RUN: gc-opt %s --graph-partition=target=npu | FileCheck %s --check-prefix=FUSION
// RUN: gc-opt %s --graph-partition="target=cpu policy=debug" | FileCheck %s --check-prefix=CPU

// CHECK-LABEL:  func.func @bits
// CHECK-SAME:   graph.partition_support = array<i1: false, false, true>
// FUSION-LABEL: func.func @bits
// FUSION-SAME:  graph.partition_support = array<i1: true>
// CPU-LABEL:    func.func @bits
// CPU-SAME:     graph.partition_support = array<i1: true, true, true>
func.func @bits(%x: tensor<4x16xf16>, %y: tensor<4x16xf16>) -> tensor<4x16xf16> {
  // expected-remark@+1 {{it shares a value with another partition, but the NPU has no elements of 'i1', only f16, f32, i8 and i32}}
  %0 = graph.greater_equal %x, %y : (tensor<4x16xf16>, tensor<4x16xf16>) -> tensor<4x16xi1>
  // expected-remark@+1 {{it shares a value with another partition}}
  %1 = graph.select %0, %x, %y : (tensor<4x16xi1>, tensor<4x16xf16>, tensor<4x16xf16>) -> tensor<4x16xf16>
  %2 = graph.relu %1 : (tensor<4x16xf16>) -> tensor<4x16xf16>
  return %2 : tensor<4x16xf16>
}

// Nor are partitions that only copy bytes: reshapes of arguments, and of what is
// returned as well.
// CHECK-LABEL:  func.func @arguments
// CHECK-SAME:   graph.partition_support = array<i1: false, false, false, true>
// FUSION-LABEL: func.func @arguments
// FUSION-SAME:  graph.partition_support = array<i1: false, false, false, true>
func.func @arguments(%x: tensor<4x16xsi8>) -> (tensor<64xsi8>, tensor<64xf16>) {
  // expected-remark@+1 {{nothing on the NPU computes it}}
  %0 = graph.wildcard %x : (tensor<4x16xsi8>) -> tensor<4x16xsi8>
  // expected-remark@+1 {{in its partition, it only moves elements of 'i8', but the vector unit moves 16 or 32 bits}}
  %1 = graph.static_reshape %0 {shape = array<i64: 64>} : (tensor<4x16xsi8>) -> tensor<64xsi8>
  // expected-remark@+1 {{nothing on the NPU computes it}}
  %2 = graph.wildcard %1 : (tensor<64xsi8>) -> tensor<64xsi8>
  %3 = graph.type_cast %1 : tensor<64xsi8> -> tensor<64xf16>
  return %2, %3 : tensor<64xsi8>, tensor<64xf16>
}
