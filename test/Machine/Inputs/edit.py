# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Writes a machine's file with some facts changed.

    edit.py FROM TO [KEY=JSON | KEY= ...]

KEY is a path such as l2.bytes; without a value the key is removed.
"""

import json
import sys


def main():
    source, target, *changes = sys.argv[1:]
    with open(source, encoding="utf-8") as file:
        machine = json.load(file)
    for change in changes:
        path, _, value = change.partition("=")
        *groups, key = path.split(".")
        inner = machine
        for group in groups:
            inner = inner[group]
        if value:
            inner[key] = json.loads(value)
        else:
            del inner[key]
    with open(target, "w", encoding="utf-8") as file:
        json.dump(machine, file)


if __name__ == "__main__":
    main()
