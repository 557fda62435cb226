# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Imports every model of a folder and prints the one error that each has.

    run-bad.py FOLDER
"""

import pathlib
import subprocess
import sys

models = sorted(pathlib.Path(sys.argv[1]).glob("*.onnx"))
for model in models:
    run = subprocess.run(
        ["gc-translate", "--import-onnx", model],
        capture_output=True,
        text=True,
        check=False,
    )
    if run.returncode not in (1, 2) or run.stdout:
        sys.exit(f"{model.stem}: exit code {run.returncode}\n{run.stderr}")
    errors = [line for line in run.stderr.splitlines() if "error: " in line]
    if len(errors) != 1:
        sys.exit(f"{model.stem}: {len(errors)} errors\n{run.stderr}")
    print(f"{model.stem}: {errors[0]}")
print("models:", len(models))
