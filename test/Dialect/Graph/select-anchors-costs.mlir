// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The cost table that print-costs reports, against the formulas of the paper's
// figure 3 computed by hand:
//
//   M = N = K = 64, MPN = NPN = 2, MB = NB = KB = 16, BS = 2, loops m, k, n
//   and two threads;
//   MSN = NSN = 64 / 16 / 2 = 2, KSN = 64 / 16 = 4, MSBN = NSBN = 32

// RUN: gc-opt %s --pass-pipeline="builtin.module(func.func(graph-select-anchors{print-costs=true threads=2}))" -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=remark
// Without the option there are no remarks.
// RUN: gc-opt %s --pass-pipeline="builtin.module(func.func(graph-select-anchors))" -o /dev/null 2>&1 | count 0

#a = #graph.layout<blocked, outer = [0, 1], inner = [0 : 16, 1 : 16]>

func.func @table(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = graph.fused_op -> (tensor<64x64xf32>) {
    // A'[MSN, KSN, MB, KB] = 2 * 4 * 16 * 16, once.
    // CHECK: remark: pre-op anchor 1: slice 32x64, working set 2048, access times 1, total access 2048, cost {{[0-9]+}} (not feasible)
    // CHECK: remark: pre-op anchor 2: slice 32x64, working set 2048, access times 1, total access 2048, cost {{[0-9]+$}}
    // A'[KSN, MB, KB] = 4 * 16 * 16, MSN times.
    // CHECK: remark: pre-op anchor 3: slice 16x64, working set 1024, access times 2, total access 2048, cost {{[0-9]+$}}
    // A'[BS, MB, KB] = 2 * 16 * 16, MSN * KSN / BS times.
    // CHECK: remark: pre-op anchor 4: slice 16x32, working set 512, access times 4, total access 2048, cost {{[0-9]+}} (not feasible)
    // The same, MSN * NSN * KSN / BS times: MSN * MB * KSN * KB * NSN elements.
    // CHECK: remark: pre-op anchor 5: slice 16x32, working set 512, access times 8, total access 4096, cost {{[0-9]+}} (not feasible)
    // Not fused: half of 64 * 64 elements for each of two threads, once to read
    // and once to write (2 cycles each beyond half of L1), a barrier.
    // CHECK: remark: not fused: share 2048 of 4096 elements, read and written again, cost {{[0-9]+$}}
    %p = graph.reorder %x : tensor<64x64xf32> -> tensor<64x64xf32, #a>
    %1 = graph.matmul %p, %w {template_params = #graph.matmul_template<MPN = 2, NPN = 2, MB = 16, NB = 16, KB = 16, BS = 2, order = [m, k, n], packA = true, packB = false>} : (tensor<64x64xf32, #a>, tensor<64x64xf32>) -> tensor<64x64xf32>
    // C[MB, NSBN] = 16 * 32, MSN times.
    // CHECK: remark: post-op anchor 1: slice 16x32, working set 512, access times 2, total access 1024, cost {{[0-9]+$}}
    // C[MSBN, NSBN] = 32 * 32, once.
    // CHECK: remark: post-op anchor 2: slice 32x32, working set 1024, access times 1, total access 1024, cost {{[0-9]+$}}
    // C[MSBN, N] = 32 * 64, once.
    // CHECK: remark: post-op anchor 3: slice 32x64, working set 2048, access times 1, total access 2048, cost {{[0-9]+}} (not feasible)
    // CHECK: remark: not fused: share 2048 of 4096 elements, read and written again, cost {{[0-9]+$}}
    %2 = graph.relu %1 : (tensor<64x64xf32>) -> tensor<64x64xf32>
    graph.yield %2 : tensor<64x64xf32>
  }
  return %0 : tensor<64x64xf32>
}
