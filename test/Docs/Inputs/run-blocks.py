# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Runs the commands of a page and compares what they print with the page.

    run-blocks.py PAGE ROOT

Every block of `sh` that is followed by a block of `text` is run by a shell in
the folder ROOT. Standard output and standard error together have to be what the
second block shows, where `...` stands for anything. At least one block is run.
"""

import re
import subprocess
import sys

BLOCK = r"((?:(?!```).)*)```"
BLOCKS = re.compile(rf"```sh\n{BLOCK}\s*```text\n{BLOCK}", re.S)


def main():
    page, root = sys.argv[1:]
    with open(page, encoding="utf-8") as file:
        blocks = BLOCKS.findall(file.read())
    if not blocks:
        sys.exit(f"{page}: nothing to run")
    for command, shown in blocks:
        # The page writes tools where a build puts them; here they are on PATH.
        result = subprocess.run(
            command.replace("build/bin/", ""),
            shell=True,
            cwd=root,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        pattern = ".*".join(map(re.escape, shown.strip().split("...")))
        if not re.fullmatch(pattern, result.stdout.strip(), re.S):
            sys.exit(f"{command}\nprints\n\n{result.stdout}\nnot\n\n{shown}")


if __name__ == "__main__":
    main()
