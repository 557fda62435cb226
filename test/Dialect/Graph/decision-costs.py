# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# The costs beside decisions make sense: a region takes no longer than its ops
# apart, whatever caches hold; a layout takes as long as the template that wants
# it; sizes that are not known have no cost.
#
# RUN: %python %s | FileCheck %s
# CHECK: decisions: {{[1-9][0-9]+}}

import re
import subprocess

MACHINES = ["zen3-2", "server-avx512-64"]


def get_decisions(text, machine, *passes):
    found = subprocess.run(
        ["gc-opt", "-", f"--machine={machine}", *passes, "-o", "-",
         "--remarks-filter-analyse=.*", "--remark-format=emitRemark"],
        input=text, capture_output=True, text=True, check=True)
    lines = [l for l in found.stderr.splitlines() if " Decision " in l]
    return [(re.search(r"Kind=(\w+)", l)[1],
             [int(c) for c in re.findall(r"Cycles=(-?\d+)", l)], l)
            for l in lines]


def make_chain(count, size):
    type = f"tensor<{size}xf32>"
    ops = "".join(f"%{i + 1} = graph.add %{i}, %a{i} : ({type}, {type}) -> {type}\n"
                  for i in range(count))
    arguments = ", ".join([f"%0: {type}"] + [f"%a{i}: {type}" for i in range(count)])
    return (f"func.func @main({arguments}) -> {type} {{\n{ops}"
            f"return %{count} : {type}\n}}\n")


count = 0
for machine in MACHINES:
    for ops in (2, 8):
        for size in ("16x16", "256x256", "1024x1024", "4096x4096"):
            decisions = get_decisions(
                make_chain(ops, size), machine,
                "--pass-pipeline=builtin.module(func.func(graph-fuse))")
            costs = [c for kind, c, _ in decisions if kind == "fusion"]
            # The region, then the ops apart.
            assert len(costs) == 1 and costs[0][0] <= costs[0][1], decisions
            count += len(costs)
    matmul = """
func.func @main(%x: tensor<16x512xf32>, %w: tensor<512x1024xf32> {graph.const_arg}) -> tensor<16x1024xf32> {
  %0 = graph.matmul %x, %w : (tensor<16x512xf32>, tensor<512x1024xf32>) -> tensor<16x1024xf32>
  return %0 : tensor<16x1024xf32>
}
"""
    for options in ("threads=1", "threads=2 kernel=libxsmm", "kernel=vector"):
        decisions = get_decisions(
            matmul, machine, f"--gc-cpu-pipeline=stop-after=layout {options}")
        template = [c[0] for kind, c, _ in decisions if kind == "template"]
        layouts = [c[0] for kind, c, _ in decisions if kind == "layout"]
        assert len(template) == 1 and layouts, decisions
        # Packed operands cost a little less.
        assert all(0.9 < c / template[0] < 1.1 for c in layouts), decisions
        count += len(decisions)
    dynamic = """
func.func @main(%x: tensor<?x16xf32>) -> tensor<?x16xf32> {
  %0 = graph.abs %x : (tensor<?x16xf32>) -> tensor<?x16xf32>
  %1 = graph.relu %0 : (tensor<?x16xf32>) -> tensor<?x16xf32>
  return %1 : tensor<?x16xf32>
}
"""
    for kind, costs, line in get_decisions(
            dynamic, machine,
            "--pass-pipeline=builtin.module(func.func(graph-fuse))"):
        assert not costs, line
        count += 1
print("decisions:", count)
