#!/usr/bin/python3
# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels of the NPU's matrix on several cores, as a Markdown table.

Cores share global memory: what it bounds is no faster on eight of them. The
compiler uses as many as it expects to be faster; the table has their number.
`--publish` puts the table into docs/poly.md.
"""

import argparse
import os
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from npu_matrix_graphs import make_matrix  # noqa: E402
from npu_tables import (ROOT, RUNNER, Failure, group, replace, run,  # noqa: E402
                        table)

# What each kernel is called, and its class and name in the matrix.
KERNELS = {
    "subgraph 1, masked softmax": "subgraph/1",
    "subgraph 2, gradient of GELU": "subgraph/2",
    "subgraph 3, LAMB": "subgraph/3",
    "subgraph 4": "subgraph/4",
    "subgraph 5, product and tanh": "subgraph/5",
    "attention, 16 heads of 1024 x 64": "subgraph/attention",
    "GEMM 1024³": "gemm/1024",
}
CORES = [1, 2, 4, 8]


def measure(runner, text):
    """[(cycles, cores that were used)] for each number of cores.

    Raises Failure if one of them does not run.
    """
    found = []
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "kernel.mlir")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        for cores in CORES:
            report = run(runner, path, "--mode=cycles", f"--cores={cores}")
            found.append((report["cycles"], report["cores"]))
    return found


def make_table(runner, words=()):
    matrix = make_matrix()
    rows = []
    for title, name in KERNELS.items():
        if words and not any(word in name for word in words):
            continue
        kind, kernel = name.split("/")
        found = measure(runner, matrix[kind][kernel])
        best = found[-1]
        rows.append([title, *(group(cycles) for cycles, _ in found),
                     str(best[1]), f"{found[0][0] / best[0]:.2f}"])
        print(" | ".join(rows[-1]), file=sys.stderr, flush=True)
    return table(["<cycles on cores", *map(str, CORES), "used of 8",
                  "times as fast"], rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("words", nargs="*", help="parts of CLASS/NAME")
    parser.add_argument("--runner", default=RUNNER)
    parser.add_argument("--publish", action="store_true",
                        help="put the table into docs/poly.md")
    arguments = parser.parse_args()
    if arguments.publish and arguments.words:
        parser.error("--publish is for the whole table")
    try:
        text = make_table(arguments.runner, arguments.words)
    except Failure as failure:
        sys.exit(f"error: {failure}")
    if arguments.publish:
        replace(os.path.join(ROOT, "docs", "poly.md"), "cores", text)
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
