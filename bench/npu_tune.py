#!/usr/bin/python3
# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Auto Tiling and the tuner against exhaustive search, on the NPU's matrix.

For each kernel: how many plans are legal (docs/npu-plans.md), the cycles of the
fastest one, of Auto Tiling's and of the tuner's, and how much slower these are.
A graph that takes at most 2% longer than its bound, which no plan can beat, is
not searched unless --all is given. A kernel with more legal plans than
--max-plans is left out, and so is a graph whose search takes longer than
--timeout.

  bench/npu_tune.py relu/ gemm/64       what contains one of these words
  bench/npu_tune.py --results=FILE      goes on with what a file does not have
  bench/npu_tune.py --results=FILE --only-print --publish   into docs/npu-plans.md
"""

import argparse
import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from npu_matrix import choose, write  # noqa: E402
from npu_tables import (ROOT, RUNNER, group, replace, run,  # noqa: E402
                        table)

TUNER = os.path.join(ROOT, "build", "bin", "gc-tune")
# A tuned plan within 2% of the fastest one is the goal.
CLOSE = 1.02
PAGE = os.path.join(ROOT, "docs", "npu-plans.md")


def search(arguments, folder, name):
    """What the tuner reports of the graph's kernels: {"kernels": [...]} or
    {"reason": text}, or the graph's {"cycles": n, "bound": m} if these are
    close; with "name"."""
    if not arguments.all:
        report = run(arguments.runner, os.path.join(folder, name + ".mlir"),
                     "--mode=cycles")
        if report["cycles"] <= CLOSE * report["bound_cycles"]:
            return {"name": name, "cycles": report["cycles"],
                    "bound": report["bound_cycles"]}
    command = [arguments.tuner, os.path.join(folder, name + ".mlir"), "-o",
               os.path.join(folder, name + ".json"), "--exhaustive", "--json",
               f"--max-plans={arguments.max_plans}"]
    try:
        found = subprocess.run(command, capture_output=True, text=True,
                               timeout=arguments.timeout)
    except subprocess.TimeoutExpired:
        return {"name": name, "reason": "not finished in time"}
    if found.returncode:
        return {"name": name, "reason": found.stderr.strip().splitlines()[0]}
    return {"name": name,
            "kernels": [json.loads(line) for line in found.stdout.splitlines()]}


def read_results(path):
    if not path or not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as file:
        found = [json.loads(line) for line in file]
    return {result["name"]: result for result in found}


def get_rows(results):
    """Rows of the table, and the ratios of Auto Tiling and of the tuner."""
    rows, automatic, tuned = [], [], []
    for result in results:
        for kernel in result.get("kernels", []):
            if not kernel["complete"]:
                continue
            best = kernel["best"]
            automatic.append(kernel["auto"] / best)
            tuned.append(kernel["tuned"] / best)
            title = result["name"]
            if len(result["kernels"]) > 1:
                title += " " + kernel["kernel"]
            rows.append([title, group(kernel["legal"]), group(best),
                         group(kernel["auto"]), f"{automatic[-1]:.3f}",
                         group(kernel["tuned"]), f"{tuned[-1]:.3f}"])
    return rows, automatic, tuned


def summarize(ratios, most):
    within = sum(ratio <= most for ratio in ratios)
    return f"{within} of {len(ratios)}, the worst {max(ratios):.3f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("words", nargs="*", help="parts of CLASS/NAME")
    parser.add_argument("--tuner", default=TUNER)
    parser.add_argument("--runner", default=RUNNER)
    parser.add_argument("--all", action="store_true",
                        help="search what is close to its bound, too")
    parser.add_argument("--max-plans", type=int, default=5000)
    parser.add_argument("--timeout", type=float, default=3600,
                        help="seconds for a graph")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--results", metavar="FILE",
                        help="a line of JSON for each graph")
    parser.add_argument("--only-print", action="store_true",
                        help="what the file has")
    parser.add_argument("--publish", action="store_true",
                        help="put the table into docs/npu-plans.md")
    arguments = parser.parse_args()
    graphs = choose(arguments.words)
    if not graphs:
        parser.error("nothing in the matrix contains these words")
    results = read_results(arguments.results)
    missing = [] if arguments.only_print else [
        name for name in graphs if name not in results]
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        write(graphs, folder)
        for result in pool.map(lambda name: search(arguments, folder, name),
                               missing):
            results[result["name"]] = result
            print(json.dumps(result), file=sys.stderr, flush=True)
            if arguments.results:
                with open(arguments.results, "a", encoding="utf-8") as file:
                    print(json.dumps(result), file=file)
    found = [results[name] for name in graphs if name in results]
    rows, automatic, tuned = get_rows(found)
    text = table(["<kernel", "legal plans", "fastest", "Auto Tiling", "ratio",
                  "128 samples", "ratio"], rows)
    if rows:
        text += ("\nOf these kernels Auto Tiling is within 5% of the fastest "
                 f"plan for {summarize(automatic, 1.05)};\nthe tuner within 2% "
                 f"for {summarize(tuned, CLOSE)}.\n")
    close = sum("bound" in result for result in found)
    if close:
        text += (f"{close} graphs take at most 2% longer than their bound with "
                 "Auto Tiling's plans\nand were not searched.\n")
    print(text)
    if arguments.publish:
        replace(PAGE, "search", text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
