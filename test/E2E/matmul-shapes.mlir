// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Shapes of a matmul that take different ways through the template.

// RUN: gc-runner %s --check --threads=2
// RUN: gc-runner %s --check --threads=1
// RUN: gc-runner %s --check --threads=3
// RUN: gc-runner %s --check --threads=2 --pipeline-options=kernel=vector

func.func @main(%a0: tensor<1x1xf32>,
                %a1: tensor<1x1xf32> {graph.const_arg},
                %a2: tensor<13x19xf32>,
                %a3: tensor<19x17xf32> {graph.const_arg},
                %a4: tensor<67x71xf32>,
                %a5: tensor<71x97xf32> {graph.const_arg},
                %a6: tensor<1x64xf32>,
                %a7: tensor<64x64xf32> {graph.const_arg},
                %a8: tensor<1x67xf32>,
                %a9: tensor<67x131xf32> {graph.const_arg},
                %a10: tensor<64x64xf32>,
                %a11: tensor<64x1xf32> {graph.const_arg},
                %a12: tensor<127x131xf32>,
                %a13: tensor<131x1xf32> {graph.const_arg},
                %a14: tensor<1x1031xf32>,
                %a15: tensor<1031x1xf32> {graph.const_arg},
                %a16: tensor<37x1xf32>,
                %a17: tensor<1x41xf32> {graph.const_arg},
                %a18: tensor<1x1xf32>,
                %a19: tensor<1x64xf32> {graph.const_arg},
                %a20: tensor<64x1xf32>,
                %a21: tensor<1x1xf32> {graph.const_arg},
                %a22: tensor<33x2xf32>,
                %a23: tensor<2x47xf32> {graph.const_arg},
                %a24: tensor<2053x16xf32>,
                %a25: tensor<16x3xf32> {graph.const_arg},
                %a26: tensor<3x16xf32>,
                %a27: tensor<16x2053xf32> {graph.const_arg},
                %a28: tensor<5x3001xf32>,
                %a29: tensor<3001x7xf32> {graph.const_arg},
                %a30: tensor<16x16xf32>,
                %a31: tensor<16x9xf32> {graph.const_arg},
                %a32: tensor<16x16xf32>,
                %a33: tensor<16x33xf32> {graph.const_arg},
                %a34: tensor<16x16xf32>,
                %a35: tensor<16x7xf32> {graph.const_arg},
                %a36: tensor<16x16xf32>,
                %a37: tensor<16x31xf32> {graph.const_arg},
                %a38: tensor<256x256xf32>,
                %a39: tensor<256x256xf32> {graph.const_arg})
  -> (tensor<1x1xf32>,
     tensor<13x17xf32>,
     tensor<67x97xf32>,
     tensor<1x64xf32>,
     tensor<1x131xf32>,
     tensor<64x1xf32>,
     tensor<127x1xf32>,
     tensor<1x1xf32>,
     tensor<37x41xf32>,
     tensor<1x64xf32>,
     tensor<64x1xf32>,
     tensor<33x47xf32>,
     tensor<2053x3xf32>,
     tensor<3x2053xf32>,
     tensor<5x7xf32>,
     tensor<16x9xf32>,
     tensor<16x33xf32>,
     tensor<16x7xf32>,
     tensor<16x31xf32>,
     tensor<256x256xf32>) {
  // One multiplication: no loop, no vector, no block.
  %r0 = graph.matmul %a0, %a1 : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
  // Primes in every dimension: nothing divides.
  %r1 = graph.matmul %a2, %a3 : (tensor<13x19xf32>, tensor<19x17xf32>) -> tensor<13x17xf32>
  // Primes above all block sizes but the largest.
  %r2 = graph.matmul %a4, %a5 : (tensor<67x71xf32>, tensor<71x97xf32>) -> tensor<67x97xf32>
  // A row times a matrix; M is not padded.
  %r3 = graph.matmul %a6, %a7 : (tensor<1x64xf32>, tensor<64x64xf32>) -> tensor<1x64xf32>
  // The same with tails in N and K.
  %r4 = graph.matmul %a8, %a9 : (tensor<1x67xf32>, tensor<67x131xf32>) -> tensor<1x131xf32>
  // A matrix times a column; N is not padded.
  %r5 = graph.matmul %a10, %a11 : (tensor<64x64xf32>, tensor<64x1xf32>) -> tensor<64x1xf32>
  // The same with tails in M and K.
  %r6 = graph.matmul %a12, %a13 : (tensor<127x131xf32>, tensor<131x1xf32>) -> tensor<127x1xf32>
  // One row, one column: a dot product longer than any block.
  %r7 = graph.matmul %a14, %a15 : (tensor<1x1031xf32>, tensor<1031x1xf32>) -> tensor<1x1xf32>
  // K = 1: the microkernel adds nothing up.
  %r8 = graph.matmul %a16, %a17 : (tensor<37x1xf32>, tensor<1x41xf32>) -> tensor<37x41xf32>
  // K = 1 with one row and with one column.
  %r9 = graph.matmul %a18, %a19 : (tensor<1x1xf32>, tensor<1x64xf32>) -> tensor<1x64xf32>
  %r10 = graph.matmul %a20, %a21 : (tensor<64x1xf32>, tensor<1x1xf32>) -> tensor<64x1xf32>
  // K = 2: less than what a vector holds.
  %r11 = graph.matmul %a22, %a23 : (tensor<33x2xf32>, tensor<2x47xf32>) -> tensor<33x47xf32>
  // Tall: rows for every thread, columns for less than a vector.
  %r12 = graph.matmul %a24, %a25 : (tensor<2053x16xf32>, tensor<16x3xf32>) -> tensor<2053x3xf32>
  // Wide: the other way round.
  %r13 = graph.matmul %a26, %a27 : (tensor<3x16xf32>, tensor<16x2053xf32>) -> tensor<3x2053xf32>
  // Deep: several chunks of K accumulate.
  %r14 = graph.matmul %a28, %a29 : (tensor<5x3001xf32>, tensor<3001x7xf32>) -> tensor<5x7xf32>
  // A column of N beyond the last whole vector of 8, and of 16.
  %r15 = graph.matmul %a30, %a31 : (tensor<16x16xf32>, tensor<16x9xf32>) -> tensor<16x9xf32>
  %r16 = graph.matmul %a32, %a33 : (tensor<16x16xf32>, tensor<16x33xf32>) -> tensor<16x33xf32>
  // All but one lane of the last vector of 8, and of 16.
  %r17 = graph.matmul %a34, %a35 : (tensor<16x16xf32>, tensor<16x7xf32>) -> tensor<16x7xf32>
  %r18 = graph.matmul %a36, %a37 : (tensor<16x16xf32>, tensor<16x31xf32>) -> tensor<16x31xf32>
  // A whole number of blocks everywhere: no tail is emitted.
  %r19 = graph.matmul %a38, %a39 : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  return %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9, %r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17, %r18, %r19 :
    tensor<1x1xf32>,
    tensor<13x17xf32>,
    tensor<67x97xf32>,
    tensor<1x64xf32>,
    tensor<1x131xf32>,
    tensor<64x1xf32>,
    tensor<127x1xf32>,
    tensor<1x1xf32>,
    tensor<37x41xf32>,
    tensor<1x64xf32>,
    tensor<64x1xf32>,
    tensor<33x47xf32>,
    tensor<2053x3xf32>,
    tensor<3x2053xf32>,
    tensor<5x7xf32>,
    tensor<16x9xf32>,
    tensor<16x33xf32>,
    tensor<16x7xf32>,
    tensor<16x31xf32>,
    tensor<256x256xf32>
}
