#!/usr/bin/python3
# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How long kernels of the NPU's matrix take to compile, as Markdown tables.

Times are of `gc-opt --gc-npu-pipeline`, from the graph to instructions with
addresses and flags: processor time that the process spends itself, so that what
else the machine does matters little. `--publish` puts the tables into
docs/npu-results.md.

  bench/npu_compile_time.py              everything
  bench/npu_compile_time.py gemm/ op3    what contains one of these words
"""

import argparse
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from npu_matrix import choose, write  # noqa: E402
from npu_tables import ROOT, replace, table  # noqa: E402

SLOWEST = 5


def measure(tool, path):
    """Seconds of the process in user mode; fails if it does."""
    child = subprocess.Popen([tool, path, "--gc-npu-pipeline", "-o",
                              os.devnull], stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        sys.exit(f"error: {path} does not compile")
    return usage.ru_utime


def get_percentile(seconds, percent):
    """The least time that this many per cent of the kernels do not exceed."""
    ordered = sorted(seconds)
    return ordered[-(-len(ordered) * percent // 100) - 1]


def make_table(times):
    """times: {class/name: seconds}."""
    kinds = {}
    for name, seconds in times.items():
        kinds.setdefault(name.split("/")[0], []).append(seconds)
    kinds["all"] = list(times.values())
    rows = [[kind, str(len(found)), f"{get_percentile(found, 50):.2f}",
             f"{get_percentile(found, 99):.2f}", f"{max(found):.2f}"]
            for kind, found in kinds.items()]
    slowest = sorted(times.items(), key=lambda item: -item[1])[:SLOWEST]
    return table(["<seconds", "kernels", "median", "99%", "most"], rows) + \
        "\n" + table(["<slowest", "seconds"],
                     [[name, f"{seconds:.2f}"] for name, seconds in slowest])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("words", nargs="*", help="parts of CLASS/NAME")
    parser.add_argument("--gc-opt", default=os.path.join(ROOT, "build", "bin",
                                                         "gc-opt"))
    parser.add_argument("--publish", action="store_true",
                        help="put the tables into docs/npu-results.md")
    arguments = parser.parse_args()
    if arguments.publish and arguments.words:
        parser.error("--publish is for the whole matrix")
    graphs, times = choose(arguments.words), {}
    with tempfile.TemporaryDirectory() as folder:
        write(graphs, folder)
        for name in graphs:
            times[name] = measure(arguments.gc_opt,
                                  os.path.join(folder, name + ".mlir"))
            print(f"{name} {times[name]:.2f}", file=sys.stderr, flush=True)
    text = make_table(times)
    if arguments.publish:
        replace(os.path.join(ROOT, "docs", "npu-results.md"), "compile", text)
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
