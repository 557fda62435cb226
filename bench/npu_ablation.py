#!/usr/bin/python3
# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What each idea in gemm-1024.tuned.mlir is worth: the program without it.

Every variant is the tuned program with a few lines changed. Each is run with
--check, so that it is still correct and free of races, and compared with the
tuned one. Prints a Markdown table.
"""

import argparse
import os
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from npu_tables import (EXAMPLES, RUNNER, Failure, group, run, share,  # noqa: E402
                        table)

# (what is removed, [(old text, new text, how often it occurs)]).
VARIANTS = [
    ("no residency: every step loads its slice of A", [
        # Step t + 3 takes slice t + 3 of its own row of tiles, always.
        ("%panel_steps = arith.constant 8", "%panel_steps = arith.constant 128",
         1),
        ("        %pa = memref.subview %ga[0, %depth]",
         "        %row_a = affine.apply #row(%ahead)[%0]\n"
         "        %slice_ahead = affine.apply #slice(%ahead)\n"
         "        %pa = memref.subview %ga[%row_a, %depth]", 1),
        ("%panel[%ahead, 0, 0, 0]", "%panel[%slice_ahead, 0, 0, 0]", 1),
        # No step of a row is late enough to replace a slice.
        ("%24 = arith.constant 24", "%24 = arith.constant 32", 1),
    ]),
    ("one buffer in L0A and one in L0B", [
        ("#l0_slot = affine_map<(h) -> (h)>",
         "#l0_slot = affine_map<(h) -> (0)>", 1),
        ("%l0_slots = arith.constant 2", "%l0_slots = arith.constant 1", 1),
    ]),
    ("one slice of B in L1, hence no load ahead", [
        ("#slot = affine_map<(t) -> (t mod 4)>",
         "#slot = affine_map<(t) -> (0)>", 1),
        ("#ahead = affine_map<(t) -> (t + 3)>",
         "#ahead = affine_map<(t) -> (t)>", 1),
        ("%l1_slots = arith.constant 4", "%l1_slots = arith.constant 1", 1),
        ("%loads_ahead = arith.constant 3", "%loads_ahead = arith.constant 0",
         1),
    ]),
    ("four slices of B in L1, but loads where they are used", [
        ("#ahead = affine_map<(t) -> (t + 3)>",
         "#ahead = affine_map<(t) -> (t)>", 1),
        ("%loads_ahead = arith.constant 3", "%loads_ahead = arith.constant 0",
         1),
        # All four slots are free at first.
        ("  npu.set_flag mte1 -> mte2 [%loads_ahead]\n",
         "  scf.for %i = %0 to %l1_slots step %1 {\n"
         "    npu.set_flag mte1 -> mte2 [%i]\n  }\n", 1),
        # A load comes after the end of step t - 4, not of step t - 1.
        ("affine_map<(t) -> ((t - 1) mod", "affine_map<(t) -> ((t - 4) mod",
         3),
        ("affine_map<(t) -> ((t - 1) floordiv",
         "affine_map<(t) -> ((t - 4) floordiv", 1),
        ("arith.cmpi ne, %t, %0", "arith.cmpi uge, %t, %4", 1),
        ("%96 = arith.constant 96", "%96 = arith.constant 99", 1),
    ]),
    ("drain not split: one of 256 rows", [
        ("%quarters = arith.constant 4", "%quarters = arith.constant 1", 1),
        ("!part_c = memref<64x256", "!part_c = memref<256x256", 1),
        ("!quarter_l0a = memref<4x4", "!quarter_l0a = memref<16x4", 1),
        ("!quarter_c = memref<16x4", "!quarter_c = memref<16x16", 1),
        ("!out = memref<16x64", "!out = memref<16x256", 1),
        ("!slot_out = memref<16x64x16xf16, strided<[1024,",
         "!slot_out = memref<16x256x16xf16, strided<[4096,", 1),
        ("%outs = npu.alloc slots 4", "%outs = npu.alloc slots 1", 1),
        ("%a[%part, 0, 0, 0] [4, 4,", "%a[%part, 0, 0, 0] [16, 4,", 2),
        ("%c[0, %part, 0, 0] [16, 4,", "%c[0, %part, 0, 0] [16, 16,", 3),
        ("%gc[%row, %column] [64, 256]", "%gc[%row, %column] [256, 256]", 1),
    ]),
]


def derive(text, changes):
    """The text with all changes made.

    Raises Failure if one of them does not fit: the tuned program has changed.
    """
    for old, new, count in changes:
        if text.count(old) != count:
            raise Failure(f"'{old}' occurs {text.count(old)} times instead of "
                          f"{count}")
        text = text.replace(old, new)
    return text


def make_table(runner):
    """The table of all variants on gm64, measured now."""
    with open(os.path.join(EXAMPLES, "gemm-1024.tuned.mlir"),
              encoding="utf-8") as file:
        tuned = file.read()
    reports = []
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "variant.mlir")
        for title, changes in [("tuned", []), *VARIANTS]:
            with open(path, "w", encoding="utf-8") as file:
                file.write(derive(tuned, changes))
            try:
                reports.append((title, run(runner, path, "--check")))
            except Failure as failure:
                raise Failure(f"{title}: {failure}") from None
    best = reports[0][1]["cycles"]
    rows = []
    for title, report in reports:
        cost = report["cycles"] - best
        rows.append([
            title, group(report["cycles"]), f"{report['bound_fraction']:.3f}",
            f"+{group(cost)} ({cost / best:.1%})" if cost else "",
            share(report, "M"), group(report["gm_bytes"]),
        ])
    return table(["<gemm-1024", "cycles", "of the bound", "cost", "M busy",
                  "GM bytes"], rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--gc-runner", default=RUNNER)
    try:
        print(make_table(parser.parse_args().gc_runner), end="")
    except Failure as failure:
        sys.exit(f"error: {failure}")


if __name__ == "__main__":
    main()
