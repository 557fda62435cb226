#!/usr/bin/python3
# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""All NPU programs of examples/npu on the simulator, as Markdown tables.

Every program in its three forms on three kinds of global memory, the way from
the naive to the tuned GEMM, and what each idea in the latter is worth.
`--publish` puts the tables into docs/npu-programs.md and docs/npu-tutorial.md and
draws the timelines of the tutorial.
"""

import argparse
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import npu_ablation  # noqa: E402
from npu_tables import (EXAMPLES, ROOT, RUNNER, Failure, group,  # noqa: E402
                        replace, run, share, table)

# What each program is called in the summary.
TITLES = {
    "vadd-4mb": "add, 4 MiB a tensor",
    "softmax-4096x1024": "softmax f16, 4096 x 1024",
    "gemm-1024": "GEMM f16, 1024³",
    "gemm-4096": "GEMM f16, 4096³",
    "gemm-int8-1024": "GEMM int8, 1024³",
    "conv3x3-64x56": "convolution 3 x 3, 64 to 64, 56², batch 16",
}
PROGRAMS = list(TITLES)
# Where a table goes, if not into docs/npu-programs.md.
PAGES = {"tutorial": "docs/npu-tutorial.md"}
FORMS = ["naive", "auto", "tuned"]
PROFILES = ["gm64", "gm32", "l2"]
# Name, file and first cycle of the picture, which shows the end of the third tile.
STEPS = [
    ("naive", "gemm-1024.naive", 109000),
    ("flags", "tutorial/gemm-1024-2-flags", 79000),
    ("l0-slots", "tutorial/gemm-1024-3-l0-slots", 58000),
    ("l1-slots", "tutorial/gemm-1024-4-l1-slots", 51000),
    ("ahead", "tutorial/gemm-1024-5-ahead", 45000),
    ("panel", "tutorial/gemm-1024-6-panel", 43000),
    ("tuned", "gemm-1024.tuned", 39500),
]
WINDOW = 18000


def get_path(name):
    # Relative, since pictures name source locations.
    return os.path.relpath(os.path.join(EXAMPLES, name + ".mlir"), ROOT)


def measure(runner):
    """{(program, form, profile): report, or None if it does not run}."""
    reports = {}
    for program in PROGRAMS:
        for form in FORMS:
            for profile in PROFILES:
                key = program, form, profile
                try:
                    reports[key] = run(runner, get_path(f"{program}.{form}"),
                                       "--mode=cycles", f"--profile={profile}")
                except Failure as failure:
                    print(f"error: {failure}", file=sys.stderr)
                    reports[key] = None
    return reports


def get_limit(report):
    """What is busy at least three quarters of the time, as gc-runner says it.

    If nothing is, the program waits.
    """
    cycles = {**report["pipes"], "GM": report["channel_cycles"]}
    del cycles["S"]
    name = max(cycles, key=cycles.get)
    text = f"{name} {cycles[name] / report['cycles']:.1%}"
    return text if 4 * cycles[name] >= 3 * report["cycles"] \
        else f"waiting ({text})"


def make_gm64_table(reports):
    rows = []
    for program in PROGRAMS:
        tuned = reports[program, "tuned", "gm64"]
        for form in FORMS:
            report = reports[program, form, "gm64"]
            if not report or not tuned:
                rows.append([program, form, "does not run", *[""] * 8])
                continue
            rows.append([
                program, form, group(report["cycles"]),
                group(report["bound_cycles"]), f"{report['bound_fraction']:.3f}",
                f"{report['cycles'] / tuned['cycles']:.3f}",
                group(report["flags"]), group(report["barriers"]),
                group(report["barriers_all"]), group(report["gm_bytes"]),
                get_limit(report)])
    return table(["<program", "<form", "cycles", "bound", "fraction",
                  "× tuned", "flags", "barriers of a pipe", "of all pipes",
                  "GM bytes", "<bound by"], rows)


def make_short_table(reports):
    """One row per program: the summary of docs/npu-programs.md."""
    rows = []
    for program, title in TITLES.items():
        found = [reports[program, form, "gm64"] for form in FORMS]
        if not all(found):
            rows.append([title, "does not run", *[""] * 5])
            continue
        naive, auto, tuned = found
        rows.append([
            title, group(tuned["bound_cycles"]), group(tuned["cycles"]),
            f"{tuned['bound_fraction']:.3f}", group(auto["cycles"]),
            f"{auto['cycles'] / tuned['cycles']:.2f}", group(naive["cycles"])])
    return table(["<program", "bound", "by hand", "of the bound", "auto",
                  "to by hand", "naive"], rows)


def make_profile_table(reports):
    rows = []
    for program in PROGRAMS:
        for profile in PROFILES[1:]:
            found = [reports[program, form, profile] for form in FORMS]
            bound = next((r["bound_cycles"] for r in found if r), 0)
            rows.append([program, profile, group(bound)] + [
                f"{group(r['cycles'])} ({r['bound_fraction']:.3f})" if r
                else "does not run" for r in found])
    return table(["<program", "<memory", "bound", *FORMS], rows)


def make_vector_table(reports):
    """Softmax: work of V, which global memory hides in the cycles."""
    rows = []
    for form in FORMS:
        report = reports["softmax-4096x1024", form, "gm64"]
        if report:
            rows.append([form, group(report["pipes"]["V"]), share(report, "V"),
                         f"{report['pipes']['V'] / 4096:.1f}"])
    return table(["<softmax-4096x1024", "V busy cycles", "of the time",
                  "a row"], rows)


def make_tutorial_table(runner):
    rows, before = [], None
    for number, (name, path, _) in enumerate(STEPS, 1):
        report = run(runner, get_path(path), "--mode=cycles")
        cycles = report["cycles"]
        rows.append([
            str(number), name, group(cycles), f"{report['bound_fraction']:.3f}",
            f"{before / cycles:.2f}" if before else "",
            *[share(report, pipe) for pipe in ("M", "MTE2", "MTE1")],
            f"{report['channel_cycles'] / cycles:.1%}",
            group(report["gm_bytes"])])
        before = cycles
    return table(["step", "<program", "cycles", "of the bound",
                  "times as fast", "M", "MTE2", "MTE1", "GM channel",
                  "GM bytes"], rows)


def draw(runner):
    for name, path, begin in STEPS:
        picture = os.path.join(ROOT, "docs", "images", f"npu-gemm-{name}.svg")
        run(runner, get_path(path), "--mode=cycles", f"--timeline={picture}",
            f"--window={begin}:{begin + WINDOW}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--gc-runner", default=RUNNER)
    parser.add_argument("--publish", action="store_true",
                        help="into docs/, with pictures")
    options = parser.parse_args()
    runner = os.path.abspath(options.gc_runner)
    try:
        reports = measure(runner)
        tables = {
            "gm64": make_gm64_table(reports),
            "vector": make_vector_table(reports),
            "profiles": make_profile_table(reports),
            "ablation": npu_ablation.make_table(runner),
            "tutorial": make_tutorial_table(runner),
            "npu": make_short_table(reports),
        }
        if options.publish:
            draw(runner)
    except Failure as failure:
        sys.exit(f"error: {failure}")
    for name, text in tables.items():
        print(text)
        if options.publish:
            page = PAGES.get(name, "docs/npu-programs.md")
            replace(os.path.join(ROOT, page), name, text)
    return 0 if all(reports.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
