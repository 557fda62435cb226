# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# The error that graph-decompose{fast-softmax} states: as safe softmax up to
# rounding where rows are in [-64, 64]; with elements below, off by at most
# n * exp(-64 - m) for a row of n elements whose largest is m. Expected values are
# computed in f64.

# REQUIRES: numpy
# RUN: %python %s %t

import os
import subprocess
import sys

import numpy as np

ROWS, COLUMNS = 96, 203
ROUNDING = 5e-7


def softmax(x):
    x = x.astype(np.float64)
    exponentials = np.exp(x - x.max(axis=1, keepdims=True))
    return exponentials / exponentials.sum(axis=1, keepdims=True)


def run(directory, x, options):
    np.save(f"{directory}/x.npy", x)
    command = ["gc-runner", f"{directory}/softmax.mlir", f"--pipeline-options={options}"]
    command += [f"--input=arg0={directory}/x.npy", f"--output-dir={directory}"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return np.load(f"{directory}/result0.npy")


def main(directory):
    os.makedirs(directory, exist_ok=True)
    kind = f"tensor<{ROWS}x{COLUMNS}xf32>"
    with open(f"{directory}/softmax.mlir", "w") as file:
        file.write(
            f"func.func @main(%x: {kind}) -> {kind} {{\n"
            f"  %0 = graph.softmax %x {{axis = 1 : i64}} : ({kind}) -> {kind}\n"
            f"  return %0 : {kind}\n}}\n"
        )
    random = np.random.RandomState(1)
    failures = 0

    def check(what, x, allowed):
        nonlocal failures
        exact = softmax(x)
        error = np.abs(run(directory, x, "fast-softmax") - exact)
        wrong = ~(error <= allowed + ROUNDING * exact + 1e-38)
        if wrong.any():
            at = tuple(np.argwhere(wrong)[0])
            print(f"{what}: off by {error[at]} at {at}, expected {exact[at]}")
            failures += 1

    # Rows anywhere in the range, of all spreads.
    low = random.uniform(-64, 60, (ROWS, 1))
    high = low + random.uniform(0, 1, (ROWS, 1)) * (64 - low)
    x = random.uniform(low, high, (ROWS, COLUMNS)).astype(np.float32)
    check("in range", x, 0)
    # Elements below it, masked ones for example.
    masks = np.array([-np.inf, -1e9, -65, -3.4e38], np.float32)
    hidden = random.rand(ROWS, COLUMNS) < 0.5
    hidden[:, 0] = False
    x = np.where(hidden, masks[random.randint(0, 4, x.shape)], x)
    most = x.max(axis=1, keepdims=True).astype(np.float64)
    check("masked", x, COLUMNS * np.exp(-64 - most))
    # A mask weighs something where the row is far below 0, and nothing elsewhere:
    # the option does what it says.
    x[:] = -60
    x[:, 1:] = -np.inf
    safe, fast = run(directory, x, ""), run(directory, x, "fast-softmax")
    if not ((safe[:, 1:] == 0).all() and (fast[:, 1:] > 1e-3).all()):
        print("the option makes no difference")
        failures += 1
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
