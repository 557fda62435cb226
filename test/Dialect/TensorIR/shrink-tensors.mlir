// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: gc-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(tir-shrink-tensors,canonicalize,cse))" | FileCheck %s
// The same again: what is small stays as it is.
// RUN: gc-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(tir-shrink-tensors,canonicalize,cse,tir-shrink-tensors,canonicalize,cse))" | FileCheck %s

// Attention after merging: the scores of one block of rows live until the second
// matmul of the same block; the last block of rows is shorter. Row sums are
// indexed by the row itself, in blocks of 32.
// CHECK-LABEL: func.func @attention
func.func @attention(%q: memref<2x4x250x64xf32>, %k: memref<2x4x2x64x64xf32>,
                     %v: memref<2x4x2x64x64xf32>, %o: memref<2x4x250x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  %c26 = arith.constant 26 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %scores = tir.scratch : memref<2x4x8x2x32x64xf32>
  %sums = tir.scratch : memref<2x4x256x1xf32>
  // CHECK: tir.parallel (%[[B:.*]], %[[H:.*]]) in (2, 4)
  tir.parallel (%b, %h) in (2, 4) {
    // CHECK: scf.for %[[M:.*]] = %c0 to %c8
    // CHECK-DAG: %[[SCORES:.*]] = tir.scratch per_thread : memref<1x1x1x2x32x64xf32>
    // CHECK-DAG: %[[SUMS:.*]] = tir.scratch per_thread : memref<1x1x32x1xf32>
    scf.for %m = %c0 to %c8 step %c1 {
      %first = affine.apply affine_map<(m) -> (m * 32)>(%m)
      %last = arith.cmpi eq, %m, %c7 : index
      %rows = arith.select %last, %c26, %c32 : index
      // CHECK: scf.for %[[N:.*]] = %c0 to %c2
      scf.for %n = %c0 to %c2 step %c1 {
        scf.if %last {
          // CHECK: tir.brgemm {{.*}} c(%[[SCORES]][%c0, %c0, %c0, %[[N]], %c0, %c0])
          %g = tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = 26, n = 64, k = 64, lda = 64, ldb = 64, ldc = 64, beta = 0>
          tir.brgemm %g batch(%c1) a(%q[%b, %h, %first, %c0]) b(%k[%b, %h, %n, %c0, %c0]) c(%scores[%b, %h, %m, %n, %c0, %c0]) : memref<2x4x250x64xf32>, memref<2x4x2x64x64xf32>, memref<2x4x8x2x32x64xf32>
        } else {
          // CHECK: tir.brgemm {{.*}} c(%[[SCORES]][%c0, %c0, %c0, %[[N]], %c0, %c0])
          %g = tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = 32, n = 64, k = 64, lda = 64, ldb = 64, ldc = 64, beta = 0>
          tir.brgemm %g batch(%c1) a(%q[%b, %h, %first, %c0]) b(%k[%b, %h, %n, %c0, %c0]) c(%scores[%b, %h, %m, %n, %c0, %c0]) : memref<2x4x250x64xf32>, memref<2x4x2x64x64xf32>, memref<2x4x8x2x32x64xf32>
        }
      }
      // CHECK: scf.for %[[R:.*]] = %c0 to
      scf.for %r = %c0 to %rows step %c1 {
        // CHECK: %[[X:.*]] = vector.load %[[SCORES]][%c0, %c0, %c0, %c1, %[[R]], %c8]
        // CHECK: vector.store %[[X]], %[[SCORES]][%c0, %c0, %c0, %c1, %[[R]], %c8]
        // CHECK: memref.store %{{.*}}, %[[SUMS]][%c0, %c0, %[[R]], %c0]
        %x = vector.load %scores[%b, %h, %m, %c1, %r, %c8] : memref<2x4x8x2x32x64xf32>, vector<8xf32>
        vector.store %x, %scores[%b, %h, %m, %c1, %r, %c8] : memref<2x4x8x2x32x64xf32>, vector<8xf32>
        %sum = vector.reduction <add>, %x : vector<8xf32> into f32
        %row = affine.apply affine_map<(f, r) -> (f + r)>(%first, %r)
        memref.store %sum, %sums[%b, %h, %row, %c0] : memref<2x4x256x1xf32>
      }
      // CHECK: tir.brgemm {{.*}} a(%[[SCORES]][%c0, %c0, %c0, %c0, %c0, %c0])
      // CHECK-SAME: c(%arg3[%[[B]], %[[H]], %{{.*}}, %c0])
      %g = tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = 26, n = 64, k = 64, lda = 64, ldb = 64, ldc = 64, stride_a = 2048, stride_b = 4096, beta = 0>
      tir.brgemm %g batch(%c2) a(%scores[%b, %h, %m, %c0, %c0, %c0]) b(%v[%b, %h, %c0, %c0, %c0]) c(%o[%b, %h, %first, %c0]) : memref<2x4x8x2x32x64xf32>, memref<2x4x2x64x64xf32>, memref<2x4x250x64xf32>
      scf.for %r = %c0 to %rows step %c1 {
        // CHECK: memref.load %[[SUMS]][%c0, %c0, %{{.*}}, %c0]
        %row = affine.apply affine_map<(r, f) -> (r + f)>(%r, %first)
        %sum = memref.load %sums[%b, %h, %row, %c0] : memref<2x4x256x1xf32>
        memref.store %sum, %o[%b, %h, %row, %c0] : memref<2x4x250x64xf32>
      }
    }
  }
  return
}

