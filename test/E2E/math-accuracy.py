# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# The errors that docs/row-passes.md states, in units of the last place, of ops
# over a sample of all bit patterns of f32: zeros, denormals, infinities and NaN
# included. Expected values are those of the C library in f64.

# REQUIRES: numpy
# RUN: %python %s %t

import math
import os
import subprocess
import sys

import numpy as np

STEP = 9973  # prime


def sigmoid(x):
    decay = np.exp(-np.abs(x))
    return np.where(x < 0, decay, 1) / (1 + decay)


FUNCTIONS = [
    ("exp", np.exp, 0.95),
    ("log", np.log, 0.85),
    ("tanh", np.tanh, 2.7),
    ("erf", np.vectorize(math.erf), 5.8),
    ("sigmoid", sigmoid, 2.45),
]


def get_ulps(actual, exact):
    rounded = exact.astype(np.float32)
    exponent = np.floor(np.log2(np.maximum(np.abs(exact), 2.0**-126)))
    ulps = np.abs(actual.astype(np.float64) - exact) / 2.0 ** (exponent - 23)
    same = (rounded == actual) | (np.isnan(exact) & np.isnan(actual))
    special = ~np.isfinite(rounded) | ~np.isfinite(actual)
    return np.where(same, np.fmin(ulps, 0.5), np.where(special, np.inf, ulps))


def main(directory):
    os.makedirs(directory, exist_ok=True)
    bits = np.arange(0, 1 << 32, STEP, dtype=np.uint64).astype(np.uint32)
    edges = np.array(
        [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-45, -1e-45, 88.72284, -88.72284]
        + [3.4028235e38, -3.4028235e38, -87.33655, -103.97, 0.0624159, 1.0718827],
        np.float32,
    )
    x = np.concatenate([bits.view(np.float32), edges])
    np.save(f"{directory}/x.npy", x)
    kind = f"tensor<{len(x)}xf32>"
    with open(f"{directory}/functions.mlir", "w") as file:
        kinds = ", ".join([kind] * len(FUNCTIONS))
        file.write(f"func.func @main(%x: {kind}) -> ({kinds}) {{\n")
        for i, (name, _, _) in enumerate(FUNCTIONS):
            file.write(f"  %{i} = graph.{name} %x : ({kind}) -> {kind}\n")
        values = ", ".join(f"%{i}" for i in range(len(FUNCTIONS)))
        file.write(f"  return {values} : {kinds}\n}}\n")
    command = ["gc-runner", f"{directory}/functions.mlir"]
    command += [f"--input=arg0={directory}/x.npy", f"--output-dir={directory}"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    failures = 0
    with np.errstate(all="ignore"):
        for i, (name, function, bound) in enumerate(FUNCTIONS):
            actual = np.load(f"{directory}/result{i}.npy")
            ulps = get_ulps(actual, function(x.astype(np.float64)))
            worst = int(np.argmax(ulps))
            print(f"{name}: {ulps[worst]:.3f} at {x[worst]!r}")
            failures += ulps[worst] > bound
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
