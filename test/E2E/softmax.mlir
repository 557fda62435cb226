// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Softmax over rows of one element to rows beyond the cache, and along any
// dimension: tails of every length, reductions that are complete before what
// depends on them starts. Statistics of rows, also where the rows themselves are
// not needed.

// RUN: gc-runner %s --entry=main --check --threads=2
// RUN: gc-runner %s --entry=main --check --threads=1
// RUN: gc-runner %s --entry=main --check --threads=3
// RUN: gc-runner %s --entry=stats --check --strict --threads=2
// RUN: gc-runner %s --entry=stats --check --threads=1
// RUN: gc-runner %s --entry=attention_stats --check --strict --threads=2
// RUN: gc-runner %s --entry=attention_stats --check --pipeline-options=fast-softmax=true

func.func @main(%x1: tensor<5x1xf32>, %x7: tensor<5x7xf32>, %x33: tensor<5x33xf32>, %x100: tensor<5x100xf32>, %x512: tensor<5x512xf32>, %x1000: tensor<5x1000xf32>, %y: tensor<3x17x29xf32>, %w: tensor<2x9000xf32>, %b: tensor<4x37xbf16>)
  -> (tensor<5x1xf32>, tensor<5x7xf32>, tensor<5x33xf32>, tensor<5x100xf32>, tensor<5x512xf32>, tensor<5x1000xf32>, tensor<3x17x29xf32>, tensor<3x17x29xf32>, tensor<3x17x29xf32>, tensor<2x9000xf32>, tensor<4x37xbf16>, tensor<5x33xf32>) {
  // One column is 1 whatever it holds: added to something that differs.
  %s1 = graph.softmax %x1 {axis = -1} : (tensor<5x1xf32>) -> tensor<5x1xf32>
  %r1 = graph.add %s1, %x1 : (tensor<5x1xf32>, tensor<5x1xf32>) -> tensor<5x1xf32>
  %s7 = graph.softmax %x7 {axis = -1} : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %s33 = graph.softmax %x33 {axis = -1} : (tensor<5x33xf32>) -> tensor<5x33xf32>
  %s100 = graph.softmax %x100 {axis = -1} : (tensor<5x100xf32>) -> tensor<5x100xf32>
  %s512 = graph.softmax %x512 {axis = -1} : (tensor<5x512xf32>) -> tensor<5x512xf32>
  %s1000 = graph.softmax %x1000 {axis = -1} : (tensor<5x1000xf32>) -> tensor<5x1000xf32>
  %a0 = graph.softmax %y {axis = 0} : (tensor<3x17x29xf32>) -> tensor<3x17x29xf32>
  %a1 = graph.softmax %y {axis = 1} : (tensor<3x17x29xf32>) -> tensor<3x17x29xf32>
  %a2 = graph.softmax %y {axis = 2} : (tensor<3x17x29xf32>) -> tensor<3x17x29xf32>
  // A row beyond the L1 cache.
  %w0 = graph.softmax %w {axis = 1} : (tensor<2x9000xf32>) -> tensor<2x9000xf32>
  %b0 = graph.softmax %b {axis = 1} : (tensor<4x37xbf16>) -> tensor<4x37xbf16>
  %l = graph.log_softmax %x33 {axis = 1} : (tensor<5x33xf32>) -> tensor<5x33xf32>
  return %r1, %s7, %s33, %s100, %s512, %s1000, %a0, %a1, %a2, %w0, %b0, %l :
    tensor<5x1xf32>, tensor<5x7xf32>, tensor<5x33xf32>, tensor<5x100xf32>, tensor<5x512xf32>, tensor<5x1000xf32>, tensor<3x17x29xf32>, tensor<3x17x29xf32>, tensor<3x17x29xf32>, tensor<2x9000xf32>, tensor<4x37xbf16>, tensor<5x33xf32>
}

func.func @stats(%x1: tensor<5x1xf32>, %x33: tensor<5x33xf32>, %x1000: tensor<5x1000xbf16>, %y: tensor<3x17x29xf32>, %w: tensor<2x9000xf32>)
  -> (tensor<5x1xf32>, tensor<5x33xf32>, tensor<5x1xf32>, tensor<5x33xf32>, tensor<5x1000xf32>, tensor<5x1xf32>, tensor<3x17x29xf32>, tensor<1x17x29xf32>, tensor<3x1x29xf32>, tensor<2x1xf32>) {
  %p1, %s1 = graph.softmax %x1 : (tensor<5x1xf32>) -> (tensor<5x1xf32>, tensor<5x1xf32>)
  %p33, %s33 = graph.softmax %x33 {mode = "inf_as_zero"} : (tensor<5x33xf32>) -> (tensor<5x33xf32>, tensor<5x1xf32>)
  // The same rows again, as gradients compute them.
  %d33 = graph.subtract %x33, %s33 : (tensor<5x33xf32>, tensor<5x1xf32>) -> tensor<5x33xf32>
  %e33 = graph.exp %d33 : (tensor<5x33xf32>) -> tensor<5x33xf32>
  %p1000, %s1000 = graph.softmax %x1000 {axis = -1} : (tensor<5x1000xbf16>) -> (tensor<5x1000xf32>, tensor<5x1xf32>)
  %py, %sy = graph.softmax %y {axis = 0} : (tensor<3x17x29xf32>) -> (tensor<3x17x29xf32>, tensor<1x17x29xf32>)
  %pz, %sz = graph.softmax %y {axis = 1} : (tensor<3x17x29xf32>) -> (tensor<3x17x29xf32>, tensor<3x1x29xf32>)
  %pw, %sw = graph.softmax %w {axis = 1} : (tensor<2x9000xf32>) -> (tensor<2x9000xf32>, tensor<2x1xf32>)
  return %s1, %p33, %s33, %e33, %p1000, %s1000, %py, %sy, %sz, %sw :
    tensor<5x1xf32>, tensor<5x33xf32>, tensor<5x1xf32>, tensor<5x33xf32>, tensor<5x1000xf32>, tensor<5x1xf32>, tensor<3x17x29xf32>, tensor<1x17x29xf32>, tensor<3x1x29xf32>, tensor<2x1xf32>
}

// Between matmuls: the weights of an attention, with its statistics.
func.func @attention_stats(%q: tensor<2x40x32xf32>, %k: tensor<2x50x32xf32>, %v: tensor<2x50x32xf32>) -> (tensor<2x40x32xf32>, tensor<2x40x1xf32>) {
  %x = graph.matmul %q, %k {transpose_b = true} : (tensor<2x40x32xf32>, tensor<2x50x32xf32>) -> tensor<2x40x50xf32>
  %p, %s = graph.softmax %x {axis = -1} : (tensor<2x40x50xf32>) -> (tensor<2x40x50xf32>, tensor<2x40x1xf32>)
  %o = graph.matmul %p, %v : (tensor<2x40x50xf32>, tensor<2x50x32xf32>) -> tensor<2x40x32xf32>
  return %o, %s : tensor<2x40x32xf32>, tensor<2x40x1xf32>
}
