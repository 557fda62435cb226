# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Checks that the code that a page shows is in the files that it names.

    find-blocks.py PAGE ROOT

Every block of `tablegen`, `c++` or `python` has to be in one of the files that the
text before it names in backquotes, but for line breaks and indentation; `...` stands
for anything. At least one block is found."""

import pathlib
import re
import sys

BLOCKS = re.compile(r"^```(\S*)\n(.*?)^```", re.S | re.M)
FILES = re.compile(r"`([\w/.-]+/[\w.-]+\.\w+)`")


def squeeze(text):
    return " ".join(text.split())


def main():
    page, root = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    text = page.read_text()
    found = 0
    for block in BLOCKS.finditer(text):
        if block.group(1) not in ("tablegen", "c++", "python"):
            continue
        files = FILES.findall(text[: block.start()])[-4:]
        parts = map(squeeze, block.group(2).split("..."))
        pattern = ".*?".join(re.escape(part) for part in parts)
        if not any(
            re.search(pattern, squeeze((root / file).read_text()))
            for file in files
            if (root / file).is_file()
        ):
            line = text[: block.start()].count("\n") + 1
            sys.exit(f"{page.name}:{line}: not in {', '.join(files)}")
        found += 1
    if not found:
        sys.exit(f"{page.name}: no blocks")
    print(f"{page.name}: {found} blocks found")


main()
