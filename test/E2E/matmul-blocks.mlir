// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One less and one more than each size that MB, NB and KB take (16, 32, 64,
// 128): the last block is a kernel of all but one, or of one row, column or
// step. 48 in the other dimensions is a block of its own or three of them.

// RUN: gc-runner %s --check --threads=2
// RUN: gc-runner %s --check --threads=1
// RUN: gc-runner %s --check --threads=3
// RUN: gc-runner %s --check --threads=2 --pipeline-options=kernel=vector

func.func @main(%a0: tensor<15x48xf32>,
                %a1: tensor<48x48xf32> {graph.const_arg},
                %a2: tensor<17x48xf32>,
                %a3: tensor<48x48xf32> {graph.const_arg},
                %a4: tensor<48x48xf32>,
                %a5: tensor<48x15xf32> {graph.const_arg},
                %a6: tensor<48x48xf32>,
                %a7: tensor<48x17xf32> {graph.const_arg},
                %a8: tensor<48x15xf32>,
                %a9: tensor<15x48xf32> {graph.const_arg},
                %a10: tensor<48x17xf32>,
                %a11: tensor<17x48xf32> {graph.const_arg},
                %a12: tensor<15x15xf32>,
                %a13: tensor<15x15xf32> {graph.const_arg},
                %a14: tensor<17x17xf32>,
                %a15: tensor<17x17xf32> {graph.const_arg},
                %a16: tensor<31x48xf32>,
                %a17: tensor<48x48xf32> {graph.const_arg},
                %a18: tensor<33x48xf32>,
                %a19: tensor<48x48xf32> {graph.const_arg},
                %a20: tensor<48x48xf32>,
                %a21: tensor<48x31xf32> {graph.const_arg},
                %a22: tensor<48x48xf32>,
                %a23: tensor<48x33xf32> {graph.const_arg},
                %a24: tensor<48x31xf32>,
                %a25: tensor<31x48xf32> {graph.const_arg},
                %a26: tensor<48x33xf32>,
                %a27: tensor<33x48xf32> {graph.const_arg},
                %a28: tensor<31x31xf32>,
                %a29: tensor<31x31xf32> {graph.const_arg},
                %a30: tensor<33x33xf32>,
                %a31: tensor<33x33xf32> {graph.const_arg},
                %a32: tensor<63x48xf32>,
                %a33: tensor<48x48xf32> {graph.const_arg},
                %a34: tensor<65x48xf32>,
                %a35: tensor<48x48xf32> {graph.const_arg},
                %a36: tensor<48x48xf32>,
                %a37: tensor<48x63xf32> {graph.const_arg},
                %a38: tensor<48x48xf32>,
                %a39: tensor<48x65xf32> {graph.const_arg},
                %a40: tensor<48x63xf32>,
                %a41: tensor<63x48xf32> {graph.const_arg},
                %a42: tensor<48x65xf32>,
                %a43: tensor<65x48xf32> {graph.const_arg},
                %a44: tensor<63x63xf32>,
                %a45: tensor<63x63xf32> {graph.const_arg},
                %a46: tensor<65x65xf32>,
                %a47: tensor<65x65xf32> {graph.const_arg},
                %a48: tensor<127x48xf32>,
                %a49: tensor<48x48xf32> {graph.const_arg},
                %a50: tensor<129x48xf32>,
                %a51: tensor<48x48xf32> {graph.const_arg},
                %a52: tensor<48x48xf32>,
                %a53: tensor<48x127xf32> {graph.const_arg},
                %a54: tensor<48x48xf32>,
                %a55: tensor<48x129xf32> {graph.const_arg},
                %a56: tensor<48x127xf32>,
                %a57: tensor<127x48xf32> {graph.const_arg},
                %a58: tensor<48x129xf32>,
                %a59: tensor<129x48xf32> {graph.const_arg},
                %a60: tensor<127x127xf32>,
                %a61: tensor<127x127xf32> {graph.const_arg},
                %a62: tensor<129x129xf32>,
                %a63: tensor<129x129xf32> {graph.const_arg})
  -> (tensor<15x48xf32>,
     tensor<17x48xf32>,
     tensor<48x15xf32>,
     tensor<48x17xf32>,
     tensor<48x48xf32>,
     tensor<48x48xf32>,
     tensor<15x15xf32>,
     tensor<17x17xf32>,
     tensor<31x48xf32>,
     tensor<33x48xf32>,
     tensor<48x31xf32>,
     tensor<48x33xf32>,
     tensor<48x48xf32>,
     tensor<48x48xf32>,
     tensor<31x31xf32>,
     tensor<33x33xf32>,
     tensor<63x48xf32>,
     tensor<65x48xf32>,
     tensor<48x63xf32>,
     tensor<48x65xf32>,
     tensor<48x48xf32>,
     tensor<48x48xf32>,
     tensor<63x63xf32>,
     tensor<65x65xf32>,
     tensor<127x48xf32>,
     tensor<129x48xf32>,
     tensor<48x127xf32>,
     tensor<48x129xf32>,
     tensor<48x48xf32>,
     tensor<48x48xf32>,
     tensor<127x127xf32>,
     tensor<129x129xf32>) {
  // M: one less and one more than blocks of 16.
  %r0 = graph.matmul %a0, %a1 : (tensor<15x48xf32>, tensor<48x48xf32>) -> tensor<15x48xf32>
  %r1 = graph.matmul %a2, %a3 : (tensor<17x48xf32>, tensor<48x48xf32>) -> tensor<17x48xf32>
  // N: one less and one more than blocks of 16.
  %r2 = graph.matmul %a4, %a5 : (tensor<48x48xf32>, tensor<48x15xf32>) -> tensor<48x15xf32>
  %r3 = graph.matmul %a6, %a7 : (tensor<48x48xf32>, tensor<48x17xf32>) -> tensor<48x17xf32>
  // K: one less and one more than blocks of 16.
  %r4 = graph.matmul %a8, %a9 : (tensor<48x15xf32>, tensor<15x48xf32>) -> tensor<48x48xf32>
  %r5 = graph.matmul %a10, %a11 : (tensor<48x17xf32>, tensor<17x48xf32>) -> tensor<48x48xf32>
  // All of them at once, against blocks of 16.
  %r6 = graph.matmul %a12, %a13 : (tensor<15x15xf32>, tensor<15x15xf32>) -> tensor<15x15xf32>
  %r7 = graph.matmul %a14, %a15 : (tensor<17x17xf32>, tensor<17x17xf32>) -> tensor<17x17xf32>
  // M: one less and one more than blocks of 32.
  %r8 = graph.matmul %a16, %a17 : (tensor<31x48xf32>, tensor<48x48xf32>) -> tensor<31x48xf32>
  %r9 = graph.matmul %a18, %a19 : (tensor<33x48xf32>, tensor<48x48xf32>) -> tensor<33x48xf32>
  // N: one less and one more than blocks of 32.
  %r10 = graph.matmul %a20, %a21 : (tensor<48x48xf32>, tensor<48x31xf32>) -> tensor<48x31xf32>
  %r11 = graph.matmul %a22, %a23 : (tensor<48x48xf32>, tensor<48x33xf32>) -> tensor<48x33xf32>
  // K: one less and one more than blocks of 32.
  %r12 = graph.matmul %a24, %a25 : (tensor<48x31xf32>, tensor<31x48xf32>) -> tensor<48x48xf32>
  %r13 = graph.matmul %a26, %a27 : (tensor<48x33xf32>, tensor<33x48xf32>) -> tensor<48x48xf32>
  // All of them at once, against blocks of 32.
  %r14 = graph.matmul %a28, %a29 : (tensor<31x31xf32>, tensor<31x31xf32>) -> tensor<31x31xf32>
  %r15 = graph.matmul %a30, %a31 : (tensor<33x33xf32>, tensor<33x33xf32>) -> tensor<33x33xf32>
  // M: one less and one more than blocks of 64.
  %r16 = graph.matmul %a32, %a33 : (tensor<63x48xf32>, tensor<48x48xf32>) -> tensor<63x48xf32>
  %r17 = graph.matmul %a34, %a35 : (tensor<65x48xf32>, tensor<48x48xf32>) -> tensor<65x48xf32>
  // N: one less and one more than blocks of 64.
  %r18 = graph.matmul %a36, %a37 : (tensor<48x48xf32>, tensor<48x63xf32>) -> tensor<48x63xf32>
  %r19 = graph.matmul %a38, %a39 : (tensor<48x48xf32>, tensor<48x65xf32>) -> tensor<48x65xf32>
  // K: one less and one more than blocks of 64.
  %r20 = graph.matmul %a40, %a41 : (tensor<48x63xf32>, tensor<63x48xf32>) -> tensor<48x48xf32>
  %r21 = graph.matmul %a42, %a43 : (tensor<48x65xf32>, tensor<65x48xf32>) -> tensor<48x48xf32>
  // All of them at once, against blocks of 64.
  %r22 = graph.matmul %a44, %a45 : (tensor<63x63xf32>, tensor<63x63xf32>) -> tensor<63x63xf32>
  %r23 = graph.matmul %a46, %a47 : (tensor<65x65xf32>, tensor<65x65xf32>) -> tensor<65x65xf32>
  // M: one less and one more than blocks of 128.
  %r24 = graph.matmul %a48, %a49 : (tensor<127x48xf32>, tensor<48x48xf32>) -> tensor<127x48xf32>
  %r25 = graph.matmul %a50, %a51 : (tensor<129x48xf32>, tensor<48x48xf32>) -> tensor<129x48xf32>
  // N: one less and one more than blocks of 128.
  %r26 = graph.matmul %a52, %a53 : (tensor<48x48xf32>, tensor<48x127xf32>) -> tensor<48x127xf32>
  %r27 = graph.matmul %a54, %a55 : (tensor<48x48xf32>, tensor<48x129xf32>) -> tensor<48x129xf32>
  // K: one less and one more than blocks of 128.
  %r28 = graph.matmul %a56, %a57 : (tensor<48x127xf32>, tensor<127x48xf32>) -> tensor<48x48xf32>
  %r29 = graph.matmul %a58, %a59 : (tensor<48x129xf32>, tensor<129x48xf32>) -> tensor<48x48xf32>
  // All of them at once, against blocks of 128.
  %r30 = graph.matmul %a60, %a61 : (tensor<127x127xf32>, tensor<127x127xf32>) -> tensor<127x127xf32>
  %r31 = graph.matmul %a62, %a63 : (tensor<129x129xf32>, tensor<129x129xf32>) -> tensor<129x129xf32>
  return %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9, %r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17, %r18, %r19, %r20, %r21, %r22, %r23, %r24, %r25, %r26, %r27, %r28, %r29, %r30, %r31 :
    tensor<15x48xf32>,
    tensor<17x48xf32>,
    tensor<48x15xf32>,
    tensor<48x17xf32>,
    tensor<48x48xf32>,
    tensor<48x48xf32>,
    tensor<15x15xf32>,
    tensor<17x17xf32>,
    tensor<31x48xf32>,
    tensor<33x48xf32>,
    tensor<48x31xf32>,
    tensor<48x33xf32>,
    tensor<48x48xf32>,
    tensor<48x48xf32>,
    tensor<31x31xf32>,
    tensor<33x33xf32>,
    tensor<63x48xf32>,
    tensor<65x48xf32>,
    tensor<48x63xf32>,
    tensor<48x65xf32>,
    tensor<48x48xf32>,
    tensor<48x48xf32>,
    tensor<63x63xf32>,
    tensor<65x65xf32>,
    tensor<127x48xf32>,
    tensor<129x48xf32>,
    tensor<48x127xf32>,
    tensor<48x129xf32>,
    tensor<48x48xf32>,
    tensor<48x48xf32>,
    tensor<127x127xf32>,
    tensor<129x129xf32>
}
