// Structured ops of linalg as statements of scops.

// RUN: gc-opt %s --split-input-file --poly-extract | FileCheck %s
// RUN: gc-opt %s --split-input-file --poly-cut-kernels | FileCheck %s --check-prefix=CUT

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d1)>
#col = affine_map<(d0, d1) -> (d0)>
#t = affine_map<(d0, d1) -> (d1, d0)>

// Each operation of a body is a statement, rounded as the body does; the bits of
// a comparison are computed where they are used.
// CHECK-LABEL: poly.scop @pointwise reference @pointwise_graph
// CHECK:       poly.array @O0 output 0 : tensor<40x48xf16>
// CHECK:       poly.statement @S_0 {{.*}} reads [@I0 "{ S_0[i0, i1] -> I0[i0, i1] }", @I1 "{ S_0[i0, i1] -> I1[i1] }"] writes @[[SUM:T[0-9]+]]
// CHECK:         arith.extf
// CHECK:         arith.extf
// CHECK-NEXT:    arith.addf {{.*}} : f32
// CHECK-NEXT:    arith.truncf {{.*}} : f32 to f16
// CHECK:       poly.statement @S_1 {{.*}} reads [@[[SUM]] "{{.*}}"] writes @[[HALF:T[0-9]+]]
// CHECK:         arith.mulf {{.*}} : f32
// CHECK-NEXT:    arith.truncf
// CHECK:       poly.statement @S_2 {{.*}} reads [@[[HALF]] "{{.*}}"] writes @[[EXP:T[0-9]+]]
// CHECK:         math.exp {{.*}} : f32
// CHECK:       poly.statement @S_3 {{.*}} reads [@I0 "{{.*}}", @[[EXP]] "{{.*}}"] writes @O0
// CHECK:         arith.cmpf ogt
// CHECK:         arith.select
// CHECK-NOT:   poly.statement
// CUT-LABEL:   func.func @pointwise(
func.func @pointwise(%x: tensor<40x48xf16>, %b: tensor<48xf16>) -> tensor<40x48xf16> {
  %c = arith.constant 5.000000e-01 : f16
  %e = tensor.empty() : tensor<40x48xf16>
  %0 = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %b : tensor<40x48xf16>, tensor<48xf16>) outs(%e : tensor<40x48xf16>) {
  ^bb0(%a: f16, %y: f16, %o: f16):
    %1 = arith.addf %a, %y : f16
    %2 = arith.mulf %1, %c : f16
    %3 = math.exp %2 : f16
    %4 = arith.cmpf ogt, %a, %c : f16
    %5 = arith.select %4, %3, %a : f16
    linalg.yield %5 : f16
  } -> tensor<40x48xf16>
  return %0 : tensor<40x48xf16>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d1)>
#col = affine_map<(d0, d1) -> (d0)>
#t = affine_map<(d0, d1) -> (d1, d0)>

