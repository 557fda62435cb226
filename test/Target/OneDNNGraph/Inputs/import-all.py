# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Imports every JSON file under the folder that the argument names and prints how
many were imported, how many refused other than for unsupported ops, and why."""

import pathlib
import subprocess
import sys

imported, refused = 0, []
for path in sorted(pathlib.Path(sys.argv[1]).rglob("*.json")):
    command = ["gc-translate", "--import-onednn-graph", str(path)]
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode == 0:
        imported += 1
    elif run.returncode != 1 or "not supported: " not in run.stderr:
        refused.append((path.name, run.returncode, run.stderr))
print("imported:", imported)
print("refused for other reasons:", len(refused))
for name, status, message in refused:
    print(name, status, message)
