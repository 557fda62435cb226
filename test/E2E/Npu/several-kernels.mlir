// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: gc-runner --target=npu %s --entry=mlp --check --strict | FileCheck %s --check-prefix=MLP
// RUN: gc-runner --target=npu %s --entry=feed_forward --check --strict | FileCheck %s --check-prefix=FFN
// RUN: gc-runner --target=npu %s --entry=attention --check --strict | FileCheck %s --check-prefix=MHA
// RUN: gc-runner --target=npu %s --entry=gated --check --strict
// RUN: gc-runner --target=npu %s --entry=read_twice --check --strict
// RUN: gc-runner --target=npu %s --entry=reshaped --check --strict
// RUN: gc-runner --target=npu %s --entry=mlp --mode=cycles --json=- | FileCheck %s --check-prefix=JSON
// RUN: gc-runner --target=npu %s --entry=mlp --emit=mlir | FileCheck %s --check-prefix=EMIT

// Graphs that become several kernels, which run in order on one memory.

// MLP: several-kernels on npu
// MLP-NEXT: cycles {{.*}} bound
// MLP: kernel mlp_0: {{[0-9]+}} cycles, bound
// MLP: kernel mlp_1:
// MLP: kernel mlp_2:
// MLP-NOT: kernel
// MLP: check passed
// JSON: "kernels": [
// JSON: "name": "mlp_0"
// JSON: "cycles": {{[0-9]+}}
// JSON: "name": "mlp_2"
// EMIT: func.func @mlp_0(
// EMIT: npu.matmul
// EMIT: func.func @mlp_2(
// EMIT: func.func @mlp({{.*}}reference = @mlp_graph
// EMIT-COUNT-3: call @mlp_{{[0-2]}}_graph
func.func @mlp(%x: tensor<100x200xf16>, %w0: tensor<200x150xf16>, %b0: tensor<150xf16>, %w1: tensor<150x130xf16>, %b1: tensor<130xf16>, %w2: tensor<130x64xf16>) -> tensor<100x64xf16> {
  %0 = graph.matmul %x, %w0 : (tensor<100x200xf16>, tensor<200x150xf16>) -> tensor<100x150xf16>
  %1 = graph.add %0, %b0 : (tensor<100x150xf16>, tensor<150xf16>) -> tensor<100x150xf16>
  %2 = graph.relu %1 : (tensor<100x150xf16>) -> tensor<100x150xf16>
  %3 = graph.matmul %2, %w1 : (tensor<100x150xf16>, tensor<150x130xf16>) -> tensor<100x130xf16>
  %4 = graph.add %3, %b1 : (tensor<100x130xf16>, tensor<130xf16>) -> tensor<100x130xf16>
  %5 = graph.relu %4 : (tensor<100x130xf16>) -> tensor<100x130xf16>
  %6 = graph.matmul %5, %w2 : (tensor<100x130xf16>, tensor<130x64xf16>) -> tensor<100x64xf16>
  return %6 : tensor<100x64xf16>
}

// FFN: kernel feed_forward_0:
// FFN: kernel feed_forward_1:
// FFN: check passed
func.func @feed_forward(%x: tensor<70x128xf16>, %w0: tensor<128x300xf16>, %b0: tensor<300xf16>, %w1: tensor<300x128xf16>, %gamma: tensor<128xf32>, %beta: tensor<128xf32>) -> tensor<70x128xf16> {
  %0 = graph.matmul %x, %w0 : (tensor<70x128xf16>, tensor<128x300xf16>) -> tensor<70x300xf16>
  %1 = graph.add %0, %b0 : (tensor<70x300xf16>, tensor<300xf16>) -> tensor<70x300xf16>
  %2 = graph.gelu %1 : (tensor<70x300xf16>) -> tensor<70x300xf16>
  %3 = graph.matmul %2, %w1 : (tensor<70x300xf16>, tensor<300x128xf16>) -> tensor<70x128xf16>
  %4 = graph.add %3, %x : (tensor<70x128xf16>, tensor<70x128xf16>) -> tensor<70x128xf16>
  %5 = graph.layer_norm %4, %gamma, %beta {keep_stats = false} : (tensor<70x128xf16>, tensor<128xf32>, tensor<128xf32>) -> tensor<70x128xf16>
  return %5 : tensor<70x128xf16>
}

