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

// Bytes are reshaped where they are computed, and not returned in two shapes.
// CHECK-LABEL: func.func @one_shape
// CHECK-SAME:  graph.partition_support = array<i1: true>
func.func @one_shape(%a: tensor<32x64xsi8>, %b: tensor<64x48xsi8>) -> tensor<1536xsi8> {
  %0 = graph.matmul %a, %b : (tensor<32x64xsi8>, tensor<64x48xsi8>) -> tensor<32x48xsi32>
  %1 = graph.type_cast %0 : tensor<32x48xsi32> -> tensor<32x48xsi8>
  %2 = graph.static_reshape %1 {shape = array<i64: 1536>} : (tensor<32x48xsi8>) -> tensor<1536xsi8>
  return %2 : tensor<1536xsi8>
}

// CHECK-LABEL: func.func @two_shapes
// CHECK-SAME:  graph.partition_support = array<i1: true, false, false>
func.func @two_shapes(%a: tensor<32x64xsi8>, %b: tensor<64x48xsi8>) -> (tensor<1536xsi8>, tensor<16x96xsi8>) {
  %0 = graph.matmul %a, %b : (tensor<32x64xsi8>, tensor<64x48xsi8>) -> tensor<32x48xsi32>
  %1 = graph.type_cast %0 : tensor<32x48xsi32> -> tensor<32x48xsi8>
  // expected-remark@+1 {{in its partition, it only moves elements of 'i8'}}
  %2 = graph.static_reshape %1 {shape = array<i64: 1536>} : (tensor<32x48xsi8>) -> tensor<1536xsi8>
  // expected-remark@+1 {{in its partition, result 1 is a copy of result 0, of elements of 'i8', but the vector unit moves 16 or 32 bits}}
  %3 = graph.static_reshape %1 {shape = array<i64: 16, 96>} : (tensor<32x48xsi8>) -> tensor<16x96xsi8>
  return %2, %3 : tensor<1536xsi8>, tensor<16x96xsi8>
}

// An argument in two shapes.
// CHECK-LABEL: func.func @there_and_back
// CHECK-SAME:  graph.partition_support = array<i1: false, false>
func.func @there_and_back(%x: tensor<4x16xsi8>) -> tensor<4x16xsi8> {
  // expected-remark@+1 {{in its partition, it only moves elements of 'i8'}}
  %0 = graph.static_reshape %x {shape = array<i64: 64>} : (tensor<4x16xsi8>) -> tensor<64xsi8>
  // expected-remark@+1 {{it only moves elements of 'i8'}}
  %1 = graph.static_reshape %0 {shape = array<i64: 4, 16>} : (tensor<64xsi8>) -> tensor<4x16xsi8>
  return %1 : tensor<4x16xsi8>
}

// Each partition that reads a constant has its own, with its attributes. The first
// has the one of the graph.
// CHECK-LABEL: func.func @shared_constant
// CHECK-SAME:  graph.partition_support = array<i1: false, true, true>
// CHECK-NEXT:  %[[WILD:.*]] = graph.constant {graph.partition = 0 : i64, test.is = "shared"} dense<2.000000e+00>
// CHECK-NEXT:  %[[ADD:.*]] = graph.constant {graph.partition = 1 : i64, test.is = "shared"} dense<2.000000e+00>
// CHECK-NEXT:  %[[REST:.*]] = graph.constant {graph.partition = 2 : i64, test.is = "shared"} dense<2.000000e+00>
// CHECK-NEXT:  graph.wildcard %[[WILD]] {graph.partition = 0 : i64}
// CHECK-NEXT:  graph.add %{{.*}}, %[[ADD]] {graph.partition = 1 : i64}
// CHECK-NEXT:  graph.multiply %{{.*}}, %[[REST]] {graph.partition = 2 : i64}
// CHECK-NEXT:  graph.divide %{{.*}}, %[[REST]] {graph.partition = 2 : i64}
// CHECK-NEXT:  return
func.func @shared_constant(%x: tensor<4x16xf16>) -> (tensor<4x16xf16>, tensor<4x16xf16>) {
  %0 = graph.constant {test.is = "shared"} dense<2.0> : tensor<f16>
  // expected-remark@+1 {{nothing on the NPU computes it}}
  %1 = graph.wildcard %0 : (tensor<f16>) -> tensor<4x16xf16>
  %2 = graph.add %x, %0 : (tensor<4x16xf16>, tensor<f16>) -> tensor<4x16xf16>
  %3 = graph.multiply %1, %0 : (tensor<4x16xf16>, tensor<f16>) -> tensor<4x16xf16>
  %4 = graph.divide %3, %0 : (tensor<4x16xf16>, tensor<f16>) -> tensor<4x16xf16>
  return %2, %4 : tensor<4x16xf16>, tensor<4x16xf16>
}

