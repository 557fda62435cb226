# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Runs the commands of a page and compares what they print with the page.

    run-blocks.py PAGE ROOT

Every block of `sh` is run by a shell and has to succeed. If a block of `text`,
`mlir` or `c` follows it, then standard output and standard error together have
to be what that block shows, where `...` stands for anything. Commands that a
test cannot run (they install, build or measure) are blocks of `shell`. At least
one block is run.

Commands see the files of the folder ROOT, and as `build` the build whose tools
are on PATH; what they write goes to a folder of its own.
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

BLOCK = r"((?:(?!```).)*)```"
BLOCKS = re.compile(
    rf"^```sh\n{BLOCK}(?:\s*```(?:text|mlir|c)\n{BLOCK})?", re.S | re.M
)


def link_files(root, folder):
    for entry in root.iterdir():
        if entry.name != "build" and not entry.name.startswith("."):
            (folder / entry.name).symlink_to(entry)
    tool = shutil.which("gc-opt")
    if not tool:
        sys.exit("gc-opt is not on PATH")
    (folder / "build").symlink_to(pathlib.Path(tool).resolve().parents[1])


def run(command, shown, folder):
    result = subprocess.run(
        ["sh", "-e", "-c", command],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    output = result.stdout
    if result.returncode != 0:
        sys.exit(f"{command}\nfails:\n\n{output}")
    if not shown:
        return
    pattern = ".*?".join(map(re.escape, shown.strip().split("...")))
    if not re.fullmatch(pattern, output.strip(), re.S):
        sys.exit(f"{command}\nprints\n\n{output}\nnot\n\n{shown}")


def main():
    page, root = sys.argv[1:]
    with open(page, encoding="utf-8") as file:
        blocks = BLOCKS.findall(file.read())
    if not blocks:
        sys.exit(f"{page}: nothing to run")
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        link_files(pathlib.Path(root), folder)
        for command, shown in blocks:
            run(command, shown, folder)


if __name__ == "__main__":
    main()
