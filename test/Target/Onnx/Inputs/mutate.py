# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Imports mutations of models: each is imported, or refused with one error.

    mutate.py COUNT [--OPTION...] MODEL...

Options are gc-translate's. A mutation overwrites, removes or repeats bytes at random places.
"""

import concurrent.futures
import os
import pathlib
import random
import subprocess
import sys
import tempfile

count = int(sys.argv[1])
options = [text for text in sys.argv[2:] if text.startswith("--")]
models = [
    pathlib.Path(name).read_bytes() for name in sys.argv[2:] if name not in options
]


def mutate(seed):
    choose = random.Random(seed)
    data = bytearray(choose.choice(models))
    for _ in range(choose.choice((1, 1, 1, 2, 4, 8))):
        at = choose.randrange(len(data) or 1)
        size = choose.choice((1, 1, 2, 8))
        kind = choose.randrange(4)
        if kind == 0:
            data[at : at + size] = choose.randbytes(size)
        elif kind == 1:
            del data[at : at + size]
        elif kind == 2:
            data[at:at] = data[at : at + size * 4]
        else:
            data[at : at + 1] = choose.choice((b"\xff" * 9 + b"\x01", b"\0", b"\x7f"))
    return bytes(data)


def run(seed):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "m.onnx")
        pathlib.Path(path).write_bytes(mutate(seed))
        result = subprocess.run(
            ["gc-translate", "--import-onnx", *options, path, "-o", os.devnull],
            capture_output=True, timeout=60, check=False,
        )
    errors = result.stderr.count(b"error: ")
    if result.returncode == 0 and errors == 0:
        return "imported"
    if result.returncode == 1 and errors == 1:
        return "refused"
    return f"seed {seed}: exit code {result.returncode}, {result.stderr[-2000:]}"


outcomes = {"imported": 0, "refused": 0}
with concurrent.futures.ThreadPoolExecutor(2) as pool:
    for outcome in pool.map(run, range(count)):
        if outcome not in outcomes:
            sys.exit(outcome)
        outcomes[outcome] += 1
print("imported: {imported}, refused: {refused}".format(**outcomes))
