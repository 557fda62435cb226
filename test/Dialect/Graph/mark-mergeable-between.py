# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# A region moves across 127 ops that are in its way to join a group, and not
# across 128: the search for what a group may be joined by has an end.

# RUN: %python %s 127 > %t.near.mlir
# RUN: gc-opt %t.near.mlir --pass-pipeline="builtin.module(func.func(graph-mark-mergeable))" | FileCheck %s --check-prefix=NEAR
# RUN: %python %s 128 > %t.far.mlir
# RUN: gc-opt %t.far.mlir --pass-pipeline="builtin.module(func.func(graph-mark-mergeable))" | FileCheck %s --check-prefix=FAR

# NEAR-COUNT-2: graph.fused_op attributes {graph.merge_group = 0 : i64
# FAR: graph.fused_op ->
# FAR-NOT: graph.merge_group

import sys

between = int(sys.argv[1])
x, w = "tensor<512x64xf32>", "tensor<64x64xf32>"
params = (
    "#graph.matmul_template<MPN = 2, NPN = 1, MB = 32, NB = 32, KB = 64, BS = 1, "
    "order = [m, n, k], packA = false, packB = false>"
)


def print_layer(result, operand):
    print(f"  {result} = graph.fused_op -> ({x}) {{")
    print(
        f"    %m = graph.matmul {operand}, %w {{template_params = {params}}} : "
        f"({x}, {w}) -> {x}"
    )
    print(f"    graph.yield %m : {x}\n  }}")


target = (
    'dlti.target_system_spec = #dlti.target_system_spec<"CPU" = '
    '#dlti.target_device_spec<"machine" = "zen3-2", "num_threads" = 2 : i64>>'
)
print(f"module attributes {{{target}}} {{")
print(f"func.func @main(%x: {x}, %v0: {x}, %w: {w}) -> ({x}, {x}) {{")
print_layer("%a", "%x")
for i in range(between):
    print(f"  %v{i + 1} = graph.relu %v{i} : ({x}) -> {x}")
print_layer("%b", "%a")
print(f"  return %b, %v{between} : {x}, {x}\n}}\n}}")