// -----

// Plain scores: the rows of a block are a part of the dimension, the columns stay.
// CHECK-LABEL: func.func @plain
func.func @plain(%q: memref<2x256x64xf32>, %k: memref<64x128xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  // CHECK: %[[S:.*]] = tir.scratch per_thread : memref<1x32x128xf32>
  %s = tir.scratch : memref<2x256x128xf32>
  tir.parallel (%b) in (2) {
    scf.for %m = %c0 to %c8 step %c1 {
      %first = affine.apply affine_map<(m) -> (m * 32)>(%m)
      // CHECK: ldc = 128
      // CHECK: c(%[[S]][%c0, %c0, %c0])
      %g = tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = 32, n = 128, k = 64, lda = 64, ldb = 128, ldc = 128, beta = 0>
      tir.brgemm %g batch(%c1) a(%q[%b, %first, %c0]) b(%k[%c0, %c0]) c(%s[%b, %first, %c0]) : memref<2x256x64xf32>, memref<64x128xf32>, memref<2x256x128xf32>
    }
  }
  return
}

// -----

// Rows of all heads are next to each other: the rows of one come together, and
// the kernels that write and read them learn the new distance.
// CHECK-LABEL: func.func @strides
func.func @strides(%q: memref<2x64x64xf32>, %w: memref<64x64xf32>, %o: memref<2x64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: %[[S:.*]] = tir.scratch per_thread : memref<64x1x64xf32>
  %s = tir.scratch : memref<64x2x64xf32>
  tir.parallel (%h) in (2) {
    // CHECK: tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = 64, n = 64, k = 64, lda = 64, ldb = 64, ldc = 64
    // CHECK: c(%[[S]][%c0, %c0, %c0])
    %g = tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = 64, n = 64, k = 64, lda = 64, ldb = 64, ldc = 128, beta = 0>
    tir.brgemm %g batch(%c1) a(%q[%h, %c0, %c0]) b(%w[%c0, %c0]) c(%s[%c0, %h, %c0]) : memref<2x64x64xf32>, memref<64x64xf32>, memref<64x2x64xf32>
    // CHECK: tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = 64, n = 64, k = 32, lda = 64, ldb = 64, ldc = 64, stride_a = 32
    %f = tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = 64, n = 64, k = 32, lda = 128, ldb = 64, ldc = 64, stride_a = 32, stride_b = 2048, beta = 0>
    %c2 = arith.constant 2 : index
    // CHECK: a(%[[S]][%c0, %c0, %c0])
    tir.brgemm %f batch(%c2) a(%s[%c0, %h, %c0]) b(%w[%c0, %c0]) c(%o[%h, %c0, %c0]) : memref<64x2x64xf32>, memref<64x64xf32>, memref<2x64x64xf32>
  }
  return
}

