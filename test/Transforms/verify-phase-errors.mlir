// RUN: split-file %s %t
// RUN: gc-opt %t/import.mlir --gc-verify-phase=phase=import --verify-diagnostics
// RUN: gc-opt %t/invalid.mlir --gc-verify-phase=phase=import --mlir-very-unsafe-disable-verifier-on-parsing --verify-each=0 --verify-diagnostics
// RUN: gc-opt %t/control.mlir --gc-verify-phase=phase=import --verify-diagnostics
// RUN: gc-opt %t/blocks.mlir --gc-verify-phase=phase=import --verify-diagnostics
// RUN: gc-opt %t/size.mlir --gc-verify-phase=phase=import --verify-diagnostics
// RUN: gc-opt %t/graph.mlir --gc-verify-phase=phase=graph --verify-diagnostics
// RUN: gc-opt %t/layout.mlir --gc-verify-phase=phase=layout --verify-diagnostics
// RUN: gc-opt %t/any.mlir --gc-verify-phase=phase=layout --verify-diagnostics
// RUN: gc-opt %t/fusion.mlir --gc-verify-phase=phase=fusion --verify-diagnostics
// RUN: gc-opt %t/anchor.mlir --gc-verify-phase=phase=fusion --verify-diagnostics
// RUN: gc-opt %t/group.mlir --gc-verify-phase=phase=fusion --verify-diagnostics
// RUN: gc-opt %t/schedule.mlir --gc-verify-phase=phase=fusion --verify-diagnostics
// RUN: gc-opt %t/graph.mlir --gc-verify-phase=phase=import
// RUN: gc-opt %t/left.mlir --gc-verify-phase=phase=tensor --verify-diagnostics
// RUN: gc-opt %t/scratch.mlir --gc-verify-phase=phase=tensor --verify-diagnostics
// RUN: gc-opt %t/machine.mlir --gc-verify-phase=phase=machine --verify-diagnostics

//--- import.mlir
func.func @f(%x: tensor<?xf32>) {
  // expected-error @+1 {{has no static result type after phase 'import'}}
  %0 = graph.exp %x : (tensor<?xf32>) -> tensor<?xf32>
  return
}
//--- invalid.mlir
// The drivers verify where a phase ends, and nowhere else.
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{src reduces over 8 elements, weights over 4}}
  %0 = graph.matmul %x, %x : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}
//--- control.mlir
func.func @loop(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %r = scf.for %i = %zero to %n step %one iter_args(%y = %x) -> tensor<4xf32> {
    // expected-error @+1 {{'graph.relu' op is under control flow, and only the straight code of a function is compiled}}
    %0 = graph.relu %y : (tensor<4xf32>) -> tensor<4xf32>
    scf.yield %0 : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
//--- blocks.mlir
func.func @blocks(%x: tensor<4xf32>) -> tensor<4xf32> {
  cf.br ^next
^next:
  // expected-error @+1 {{is under control flow}}
  %0 = graph.relu %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
//--- size.mlir
func.func @f(%x: tensor<67108864x1xf32>, %y: tensor<1x67108864xf32>) {
  // expected-error @+1 {{which is more than 2^46 bytes}}
  %0 = graph.add %x, %y : (tensor<67108864x1xf32>, tensor<1x67108864xf32>) -> tensor<67108864x67108864xf32>
  return
}
//--- graph.mlir
func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{is still complex after phase 'graph'}}
  %0 = graph.gelu %x : (tensor<4xf32>) -> tensor<4xf32>
  return
}
//--- layout.mlir
func.func @f(%x: tensor<4x4xf32>) {
  // expected-error @+1 {{has no template after phase 'layout'}}
  %0 = graph.matmul %x, %x : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return
}
//--- any.mlir
func.func @f(%x: tensor<4x4xf32>) {
  // expected-error @+1 {{has a result without a layout after phase 'layout'}}
  %0 = graph.reorder %x : tensor<4x4xf32> -> tensor<4x4xf32, #graph.layout<any>>
  return
}
//--- fusion.mlir
func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{is in no fused op after phase 'fusion'}}
  %0 = graph.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  return
}
//--- left.mlir
func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{is left after phase 'tensor'}}
  %0 = graph.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  return
}
//--- scratch.mlir
func.func @f() {
  // expected-error @+1 {{has no place after phase 'tensor'}}
  %0 = tir.scratch : memref<4xf32>
  return
}
//--- machine.mlir
// expected-error @+1 {{is left after phase 'machine'}}
func.func @f() attributes {tir.entry = "f"} { return }
//--- anchor.mlir
func.func @f(%x: tensor<4x4xf32>) {
  %0 = graph.fused_op -> (tensor<4x4xf32>) {
    %1 = graph.matmul %x, %x : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    // expected-error @+1 {{has no anchor after phase 'fusion'}}
    %2 = graph.exp %1 : (tensor<4x4xf32>) -> tensor<4x4xf32>
    graph.yield %2 : tensor<4x4xf32>
  }
  return
}
//--- group.mlir
func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{is alone in its merge group after phase 'fusion'}}
  %0 = graph.fused_op attributes {graph.merge_group = 0 : i64} -> (tensor<4xf32>) {
    %1 = graph.exp %x : (tensor<4xf32>) -> tensor<4xf32>
    graph.yield %1 : tensor<4xf32>
  }
  return
}
//--- schedule.mlir
func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{has no schedule after phase 'fusion'}}
  %0 = graph.fused_op -> (tensor<4xf32>) {
    %1 = graph.exp %x : (tensor<4xf32>) -> tensor<4xf32>
    graph.yield %1 : tensor<4xf32>
  }
  return
}
