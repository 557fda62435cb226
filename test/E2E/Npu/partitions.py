# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Each partition that graph-partition says the NPU runs is compiled by itself and runs
# there, with its own copies of the constants. Expected values are the reference
# interpreter's.

# RUN: %python %s %t

import os
import re
import subprocess
import sys

GRAPH = """
func.func @main(%x: tensor<40x24xf16>, %w: tensor<24x40xf16>, %b: tensor<32x64xsi8>,
                %v: tensor<64x48xsi8>, %i: tensor<7xsi32>)
    -> (tensor<7x24xf16>, tensor<f16>, tensor<7x24xf16>, tensor<32x48xsi8>, tensor<40x24xf16>) {
  %c = graph.constant dense<1.5> : tensor<f16>
  %ones = graph.greater_equal %x, %c : (tensor<40x24xf16>, tensor<f16>) -> tensor<40x24xi1>
  %0 = graph.multiply %x, %c : (tensor<40x24xf16>, tensor<f16>) -> tensor<40x24xf16>
  %1 = graph.matmul %x, %w : (tensor<40x24xf16>, tensor<24x40xf16>) -> tensor<40x40xf16>
  %2 = graph.add %1, %c : (tensor<40x40xf16>, tensor<f16>) -> tensor<40x40xf16>
  %3 = graph.matmul %2, %0 : (tensor<40x40xf16>, tensor<40x24xf16>) -> tensor<40x24xf16>
  %4 = graph.gather %3, %i : (tensor<40x24xf16>, tensor<7xsi32>) -> tensor<7x24xf16>
  %5 = graph.subtract %4, %c : (tensor<7x24xf16>, tensor<f16>) -> tensor<7x24xf16>
  %6 = graph.multiply %5, %c : (tensor<7x24xf16>, tensor<f16>) -> tensor<7x24xf16>
  %7 = graph.matmul %b, %v : (tensor<32x64xsi8>, tensor<64x48xsi8>) -> tensor<32x48xsi32>
  %8 = graph.type_cast %7 : tensor<32x48xsi32> -> tensor<32x48xsi8>
  %9 = graph.select %ones, %x, %0 : (tensor<40x24xi1>, tensor<40x24xf16>, tensor<40x24xf16>) -> tensor<40x24xf16>
  %10 = graph.gather %0, %i : (tensor<40x24xf16>, tensor<7xsi32>) -> tensor<7x24xf16>
  %11 = graph.add %10, %c : (tensor<7x24xf16>, tensor<f16>) -> tensor<7x24xf16>
  return %6, %c, %11, %8, %9 : tensor<7x24xf16>, tensor<f16>, tensor<7x24xf16>, tensor<32x48xsi8>, tensor<40x24xf16>
}
"""

OP = re.compile(r' *(%\w+) = "([\w.]+)"\((.*?)\) .*graph\.partition = (\d+) : i64.* : '
                r"\((.*)\) -> (\S+)")  # fmt: skip


def run(*command):
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, " ".join(command) + "\n" + result.stdout + result.stderr
    return result.stdout


def get_partitions(text):
    """The ops of each partition, and whether the NPU runs it: tuples of the op's line,
    its operands with their types, and its result and that's type."""
    support = re.search(r"partition_support = array<i1: (.*?)>", text)[1].split(", ")
    partitions = [(word == "true", []) for word in support]
    for line in text.splitlines():
        if not (op := OP.match(line)):
            continue
        result, _, operands, partition, types, type = op.groups()
        read = dict(zip(operands.split(", "), types.split(", "))) if operands else {}
        partitions[int(partition)][1].append((line, read, result, type))
    return partitions


def outline(ops, returned):
    """A function of what the ops read from others, which returns what others read."""
    made = {result: type for _, _, result, type in ops}
    read = {name: type for _, operands, _, _ in ops for name, type in operands.items()}
    arguments = {name: type for name, type in read.items() if name not in made}
    results = {name: type for name, type in made.items() if name in returned}
    types = ", ".join(results.values())
    return "\n".join([
        "func.func @main(" + ", ".join(f"{n}: {t}" for n, t in arguments.items()) + f") -> ({types}) {{",
        *(line for line, _, _, _ in ops),
        "  return " + ", ".join(results) + f" : {types}",
        "}",
    ])  # fmt: skip


out = sys.argv[1]
os.makedirs(out, exist_ok=True)
with open(out + "/graph.mlir", "w") as file:
    file.write(GRAPH)
for policy, expected in ("fusion", 4), ("debug", 8):
    text = run("gc-opt", out + "/graph.mlir", "--mlir-print-op-generic",
               f"--pass-pipeline=builtin.module(func.func(graph-partition{{target=npu policy={policy}}}))")  # fmt: skip
    partitions = get_partitions(text)
    end = re.search(r'"func.return"\((.*?)\)', text)[1].split(", ")
    count = 0
    owners = {result: index for index, (_, ops) in enumerate(partitions)
              for line, _, result, _ in ops if '"graph.constant"' in line}  # fmt: skip
    for index, (is_supported, ops) in enumerate(partitions):
        returned = set(end)
        for other, (_, others) in enumerate(partitions):
            if other != index:
                returned.update(name for _, read, _, _ in others for name in read)
        # None reads a constant of another.
        used = {name for _, read, _, _ in ops for name in read if name in owners}
        assert all(owners[name] == index for name in used), text
        path = f"{out}/{policy}{index}.mlir"
        with open(path, "w") as file:
            file.write(outline(ops, returned))
        if is_supported:
            run("gc-runner", "--target=npu", path, "--check", "--strict")
            count += 1
    assert count == expected, (policy, count, text)
