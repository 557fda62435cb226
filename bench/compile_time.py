#!/usr/bin/python3
# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compile time of graphs of many ops, per op.

For each shape of wide_graphs.py a row with the time per op, in microseconds, at
each size, and by how much it grows from the size where it is least to the largest
one. Compilation in linear time keeps that near 1: the fixed cost of any graph
makes small ones look slow, never large ones.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile

import wide_graphs

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
SIZES = (100, 200, 400, 800, 1600, 3200)


def measure(runner, text, threads, rounds, options):
    """Milliseconds of the fastest of some compilations."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "graph.mlir")
        with open(path, "w") as file:
            file.write(text)
        times = []
        for _ in range(rounds):
            run = subprocess.run(
                [runner, path, f"--threads={threads}", "--json=-", *options],
                capture_output=True, text=True)
            if run.returncode != 0:
                sys.exit(f"compile_time.py: {run.stderr.strip()}")
            times.append(json.loads(run.stdout)["compile_ms"])
    return min(times)


def main():
    parser = argparse.ArgumentParser(
        description="Prints the compile time per op of graphs of many ops.")
    parser.add_argument("--runner",
                        default=os.path.join(ROOT, "build/bin/gc-runner"))
    parser.add_argument("--shapes", default=",".join(wide_graphs.SHAPES),
                        help="of wide_graphs.py (default: all)")
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)),
                        help="numbers of ops (default: %(default)s)")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3,
                        help="compilations of each; the fastest counts")
    parser.add_argument("--option", action="append", default=[],
                        help="passed to gc-runner")
    options = parser.parse_args()
    sizes = [int(size) for size in options.sizes.split(",")]
    shapes = options.shapes.split(",")
    for shape in shapes:
        if shape not in wide_graphs.SHAPES:
            parser.error(f"no shape {shape!r}; there are "
                         + ", ".join(wide_graphs.SHAPES))
    print("us per op".ljust(16) + "".join(f"{size:>9}" for size in sizes)
          + "   growth")
    for shape in shapes:
        per_op = [
            measure(options.runner, wide_graphs.graph(shape, size),
                    options.threads, options.rounds, options.option)
            * 1000 / size for size in sizes]
        print(shape.ljust(16) + "".join(f"{time:9.0f}" for time in per_op)
              + f"{per_op[-1] / min(per_op):9.2f}", flush=True)


if __name__ == "__main__":
    main()
