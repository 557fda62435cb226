#!/usr/bin/python3
# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the ideas of the NPU's compiler are worth, as Markdown tables.

- naive: the matrix in the naive form (fixed tiles, single buffers, a barrier before
  every instruction), geometric means per class
- ops: fused subgraphs, and with each op as a kernel of its own
- switches: kernels without each of the ideas
- tuned: the problems of examples/npu as graphs, and the programs tuned by hand

Cycles are those of gm64. `--publish` puts the tables into docs/npu-results.md.
"""

import argparse
import os
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from npu_floors import get_mean  # noqa: E402
from npu_matrix_graphs import (Function, convolution, elementwise,  # noqa: E402
                               make_matrix, matmul)
from npu_tables import (EXAMPLES, ROOT, RUNNER, Failure, group,  # noqa: E402
                        replace, run, table)

PAGE = os.path.join(ROOT, "docs", "npu-results.md")
NAIVE = "auto-tiling=false double-buffer=false flags=false"
# What is switched off, and kernels on which that shows.
SWITCHES = {
    "fusion": ("fuse=false", ["subgraph/2", "subgraph/5", "subgraph/attention"]),
    "promotion": ("promote=false",
                  ["gemm/1024", "op1-convolution/64-56-to-64-3x3-s1",
                   "op10-norm-update/c16-224"]),
    "double buffering": ("double-buffer=false",
                         ["gemm/1024", "op8-add/16x1024x1024", "subgraph/1"]),
    "grouping of flags": ("group-flags=false",
                          ["gemm/1024", "subgraph/attention",
                           "op4-batched/16x48x32x16",
                           "op1-convolution/256-56-to-128-1x1-s2"]),
    "Auto Tiling": ("auto-tiling=false",
                    ["gemm/1024", "op8-add/16x1024x1024", "subgraph/2"]),
}


def softmax(rows, columns):
    """From ops of f16, as the program by hand computes it."""
    f = Function()
    x = f.argument((rows, columns))
    x = f.op("exp", [f.op("subtract", [x, f.reduce("max", x, [1])])])
    return f.finish(f.op("divide", [x, f.reduce("sum", x, [1])]))


def product_of_bytes(size):
    """A product of int8 whose sums are rounded to int8."""
    f = Function()
    sums = f.op("matmul", [f.argument((size, size), "si8"),
                           f.argument((size, size), "si8")],
                element="si32")
    return f.finish(f.cast(sums, "si8"))


# The problems of examples/npu.
TUNED = {
    "vadd-4mb": lambda: elementwise("add", (2048, 1024)),
    "softmax-4096x1024": lambda: softmax(4096, 1024),
    "gemm-1024": lambda: matmul(1024, 1024, 1024),
    "gemm-4096": lambda: matmul(4096, 4096, 4096),
    "gemm-int8-1024": lambda: product_of_bytes(1024),
    "conv3x3-64x56": lambda: convolution(64, 56, 64, 3, 1, activated=True),
}


class Bench:
    """Compiles and runs graphs of the matrix; the same one only once."""

    def __init__(self, runner, words):
        self.runner = runner
        self.words = words
        self.reports = {}
        self.matrix = make_matrix()

    def is_wanted(self, name):
        return not self.words or any(word in name for word in self.words)

    def run_text(self, text, options=""):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "kernel.mlir")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            return run(self.runner, path, "--mode=cycles",
                       *([f"--pipeline-options={options}"] if options else []))

    def run(self, name, options=""):
        """The report of CLASS/NAME, or None (with a line) if it does not run."""
        key = name, options
        if key not in self.reports:
            kind, kernel = name.split("/")
            try:
                self.reports[key] = self.run_text(self.matrix[kind][kernel],
                                                  options)
            except Failure as failure:
                reason = str(failure).rsplit(".mlir: ", maxsplit=1)[-1]
                print(f"{name} with '{options}': {reason.splitlines()[0]}",
                      file=sys.stderr)
                self.reports[key] = None
            else:
                print(f"{name} with '{options}': "
                      f"{self.reports[key]['cycles']}", file=sys.stderr)
        return self.reports[key]

    def make_naive(self):
        rows, everything = [], []
        for kind, kernels in self.matrix.items():
            ratios = []
            for kernel in kernels:
                name = f"{kind}/{kernel}"
                if not self.is_wanted(name):
                    continue
                best, naive = self.run(name), self.run(name, NAIVE)
                if best and naive:
                    ratios.append((naive["cycles"] / best["cycles"], kernel))
            if not ratios:
                continue
            numbers = [ratio for ratio, _ in ratios]
            everything += numbers
            rows.append([kind, str(len(ratios)), f"{get_mean(numbers):.2f}",
                         "{1} ({0:.2f})".format(*min(ratios)),
                         "{1} ({0:.2f})".format(*max(ratios))])
        if everything:
            rows.append(["all", str(len(everything)),
                         f"{get_mean(everything):.2f}", "", ""])
        return table(["<class", "kernels", "naive ÷ compiled, geometric mean",
                      "<least", "<most"], rows)

    def make_ops(self):
        rows, ratios = [], []
        for kernel in "1234":
            name = f"subgraph/{kernel}"
            if not self.is_wanted(name):
                continue
            fused, apart = self.run(name), self.run(name, "fuse=false")
            if not fused or not apart:
                continue
            ratios.append(apart["cycles"] / fused["cycles"])
            rows.append([name.replace("/", " "), group(fused["cycles"]),
                         str(len(apart.get("kernels") or [0])),
                         group(apart["cycles"]), f"{ratios[-1]:.2f}",
                         f"{apart['gm_bytes'] / fused['gm_bytes']:.2f}"])
        if ratios:
            rows.append(["geometric mean", "", "", "", f"{get_mean(ratios):.2f}",
                         ""])
        return table(["<subgraph", "one kernel", "ops", "op by op",
                      "times as long", "times the bytes"], rows)

    def make_switches(self):
        rows = []
        for title, (options, names) in SWITCHES.items():
            for name in names:
                if not self.is_wanted(name):
                    continue
                best, without = self.run(name), self.run(name, options)
                if not best or not without:
                    continue
                cost = without["cycles"] / best["cycles"] - 1
                rows.append([title, f"`{options}`", name, group(best["cycles"]),
                             group(without["cycles"]), f"{cost:+.1%}",
                             group(best["flags"]), group(without["flags"])])
        return table(["<without", "<option", "<kernel", "cycles", "without it",
                      "cost", "flags", "flags without it"], rows)

    def make_tuned(self):
        rows = []
        for name, make in TUNED.items():
            if not self.is_wanted(name):
                continue
            try:
                own = self.run_text(make())
            except Failure as failure:
                print(failure, file=sys.stderr)
                rows.append([name, "", "", "does not run", ""])
                continue
            tuned = run(self.runner, os.path.join(EXAMPLES, f"{name}.tuned.mlir"),
                        "--mode=cycles")
            rows.append([name, group(own["bound_cycles"]),
                         group(tuned["cycles"]), group(own["cycles"]),
                         f"{own['cycles'] / tuned['cycles']:.3f}"])
        return table(["<problem", "bound", "by hand", "from the graph",
                      "to by hand"], rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("words", nargs="*", help="parts of CLASS/NAME")
    parser.add_argument("--runner", default=RUNNER)
    parser.add_argument("--table", action="append",
                        choices=["naive", "ops", "switches", "tuned"],
                        help="only this one")
    parser.add_argument("--publish", action="store_true",
                        help="put the tables into docs/npu-results.md")
    arguments = parser.parse_args()
    if arguments.publish and arguments.words:
        parser.error("--publish is for whole tables")
    bench = Bench(arguments.runner, arguments.words)
    makers = {"naive": bench.make_naive, "ops": bench.make_ops,
              "switches": bench.make_switches, "tuned": bench.make_tuned}
    for name in arguments.table or makers:
        try:
            text = makers[name]()
        except Failure as failure:
            sys.exit(f"error: {failure}")
        if arguments.publish:
            replace(PAGE, name, text)
        else:
            print(f"{name}\n\n{text}")


if __name__ == "__main__":
    main()
