# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Softmax, its statistics, log-softmax and attention on rows with NaN and infinities. The row's
# maximum need not be NaN for that: whatever it is, the sum of exponentials is, and
# so is every element. Expected values are numpy's, in f64. Row lengths leave every
# kind of rest; the special element is at the beginning, inside and at the end.

# REQUIRES: numpy
# RUN: %python %s %t

import os
import subprocess
import sys

import numpy as np

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs"))

from differences import count_failures  # noqa: E402

LENGTHS = [2, 7, 16, 33, 100, 1000]
KEYS, WIDTH = 130, 16


def make_rows(length, noise):
    """[rows, length]: each row has special elements in other places."""
    places = {0, length // 2, length - 1}
    rows = [noise]
    for special in (np.nan, np.inf, -np.inf, 3.4e38, -3.4e38):
        for place in places:
            row = noise.copy()
            row[place] = special
            rows.append(row)
    for value in (np.nan, np.inf, -np.inf, 88.0, 0.0):
        rows.append(np.full(length, value))
    # Masked but for one element; masked, with NaN; two infinities; both signs.
    for special in (1.0, np.nan, np.inf):
        row = np.full(length, -np.inf)
        row[length // 2] = special
        rows.append(row)
    row = noise.copy()
    row[0] = row[-1] = np.inf
    rows.append(row)
    row = noise.copy()
    row[0], row[-1] = np.nan, np.inf
    rows.append(row)
    row = noise.copy()
    row[0], row[-1] = -np.inf, np.nan
    rows.append(row)
    return np.stack(rows).astype(np.float32)


def softmax(x, inf_as_zero=False):
    largest = np.max(x, axis=-1, keepdims=True)
    exponentials = np.exp(x - largest)
    result = exponentials / np.sum(exponentials, axis=-1, keepdims=True)
    if inf_as_zero:
        result = np.where(largest == -np.inf, 0, result)
    return result


def log_softmax(x):
    shifted = x - np.max(x, axis=-1, keepdims=True)
    return shifted - np.log(np.sum(np.exp(shifted), axis=-1, keepdims=True))


def stats(x, inf_as_zero=False):
    largest = np.max(x, axis=-1, keepdims=True)
    result = largest + np.log(np.sum(np.exp(x - largest), axis=-1, keepdims=True))
    if inf_as_zero:
        result = np.where(largest == -np.inf, np.finfo(np.float32).min, result)
    return result


def write_module(path, tensors, mask, online):
    arguments, lines, values, types = [], [], [], []
    for i, tensor in enumerate(tensors):
        kind = f"tensor<{tensor.shape[0]}x{tensor.shape[1]}xf32>"
        arguments.append(f'%x{i}: {kind} {{graph.name = "x{i}"}}')
        column = f"tensor<{tensor.shape[0]}x1xf32>"
        for j, (line, results) in enumerate(
            (
                (f"graph.softmax %x{i} {{axis = -1}}", [kind, column]),
                (
                    f'graph.softmax %x{i} {{axis = -1, mode = "inf_as_zero"}}',
                    [kind, column],
                ),
                (f"graph.log_softmax %x{i} {{axis = -1}}", [kind]),
            )
        ):
            names = [f"%y{i}_{j}_{k}" for k in range(len(results))]
            lines.append(
                f"{', '.join(names)} = {line} : ({kind}) -> ({', '.join(results)})"
            )
            values += names
            types += results
    rows = mask.shape[0]
    q, k = f"tensor<{rows}x{WIDTH}xf32>", f"tensor<{KEYS}x{WIDTH}xf32>"
    scores = f"tensor<{rows}x{KEYS}xf32>"
    for name, kind in (("q", q), ("k", k), ("v", k), ("m", scores)):
        arguments.append(f'%{name}: {kind} {{graph.name = "{name}"}}')
    if online:
        lines.append(
            f"%o = graph.attention %q, %k, %v {{transpose_key = true}} : ({q}, {k}, {k})"
            f" -> {q} {{\n^bb0(%s: {scores}):\n  %a = graph.add %s, %m : ({scores},"
            f" {scores}) -> {scores}\n  graph.yield %a : {scores}\n}}"
        )
    else:
        lines.append(
            f"%s = graph.matmul %q, %k {{transpose_b = true}} : ({q}, {k}) -> {scores}"
        )
        lines.append(f"%a = graph.add %s, %m : ({scores}, {scores}) -> {scores}")
        lines.append(f"%p = graph.softmax %a {{axis = -1}} : ({scores}) -> {scores}")
        lines.append(f"%o = graph.matmul %p, %v : ({scores}, {k}) -> {q}")
    values.append("%o")
    types.append(q)
    with open(path, "w") as file:
        file.write(f"func.func @main({', '.join(arguments)}) -> ({', '.join(types)}) {{\n")
        for line in lines:
            file.write(f"{line}\n")
        file.write(f"return {', '.join(values)} : {', '.join(types)}\n}}\n")


def main(directory):
    os.makedirs(directory, exist_ok=True)
    random = np.random.default_rng(1)
    tensors = [make_rows(n, random.uniform(-3, 3, n)) for n in LENGTHS]
    mask = make_rows(KEYS, random.uniform(-1, 1, KEYS))
    inputs = {f"x{i}": tensor for i, tensor in enumerate(tensors)}
    inputs["m"] = mask
    inputs["q"] = random.uniform(-1, 1, (mask.shape[0], WIDTH)).astype(np.float32)
    inputs["k"] = random.uniform(-1, 1, (KEYS, WIDTH)).astype(np.float32)
    inputs["v"] = random.uniform(-1, 1, (KEYS, WIDTH)).astype(np.float32)
    for name, tensor in inputs.items():
        np.save(f"{directory}/{name}.npy", tensor)

    failures = 0
    for online in (False, True):
        for target in ("cpu", "reference"):
            write_module(f"{directory}/edges.mlir", tensors, mask, online)
            command = ["gc-runner", f"{directory}/edges.mlir", "--threads=2"]
            command += [f"--target={target}", f"--output-dir={directory}/results"]
            command += [f"--input={name}={directory}/{name}.npy" for name in inputs]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            where = f"{target}{' online' if online else ''}"
            with np.errstate(all="ignore"):
                expected = []
                for tensor in tensors:
                    x = tensor.astype(np.float64)
                    expected += [softmax(x), stats(x), softmax(x, True), stats(x, True)]
                    expected.append(log_softmax(x))
                wide = {name: inputs[name].astype(np.float64) for name in "qkvm"}
                scores = wide["q"] @ wide["k"].T + wide["m"]
                expected.append(softmax(scores) @ wide["v"])
                for i, exact in enumerate(expected):
                    actual = np.load(f"{directory}/results/result{i}.npy")
                    allowed = 2e-6 * np.maximum(np.abs(exact), 1)
                    failures += count_failures(
                        f"{where}, result {i}", actual.astype(np.float64), exact, allowed
                    )
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
