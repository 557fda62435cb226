// Arrays, statements, buffers, tiles and the layout of schedule trees.

// RUN: gc-opt %s | gc-opt | FileCheck %s
// RUN: gc-opt %s --mlir-print-op-generic | gc-opt | FileCheck %s

func.func private @relu_graph(tensor<10x100xf16>) -> tensor<10x100xf16>

// CHECK-LABEL: poly.scop @relu reference @relu_graph schedule {
// CHECK-NEXT:    domain: "{ S0[i] : 0 <= i <= 999 }",
// CHECK-NEXT:    child: {
// CHECK-NEXT:      mark: "local_UB",
// CHECK-NEXT:      child: {
// CHECK-NEXT:        schedule: "[{ S0[i] -> [(i)] }]",
// CHECK-NEXT:        permutable: 1,
// CHECK-NEXT:        coincident: [ 1 ]
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:  } {
poly.scop @relu reference @relu_graph schedule {
  domain: "{ S0[i] : 0 <= i <= 999 }",
  child: {
    mark: "local_UB",
    child: { schedule: "[{ S0[i] -> [(i)] }]", permutable: 1, coincident: [ 1 ] }
  }
} {
  // CHECK: poly.array @X input 0 : tensor<1000xf16>
  // CHECK: poly.array @Y output 0 : tensor<1000xf16>
  poly.array @X input 0 : tensor<1000xf16>
  poly.array @Y output 0 : tensor<1000xf16>
  // CHECK:      poly.statement @S0 domain "{ S0[i] : 0 <= i < 1000 }"
  // CHECK-SAME:   reads [@X "{ S0[i] -> X[i] }"] writes @Y "{ S0[i] -> Y[i] }" {
  poly.statement @S0 domain "{ S0[i] : 0 <= i < 1000 }"
      reads [@X "{ S0[i] -> X[i] }"] writes @Y "{ S0[i] -> Y[i] }" {
  ^bb0(%x: f16):
    %zero = arith.constant 0.0 : f16
    %y = arith.maximumf %x, %zero : f16
    // CHECK: poly.yield %{{.*}} : f16
    poly.yield %y : f16
  }
}

// A sequence; a statement that reads nothing.
// CHECK-LABEL: poly.scop @two
// CHECK:         sequence: [
// CHECK-NEXT:      {
// CHECK-NEXT:        filter: "{ S0[i] }"
// CHECK-NEXT:      },
// CHECK-NEXT:      {
// CHECK-NEXT:        filter: "{ S1[i] }"
// CHECK-NEXT:      }
// CHECK-NEXT:    ]
poly.scop @two reference @relu_graph schedule {
  domain: "{ S0[i] : 0 <= i < 1000; S1[i] : 0 <= i < 1000 }",
  child: { sequence: [ { filter: "{ S0[i] }" }, { filter: "{ S1[i] }" } ] }
} {
  poly.array @T temporary : tensor<1000xf16>
  poly.array @Y output 0 : tensor<1000xf16>
  // CHECK: poly.statement @S0 domain "{ S0[i] : 0 <= i < 1000 }" writes @T
  poly.statement @S0 domain "{ S0[i] : 0 <= i < 1000 }" writes @T "{ S0[i] -> T[i] }" {
    %zero = arith.constant 0.0 : f16
    poly.yield %zero : f16
  }
  poly.statement @S1 domain "{ S1[i] : 0 <= i < 1000 }"
      reads [@T "{ S1[i] -> T[999 - i] }"] writes @Y "{ S1[i] -> Y[i] }" {
  ^bb0(%t: f16):
    poly.yield %t : f16
  }
}

// Tiles, buffers and an extension.
// CHECK-LABEL: poly.scop @tiles
poly.scop @tiles reference @relu_graph schedule {
  domain: "{ T1[i] : 0 <= i < 10 }",
  child: {
    schedule: "[{ T1[i] -> [(i)] }]",
    child: {
      extension: "{ [i] -> T0[i] : 0 <= i < 10 }",
      child: { sequence: [ { filter: "{ T0[i] }" }, { filter: "{ T1[i] }" } ] }
    }
  }
} {
  poly.array @X input 0 : tensor<1000xf16>
  poly.array @Y output 0 : tensor<1000xf16>
  // CHECK: poly.buffer @X_ub of @X : memref<100xf16, #npu.space<ub>>
  poly.buffer @X_ub of @X : memref<100xf16, #npu.space<ub>>
  // CHECK:      poly.tile @T0 domain "{ T0[i] : 0 <= i < 10 }" {
  // CHECK-NEXT: ^bb0(%{{.*}}: index):
  // CHECK-NEXT:   poly.ref @X_ub : memref<100xf16, #npu.space<ub>>
  // CHECK-NEXT:   poly.ref @X : memref<1000xf16, #npu.space<gm>>
  poly.tile @T0 domain "{ T0[i] : 0 <= i < 10 }" {
  ^bb0(%i: index):
    %b = poly.ref @X_ub : memref<100xf16, #npu.space<ub>>
    %x = poly.ref @X : memref<1000xf16, #npu.space<gm>>
  }
  poly.tile @T1 domain "{ T1[i] : 0 <= i < 10 }" {
  ^bb0(%i: index):
  }
}