// The space has the order of the result.
// CHECK-LABEL: poly.scop @transposed
// CHECK:       poly.statement @S_0 domain "{ S_0[i0, i1] : 0 <= i0 <= 47 and 0 <= i1 <= 39 }" reads [@I0 "{ S_0[i0, i1] -> I0[i1, i0] }"] writes @O0 "{ S_0[i0, i1] -> O0[i0, i1] }"
func.func @transposed(%x: tensor<40x48xf16>) -> tensor<48x40xf16> {
  %e = tensor.empty() : tensor<48x40xf16>
  %0 = linalg.generic {indexing_maps = [#id, #t], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<40x48xf16>) outs(%e : tensor<48x40xf16>) {
  ^bb0(%a: f16, %o: f16):
    %1 = arith.addf %a, %a : f16
    linalg.yield %1 : f16
  } -> tensor<48x40xf16>
  return %0 : tensor<48x40xf16>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d1)>
#col = affine_map<(d0, d1) -> (d0)>
#t = affine_map<(d0, d1) -> (d1, d0)>

// Terms that are computed have statements of their own; initial values that are
// not neutral are added in the end.
// CHECK-LABEL: poly.scop @start
// CHECK:       poly.statement @S_0 {{.*}} writes @[[TERMS:T[0-9]+]]
// CHECK:         arith.mulf {{.*}} : f32
// CHECK:       poly.statement @S_1 domain "{ S_1[i0] : 0 <= i0 <= 39 }" {{.*}}writes @[[SUMS:T[0-9]+]]
// CHECK-NEXT:    arith.constant 0.000000e+00 : f32
// CHECK:       poly.statement @S_2 domain "{ S_2[i0, i1] : 0 <= i0 <= 39 and 0 <= i1 <= 47 }" reads [@[[SUMS]] "{ S_2[i0, i1] -> [[SUMS]][i0] }", @[[TERMS]] "{{.*}}"] writes @[[SUMS]]
// CHECK:         arith.addf {{.*}} : f32
// CHECK:       poly.statement @S_3 domain "{ S_3[i0] : 0 <= i0 <= 39 }" reads [@[[SUMS]] "{{.*}}", @I1 "{{.*}}"] writes @O0
// CHECK:         arith.addf {{.*}} : f32
func.func @start(%x: tensor<40x48xf16>, %s: tensor<40xf32>) -> tensor<40xf32> {
  %0 = linalg.generic {indexing_maps = [#id, #col], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<40x48xf16>) outs(%s : tensor<40xf32>) {
  ^bb0(%a: f16, %o: f32):
    %1 = arith.extf %a : f16 to f32
    %2 = arith.mulf %1, %1 : f32
    %3 = arith.addf %o, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<40xf32>
  return %0 : tensor<40xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d1)>
#col = affine_map<(d0, d1) -> (d0)>
#t = affine_map<(d0, d1) -> (d1, d0)>

// A maximum needs no wider type.
// CHECK-LABEL: poly.scop @columns
// CHECK:       poly.statement @S_0 domain "{ S_0[i0] : 0 <= i0 <= 47 }" {{.*}}writes @O0
// CHECK-NEXT:    arith.constant 0xFC00 : f16
// CHECK:       poly.statement @S_1 {{.*}} reads [@O0 "{ S_1[i0, i1] -> O0[i1] }", @I0 "{ S_1[i0, i1] -> I0[i0, i1] }"] writes @O0
// CHECK:         arith.maximumf {{.*}} : f16
func.func @columns(%x: tensor<40x48xf16>) -> tensor<48xf16> {
  %low = arith.constant 0xFC00 : f16
  %ev = tensor.empty() : tensor<48xf16>
  %m0 = linalg.fill ins(%low : f16) outs(%ev : tensor<48xf16>) -> tensor<48xf16>
  %0 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["reduction", "parallel"]}
      ins(%x : tensor<40x48xf16>) outs(%m0 : tensor<48xf16>) {
  ^bb0(%a: f16, %o: f16):
    %3 = arith.maximumf %o, %a : f16
    linalg.yield %3 : f16
  } -> tensor<48xf16>
  return %0 : tensor<48xf16>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d1)>
#col = affine_map<(d0, d1) -> (d0)>
#t = affine_map<(d0, d1) -> (d1, d0)>

// A product is one statement, whatever the order of its loops and factors: the
// first factor has the rows, and the last loop the terms. Numbers that bodies
// read from outside are in the kernels.
// CHECK-LABEL: poly.scop @batched
// CHECK:       poly.statement @S_1 domain "{ S_1[i0, i1, i2, i3] : 0 <= i0 <= 2 and 0 <= i1 <= 79 and 0 <= i2 <= 71 and 0 <= i3 <= 95 }" reads [@I0 "{ S_1[i0, i1, i2, i3] -> I0[i0, i1, i3] }", @I1 "{ S_1[i0, i1, i2, i3] -> I1[i0, i2, i3] }", @O0 "{ S_1[i0, i1, i2, i3] -> O0[i0, i1, i2] }"]
// CHECK:         arith.mulf {{.*}} : f32
// CHECK-NEXT:    arith.addf {{.*}} : f32
func.func @batched(%x: tensor<3x80x96xf16>, %w: tensor<3x72x96xf16>) -> tensor<3x80x72xf32> {
  %zero = arith.constant 0.000000e+00 : f32
  %e = tensor.empty() : tensor<3x80x72xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<3x80x72xf32>) -> tensor<3x80x72xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(b, k, m, n) -> (b, n, k)>, affine_map<(b, k, m, n) -> (b, m, k)>, affine_map<(b, k, m, n) -> (b, m, n)>], iterator_types = ["parallel", "reduction", "parallel", "parallel"]} ins(%w, %x : tensor<3x72x96xf16>, tensor<3x80x96xf16>) outs(%f : tensor<3x80x72xf32>) {
  ^bb0(%a: f16, %b: f16, %o: f32):
    %1 = arith.extf %a : f16 to f32
    %2 = arith.extf %b : f16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<3x80x72xf32>
  return %p : tensor<3x80x72xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d1)>
#col = affine_map<(d0, d1) -> (d0)>
#t = affine_map<(d0, d1) -> (d1, d0)>

// CHECK-LABEL: poly.scop @two
// CUT-LABEL:   func.func @two_0(
// CUT:           %[[HALF:.*]] = arith.constant 5.000000e-01 : f16
// CUT:           linalg.generic
// CUT:             arith.mulf {{.*}}, %[[HALF]] : f16
// CUT-LABEL:   func.func @two_1(
// CUT:           linalg.generic
// CUT-LABEL:   func.func @two(
// CUT:           call @two_0
// CUT:           call @two_1
func.func @two(%x: tensor<40x48xf16>) -> tensor<48x40xf16> {
  %half = arith.constant 0.5 : f16
  %e = tensor.empty() : tensor<40x48xf16>
  %r = tensor.empty() : tensor<48x40xf16>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<40x48xf16>) outs(%e : tensor<40x48xf16>) {
  ^bb0(%a: f16, %o: f16):
    %1 = arith.mulf %a, %half : f16
    linalg.yield %1 : f16
  } -> tensor<40x48xf16>
  %2 = linalg.generic {indexing_maps = [#id, #t], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<40x48xf16>) outs(%r : tensor<48x40xf16>) {
  ^bb0(%a: f16, %o: f16):
    %1 = arith.addf %a, %a : f16
    linalg.yield %1 : f16
  } -> tensor<48x40xf16>
  return %2 : tensor<48x40xf16>
}
