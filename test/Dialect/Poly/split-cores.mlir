// Parallel loops are divided among cores where that is faster.

// RUN: gc-opt %s --split-input-file --pass-pipeline='builtin.module(graph-decompose,canonicalize,poly-extract,poly.scop(poly-schedule),poly-split-cores{cores=8})' --remarks-filter=poly-split-cores --remark-format=emitRemark -o %t 2>%t.remarks
// RUN: FileCheck %s < %t
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks

// Equal parts, of which nothing is left.
// REMARK: CoreSplit{{.*}}cycles instead of {{[0-9]+}} on one core{{.*}}@gelu runs on 8 cores: 1048576 iterations in parts of 131072
// CHECK:       #[[$MAP:.*]] = affine_map<(d0) -> (d0 * 131072)>
// CHECK-LABEL: poly.scop @gelu
// CHECK:         domain: "{ {{.*}}S_0[i0] : 0 <= i0 <= 131071{{.*}} }"
// CHECK:         attributes {all_cores = 8 : i64, {{.*}}cores = 8 : i64}
// CHECK:         poly.array @I0 input 0 part <[1048576] at #[[$MAP]]> : tensor<131072xf16>
// CHECK:         poly.array @O0 output 0 part <[1048576] at #[[$MAP]]> : tensor<131072xf16>
// CHECK-NOT:   poly.scop
func.func @gelu(%x: tensor<1024x1024xf16>) -> tensor<1024x1024xf16> {
  %y = graph.gelu %x : (tensor<1024x1024xf16>) -> tensor<1024x1024xf16>
  return %y : tensor<1024x1024xf16>
}

// -----

// The last part is shorter: a scop of its own. Rows stay whole, and what is the
// same in all of them is seen by all cores.
// REMARK: @softmax runs on 4 cores: 1001 iterations in parts of 256, the last one of 233
// CHECK:       #[[$MAP:.*]] = affine_map<(d0) -> (d0 * 256, 0)>
// CHECK-LABEL: poly.scop @softmax reference
// CHECK:         attributes {all_cores = 4 : i64, {{.*}}cores = 3 : i64}
// CHECK:         poly.array @I0 input 0 part <[1001, 512] at #[[$MAP]]> : tensor<256x512xf16>
// CHECK:         poly.array @I1 input 1 : tensor<512xf16>
// CHECK:         poly.array @{{.*}} temporary : tensor<256x512xf16>
// CHECK-LABEL: poly.scop @softmax_rest reference @softmax_graph
// CHECK:         attributes {all_cores = 4 : i64, {{.*}}beside = @softmax, {{.*}}first_core = 3 : i64}
// CHECK:         poly.array @I0 input 0 part <[1001, 512] at #[[$MAP]]> : tensor<233x512xf16>
func.func @softmax(%x: tensor<1001x512xf16>, %mask: tensor<512xf16>) -> tensor<1001x512xf16> {
  %0 = graph.add %x, %mask : (tensor<1001x512xf16>, tensor<512xf16>) -> tensor<1001x512xf16>
  %1 = graph.exp %0 : (tensor<1001x512xf16>) -> tensor<1001x512xf16>
  %2 = graph.log %1 : (tensor<1001x512xf16>) -> tensor<1001x512xf16>
  %3 = graph.exp %2 : (tensor<1001x512xf16>) -> tensor<1001x512xf16>
  %4 = graph.reduce_max %3 {axes = array<i64: 1>, keep_dims = true} : (tensor<1001x512xf16>) -> tensor<1001x1xf16>
  %5 = graph.subtract %3, %4 : (tensor<1001x512xf16>, tensor<1001x1xf16>) -> tensor<1001x512xf16>
  return %5 : tensor<1001x512xf16>
}

// -----

// Global memory is shared: a sum of two tensors is as fast on one core.
// REMARK: loop 0 of @S_0: {{[0-9]+}} cycles, {{[0-9]+}} on one core{{.*}}@add runs on one core
// CHECK-LABEL: poly.scop @add
// CHECK-NOT:     all_cores
// CHECK:         poly.array @I0 input 0 : tensor<1048576xf16>
func.func @add(%x: tensor<1024x1024xf16>, %y: tensor<1024x1024xf16>) -> tensor<1024x1024xf16> {
  %z = graph.add %x, %y : (tensor<1024x1024xf16>, tensor<1024x1024xf16>) -> tensor<1024x1024xf16>
  return %z : tensor<1024x1024xf16>
}

// -----

// Nothing but a sum.
// REMARK: loop 0 of @{{.*}}: has one iteration{{.*}}@sum runs on one core
// CHECK-LABEL: poly.scop @sum
// CHECK-NOT:     all_cores
// CHECK:         poly.array @I0 input 0 : tensor<40000xf16>
func.func @sum(%x: tensor<40000xf16>) -> tensor<1xf32> {
  %0 = graph.type_cast %x : tensor<40000xf16> -> tensor<40000xf32>
  %1 = graph.reduce_sum %0 {axes = array<i64: 0>, keep_dims = true} : (tensor<40000xf32>) -> tensor<1xf32>
  return %1 : tensor<1xf32>
}

// -----

// A matrix and its transpose: rows of one are columns of the other.
// REMARK: loop 1 of @S_1: @S_1 would have to be divided in two ways{{.*}}@symmetric runs on one core
// CHECK-LABEL: poly.scop @symmetric
// CHECK-NOT:     all_cores
// CHECK:         poly.array @I0 input 0 : tensor<512x512xf16>
func.func @symmetric(%x: tensor<512x512xf16>) -> tensor<512x512xf16> {
  %0 = graph.static_transpose %x {order = array<i64: 1, 0>} : (tensor<512x512xf16>) -> tensor<512x512xf16>
  %1 = graph.add %x, %0 : (tensor<512x512xf16>, tensor<512x512xf16>) -> tensor<512x512xf16>
  return %1 : tensor<512x512xf16>
}
