// RUN: gc-opt %s --pass-pipeline="builtin.module(poly.scop(poly-promote,poly-tile-statements))" | FileCheck %s

// A tile that is shorter than the others is a whole one, shifted back.

func.func private @relu_graph(%x: tensor<10x100xf16>) -> tensor<10x100xf16> {
  %y = graph.relu %x : (tensor<10x100xf16>) -> tensor<10x100xf16>
  return %y : tensor<10x100xf16>
}

// CHECK: affine_map<(d0) -> (d0 * 384, 616)>
// CHECK: poly.scop @relu
// CHECK: mark: "pipeline:3"
// CHECK: options: "{ atomic[0] }"
// CHECK: mark: "buffer:O0_ub"
// CHECK: mark: "buffer:I0_ub"
// CHECK: filter: "{ load_I0[i0] }"
// CHECK: filter: "{ S_0_tile[i0] }"
// CHECK: filter: "{ store_O0[i0] }"
// CHECK: poly.buffer @I0_ub of @I0 : memref<384xf16, #npu.space<ub>>
// CHECK-NOT: poly.statement
// CHECK: poly.tile @S_0_tile domain "{ S_0_tile[i0] : 0 <= i0 <= 2 }"
// CHECK: npu.unary relu %{{.*}} to %{{.*}} : memref<384xf16
// CHECK: poly.tile @load_I0
// CHECK: %[[AT:.*]] = affine.min
// CHECK: memref.subview %{{.*}}[%[[AT]]] [384] [1]
// CHECK: npu.copy
poly.scop @relu reference @relu_graph schedule {
  domain: "{ S_0[i0] : 0 <= i0 <= 999 }",
  child: {
    mark: "tile:UB",
    child: {
      schedule: "[{ S_0[i0] -> [(floor((i0)/384))] }]",
      child: {
        mark: "local_UB",
        child: {
          schedule: "[{ S_0[i0] -> [(i0)] }]"
        }
      }
    }
  }
} {
  poly.array @I0 input 0 : tensor<1000xf16>
  poly.array @O0 output 0 : tensor<1000xf16>
  poly.statement @S_0 domain "{ S_0[i0] : 0 <= i0 <= 999 }"
      reads [@I0 "{ S_0[i0] -> I0[i0] }"] writes @O0 "{ S_0[i0] -> O0[i0] }" {
  ^bb0(%x: f16):
    %zero = arith.constant 0.0 : f32
    %wide = arith.extf %x : f16 to f32
    %y = arith.maximumf %wide, %zero : f32
    %narrow = arith.truncf %y : f32 to f16
    poly.yield %narrow : f16
  }
}