// What lies between the two products is a result, too.
// MHA: kernel attention_0:
// MHA: kernel attention_1:
// MHA: kernel attention_2:
// MHA: check passed
func.func @attention(%q: tensor<4x80x64xf16>, %k: tensor<4x80x64xf16>, %v: tensor<4x80x64xf16>) -> (tensor<4x80x64xf16>, tensor<4x80x80xf16>) {
  %scale = graph.constant dense<0.125> : tensor<1xf16>
  %0 = graph.matmul %q, %k {transpose_b = true} : (tensor<4x80x64xf16>, tensor<4x80x64xf16>) -> tensor<4x80x80xf16>
  %1 = graph.multiply %0, %scale : (tensor<4x80x80xf16>, tensor<1xf16>) -> tensor<4x80x80xf16>
  %2 = graph.softmax %1 {axis = -1 : i64} : (tensor<4x80x80xf16>) -> tensor<4x80x80xf16>
  %3 = graph.matmul %2, %v : (tensor<4x80x80xf16>, tensor<4x80x64xf16>) -> tensor<4x80x64xf16>
  return %3, %2 : tensor<4x80x64xf16>, tensor<4x80x80xf16>
}

// The second product reads what the first kernel leaves.
func.func @gated(%x: tensor<70x128xf16>, %w0: tensor<128x200xf16>, %w1: tensor<128x200xf16>) -> tensor<70x200xf16> {
  %0 = graph.matmul %x, %w0 : (tensor<70x128xf16>, tensor<128x200xf16>) -> tensor<70x200xf16>
  %1 = graph.relu %0 : (tensor<70x200xf16>) -> tensor<70x200xf16>
  %2 = graph.matmul %x, %w1 : (tensor<70x128xf16>, tensor<128x200xf16>) -> tensor<70x200xf16>
  %3 = graph.multiply %1, %2 : (tensor<70x200xf16>, tensor<70x200xf16>) -> tensor<70x200xf16>
  return %3 : tensor<70x200xf16>
}

// A result that a later kernel reads, too.
func.func @read_twice(%x: tensor<70x128xf16>, %w: tensor<128x128xf16>) -> (tensor<70x128xf16>, tensor<70x128xf16>) {
  %0 = graph.matmul %x, %w : (tensor<70x128xf16>, tensor<128x128xf16>) -> tensor<70x128xf16>
  %1 = graph.matmul %0, %w : (tensor<70x128xf16>, tensor<128x128xf16>) -> tensor<70x128xf16>
  return %0, %1 : tensor<70x128xf16>, tensor<70x128xf16>
}

// A reshape between kernels moves nothing.
func.func @reshaped(%x: tensor<2x40x64xf16>, %w: tensor<64x96xf16>) -> tensor<2x40x96xf16> {
  %0 = graph.exp %x : (tensor<2x40x64xf16>) -> tensor<2x40x64xf16>
  %1 = graph.static_reshape %0 {shape = array<i64: 80, 64>, special_zero = false} : (tensor<2x40x64xf16>) -> tensor<80x64xf16>
  %2 = graph.matmul %1, %w : (tensor<80x64xf16>, tensor<64x96xf16>) -> tensor<80x96xf16>
  %3 = graph.static_reshape %2 {shape = array<i64: 2, 40, 96>, special_zero = false} : (tensor<80x96xf16>) -> tensor<2x40x96xf16>
  return %3 : tensor<2x40x96xf16>
}

