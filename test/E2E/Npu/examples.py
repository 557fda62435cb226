# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# RUN: %python %s %gc_source/examples/npu

"""Every NPU program of examples/ computes what its reference says.

    examples.py FOLDER

The simulator fails a run with a race, a read of bytes that nothing wrote or an
unbalanced flag; the results are compared with the reference, but for products
of 4096, which would take minutes: those only have to run. A program is there in
three forms, and the forms are what they are said to be.
"""

import glob
import json
import os
import re
import subprocess
import sys

FORMS = {"naive", "auto", "tuned"}
PROGRAMS = {"vadd-4mb", "softmax-4096x1024", "gemm-1024", "gemm-4096",
            "gemm-int8-1024", "conv3x3-64x56"}
# All in f16 but the sums: that is how softmax is computed.
SOFTMAX = ["--rtol=1e-2", "--atol=2e-3"]


def get_options(program):
    if program == "gemm-4096":
        return ["--mode=cycles"]
    return ["--check"] + (SOFTMAX if program == "softmax-4096x1024" else [])


def get_problem(path, options):
    """What is wrong with a run, or None."""
    result = subprocess.run(
        ["gc-runner", "--target=npu", path, "--json=-", *options],
        capture_output=True, text=True)
    if result.returncode not in (0, 1):
        return result.stderr.strip() or f"exit code {result.returncode}"
    report = json.loads(result.stdout)
    if report["instructions"] == 0 or report["cycles"] < report["bound_cycles"]:
        return f"{report['cycles']} cycles are less than the bound"
    if "--check" in options and report["check"]["status"] != "passed":
        return f"check {report['check']}"
    return None


def get_form_problem(path, form):
    with open(path, encoding="utf-8") as file:
        text = re.sub("//.*", "", file.read())
    flags = "npu.set_flag" in text
    if form == "naive" and (flags or "npu.barrier all" not in text):
        return "has flags, or no barriers"
    if form == "tuned" and not flags:
        return "has no flags"
    if form == "auto":
        forbidden = (r"npu\.(set_flag|wait_flag|barrier|slot|dma|load2d|vector)\b"
                     r"|npu\.alloc +(at|slots)\b|\brepeat\b")
        found = re.search(forbidden, text)
        return f"says '{found.group()}'" if found else None
    return None


def main():
    (folder,) = sys.argv[1:]
    problems = []
    found = set()
    for path in sorted(glob.glob(os.path.join(folder, "*.mlir"))):
        program, form, _ = os.path.basename(path).split(".")
        found.add((program, form))
        problems.append((path, get_form_problem(path, form)))
        problems.append((path, get_problem(path, get_options(program))))
    assert found == {(p, f) for p in PROGRAMS for f in FORMS}, sorted(found)
    steps = sorted(glob.glob(os.path.join(folder, "tutorial", "*.mlir")))
    assert steps, "no steps of the tutorial"
    for path in steps:
        problems.append((path, get_problem(path, ["--check"])))
    bad = [f"{path}: {problem}" for path, problem in problems if problem]
    sys.exit("\n".join(bad) or None)


if __name__ == "__main__":
    main()