// So have those that read a constant which the graph returns.
// CHECK-LABEL: func.func @returned_constant
// CHECK-SAME:  graph.partition_support = array<i1: false, true>
// CHECK-NEXT:  %[[OUT:.*]] = graph.constant {graph.partition = 0 : i64}
// CHECK-NEXT:  %[[IN:.*]] = graph.constant {graph.partition = 1 : i64}
// CHECK-NEXT:  %[[SUM:.*]] = graph.add %{{.*}}, %[[IN]] {graph.partition = 1 : i64}
// CHECK-NEXT:  return %[[OUT]], %[[SUM]]
func.func @returned_constant(%x: tensor<4x16xf16>) -> (tensor<f16>, tensor<4x16xf16>) {
  // expected-remark@+1 {{it is returned, but kernels return what they compute}}
  %0 = graph.constant dense<2.0> : tensor<f16>
  %1 = graph.add %x, %0 : (tensor<4x16xf16>, tensor<f16>) -> tensor<4x16xf16>
  return %0, %1 : tensor<f16>, tensor<4x16xf16>
}

// An op that the NPU does not run has its own constants, too.
// CHECK-LABEL: func.func @constant_bits
// CHECK-SAME:  graph.partition_support = array<i1: false, false>
// CHECK-COUNT-2: graph.constant
// CHECK-NOT:   graph.constant
// CHECK:       return
func.func @constant_bits(%x: tensor<4x16xf16>, %y: tensor<4x16xf16>) -> (tensor<4x16xf16>, tensor<4x16xf16>) {
  %0 = graph.constant dense<true> : tensor<4x16xi1>
  // expected-remark@+1 {{it reads a constant of 'i1', but conditions are comparisons}}
  %1 = graph.select %0, %x, %y : (tensor<4x16xi1>, tensor<4x16xf16>, tensor<4x16xf16>) -> tensor<4x16xf16>
  // expected-remark@+1 {{it reads a constant of 'i1', but conditions are comparisons}}
  %2 = graph.select %0, %y, %x : (tensor<4x16xi1>, tensor<4x16xf16>, tensor<4x16xf16>) -> tensor<4x16xf16>
  return %1, %2 : tensor<4x16xf16>, tensor<4x16xf16>
}

// A constant that the NPU does not run is not copied, but passed.
// CHECK-LABEL: func.func @table
// CHECK-SAME:  graph.partition_support = array<i1: false, true, true>
// CHECK-COUNT-1: graph.constant
// CHECK-NOT:   graph.constant
// CHECK:       return
func.func @table(%x: tensor<2xf16>) -> (tensor<2xf16>, tensor<2xf16>) {
  // expected-remark@+1 {{the NPU has only constants of equal elements}}
  %0 = graph.constant dense<[1.0, 2.0]> : tensor<2xf16>
  %1 = graph.add %x, %0 : (tensor<2xf16>, tensor<2xf16>) -> tensor<2xf16>
  %2 = graph.multiply %x, %0 : (tensor<2xf16>, tensor<2xf16>) -> tensor<2xf16>
  return %1, %2 : tensor<2xf16>, tensor<2xf16>
}

// Reshapes of bytes that only their readers would keep: refused one by one.
// CHECK-LABEL: func.func @one_by_one
// CHECK-SAME:  graph.partition_support = array<i1: false, false, false, false>
func.func @one_by_one(%x: tensor<4x16xsi8>) -> tensor<64xsi8> {
  // expected-remark@+1 {{nothing on the NPU computes it}}
  %0 = graph.wildcard %x : (tensor<4x16xsi8>) -> tensor<4x16xsi8>
  // expected-remark@+1 {{in its partition, it only moves elements of 'i8'}}
  %1 = graph.static_reshape %0 {shape = array<i64: 64>} : (tensor<4x16xsi8>) -> tensor<64xsi8>
  // expected-remark@+1 {{in its partition, it only moves elements of 'i8'}}
  %2 = graph.static_reshape %1 {shape = array<i64: 16, 4>} : (tensor<64xsi8>) -> tensor<16x4xsi8>
  // expected-remark@+1 {{in its partition, it only moves elements of 'i8'}}
  %3 = graph.static_reshape %2 {shape = array<i64: 64>} : (tensor<16x4xsi8>) -> tensor<64xsi8>
  return %3 : tensor<64xsi8>
}

// What is not compiled reads nothing from a partition.
// CHECK-LABEL: func.func @unused_reader
// CHECK-SAME:  graph.partition_support = array<i1: true, false>
func.func @unused_reader(%a: tensor<4x16xf16>, %b: tensor<4x16xf16>) -> tensor<4x16xf16> {
  %0 = graph.greater_equal %a, %b : (tensor<4x16xf16>, tensor<4x16xf16>) -> tensor<4x16xi1>
  %1 = graph.select %0, %a, %b : (tensor<4x16xi1>, tensor<4x16xf16>, tensor<4x16xf16>) -> tensor<4x16xf16>
  // expected-remark@+1 {{only elementwise ops read elements of 'i1'}}
  %2 = graph.static_reshape %0 {shape = array<i64: 64>} : (tensor<4x16xi1>) -> tensor<64xi1>
  return %1 : tensor<4x16xf16>
}
