# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shared by the scripts for the NPU: running a program, writing a table.

Cycles come from the simulator and are the same on every machine and in every
run.
"""

import json
import os
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
EXAMPLES = os.path.join(ROOT, "examples", "npu")
RUNNER = os.path.join(ROOT, "build", "bin", "gc-runner")


class Failure(Exception):
    """A program that does not run, or whose result is wrong."""


def run(runner, program, *options):
    """The report of one run, as a dictionary (see docs/npu-runner.md).

    Raises Failure with what gc-runner printed unless it returned 0, and with
    the outcome of the check if that was asked for and did not pass.
    """
    command = [runner, "--target=npu", program, "--json=-", *options]
    result = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    if result.returncode:
        raise Failure(f"{program}: {(result.stderr or result.stdout).strip()}")
    report = json.loads(result.stdout)
    if "--check" in options and report["check"]["status"] != "passed":
        raise Failure(f"{program}: check {report['check']['status']}")
    return report


def group(number):
    """An integer with commas between its thousands."""
    return f"{number:,}"


def share(report, pipe):
    """How much of the time a pipe is busy."""
    return f"{report['pipes'][pipe] / report['cycles'] / report['cores']:.1%}"


def table(header, rows):
    """A Markdown table. Columns are aligned to the right but for texts.

    header: titles; one that begins with '<' is of a column of text.
    """
    marks = ["---" if title.startswith("<") else "---:" for title in header]
    lines = [[title.lstrip("<") for title in header], marks, *rows]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def replace(page, name, text):
    """Puts text between `<!-- NAME:begin -->` and `<!-- NAME:end -->`.

    Raises ValueError if the page does not have both marks, in this order.
    """
    begin, end = f"<!-- {name}:begin -->\n", f"<!-- {name}:end -->"
    with open(page, encoding="utf-8") as file:
        old = file.read()
    head, mark, rest = old.partition(begin)
    _, last, tail = rest.partition(end)
    if not mark or not last:
        raise ValueError(f"{page}: no marks of {name}")
    with open(page, "w", encoding="utf-8") as file:
        file.write(head + begin + text + end + tail)
