// RUN: gc-opt %s --gc-outline --split-input-file | FileCheck %s
// RUN: not gc-opt %s --gc-outline=target=gpu --split-input-file 2>&1 | FileCheck %s --check-prefix=TARGET

// TARGET: error: no target is named 'gpu'

// What was a constant argument still is one. Constants go along.

// CHECK-LABEL: func.func private @layer_graph_0(
// CHECK-SAME:    %[[X:.*]]: tensor<4x8xf32>, %[[W:.*]]: tensor<8x16xf32> {graph.const_arg}) -> tensor<4x16xf32>
// CHECK-NEXT:    %[[P:.*]] = graph.matmul %[[X]], %[[W]]
// CHECK-NEXT:    %[[C:.*]] = graph.constant dense<3.000000e+00> : tensor<f32>
// CHECK-NEXT:    graph.multiply %[[P]], %[[C]]
// CHECK-LABEL: func.func @layer(
// CHECK-SAME:    %[[X:.*]]: tensor<4x8xf32>, %[[W:.*]]: tensor<8x16xf32> {graph.const_arg})
// CHECK-NEXT:    %[[R:.*]] = call @layer_graph_0(%[[X]], %[[W]])
// CHECK-NEXT:    return %[[R]]
func.func @layer(%x: tensor<4x8xf32>, %w: tensor<8x16xf32> {graph.const_arg}) -> tensor<4x16xf32> {
  %c = arith.constant dense<3.0> : tensor<4x16xf32>
  %zero = arith.constant dense<0.0> : tensor<4x16xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x16xf32>) outs(%zero : tensor<4x16xf32>) -> tensor<4x16xf32>
  %1 = linalg.mul ins(%0, %c : tensor<4x16xf32>, tensor<4x16xf32>) outs(%zero : tensor<4x16xf32>) -> tensor<4x16xf32>
  return %1 : tensor<4x16xf32>
}

// -----

// The way from one product to the other leads through an op that stays: two
// functions, and what the second one needs is between them.

func.func private @opaque(tensor<4x4xf32>) -> tensor<4x4xf32>
// CHECK-LABEL: func.func private @cycle_graph_0(
// CHECK:         graph.matmul
// CHECK-LABEL: func.func private @cycle_graph_1(
// CHECK:         graph.matmul
// CHECK:         graph.add
// CHECK-LABEL: func.func @cycle(
// CHECK:         %[[A:.*]] = call @cycle_graph_0(
// CHECK:         %[[O:.*]] = call @opaque(%[[A]])
// CHECK:         %[[R:.*]] = call @cycle_graph_1(%[[O]]
// CHECK:         return %[[R]]
func.func @cycle(%x: tensor<4x4xf32>, %w: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %zero = arith.constant dense<0.0> : tensor<4x4xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<4x4xf32>, tensor<4x4xf32>) outs(%zero : tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = call @opaque(%0) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = linalg.matmul ins(%1, %w : tensor<4x4xf32>, tensor<4x4xf32>) outs(%zero : tensor<4x4xf32>) -> tensor<4x4xf32>
  %3 = linalg.add ins(%0, %2 : tensor<4x4xf32>, tensor<4x4xf32>) outs(%zero : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %3 : tensor<4x4xf32>
}

// -----

// In a loop: the loop's body calls the function.

// CHECK-LABEL: func.func private @loop_graph_0(
// CHECK-LABEL: func.func @loop(
// CHECK:         scf.for {{.*}} iter_args(%[[X:.*]] = %{{.*}})
// CHECK-NEXT:      %[[R:.*]] = func.call @loop_graph_0(%[[X]], %{{.*}})
// CHECK-NEXT:      scf.yield %[[R]]
func.func @loop(%x: tensor<4x4xf32>, %w: tensor<4x4xf32>, %n: index) -> tensor<4x4xf32> {
  %zero = arith.constant dense<0.0> : tensor<4x4xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%y = %x) -> tensor<4x4xf32> {
    %1 = linalg.matmul ins(%y, %w : tensor<4x4xf32>, tensor<4x4xf32>) outs(%zero : tensor<4x4xf32>) -> tensor<4x4xf32>
    scf.yield %1 : tensor<4x4xf32>
  }
  return %0 : tensor<4x4xf32>
}

// -----

// Nothing is outlined where ops are cheap, dynamic, or have no meaning in the
// dialect; not even dead code goes away.

// CHECK-LABEL: func.func @untouched(
// CHECK-NEXT:    arith.constant dense<1.000000e+00>
// CHECK-NEXT:    tensor.empty() : tensor<7xf32>
// CHECK-NEXT:    linalg.exp
// CHECK-NEXT:    linalg.add
// CHECK-NEXT:    linalg.matmul
// CHECK-NEXT:    return
func.func @untouched(%x: tensor<4xf32>, %a: tensor<?x4xf32>, %b: tensor<4x4xf32>, %c: tensor<?x4xf32>)
    -> (tensor<4xf32>, tensor<?x4xf32>) {
  %one = arith.constant dense<1.0> : tensor<4xf32>
  %dead = tensor.empty() : tensor<7xf32>
  %0 = linalg.exp ins(%x : tensor<4xf32>) outs(%x : tensor<4xf32>) -> tensor<4xf32>
  %1 = linalg.add ins(%0, %one : tensor<4xf32>, tensor<4xf32>) outs(%x : tensor<4xf32>) -> tensor<4xf32>
  %2 = linalg.matmul ins(%a, %b : tensor<?x4xf32>, tensor<4x4xf32>) outs(%c : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %1, %2 : tensor<4xf32>, tensor<?x4xf32>
}

// -----

// Side effects keep their order, and what is between them their operands.

func.func private @print(tensor<4x4xf32>)
// CHECK-LABEL: func.func @effects(
// CHECK:         %[[A:.*]]:2 = call @effects_graph_0(
// CHECK:         call @print(%[[A]]#0)
// CHECK:         call @print(%[[A]]#1)
func.func @effects(%x: tensor<4x4xf32>) {
  %zero = arith.constant dense<0.0> : tensor<4x4xf32>
  %0 = linalg.matmul ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%zero : tensor<4x4xf32>) -> tensor<4x4xf32>
  call @print(%0) : (tensor<4x4xf32>) -> ()
  %1 = linalg.matmul ins(%0, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%zero : tensor<4x4xf32>) -> tensor<4x4xf32>
  call @print(%1) : (tensor<4x4xf32>) -> ()
  return
}

// -----

// A function with graph ops is a graph already.

// CHECK-LABEL: func.func @graph(
// CHECK-NEXT:    graph.exp
// CHECK-NEXT:    arith.addf
func.func @graph(%x: tensor<400x400xf32>) -> tensor<400x400xf32> {
  %0 = graph.exp %x : (tensor<400x400xf32>) -> tensor<400x400xf32>
  %1 = arith.addf %0, %0 : tensor<400x400xf32>
  return %1 : tensor<400x400xf32>
}

// -----

// Booleans are not passed: a comparison whose result is read elsewhere stays.

// CHECK-LABEL: func.func private @booleans_graph_0(
// CHECK-NOT:     i1>
// CHECK:         return
// CHECK-LABEL: func.func @booleans(
// CHECK:         arith.cmpf oge
func.func @booleans(%x: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xi1>) {
  %zero = arith.constant dense<0.0> : tensor<4x4xf32>
  %0 = linalg.matmul ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%zero : tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = arith.cmpf oge, %0, %x : tensor<4x4xf32>
  return %0, %1 : tensor<4x4xf32>, tensor<4x4xi1>
}
