// A graph with an op that the CPU does not run: it is refused, unless the graph
// is divided and the reference interpreter runs that op.
//
// RUN: not gc-runner %s --entry=mixed 2>&1 | FileCheck %s --check-prefix=REFUSED
// RUN: gc-runner %s --entry=mixed --partition --remarks --check --threads=2 2>&1 | FileCheck %s
// RUN: gc-runner %s --entry=mixed --partition --check --threads=2 --json=- 2>/dev/null | FileCheck %s --check-prefix=JSON
// RUN: gc-runner %s --entry=several --partition --check --threads=2 | FileCheck %s --check-prefix=SEVERAL
// RUN: gc-runner %s --entry=constant --partition --remarks --check --threads=2 2>&1 | FileCheck %s --check-prefix=CONSTANT
// RUN: not gc-runner %s --entry=unknown --partition 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not gc-runner %s --entry=mixed --partition --trace=%t.json 2>&1 | FileCheck %s --check-prefix=TRACE

// REFUSED: error: {{.*}}'graph.static_transpose' op cannot run on target 'cpu': it has no instructions for element type 'f64'

// CHECK: remark: {{.*}}'graph.static_transpose' runs on the reference interpreter
// CHECK: partition on cpu, 2 threads
// CHECK: parts     2, of which 1 on the reference interpreter
// CHECK: check     passed

// JSON: "partitions": 2
// JSON: "interpreted_partitions": 1
// JSON: "status": "passed"
func.func @mixed(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>, %d: tensor<3x5xf64>) -> (tensor<4x8xf32>, tensor<5x3xf64>) {
  %0 = graph.static_transpose %d {order = array<i64: 1, 0>} : (tensor<3x5xf64>) -> tensor<5x3xf64>
  %1 = graph.matmul %x, %w : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %2 = graph.relu %1 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %2, %0 : tensor<4x8xf32>, tensor<5x3xf64>
}

// Three partitions, of which two follow each other; an argument is returned, and
// a result twice; an end computes nothing and is not run.
// SEVERAL: parts     4, of which 2 on the reference interpreter
// SEVERAL: check     passed
func.func @several(%x: tensor<4x8xf32>, %d: tensor<4x6xf64>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<24xf64>) {
  %0 = graph.tanh %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  graph.end %0 : tensor<4x8xf32>
  %1 = graph.static_transpose %d {order = array<i64: 1, 0>} : (tensor<4x6xf64>) -> tensor<6x4xf64>
  %2 = graph.static_reshape %1 {shape = array<i64: 24>} : (tensor<6x4xf64>) -> tensor<24xf64>
  %3 = graph.add %0, %x : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %3, %x, %3, %2 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<24xf64>
}

// A constant that both sides read, and that is returned.
// CONSTANT-NOT: 'graph.constant' runs on
// CONSTANT: remark: {{.*}}'graph.gather' runs on the reference interpreter
// CONSTANT-NOT: 'graph.constant' runs on
// CONSTANT: parts     3, of which 1 on the reference interpreter
// CONSTANT: check     passed
func.func @constant(%x: tensor<4x8xf32>, %d: tensor<4x6xf64>) -> (tensor<2x8xf32>, tensor<2x6xf64>, tensor<2xsi32>) {
  %c = graph.constant dense<[3, 1]> : tensor<2xsi32>
  %0 = graph.gather %d, %c : (tensor<4x6xf64>, tensor<2xsi32>) -> tensor<2x6xf64>
  %1 = graph.gather %x, %c : (tensor<4x8xf32>, tensor<2xsi32>) -> tensor<2x8xf32>
  return %1, %0, %c : tensor<2x8xf32>, tensor<2x6xf64>, tensor<2xsi32>
}

// UNKNOWN: error: {{.*}}'graph.wildcard' op runs neither on target 'cpu': it has no meaning there, nor on the reference interpreter: it has no meaning there
func.func @unknown(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.wildcard %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// TRACE: error: --partition runs several programs, which --trace and --explain do not show together