// -----

// MLP: 11 blocks of rows in uneven shares of 6 and 5. Layer by layer in loops of
// their own, one core's share lives.
// CHECK-LABEL: func.func @shares
func.func @shares(%x: memref<11x4x32x64xf32>, %w: memref<4x64x64xf32>, %v: memref<64x64xf32>, %y: memref<11x32x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %c6 = arith.constant 6 : index
  // CHECK: %[[A:.*]] = tir.scratch per_thread : memref<6x32x64xf32>
  %a = tir.scratch : memref<11x32x64xf32>
  tir.parallel (%p) in (2) {
    %whole = affine.apply affine_map<(p) -> (p * 5)>(%p)
    %bonus = arith.minui %p, %c1 : index
    %first = affine.apply affine_map<(w, b) -> (w + b)>(%whole, %bonus)
    %longer = arith.cmpi ult, %p, %c1 : index
    %count = arith.select %longer, %c6, %c5 : index
    // CHECK: scf.for %[[I:.*]] =
    scf.for %i = %c0 to %count step %c1 {
      %m = affine.apply affine_map<(f, i) -> (f + i)>(%first, %i)
      %g = tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = 32, n = 64, k = 64, lda = 64, ldb = 64, ldc = 64, stride_a = 2048, stride_b = 4096, beta = 0>
      // CHECK: c(%[[A]][%[[I]], %c0, %c0])
      tir.brgemm %g batch(%c4) a(%x[%m, %c0, %c0, %c0]) b(%w[%c0, %c0, %c0]) c(%a[%m, %c0, %c0]) : memref<11x4x32x64xf32>, memref<4x64x64xf32>, memref<11x32x64xf32>
    }
    // The same first block, computed again.
    %whole2 = affine.apply affine_map<(p) -> (p * 5)>(%p)
    %bonus2 = arith.minui %p, %c1 : index
    // CHECK: scf.for %[[I:.*]] =
    scf.for %i = %c0 to %count step %c1 {
      %part = affine.apply affine_map<(b, i) -> (b + i)>(%bonus2, %i)
      %m = affine.apply affine_map<(w, b) -> (w + b)>(%whole2, %part)
      %g = tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = 32, n = 64, k = 64, lda = 64, ldb = 64, ldc = 64, beta = 0>
      // CHECK: a(%[[A]][%[[I]], %c0, %c0])
      tir.brgemm %g batch(%c1) a(%a[%m, %c0, %c0]) b(%v[%c0, %c0]) c(%y[%m, %c0, %c0]) : memref<11x32x64xf32>, memref<64x64xf32>, memref<11x32x64xf32>
    }
  }
  return
}

// -----

// A digit of a sequential index: blocks of 4 of 8, and the four in them. The slice
// of one inner iteration is one element.
// CHECK-LABEL: func.func @digits
func.func @digits(%x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  // CHECK: tir.scratch per_thread : memref<1xf32>
  %s = tir.scratch : memref<32xf32>
  tir.parallel (%p) in (1) {
    scf.for %i = %c0 to %c8 step %c1 {
      scf.for %j = %c0 to %c4 step %c1 {
        %e = affine.apply affine_map<(i, j) -> (i * 4 + j)>(%i, %j)
        memref.store %x, %s[%e] : memref<32xf32>
      }
    }
  }
  return
}

