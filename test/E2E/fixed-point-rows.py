# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Rows of f32 times weights of 4 and 8 bits. Kernels of one or two rows may take them as
# numbers in fixed point: rows of zeros, of tiny and of huge numbers, with one number that is much
# larger than the others, with infinities and NaN. The rounding of a row may be as large
# as 2^-22 of its largest number in a group, no matter how small a result is; that of
# f32 sums as large as a standard bound. Expected values are numpy's, in f64.

# REQUIRES: numpy
# RUN: %python %s %t

import os
import subprocess
import sys

import numpy as np

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs"))

from differences import count_failures  # noqa: E402

GROUP, K, N = 64, 192, 40
TYPES = {"s4": (-8, 8), "u4": (0, 16), "s8": (-128, 128), "u8": (0, 256)}


def make_rows(random):
    noise = random.uniform(-1, 1, K)
    rows = [noise, np.zeros(K), noise * 1e-30, noise * 1e-44, noise * 2e30]
    for value in (np.inf, -np.inf, np.nan, 1e6, 1e-6, 1.9999999, 1e36):
        for place in (0, GROUP - 1, K - 1):
            row = noise.copy()
            row[place] = value
            rows.append(row)
    # One number is all that there is.
    for value in (0.1, -1.9999999, 1e-3):
        row = np.zeros(K)
        row[GROUP + 7] = value
        rows.append(row)
    # Exact numbers have exact sums, zeros among them.
    rows.append(random.integers(-500, 500, K))
    return np.stack(rows).astype(np.float32)


def write_module(path, rows, name):
    kind = f"tensor<{K}x{N}x{name.replace('s', 'si').replace('u', 'ui')}>"
    result = f"tensor<{rows}x{N}xf32>"
    x, s = f"tensor<{rows}x{K}xf32>", f"tensor<{K // GROUP}x{N}xf32>"
    with open(path, "w") as file:
        file.write(
            f'func.func @main(%x: {x} {{graph.name = "x"}}, %w: {kind} {{graph.name = "w",'
            f' graph.const_arg}}, %s: {s} {{graph.name = "s", graph.const_arg}}, %z: {s}'
            f' {{graph.name = "z", graph.const_arg}}) -> ({result}, {result}) {{\n'
            f"%0 = graph.matmul %x, %w, %s, %z {{weights_group = {GROUP} : i64}} :"
            f" ({x}, {kind}, {s}, {s}) -> {result}\n"
            f"%1 = graph.matmul %x, %w, %s {{weights_group = {GROUP} : i64}} :"
            f" ({x}, {kind}, {s}) -> {result}\n"
            f"return %0, %1 : {result}, {result}\n}}\n"
        )


def check(directory, x, name):
    random = np.random.default_rng(2)
    low, high = TYPES[name]
    w = random.integers(low, high, (K, N))
    # Columns of few weights, and of none.
    w[:, 1] = 0
    w[:, 2] = 0
    w[GROUP + 7, 2] = high - 1
    zps = random.integers(low, high, (K // GROUP, N))
    zps[:, 1:3] = 0
    scales = random.uniform(0.5, 1, (K // GROUP, N)).astype(np.float32)
    path = os.path.join(directory, name)
    write_module(path + ".mlir", len(x), name)
    arrays = {"x": x, "w": w.astype(np.int8 if low < 0 else np.uint8), "s": scales,
              "z": zps.astype(np.float32)}
    command = ["gc-runner", path + ".mlir", "--threads=2"]
    for key, array in arrays.items():
        np.save(f"{path}-{key}.npy", array)
        command.append(f"--input={key}={path}-{key}.npy")
    command.append(f"--output-dir={path}")
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)

    failures = 0
    wide = x.astype(np.float64)
    for i, points in enumerate((zps, np.zeros_like(zps))):
        real = (w - np.repeat(points, GROUP, axis=0)) * np.repeat(
            scales.astype(np.float64), GROUP, axis=0)
        with np.errstate(all="ignore"):
            terms = wide[:, :, None] * real[None]
            exact = terms.sum(axis=1).astype(np.float32)
            groups = np.abs(wide).reshape(len(x), K // GROUP, GROUP).max(axis=2)
            weights = np.abs(real).reshape(K // GROUP, GROUP, N).sum(axis=1)
            allowed = 2.0**-22 * (groups @ weights) + K * 2.0**-24 * np.abs(
                terms).sum(axis=1) + 1e-40
        failures += count_failures(f"{name} result {i}", np.load(f"{path}/result{i}.npy"),
                                   exact, allowed)
    return failures


def main(directory):
    os.makedirs(directory, exist_ok=True)
    x = make_rows(np.random.default_rng(1))
    failures = 0
    for name in TYPES:
        failures += check(directory, x, name)
        for row in range(len(x) if name.endswith("4") else 0):
            failures += check(directory, x[row : row + 1], name)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
