// Wrong policies, and what cannot be tiled.

// RUN: split-file %s %t
// RUN: not gc-opt %t/relu.mlir --pass-pipeline='builtin.module(poly-extract,poly.scop(poly-schedule,poly-tile{policy="S_7 : 32 @ UB"}))' 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error: 'poly.scop' op has a wrong tiling policy: there is no statement 'S_7'
// RUN: not gc-opt %t/relu.mlir --pass-pipeline='builtin.module(poly-extract,poly.scop(poly-schedule,poly-tile{policy="S_0 : 32 @ L3"}))' 2>&1 | FileCheck %s --check-prefix=BUFFER
// BUFFER: 'L3' is not a buffer for tiles, in the sizes of 'S_0'; there are L1, L0 and UB
// RUN: not gc-opt %t/relu.mlir --pass-pipeline='builtin.module(poly-extract,poly.scop(poly-schedule,poly-tile{policy="S_0 : 0 @ UB"}))' 2>&1 | FileCheck %s --check-prefix=SIZE
// SIZE: '0' is not a valid tile size, in the sizes of 'S_0'
// RUN: not gc-opt %t/relu.mlir --pass-pipeline='builtin.module(poly-extract,poly.scop(poly-schedule,poly-tile{policy="S_0 : 99999999999999999999 @ UB"}))' 2>&1 | FileCheck %s --check-prefix=LARGE
// LARGE: '99999999999999999999' is not a valid tile size
// RUN: not gc-opt %t/relu.mlir --pass-pipeline='builtin.module(poly-extract,poly.scop(poly-schedule,poly-tile{policy="S_0 : 32"}))' 2>&1 | FileCheck %s --check-prefix=AT
// AT: expected '@' after 32, in the sizes of 'S_0'
// RUN: not gc-opt %t/relu.mlir --pass-pipeline='builtin.module(poly-extract,poly.scop(poly-schedule,poly-tile{policy="S_0 32 @ UB"}))' 2>&1 | FileCheck %s --check-prefix=COLON
// COLON: expected ':' after 'S_0'
// RUN: not gc-opt %t/relu.mlir --pass-pipeline='builtin.module(poly-extract,poly.scop(poly-schedule,poly-tile{policy="S_0 : 32 @ UB, 32 @ UB"}))' 2>&1 | FileCheck %s --check-prefix=LOOPS
// LOOPS: 'S_0' has 1 loops, but more sizes for UB
// RUN: not gc-opt %t/relu.mlir --pass-pipeline='builtin.module(poly-extract,poly.scop(poly-schedule,poly-tile{policy="S_0 : 32 @ UB S_0 : 32 @ UB"}))' 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: statement 'S_0' has two lists of sizes
// RUN: not gc-opt %t/relu.mlir --pass-pipeline='builtin.module(poly-extract,poly.scop(poly-schedule,poly-tile{policy="+"}))' 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: expected the name of a statement at '+'

// A row that does not fit UB, with statements that need all of it.
// RUN: not gc-opt %t/rows.mlir --pass-pipeline='builtin.module(poly-extract,poly.scop(poly-schedule,poly-tile))' 2>&1 | FileCheck %s --check-prefix=FIT
// FIT: reduces 200000 elements, which have to be in one tile; the smallest one needs {{[0-9]+}} bytes of UB, which has 262144, most of them for @I0

// The scop's own attribute is checked too.
// RUN: not gc-opt %t/attribute.mlir --pass-pipeline='builtin.module(poly.scop(poly-tile))' 2>&1 | FileCheck %s --check-prefix=ATTRIBUTE
// ATTRIBUTE: has a tiling policy that is not a string

// A tree whose loops may not be exchanged.
// RUN: not gc-opt %t/sequential.mlir --pass-pipeline='builtin.module(poly.scop(poly-tile{policy="S_0 : 32 @ UB"}))' 2>&1 | FileCheck %s --check-prefix=PERMUTE
// PERMUTE: cannot tile the loops of 'S_0': they are not permutable

//--- relu.mlir
func.func @relu(%x: tensor<10x100xf16>) -> tensor<10x100xf16> {
  %y = graph.relu %x : (tensor<10x100xf16>) -> tensor<10x100xf16>
  return %y : tensor<10x100xf16>
}

//--- rows.mlir
func.func @rows(%x: tensor<4x200000xf16>) -> tensor<4x200000xf16> {
  %0 = graph.reduce_max %x {axes = array<i64: 1>, keep_dims = true} : (tensor<4x200000xf16>) -> tensor<4x1xf16>
  %1 = graph.subtract %x, %0 : (tensor<4x200000xf16>, tensor<4x1xf16>) -> tensor<4x200000xf16>
  return %1 : tensor<4x200000xf16>
}

//--- attribute.mlir
func.func private @relu_graph(tensor<8xf16>) -> tensor<8xf16>
poly.scop @relu reference @relu_graph schedule { domain: "{ S_0[i] : 0 <= i < 8 }" } attributes {policy = 3} {
  poly.array @X input 0 : tensor<8xf16>
  poly.array @Y output 0 : tensor<8xf16>
  poly.statement @S_0 domain "{ S_0[i] : 0 <= i < 8 }" reads [@X "{ S_0[i] -> X[i] }"] writes @Y "{ S_0[i] -> Y[i] }" {
  ^bb0(%x: f16):
    poly.yield %x : f16
  }
}

//--- sequential.mlir
func.func private @relu_graph(tensor<64xf16>) -> tensor<64xf16>
poly.scop @relu reference @relu_graph schedule {
  domain: "{ S_0[i] : 0 <= i < 64 }",
  child: { schedule: "[{ S_0[i] -> [(i)] }]" }
} {
  poly.array @X input 0 : tensor<64xf16>
  poly.array @Y output 0 : tensor<64xf16>
  poly.statement @S_0 domain "{ S_0[i] : 0 <= i < 64 }" reads [@X "{ S_0[i] -> X[i] }"] writes @Y "{ S_0[i] -> Y[i] }" {
  ^bb0(%x: f16):
    poly.yield %x : f16
  }
}
