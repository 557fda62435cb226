// The running example of the AKG paper (figure 3): A = X + bias, C = the
// convolution of A with B, E = ReLU(abs(C)), and its trees after each pass. The
// tree of the input is figure 3(b).

// RUN: gc-opt %s --pass-pipeline="builtin.module(poly.scop(poly-schedule))" \
// RUN:   | FileCheck %s --check-prefix=C
// RUN: gc-opt %s --pass-pipeline='builtin.module(poly.scop(poly-schedule,poly-tile{policy="S_2 : 32 @ L1, 32 @ L1"}))' \
// RUN:   | FileCheck %s --check-prefix=D
// RUN: gc-opt %s --pass-pipeline='builtin.module(poly.scop(poly-schedule,poly-tile{policy="S_2 : 32 @ L1, 32 @ L1"},poly-fuse))' \
// RUN:   | FileCheck %s --check-prefix=E
// RUN: gc-opt %s --pass-pipeline='builtin.module(poly.scop(poly-schedule,poly-tile{policy="S_2 : 32 @ L1, 32 @ L1"},poly-fuse,poly-map-units))' \
// RUN:   | FileCheck %s --check-prefix=F

// Two clusters: the bias, and everything that shares the loops of the result.
// C:      sequence: [
// C:        filter: "{ S_0[h, w] }"
// C-NEXT:   child: {
// C-NEXT:     schedule: "[{ S_0[h, w] -> [(h)] }, { S_0[h, w] -> [(w)] }]",
// C-NEXT:     permutable: 1,
// C-NEXT:     coincident: [ 1, 1 ]
// C:        filter: "{ {{(S_[1-4]\[h, w(, kh, kw)?\](; )?)+}} }"
// C-NEXT:   child: {
// C-NEXT:     schedule: "[{ {{.*}} -> [(h)] }, { {{.*}} -> [(w)] }]",
// C-NEXT:     permutable: 1,
// C-NEXT:     coincident: [ 1, 1 ],
// C-NEXT:     child: {
// C-NEXT:       sequence: [
// C:              filter: "{ S_1[h, w] }"
// C:              filter: "{ S_2[h, w, kh, kw] }"
// C-NEXT:         child: {
// C-NEXT:           schedule: "[{ S_2[h, w, kh, kw] -> [(kh)] }, { S_2[h, w, kh, kw] -> [(kw)] }]",
// C-NEXT:           permutable: 1
// C:              filter: "{ S_3[h, w] }"
// C:              filter: "{ S_4[h, w] }"

// The live-out space in tiles; the bias is as before.
// D:      filter: "{ S_0[h, w] }"
// D-NEXT: child: {
// D-NEXT:   schedule: "[{ S_0[h, w] -> [(h)] }, { S_0[h, w] -> [(w)] }]",
// D:      mark: "tile:L1",
// D-NEXT: child: {
// D-NEXT:   schedule: "[{{.*}}S_2[h, w, kh, kw] -> [(floor((h)/32))]{{.*}}S_2[h, w, kh, kw] -> [(floor((w)/32))]
// D-NEXT:   permutable: 1,
// D-NEXT:   coincident: [ 1, 1 ],
// D-NEXT:   child: {
// D-NEXT:     schedule: "[{{.*}}S_2[h, w, kh, kw] -> [(h)]{{.*}}S_2[h, w, kh, kw] -> [(w)]
// D-NEXT:     permutable: 1,
// D-NEXT:     coincident: [ 1, 1 ],
// D-NEXT:     child: {
// D-NEXT:       sequence: [
// D:      attributes {{{.*}}policy = "S_2 : 32 @ L1, 32 @ L1"}

// The bias of a tile, with what it shares with its neighbours (34 x 34 elements
// for 32 x 32), in an extension; nothing is left of the original.
// E:      domain: "{
// E-NOT:  S_0
// E:      child: {
// E-NEXT:   mark: "tile:L1",
// E-NEXT:   child: {
// E-NEXT:     schedule: "[{{.*}}(floor((h)/32)){{.*}}(floor((w)/32)){{.*}}",
// E:          extension: "{ [i0, i1] -> S_0[h, w] : {{.*}}h <= 33 + 32i0{{.*}}w <= 33 + 32i1 }",
// E-NEXT:     child: {
// E-NEXT:       sequence: [
// E-NEXT:         {
// E-NEXT:           filter: "{ S_0[h, w] }",
// E-NEXT:           child: {
// E-NEXT:             schedule: "[{ S_0[h, w] -> [(h)] }, { S_0[h, w] -> [(w)] }]",
// E:                filter: "{ {{(S_[1-4]\[h, w(, kh, kw)?\](; )?)+}} }"

// The cube unit gets the convolution, the vector unit the rest, with loops of
// their own.
// F:      extension:
// F:      filter: "{ S_0[h, w] }"
// F-NEXT: child: {
// F-NEXT:   mark: "local_UB",
// F-NEXT:   child: {
// F-NEXT:     schedule: "[{ S_0[h, w] -> [(h)] }, { S_0[h, w] -> [(w)] }]",
// F:      mark: "cube",
// F-NEXT: child: {
// F-NEXT:   sequence: [
// F-NEXT:     {
// F-NEXT:       filter: "{ S_1[h, w] }",
// F-NEXT:       child: {
// F-NEXT:         schedule: "[{ S_1[h, w] -> [(h)] }, { S_1[h, w] -> [(w)] }]",
// F:            filter: "{ S_2[h, w, kh, kw] }",
// F-NEXT:       child: {
// F-NEXT:         schedule: "[{ S_2[h, w, kh, kw] -> [(h)] }, { S_2[h, w, kh, kw] -> [(w)] }, { S_2[h, w, kh, kw] -> [(kh)] }, { S_2[h, w, kh, kw] -> [(kw)] }]",
// F-NEXT:         permutable: 1,
// F-NEXT:         coincident: [ 1, 1, 0, 0 ]
// F:      mark: "local_UB",
// F-NEXT: child: {
// F-NEXT:   sequence: [
// F-NEXT:     {
// F-NEXT:       filter: "{ S_3[h, w] }",
// F-NEXT:       child: {
// F-NEXT:         schedule: "[{ S_3[h, w] -> [(h)] }, { S_3[h, w] -> [(w)] }]",
// F:            filter: "{ S_4[h, w] }",
// F-NEXT:       child: {
// F-NEXT:         schedule: "[{ S_4[h, w] -> [(h)] }, { S_4[h, w] -> [(w)] }]",

