// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The loops of the attention template: panels of queries, blocks of keys, tiles
// of scores.

// RUN: gc-opt %s --graph-select-schedule --convert-graph-to-tir --canonicalize --cse | FileCheck %s
// RUN: gc-opt %s --graph-select-schedule --convert-graph-to-tir --canonicalize --cse | FileCheck %s --check-prefix=ROWS
// RUN: gc-opt %s --graph-select-schedule --convert-graph-to-tir --canonicalize --cse | FileCheck %s --check-prefix=SKIP

// Vectors of eight floats, whatever the host has.
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #dlti.target_device_spec<"machine" = "zen3-2", "num_threads" = 2 : i64, "max_vector_op_width" = 256 : i64, "num_vector_registers" = 16 : i64>>} {

// 24 rows are two panels of 12, one per core, each of two tiles of 6; 100 keys are
// three blocks of 32 and a rest of 4, whose kernels compute a whole vector of 8
// scores but reduce 4 keys. The 20 columns of the values are padded to 24.
// CHECK-LABEL: func.func @example
// CHECK-SAME: (%[[Q:.*]]: memref<3x24x8xf32>, %[[K:.*]]: memref<3x100x8xf32>, %[[V:.*]]: memref<3x100x20xf32>, %[[MASK:.*]]: memref<1x1x100xf32>, %[[Y:.*]]: memref<3x24x20xf32>)
// CHECK-DAG: %[[QS:.*]] = tir.scratch per_thread : memref<12x8xf32>
// CHECK-DAG: %[[KS:.*]] = tir.scratch per_thread : memref<2x8x16xf32>
// CHECK-DAG: %[[VS:.*]] = tir.scratch per_thread : memref<2x32x16xf32>
// CHECK-DAG: %[[S:.*]] = tir.scratch per_thread : memref<6x32xf32>
// CHECK-DAG: %[[O:.*]] = tir.scratch per_thread : memref<12x24xf32>
// CHECK: tir.parallel (%[[B:.*]], %[[MP:.*]]) in (3, 2) attributes {name = "attention+relu"} {
// The blocks of 32 keys, then the tiles of 6 rows.
// CHECK: scf.for %[[BLOCK:.*]] = %c0 to %c3 step %c1 {
// CHECK: vector.store %{{.*}}, %[[VS]][%c1
// CHECK: scf.for %[[TILE:.*]] = %c0 to %c2 step %c1 {
// CHECK-NEXT: scf.for %[[KEY:.*]] = %c0 to %c2 step %c1 {
// CHECK: %[[QK:.*]] = tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = 6, n = 16, k = 8, lda = 8, ldb = 16, ldc = 32, beta = 0>
// CHECK: tir.brgemm %[[QK]] batch(%c1) a(%[[QS]][%{{.*}}, %c0]) b(%[[KS]][%[[KEY]], %c0, %c0]) c(%[[S]][%c0, %{{.*}}])
// The ops of the region, then the exponentials.
// CHECK: arith.addf
// CHECK: math.exp
// 16 columns of the values and the 4 that are left, by blocks of 32 keys.
// CHECK: %[[PV:.*]] = tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = 6, n = 16, k = 32, lda = 32, ldb = 16, ldc = 24, beta = 1>
// CHECK: tir.brgemm %[[PV]] batch(%c1) a(%[[S]][%c0, %c0]) b(%[[VS]][%c0, %c0, %c0]) c(%[[O]][%{{.*}}, %c0])
// CHECK: %[[PVREST:.*]] = tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = 6, n = 8, k = 32, lda = 32, ldb = 16, ldc = 24
// CHECK: tir.brgemm %[[PVREST]] batch(%c1) a(%[[S]][%c0, %c0]) b(%[[VS]][%c1, %c0, %c0]) c(%[[O]][%{{.*}}, %c16])
// The rest of the keys.
// CHECK: tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = 6, n = 8, k = 8, lda = 8, ldb = 16, ldc = 32, beta = 0>
// CHECK: tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = 6, n = 16, k = 4, lda = 32, ldb = 16, ldc = 24, beta = 1>
// Post-ops see the panel.
// CHECK: arith.divf
// CHECK: arith.maximumf
// CHECK: vector.store %{{.*}}, %[[Y]]

