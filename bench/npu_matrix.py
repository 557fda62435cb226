#!/usr/bin/python3
# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The test matrix of the NPU: compiled from graphs, run on the simulator.

Prints for each kernel its cycles, its bound and their ratio, for each class the
geometric mean, and the floors that kernels have to reach. Cycles are the same on
every machine and in every run. The exit code is 1 if a kernel does not run or a
floor is not reached. `--publish` puts the tables into docs/npu-results.md.

  bench/npu_matrix.py                  everything
  bench/npu_matrix.py gemm/ op3        what contains one of these words
  bench/npu_matrix.py --write=DIR      only writes the graphs, CLASS/NAME.mlir
"""

import argparse
import os
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from npu_floors import get_mean, get_rows  # noqa: E402
from npu_matrix_graphs import make_matrix  # noqa: E402
from npu_tables import (ROOT, RUNNER, Failure, group, replace, run,  # noqa: E402
                        table)

PAGE = os.path.join(ROOT, "docs", "npu-results.md")


def choose(words):
    """{class/name: text} of what has a word as its name or, if nothing has, of
    what contains it; all without words."""
    matrix = {f"{kind}/{name}": text for kind, graphs in make_matrix().items()
              for name, text in graphs.items()}
    return {name: text for name, text in matrix.items()
            if not words or any(word == name or
                                (word not in matrix and word in name)
                                for word in words)}


def write(graphs, folder):
    for name, text in graphs.items():
        path = os.path.join(folder, name + ".mlir")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


def measure(runner, folder, name, options):
    """(report, seconds), or (reason, seconds) of what does not run."""
    start = time.monotonic()
    try:
        found = run(runner, os.path.join(folder, name + ".mlir"), "--mode=cycles",
                    *options)
    except Failure as failure:
        found = str(failure).rsplit(".mlir: ", maxsplit=1)[-1].splitlines()[0]
    return found, time.monotonic() - start


def make_tables(reports, graphs):
    """(table of classes, table of floors, whether all floors are reached)."""
    fractions = {}
    for name, report in reports.items():
        fractions.setdefault(name.split("/")[0], []).append(
            report["bound_fraction"])
    classes = table(["<class", "kernels", "geometric mean", "worst"],
                    [[kind, str(len(found)), f"{get_mean(found):.3f}",
                      f"{min(found):.3f}"] for kind, found in fractions.items()])
    rows = get_rows(reports, graphs)
    floors = table(["<kernels", "number", "floor", "reached", "<"],
                   [[title, str(count), f"{floor:.2f}", f"{found:.3f}",
                     "" if reached else "missed"]
                    for title, count, floor, found, reached in rows])
    return classes, floors, all(row[-1] for row in rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("words", nargs="*", help="parts of CLASS/NAME")
    parser.add_argument("--runner", default=RUNNER)
    parser.add_argument("--write", metavar="DIR", help="write the graphs only")
    parser.add_argument("--option", action="append", default=[],
                        help="passed to gc-runner")
    parser.add_argument("--publish", action="store_true",
                        help="put the tables into docs/npu-results.md")
    arguments = parser.parse_args()
    if arguments.publish and arguments.words:
        parser.error("--publish is for the whole matrix")
    graphs = choose(arguments.words)
    if not graphs:
        parser.error("nothing in the matrix contains these words")
    if arguments.write:
        write(graphs, arguments.write)
        return 0
    rows, reports, failures = [], {}, 0
    with tempfile.TemporaryDirectory() as folder:
        write(graphs, folder)
        for name in graphs:
            found, seconds = measure(arguments.runner, folder, name,
                                     arguments.option)
            if isinstance(found, str):
                failures += 1
                rows.append([name, "", "", "", f"{seconds:.1f}", found])
            else:
                fraction = found["bound_fraction"]
                reports[name] = found
                rows.append([name, group(found["cycles"]),
                             group(found["bound_cycles"]), f"{fraction:.3f}",
                             f"{seconds:.1f}", ""])
            print(" | ".join(rows[-1]), file=sys.stderr, flush=True)
    print(table(["<kernel", "cycles", "bound", "fraction", "seconds",
                 "<does not run"], rows))
    classes, floors, reached = make_tables(reports, graphs)
    if arguments.publish:
        replace(PAGE, "classes", classes)
        replace(PAGE, "floors", floors)
    print(classes)
    print(floors)
    return 0 if reached and not failures else 1


if __name__ == "__main__":
    sys.exit(main())
