# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The tables of phases in a page of documentation.

    phases.py [--write] SOURCE PAGE

Phases, what they promise and the dialects alive after them come from the lists in
include/Transforms, the passes from the pipelines that gc-opt builds. Compares
the tables with those of the page, or with --write puts them there.
"""

import difflib
import re
import subprocess
import sys

PIPELINES = {"cpu": "CpuPhases.def", "npu": "NpuPhases.def"}


def read_phases(source, name):
    """(word, promise, alive) of each phase."""
    with open(f"{source}/include/Transforms/{PIPELINES[name]}") as file:
        text = re.sub(r"//.*", "", file.read())
    for call in re.findall(r"^GC_PHASE\((\w+,.*?\"\s*)\)$", text, re.M | re.S):
        word, rest = call.split(",", 1)
        # Adjacent strings are one; a comma is between two arguments.
        rest = re.sub(r'"\s+"', "", rest)
        promise, alive = re.findall(r'"([^"]*)"', rest)
        yield word, promise, alive


def read_passes(name):
    """The names of the passes of each phase."""
    done = subprocess.run(
        ["gc-opt", f"--gc-{name}-pipeline", "--dump-pass-pipeline"],
        input="module {}", capture_output=True, text=True, check=True)
    text = re.search(r"builtin\.module\(.*\)", done.stderr, re.S).group(0)
    words = re.findall(r"[a-z][a-z0-9-]+(?=[{,)\s]|$)", re.sub(r"\{[^}]*\}", "{}", text))
    passes = [[]]
    for word in words:
        if word.startswith("gc-verify-"):
            passes.append([])
        elif word not in ("builtin", "module", "func"):
            passes[-1].append(word)
    return passes


def make_table(source, name):
    lines = ["| phase (`stop-after=`) | passes | afterwards | dialects alive |",
             "|---|---|---|---|"]
    for (word, promise, alive), passes in zip(read_phases(source, name),
                                              read_passes(name)):
        cells = [word, ", ".join(f"`{p}`" for p in passes),
                 promise[0].lower() + promise[1:],
                 " ".join(f"`{d}`" for d in alive.split())]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main():
    write = "--write" in sys.argv
    source, page = [word for word in sys.argv[1:] if word != "--write"]
    with open(page) as file:
        text = file.read()
    new = text
    for name in PIPELINES:
        pattern = rf"(<!-- phases: {name} -->\n).*?(\n<!-- end -->)"
        if not re.search(pattern, new, re.S):
            sys.exit(f"{page}: no place for the phases of {name}")
        table = make_table(source, name)
        new = re.sub(pattern, lambda m: m.group(1) + table + m.group(2), new,
                     flags=re.S)
    if write:
        with open(page, "w") as file:
            file.write(new)
    elif new != text:
        sys.stdout.writelines(difflib.unified_diff(
            text.splitlines(True), new.splitlines(True), page, "generated"))
        sys.exit("test/Docs/Inputs/phases.py --write renews the tables")


main()
