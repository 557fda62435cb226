// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A setting that names nothing is one error, in the pass, the pipeline and the
// tools.

// RUN: not gc-opt %s --gc-set-machine 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: gc-set-machine: no machine is named
// RUN: not gc-opt %s --gc-set-machine=machine=cray1 2>&1 | FileCheck %s
// RUN: not gc-opt %s --gc-cpu-pipeline=machine=cray1 2>&1 | FileCheck %s
// RUN: not gc-opt %s --machine=cray1 2>&1 | FileCheck %s --check-prefixes=CHECK,ONCE
// RUN: not gc-runner %S/Inputs/layer.mlir --machine=cray1 2>&1 | FileCheck %s --check-prefixes=CHECK,ONCE
// RUN: not gc-runner %S/Inputs/layer.mlir --machine=cray1 --emit=asm 2>&1 | FileCheck %s --check-prefixes=CHECK,ONCE
// RUN: not gc-runner %S/Inputs/layer.mlir --pipeline-options=machine=cray1 2>&1 | FileCheck %s --check-prefixes=CHECK,ONCE
// RUN: not gc-fuzz --machine=cray1 2>&1 | FileCheck %s --check-prefixes=CHECK,ONCE
// CHECK: error: machine 'cray1': there is no such file, and the presets are graniterapids-2, laptop-avx2-4, server-avx512-64, zen3-2, zen4-2, zen5-2
// ONCE-NOT: error:

// RUN: not gc-runner %S/Inputs/layer.mlir --machine= 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: error: --machine must name a preset or a file
// RUN: not gc-runner %S/Inputs/layer.mlir --target=npu --machine=zen3-2 2>&1 | FileCheck %s --check-prefix=NPU
// NPU: error: --machine is only for --target=cpu

// A description in a module.
// RUN: sed 's/ENTRY/"max_vector_op_width" = 4096/' %S/Inputs/entry.mlir > %t.wide.mlir
// RUN: not gc-runner %t.wide.mlir 2>&1 | FileCheck %s --check-prefix=WIDE
// WIDE: error: {{.*}}target description: 'max_vector_op_width' is more than 512, which no instruction set has
// RUN: sed 's/ENTRY/"kernels" = []/' %S/Inputs/entry.mlir > %t.kernels.mlir
// RUN: not gc-runner %t.kernels.mlir 2>&1 | FileCheck %s --check-prefix=KERNELS
// KERNELS: error: {{.*}}target description: 'kernels' has none of types f32 for an instruction set in 'features'

// The environment's setting is only wrong where it is needed.
// RUN: not env GC_MACHINE=cray1 gc-runner %S/Inputs/layer.mlir 2>&1 | FileCheck %s --check-prefix=VARIABLE
// RUN: not env GC_MACHINE=cray1 gc-opt %S/Inputs/layer.mlir --gc-cpu-pipeline 2>&1 | FileCheck %s --check-prefix=VARIABLE
// RUN: not env GC_MACHINE=cray1 gc-fuzz 2>&1 | FileCheck %s --check-prefix=VARIABLE
// VARIABLE: error: GC_MACHINE: machine 'cray1': there is no such file
// RUN: env GC_MACHINE=cray1 gc-opt %S/Inputs/layer.mlir --gc-cpu-pipeline=machine=zen3-2 -o /dev/null
// RUN: env GC_MACHINE= gc-opt %S/Inputs/layer.mlir --gc-cpu-pipeline -o /dev/null

// Not a module.
// RUN: echo 'func.func @f() { return }' > %t.mlir
// RUN: not gc-opt %t.mlir --no-implicit-module --machine=zen3-2 --canonicalize 2>&1 | FileCheck %s --check-prefix=FUNCTION
// FUNCTION: error: --machine needs passes that run on a module