func.func private @figure3_graph(tensor<68x68xf16>, tensor<3x3xf16>) -> tensor<66x66xf32>

poly.scop @figure3 reference @figure3_graph schedule {
  domain: "{ S_0[h, w] : 0 <= h <= 67 and 0 <= w <= 67; S_1[h, w] : 0 <= h <= 65 and 0 <= w <= 65; S_2[h, w, kh, kw] : 0 <= h <= 65 and 0 <= w <= 65 and 0 <= kh <= 2 and 0 <= kw <= 2; S_3[h, w] : 0 <= h <= 65 and 0 <= w <= 65; S_4[h, w] : 0 <= h <= 65 and 0 <= w <= 65 }",
  child: {
    sequence: [
      { filter: "{ S_0[h, w] }", child: { schedule: "[{ S_0[h, w] -> [(h)] }, { S_0[h, w] -> [(w)] }]" } },
      { filter: "{ S_1[h, w]; S_2[h, w, kh, kw] }",
        child: { schedule: "[{ S_1[h, w] -> [(h)]; S_2[h, w, kh, kw] -> [(h)] }, { S_1[h, w] -> [(w)]; S_2[h, w, kh, kw] -> [(w)] }]",
          child: { sequence: [
            { filter: "{ S_1[h, w] }" },
            { filter: "{ S_2[h, w, kh, kw] }", child: { schedule: "[{ S_2[h, w, kh, kw] -> [(kh)] }, { S_2[h, w, kh, kw] -> [(kw)] }]" } }
          ] } } },
      { filter: "{ S_3[h, w] }", child: { schedule: "[{ S_3[h, w] -> [(h)] }, { S_3[h, w] -> [(w)] }]" } },
      { filter: "{ S_4[h, w] }", child: { schedule: "[{ S_4[h, w] -> [(h)] }, { S_4[h, w] -> [(w)] }]" } }
    ]
  }
} {
  poly.array @X input 0 : tensor<68x68xf16>
  poly.array @B input 1 : tensor<3x3xf16>
  poly.array @A temporary : tensor<68x68xf16>
  poly.array @C temporary : tensor<66x66xf32>
  poly.array @D temporary : tensor<66x66xf32>
  poly.array @E output 0 : tensor<66x66xf32>
  // A[h, w] = X[h, w] + bias
  poly.statement @S_0 domain "{ S_0[h, w] : 0 <= h <= 67 and 0 <= w <= 67 }"
      reads [@X "{ S_0[h, w] -> X[h, w] }"] writes @A "{ S_0[h, w] -> A[h, w] }" {
  ^bb0(%x: f16):
    %bias = arith.constant 2.0 : f16
    %a = arith.addf %x, %bias : f16
    poly.yield %a : f16
  }
  // C[h, w] = sum of A[h + kh, w + kw] * B[kh, kw]
  poly.statement @S_1 domain "{ S_1[h, w] : 0 <= h <= 65 and 0 <= w <= 65 }"
      writes @C "{ S_1[h, w] -> C[h, w] }" {
    %zero = arith.constant 0.0 : f32
    poly.yield %zero : f32
  }
  poly.statement @S_2 domain "{ S_2[h, w, kh, kw] : 0 <= h <= 65 and 0 <= w <= 65 and 0 <= kh <= 2 and 0 <= kw <= 2 }"
      reads [@A "{ S_2[h, w, kh, kw] -> A[h + kh, w + kw] }",
             @B "{ S_2[h, w, kh, kw] -> B[kh, kw] }",
             @C "{ S_2[h, w, kh, kw] -> C[h, w] }"]
      writes @C "{ S_2[h, w, kh, kw] -> C[h, w] }" {
  ^bb0(%a: f16, %b: f16, %c: f32):
    %wide_a = arith.extf %a : f16 to f32
    %wide_b = arith.extf %b : f16 to f32
    %product = arith.mulf %wide_a, %wide_b : f32
    %sum = arith.addf %c, %product : f32
    poly.yield %sum : f32
  }
  // D = abs(C), E = ReLU(D)
  poly.statement @S_3 domain "{ S_3[h, w] : 0 <= h <= 65 and 0 <= w <= 65 }"
      reads [@C "{ S_3[h, w] -> C[h, w] }"] writes @D "{ S_3[h, w] -> D[h, w] }" {
  ^bb0(%c: f32):
    %d = math.absf %c : f32
    poly.yield %d : f32
  }
  poly.statement @S_4 domain "{ S_4[h, w] : 0 <= h <= 65 and 0 <= w <= 65 }"
      reads [@D "{ S_4[h, w] -> D[h, w] }"] writes @E "{ S_4[h, w] -> E[h, w] }" {
  ^bb0(%d: f32):
    %zero = arith.constant 0.0 : f32
    %e = arith.maximumf %d, %zero : f32
    poly.yield %e : f32
  }
}
