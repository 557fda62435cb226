// RUN: gc-opt %s --graph-predict-cost=threads=-1 --split-input-file --verify-diagnostics

// expected-error @below {{option 'threads' is negative}}
func.func @threads(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

// expected-error @below {{(C1) a cost must not be negative}}
func.func @negative() attributes {graph.cost = #graph.cost<cycles = -1, flops = 0, bytes = 0, bound = compute>} {
  return
}

// -----

// expected-error @below {{'graph.cost' must be a #graph.cost}}
func.func @kind() attributes {graph.cost = 3 : i64} {
  return
}

// -----

func.func @place(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'graph.cost' is only for graph.fused_op and functions}}
  %0 = graph.relu %x {graph.cost = #graph.cost<cycles = 1, flops = 0, bytes = 0, bound = vector>} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
