#!/usr/bin/python3
# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes results of the set `ops` into docs/operation-speed.md.

Exit codes: 0 written, 2 wrong usage or results.
"""

import argparse
import json
import os
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import publish  # noqa: E402
import report  # noqa: E402

PAGE = os.path.join("docs", "operation-speed.md")
GROUPS = {
    "ops-memory": "Memory-bound operations",
    "ops-compute": "Contractions",
    "depthwise": "Depthwise convolutions with bias and ReLU"}


def bound_of(row):
    return next((b for b in report.BOUNDS
                 if report.value(row, b, "best_ms")), None)


def memory_table(rows, onednn):
    lines = ["| operation | shape | GC ms | GB/s | machine GB/s | of it | vs "
             f"{onednn} |", "|---|---|---:|---:|---:|---:|---:|"]
    for row in rows:
        bound = bound_of(row)
        cells = [row["name"].removeprefix("op-"), row["shape"],
                 report.number(report.value(row, "gc", "best_ms")),
                 report.number(report.value(row, "gc", "best_gbytes")),
                 f"{report.number(report.value(row, bound, 'best_gbytes'))} "
                 f"{bound}" if bound else "—",
                 report.fixed(report.value(row, bound, "best_ratio")),
                 report.fixed(report.value(row, "onednn", "best_ratio"))]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def compute_table(rows, onednn):
    lines = ["| operation | shape | GC ms | GFLOP/s | of peak | "
             f"{onednn} ms | vs {onednn} |",
             "|---|---|---:|---:|---:|---:|---:|"]
    for row in rows:
        cells = [row["name"].removeprefix("op-"), row["shape"],
                 report.number(report.value(row, "gc", "best_ms")),
                 report.number(report.value(row, "gc", "best_gflops")),
                 report.fixed(report.value(row, "gc", "best_peak_fraction")),
                 report.number(report.value(row, "onednn", "best_ms")),
                 report.fixed(report.value(row, "onednn", "best_ratio"))]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def means(rows):
    """What the geometric means are, by batch for depthwise convolutions."""
    parts = []
    batches = sorted({row["name"].split("-")[1] for row in rows},
                     key=lambda b: int(b[1:]))
    for batch in batches:
        ratios = [report.value(row, "onednn", "best_ratio") for row in rows
                  if row["name"].split("-")[1] == batch]
        ratios = [r for r in ratios if r]
        if ratios:
            parts.append(f"{report.geomean(ratios):.2f} at batch {batch[1:]}")
    return "Geometric mean against oneDNN: " + ", ".join(parts) + "."


def block(result, cpu):
    onednn = result["titles"].get("onednn", "oneDNN")
    lines = [f"{cpu or publish.machine(result)}; {result['options']['threads']} "
             f"threads, best of {result['options']['rounds']} rounds of "
             f"{result['options']['min_time']} s."]
    for group, words in GROUPS.items():
        rows = [row for row in result["rows"] if row["group"] == group]
        if not rows:
            continue
        lines += ["", f"## {words}", ""]
        if group == "ops-memory":
            lines += memory_table(rows, onednn)
            continue
        if group == "depthwise":
            lines += [means(rows), ""]
        lines += compute_table(rows, onednn)
    return lines


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("results", nargs="+", metavar="RESULT.json")
    parser.add_argument("--cpu", help="what the page says of the processor "
                        "instead of the name that the system gives")
    parser.add_argument("--root", default=os.path.dirname(HERE), metavar="DIR",
                        help=f"where {PAGE} is")
    options = parser.parse_args(arguments)
    try:
        results = []
        for path in options.results:
            with open(path, encoding="utf-8") as file:
                results.append(json.load(file))
        result = publish.merge(results)
        if not any(row["group"] in GROUPS for row in result["rows"]):
            raise ValueError("there are no results of the set ops")
        path = os.path.join(options.root, PAGE)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        text = publish.replace_block(text, block(result, options.cpu))
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    except (OSError, ValueError) as error:
        print(f"publish_ops: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
