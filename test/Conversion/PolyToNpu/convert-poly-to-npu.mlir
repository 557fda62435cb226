// RUN: gc-opt %s --split-input-file --convert-poly-to-npu | FileCheck %s

// Loops, a condition and buffers of a tree of tiles. The array has another shape
// than the function's tensor.

func.func private @relu_graph(%x: tensor<8x128xf16>) -> tensor<8x128xf16> {
  %y = graph.relu %x : (tensor<8x128xf16>) -> tensor<8x128xf16>
  return %y : tensor<8x128xf16>
}

// CHECK-LABEL: func.func @relu(
// CHECK-SAME: memref<8x128xf16, #npu.space<gm>>
// CHECK-SAME: attributes {npu.kernel, reference = @relu_graph}
// CHECK: %[[X:.*]] = memref.collapse_shape %arg0
// CHECK: scf.for %[[I:.*]] = %c0{{.*}} to %c4{{.*}} step
// CHECK: %[[B:.*]] = npu.alloc : memref<256xf16, #npu.space<ub>>
// CHECK: memref.subview %[[X]]
// CHECK: npu.copy
// CHECK: arith.cmpi sge, %[[I]]
// CHECK: scf.if
// CHECK: npu.unary relu %[[B]] to %[[B]]
// CHECK: npu.copy %[[B]]
// CHECK: npu.pipeline = 2
// CHECK-NOT: poly.
poly.scop @relu reference @relu_graph schedule {
  domain: "{ load[t] : 0 <= t < 4; tile[t] : 1 <= t < 4; store[t] : 0 <= t < 4 }",
  child: {
    mark: "pipeline:2",
    child: {
      schedule: "[{ load[t] -> [(t)]; tile[t] -> [(t)]; store[t] -> [(t)] }]",
      options: "{ atomic[0] }",
      child: {
        mark: "buffer:B",
        child: {
          sequence: [ { filter: "{ load[t] }" }, { filter: "{ tile[t] }" }, { filter: "{ store[t] }" } ]
        }
      }
    }
  }
} {
  poly.array @X input 0 : tensor<1024xf16>
  poly.array @Y output 0 : tensor<1024xf16>
  poly.buffer @B of @X : memref<256xf16, #npu.space<ub>>
  poly.tile @load domain "{ load[t] : 0 <= t < 4 }" {
  ^bb0(%t: index):
    %at = affine.apply affine_map<(d0) -> (d0 * 256)>(%t)
    %x = poly.ref @X : memref<1024xf16, #npu.space<gm>>
    %b = poly.ref @B : memref<256xf16, #npu.space<ub>>
    %p = memref.subview %x[%at] [256] [1] : memref<1024xf16, #npu.space<gm>> to memref<256xf16, strided<[1], offset: ?>, #npu.space<gm>>
    npu.copy %p to %b : memref<256xf16, strided<[1], offset: ?>, #npu.space<gm>> to memref<256xf16, #npu.space<ub>>
  }
  poly.tile @tile domain "{ tile[t] : 1 <= t < 4 }" {
  ^bb0(%t: index):
    %b = poly.ref @B : memref<256xf16, #npu.space<ub>>
    npu.unary relu %b to %b : memref<256xf16, #npu.space<ub>> to memref<256xf16, #npu.space<ub>>
  }
  poly.tile @store domain "{ store[t] : 0 <= t < 4 }" {
  ^bb0(%t: index):
    %at = affine.apply affine_map<(d0) -> (d0 * 256)>(%t)
    %y = poly.ref @Y : memref<1024xf16, #npu.space<gm>>
    %b = poly.ref @B : memref<256xf16, #npu.space<ub>>
    %p = memref.subview %y[%at] [256] [1] : memref<1024xf16, #npu.space<gm>> to memref<256xf16, strided<[1], offset: ?>, #npu.space<gm>>
    npu.copy %b to %p : memref<256xf16, #npu.space<ub>> to memref<256xf16, strided<[1], offset: ?>, #npu.space<gm>>
  }
}

// -----

// A stage begins with the first op below its mark. A branch around it is divided:
// what comes before is not of the stage, and buffers are those of both.

// CHECK-LABEL: func.func @stages(
// CHECK: scf.for
// CHECK: %[[B:.*]] = npu.alloc
// CHECK: scf.if %[[C:.*]] {
// CHECK: npu.unary relu %[[B]]
// CHECK-NOT: npu.unary
// CHECK: scf.if %[[C]] {
// CHECK-NOT: npu.unary relu
// CHECK: npu.unary abs %[[B]]
// CHECK: npu.unary relu %[[B]]
// CHECK: } {npu.stage = 1 : i64}
func.func private @stages_graph(%x: tensor<128xf16>) -> tensor<128xf16> {
  %y = graph.relu %x : (tensor<128xf16>) -> tensor<128xf16>
  return %y : tensor<128xf16>
}
poly.scop @stages reference @stages_graph schedule {
  domain: "{ T[t] : 0 <= t <= 2; U[t] : 0 <= t <= 2; W[t] : 0 <= t <= 2; V[t] : 0 <= t <= 3 }",
  child: {
    schedule: "[{ T[t] -> [(t)]; U[t] -> [(t)]; W[t] -> [(t)]; V[t] -> [(t)] }]",
    child: {
      sequence: [
        { filter: "{ V[t] }" },
        { filter: "{ T[t]; U[t]; W[t] }",
          child: {
            mark: "buffer:B",
            child: {
              sequence: [
                { filter: "{ T[t] }" },
                { filter: "{ U[t]; W[t] }", child: { mark: "stage:1", child: { sequence: [ { filter: "{ U[t] }" }, { filter: "{ W[t] }" } ] } } }
              ]
            }
          }
        }
      ]
    }
  }
} {
  poly.array @X input 0 : tensor<128xf16>
  poly.array @Y output 0 : tensor<128xf16>
  poly.buffer @B of @X : memref<128xf16, #npu.space<ub>>
  poly.tile @V domain "{ V[t] : 0 <= t <= 3 }" {
  ^bb0(%t: index):
    %x = poly.ref @X : memref<128xf16, #npu.space<gm>>
  }
  poly.tile @T domain "{ T[t] : 0 <= t <= 2 }" {
  ^bb0(%t: index):
    %b = poly.ref @B : memref<128xf16, #npu.space<ub>>
    npu.unary relu %b to %b : memref<128xf16, #npu.space<ub>> to memref<128xf16, #npu.space<ub>>
  }
  poly.tile @U domain "{ U[t] : 0 <= t <= 2 }" {
  ^bb0(%t: index):
    %b = poly.ref @B : memref<128xf16, #npu.space<ub>>
    npu.unary abs %b to %b : memref<128xf16, #npu.space<ub>> to memref<128xf16, #npu.space<ub>>
  }
  poly.tile @W domain "{ W[t] : 0 <= t <= 2 }" {
  ^bb0(%t: index):
    %b = poly.ref @B : memref<128xf16, #npu.space<ub>>
    npu.unary relu %b to %b : memref<128xf16, #npu.space<ub>> to memref<128xf16, #npu.space<ub>>
  }
}