// Blocks that a division numbers: the quotient is the same in one iteration, the
// remainder counts within. Composed into one map or not, they are the same.
// CHECK-LABEL: func.func @blocks
func.func @blocks(%x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  // CHECK: %[[S:.*]] = tir.scratch per_thread : memref<1x2xf32>
  %s = tir.scratch : memref<16x8xf32>
  tir.parallel (%p) in (32) {
    %q = affine.apply affine_map<(p) -> (p floordiv 4)>(%p)
    // CHECK: scf.for %[[J:.*]] =
    scf.for %j = %c0 to %c2 step %c1 {
      %row = affine.apply affine_map<(q) -> (q * 2)>(%q)
      %column = affine.apply affine_map<(p, j) -> ((p mod 4) * 2 + j)>(%p, %j)
      // CHECK: memref.store %{{.*}}, %[[S]][%c0, %[[J]]]
      memref.store %x, %s[%row, %column] : memref<16x8xf32>
    }
    // CHECK: memref.store %{{.*}}, %[[S]][%c0, %c1]
    %row = affine.apply affine_map<(p) -> ((p floordiv 4) * 2)>(%p)
    %column = affine.apply affine_map<(p) -> ((p mod 4) * 2 + 1)>(%p)
    memref.store %x, %s[%row, %column] : memref<16x8xf32>
  }
  return
}

// CHECK-LABEL: func.func @steps
// A loop in steps of 8 leaves vectors of 8 apart.
func.func @steps(%x: vector<8xf32>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  // CHECK: tir.scratch per_thread : memref<8xf32>
  %s = tir.scratch : memref<32xf32>
  tir.parallel (%p) in (1) {
    scf.for %i = %c0 to %c32 step %c8 {
      vector.store %x, %s[%i] : memref<32xf32>, vector<8xf32>
    }
  }
  return
}

// -----

// A thread-local temporary shrinks too; constants count from the first.
// CHECK-LABEL: func.func @local
func.func @local(%x: f32) {
  %c5 = arith.constant 5 : index
  %c7 = arith.constant 7 : index
  // CHECK: %[[S:.*]] = tir.scratch per_thread : memref<3xf32>
  %s = tir.scratch per_thread : memref<32xf32>
  tir.parallel (%p) in (4) {
    // CHECK: memref.store %{{.*}}, %[[S]][%c0]
    // CHECK: memref.store %{{.*}}, %[[S]][%c2]
    memref.store %x, %s[%c5] : memref<32xf32>
    memref.store %x, %s[%c7] : memref<32xf32>
  }
  return
}

// -----

//===----------------------------------------------------------------------===//
// What has to stay
//===----------------------------------------------------------------------===//

// A sum over the iterations of a sequential loop.
// CHECK-LABEL: func.func @carried
func.func @carried(%x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  // The row is the parallel index, the sum continues over all iterations.
  // CHECK: tir.scratch : memref<8xf32>
  // CHECK: %[[S:.*]] = tir.scratch per_thread : memref<1x8xf32>
  %s = tir.scratch : memref<4x8xf32>
  %t = tir.scratch : memref<8xf32>
  tir.parallel (%p) in (4) {
    scf.for %i = %c0 to %c8 step %c1 {
      scf.for %j = %c0 to %c8 step %c1 {
        // CHECK: memref.load %[[S]][%c0, %
        %0 = memref.load %s[%p, %j] : memref<4x8xf32>
        %1 = arith.addf %0, %x : f32
        memref.store %1, %s[%p, %j] : memref<4x8xf32>
        memref.store %1, %t[%j] : memref<8xf32>
      }
    }
  }
  return
}

// -----

// Two parallel loops hand the buffer over.
// CHECK-LABEL: func.func @two_loops
func.func @two_loops(%x: f32, %y: memref<4xf32>) {
  // CHECK: tir.scratch : memref<4xf32>
  %s = tir.scratch : memref<4xf32>
  tir.parallel (%p) in (4) {
    memref.store %x, %s[%p] : memref<4xf32>
  }
  tir.parallel (%p) in (4) {
    %0 = memref.load %s[%p] : memref<4xf32>
    memref.store %0, %y[%p] : memref<4xf32>
  }
  return
}

