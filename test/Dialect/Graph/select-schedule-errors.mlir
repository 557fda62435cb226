// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Each wrong option is one error, however many functions there are.

// RUN: not gc-opt %s --graph-select-schedule="threads=-1" 2>&1 | FileCheck %s --check-prefix=THREADS
// RUN: not gc-opt %s --graph-select-schedule="tasks=-1" 2>&1 | FileCheck %s --check-prefix=TASKS
// RUN: not gc-opt %s --graph-select-schedule="vector-bytes=12" 2>&1 | FileCheck %s --check-prefix=NARROW
// RUN: not gc-opt %s --graph-select-schedule="vector-bytes=2" 2>&1 | FileCheck %s --check-prefix=BYTES
// RUN: not gc-opt %s --graph-select-schedule="vector-bytes=128" 2>&1 | FileCheck %s --check-prefix=WIDE
// RUN: not gc-opt %s --graph-select-schedule="vector-dim=-2" 2>&1 | FileCheck %s --check-prefix=DIM
// RUN: gc-opt %s --graph-select-schedule="vector-dim=99" 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: gc-opt %s --graph-select-schedule="vector-dim=0" 2>&1 | FileCheck %s --check-prefix=HAS
// RUN: not gc-opt %s --graph-select-schedule="unroll=17" 2>&1 | FileCheck %s --check-prefix=UNROLL
// RUN: not gc-opt %s --graph-select-schedule="recompute=-2" 2>&1 | FileCheck %s --check-prefix=RECOMPUTE
// RUN: not gc-opt %s --graph-select-schedule="kernel=fast" 2>&1 | FileCheck %s --check-prefix=KERNEL
// RUN: not gc-opt %s --graph-select-schedule="stream=maybe" 2>&1 | FileCheck %s --check-prefix=STREAM
// RUN: not gc-opt %s --gc-cpu-pipeline="vector-bytes=20" 2>&1 | FileCheck %s --check-prefix=PIPELINE
// RUN: not gc-opt %s --gc-cpu-pipeline="prefetch=2" 2>&1 | FileCheck %s --check-prefix=PREFETCH

// THREADS-COUNT-1: error: option 'threads' must be from 0 to 4096, not -1
// THREADS-NOT: error:
// TASKS-COUNT-1: error: option 'tasks' is negative
// TASKS-NOT: error:
// NARROW-COUNT-1: error: option 'vector-bytes' is 0, 4, 8, 16, 32 or 64, not 12
// NARROW-NOT: error:
// BYTES: error: option 'vector-bytes' is 0, 4, 8, 16, 32 or 64, not 2
// WIDE: error: option 'vector-bytes' is 0, 4, 8, 16, 32 or 64, not 128
// DIM-COUNT-1: error: option 'vector-dim' is a dimension or -1, not -2
// DIM-NOT: error:
// UNROLL-COUNT-1: error: option 'unroll' is 0 to 16, not 17
// UNROLL-NOT: error:
// RECOMPUTE-COUNT-1: error: option 'recompute' is -1 to 1000 instructions, not -2
// RECOMPUTE-NOT: error:
// NONE-COUNT-1: warning: option 'vector-dim' has no effect: no region without a tunable op has a dimension 99
// NONE-NOT: warning:
// HAS-NOT: warning:
// KERNEL: Cannot find option named 'fast'!
// STREAM: Cannot find option named 'maybe'!
// PIPELINE-COUNT-1: error: option 'vector-bytes' is 0, 4, 8, 16, 32 or 64, not 20
// PIPELINE-NOT: error:
// PREFETCH: Cannot find option named '2'!

func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.fused_op -> (tensor<4xf32>) {
    %1 = graph.relu %x : (tensor<4xf32>) -> tensor<4xf32>
    graph.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}
func.func @g(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.fused_op -> (tensor<4xf32>) {
    %1 = graph.relu %x : (tensor<4xf32>) -> tensor<4xf32>
    graph.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}