// A logit of -inf fills the lanes past the last keys; the exponentials are of 0
// or less; where no logit is finite the largest is taken for 0.
// ROWS-LABEL: func.func @example
// ROWS: scf.for
// ROWS: arith.cmpf ogt
// ROWS: vector.reduction <maxnumf>
// ROWS: scf.if
// ROWS: math.exp %{{.*}} {tir.at_most_one}
// ROWS: arith.cmpf oeq
// ROWS: arith.select
// ROWS: math.exp %{{.*}} {tir.at_most_one}
// ROWS: memref.store %cst{{.*}}, %{{.*}}[%{{.*}}, %c4]
// ROWS: memref.store %cst{{.*}}, %{{.*}}[%{{.*}}, %c7]
// ROWS-NOT: memref.store %cst{{.*}}, %{{.*}}[%{{.*}}, %c8]
func.func @example(%q: tensor<3x24x8xf32>, %k: tensor<3x100x8xf32>, %v: tensor<3x100x20xf32>, %mask: tensor<1x1x100xf32>) -> tensor<3x24x20xf32> {
  %0 = graph.fused_op attributes {name = "attention+relu"} -> (tensor<3x24x20xf32>) {
    %1 = graph.attention %q, %k, %v {transpose_key = true, template_params = #graph.attention_template<MPN = 2, MB = 12, RB = 6, SB = 32, NB = 16, KB = 32>} : (tensor<3x24x8xf32>, tensor<3x100x8xf32>, tensor<3x100x20xf32>) -> tensor<3x24x20xf32> {
    ^bb0(%s: tensor<3x24x100xf32>):
      %3 = graph.add %s, %mask : (tensor<3x24x100xf32>, tensor<1x1x100xf32>) -> tensor<3x24x100xf32>
      graph.yield %3 : tensor<3x24x100xf32>
    }
    %2 = graph.relu %1 {graph.anchor = #graph.anchor<post, 1>} : (tensor<3x24x20xf32>) -> tensor<3x24x20xf32>
    graph.yield %2 : tensor<3x24x20xf32>
  }
  return %0 : tensor<3x24x20xf32>
}

// With `skip`, blocks and tiles of which the mask leaves nothing are left out: by
// the last row and the first key of each, and by the least of the maxima that rows
// have so far if the bound is a number. Panels go back and forth between cores.
// SKIP-DAG: #[[$BACK_MAP:.*]] = affine_map<(d0) -> (-d0 + 1)>
// SKIP-LABEL: func.func @causal
// SKIP-SAME: %[[FILL:[a-z0-9]+]]: memref<1xf32>
// SKIP: tir.parallel (%{{.*}}, %[[PART:.*]]) in (3, 2)
// SKIP: %[[BACK:.*]] = affine.apply #[[$BACK_MAP]](%[[PART]])
// SKIP: scf.for %[[ROUND:.*]] =
// SKIP: arith.select %{{.*}}, %[[BACK]], %[[PART]]
// SKIP: scf.for %[[BLOCK:.*]] = %c0{{.*}} to %c2
// SKIP: arith.cmpi sge
// SKIP: memref.load %[[FILL]]
// SKIP: %[[BOUNDED:.*]] = arith.cmpf olt, %{{.*}}, %cst{{.*}} : f32
// SKIP: %[[EMPTY:.*]] = scf.if %[[BOUNDED]] -> (i1)
// SKIP: scf.for {{.*}} iter_args
// SKIP: %[[NEEDED:.*]] = arith.xori %[[EMPTY]], %true
// SKIP: scf.if %[[NEEDED]] {
// SKIP: scf.for %[[TILE:.*]] =
// SKIP: scf.if
// SKIP: scf.if
// SKIP: tir.brgemm
func.func @causal(%q: tensor<3x48x8xf32>, %k: tensor<3x64x8xf32>, %v: tensor<3x64x16xf32>, %fill: tensor<1xf32>) -> tensor<3x48x16xf32> {
  %0 = graph.fused_op attributes {name = "attention"} -> (tensor<3x48x16xf32>) {
    %1 = graph.attention %q, %k, %v {transpose_key = true, template_params = #graph.attention_template<MPN = 2, MB = 12, RB = 6, SB = 32, NB = 16, KB = 32, skip = true>} : (tensor<3x48x8xf32>, tensor<3x64x8xf32>, tensor<3x64x16xf32>) -> tensor<3x48x16xf32> {
    ^bb0(%s: tensor<3x48x64xf32>):
      %row = graph.gen_index %s {axis = 1 : i64} : (tensor<3x48x64xf32>) -> tensor<3x48x64xsi32>
      %key = graph.gen_index %s {axis = 2 : i64} : (tensor<3x48x64xf32>) -> tensor<3x48x64xsi32>
      %seen = graph.greater_equal %row, %key : (tensor<3x48x64xsi32>, tensor<3x48x64xsi32>) -> tensor<3x48x64xi1>
      %x = graph.select %seen, %s, %fill : (tensor<3x48x64xi1>, tensor<3x48x64xf32>, tensor<1xf32>) -> tensor<3x48x64xf32>
      graph.yield %x : tensor<3x48x64xf32>
    }
    graph.yield %1 : tensor<3x48x16xf32>
  }
  return %0 : tensor<3x48x16xf32>
}

}