// -----

// The row of the iteration before is read.
// CHECK-LABEL: func.func @neighbour
func.func @neighbour(%x: f32, %y: memref<9xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  // CHECK: tir.scratch : memref<9xf32>
  %s = tir.scratch : memref<9xf32>
  tir.parallel (%p) in (1) {
    scf.for %i = %c0 to %c8 step %c1 {
      %next = affine.apply affine_map<(i) -> (i + 1)>(%i)
      %0 = memref.load %s[%i] : memref<9xf32>
      memref.store %0, %s[%next] : memref<9xf32>
    }
  }
  return
}

// -----

// Rows of 8 in steps of 4 overlap.
// CHECK-LABEL: func.func @overlap
func.func @overlap(%x: vector<8xf32>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c24 = arith.constant 24 : index
  // CHECK: tir.scratch : memref<28xf32>
  %s = tir.scratch : memref<28xf32>
  tir.parallel (%p) in (1) {
    scf.for %i = %c0 to %c24 step %c4 {
      vector.store %x, %s[%i] : memref<28xf32>, vector<8xf32>
    }
  }
  return
}

// -----

// Not known: a call, a view, bounds from outside, strides that match no
// dimension.
// CHECK-LABEL: func.func @unknown
func.func private @use(memref<4x8xf32>)
func.func @unknown(%x: f32, %n: index, %in: memref<4x16xf32>, %w: memref<16x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: tir.scratch : memref<4x8xf32>
  // CHECK: tir.scratch : memref<4x9xf32>
  // CHECK: tir.scratch : memref<10xf32>
  // CHECK: tir.scratch : memref<4x11xf32>
  %a = tir.scratch : memref<4x8xf32>
  %b = tir.scratch : memref<4x9xf32>
  %c = tir.scratch : memref<10xf32>
  %d = tir.scratch : memref<4x11xf32>
  tir.parallel (%p) in (4) {
    memref.store %x, %a[%p, %c0] : memref<4x8xf32>
    func.call @use(%a) : (memref<4x8xf32>) -> ()
    %v = memref.reinterpret_cast %b to offset: [0], sizes: [36], strides: [1] : memref<4x9xf32> to memref<36xf32>
    memref.store %x, %b[%p, %c0] : memref<4x9xf32>
    memref.store %x, %v[%p] : memref<36xf32>
    scf.for %i = %c0 to %n step %c1 {
      memref.store %x, %c[%i] : memref<10xf32>
    }
    %g = tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = 4, n = 4, k = 16, lda = 16, ldb = 4, ldc = 7, beta = 0>
    tir.brgemm %g batch(%c1) a(%in[%c0, %c0]) b(%w[%c0, %c0]) c(%d[%c0, %c0]) : memref<4x16xf32>, memref<16x4xf32>, memref<4x11xf32>
  }
  return
}

// -----

// A line at the end of rows that nothing uses stays: it keeps the rows from
// sharing few sets of the cache.
// CHECK-LABEL: func.func @padding
func.func @padding(%x: vector<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %c512 = arith.constant 512 : index
  %a = tir.scratch : memref<8x528xf32>
  %b = tir.scratch : memref<8x529xf32>
  tir.parallel (%p) in (8) {
    // CHECK-DAG: tir.scratch per_thread : memref<1x528xf32>
    // CHECK-DAG: tir.scratch per_thread : memref<1x512xf32>
    scf.for %i = %c0 to %c2 step %c1 {
      scf.for %j = %c0 to %c512 step %c16 {
        %0 = vector.load %a[%p, %j] : memref<8x528xf32>, vector<16xf32>
        %1 = vector.load %b[%p, %j] : memref<8x529xf32>, vector<16xf32>
        vector.store %1, %a[%p, %j] : memref<8x528xf32>, vector<16xf32>
        vector.store %0, %b[%p, %j] : memref<8x529xf32>, vector<16xf32>
      }
    }
  }
  return
}
