# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Every elementwise op on values where implementations go wrong: zeros of both
# signs, infinities, NaN, denormals, the bounds of exp, ties of round, the
# largest numbers. Expected values are numpy's, in f64. Rows hold the same values
# in other places, so that each is in a whole vector and in the rest once.

# REQUIRES: numpy
# RUN: %python %s %t

import os
import subprocess
import sys

import numpy as np

EDGES = [
    0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 3.0, -3.0, 6.0, 1e-3, -1e-3,
    1e-20, -1e-20, 1.17549435e-38, 1e-40, -1e-45, 1e-45, 0.7071, 9.0, -9.0, 20.0,
    -20.0, 88.0, 88.72, 88.73, 89.0, -87.3, -88.0, -103.0, -104.0, -110.0, 1e4,
    -1e4, 8388607.5, 8388609.0, -16777216.0, 1e10, -1e10, 1.8e19, -1.8e19, 1e30,
    3e38, -3e38, 3.4028235e38, -3.4028235e38, np.inf, -np.inf, np.nan, 0.99999994, 1.0000001,
    0.3, -0.3,
]  # fmt: skip


def erf(x):
    """Abramowitz and Stegun 7.1.5 near 0 and 7.1.14 (a continued fraction) away
    from it; both to the last digits of f32 and more."""
    x = np.asarray(x, np.float64)
    small = np.clip(x, -3, 3)
    term, total = small.copy(), small.copy()
    for n in range(1, 120):
        term = -term * small * small / n
        total = total + term / (2 * n + 1)
    series = 2 / np.sqrt(np.pi) * total
    large = np.clip(np.abs(x), 1.5, 30)
    fraction = np.zeros_like(large)
    for k in range(200, 0, -1):
        fraction = (k / 2) / (large + fraction)
    tail = 1 - np.exp(-large * large) / np.sqrt(np.pi) / (large + fraction)
    return np.where(np.abs(x) < 2.5, series, np.sign(x) * tail) + 0 * np.where(
        np.isnan(x), x, 0
    )


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def soft_plus(x, beta=1.0):
    return (np.maximum(beta * x, 0) + np.log1p(np.exp(-np.abs(beta * x)))) / beta


def f(value):
    """The f32 that an attribute holds."""
    return np.float64(np.float32(value))


UNARY = [
    ("abs", "", np.abs),
    ("clamp", "{min = -0.5 : f32, max = 2.0 : f32}", lambda x: np.minimum(np.maximum(x, -0.5), 2)),
    ("elu", "{alpha = 1.5 : f32}", lambda x: np.where(x < 0, 1.5 * np.expm1(x), x)),
    ("erf", "", erf),
    ("exp", "", np.exp),
    ("gelu", '{mode = "gelu_erf"}', lambda x: 0.5 * x * (1 + erf(x / np.sqrt(2)))),
    (
        "gelu",
        '{mode = "gelu_tanh"}',
        lambda x: 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))),
    ),
    (
        "hard_sigmoid",
        "{alpha = 0.2 : f32, beta = 0.5 : f32}",
        lambda x: np.maximum(0, np.minimum(1, f(0.2) * x + 0.5)),
    ),
    ("hard_swish", "", lambda x: x * np.minimum(np.maximum(x + 3, 0), 6) / 6),
    ("leaky_relu", "{alpha = 0.01 : f32}", lambda x: np.where(x >= 0, x, f(0.01) * x)),
    ("log", "", np.log),
    ("mish", "", lambda x: x * np.tanh(soft_plus(x))),
    ("pow", "{beta = 3.0 : f32}", lambda x: np.power(x, 3.0)),
    ("pow", "{beta = 0.5 : f32}", lambda x: np.power(x, 0.5)),
    ("pow", "{beta = -1.5 : f32}", lambda x: np.power(x, -1.5)),
    ("reciprocal", "", lambda x: 1 / x),
    ("relu", "", lambda x: np.maximum(x, 0)),
    ("round", "", np.rint),
    ("sigmoid", "", sigmoid),
    ("soft_plus", "", soft_plus),
    ("soft_plus", "{beta = -2.0 : f32}", lambda x: soft_plus(x, -2.0)),
    ("sqrt", "", np.sqrt),
    ("square", "", np.square),
    ("tanh", "", np.tanh),
]
BINARY = [
    ("add", np.add),
    ("subtract", np.subtract),
    ("multiply", np.multiply),
    ("divide", np.divide),
    ("maximum", np.maximum),
    ("minimum", np.minimum),
    ("squared_difference", lambda a, b: np.square(a - b)),
]


def mish_slope(x):
    """The gradient, which is 1 in f64, too, long before 100."""
    gate = np.tanh(soft_plus(x))
    slope = gate + x * sigmoid(x) * (1 - gate) * (1 + gate)
    return np.where(x > 100, 1.0, slope)


def gelu_slope(x):
    bell = np.exp(-np.square(x) / 2) / np.sqrt(2 * np.pi)
    return (1 + erf(x / np.sqrt(2))) / 2 + x * bell


# With the constant 1 as the gradient of the result.
GRADIENTS = [("mish_backward", mish_slope), ("gelu_backward", gelu_slope)]
# Divisors that a whole row shares, or all elements.
DIVISORS = [1e-40, 3.3, 3e38]
NUMBERS = [5.6, 1e-40, 2.0]


def write_module(path, shape):
    kind = f"tensor<{shape[0]}x{shape[1]}xf32>"
    lines = []
    for name, attributes, _ in UNARY:
        lines.append(f"graph.{name} %x {attributes} : ({kind}) -> {kind}")
    for name, _ in BINARY:
        lines.append(f"graph.{name} %x, %y : ({kind}, {kind}) -> {kind}")
    for name, _ in GRADIENTS:
        lines.append(f"graph.{name} %x, %ones : ({kind}, {kind}) -> {kind}")
    column = f"tensor<{shape[0]}x1xf32>"
    lines.append(f"graph.divide %x, %c : ({kind}, {column}) -> {kind}")
    for i in range(len(NUMBERS)):
        lines.append(f"graph.divide %x, %n{i} : ({kind}, tensor<f32>) -> {kind}")
    results = ", ".join([kind] * len(lines))
    with open(path, "w") as file:
        file.write(
            f'func.func @main(%x: {kind} {{graph.name = "x"}}, '
            f'%y: {kind} {{graph.name = "y"}}, '
            f'%c: {column} {{graph.name = "c"}}) -> ({results}) {{\n'
        )
        file.write(f"  %ones = graph.constant dense<1.0> : {kind}\n")
        for i, number in enumerate(NUMBERS):
            file.write(f"  %n{i} = graph.constant dense<{number:.9e}> : tensor<f32>\n")
        for i, line in enumerate(lines):
            file.write(f"  %{i} = {line}\n")
        values = ", ".join(f"%{i}" for i in range(len(lines)))
        file.write(f"  return {values} : {results}\n}}\n")


def get_expected(x, y):
    """(name, values in f64, allowed error)."""
    x, y = x.astype(np.float64), y.astype(np.float64)
    for name, attributes, function in UNARY:
        value = function(x)
        # A few units in the last place, of the operand too where the formula
        # multiplies by something close to 0 or 1.
        scale = np.abs(value)
        if name in ("gelu", "mish", "hard_swish"):
            scale = np.maximum(scale, np.abs(x))
        if name in ("hard_sigmoid", "soft_plus", "log"):
            scale = np.maximum(scale, 1)
        yield f"{name}{attributes}", value, 8e-7 * scale
    for name, function in BINARY:
        value = function(x, y)
        yield name, value, 3e-7 * np.abs(value)
    for name, function in GRADIENTS:
        yield name, function(x), 8e-7 * np.clip(np.abs(x), 1, 16)
    for divisor in [np.reshape(DIVISORS, (3, 1)), *NUMBERS]:
        value = x / np.float32(divisor).astype(np.float64)
        yield f"divide by {np.ravel(divisor)}", value, 4e-7 * np.abs(value)


def main(directory):
    os.makedirs(directory, exist_ok=True)
    edges = np.array(EDGES, np.float32)
    x = np.stack([np.roll(edges, shift) for shift in (0, 7, 17)])
    y = np.stack([np.roll(edges[::-1], shift) for shift in (1, 5, 23)])
    np.save(f"{directory}/x.npy", x)
    np.save(f"{directory}/y.npy", y)
    np.save(f"{directory}/c.npy", np.array(DIVISORS, np.float32).reshape(3, 1))
    write_module(f"{directory}/edges.mlir", x.shape)
    command = ["gc-runner", f"{directory}/edges.mlir", "--threads=2"]
    command += [f"--input=x={directory}/x.npy", f"--input=y={directory}/y.npy"]
    command += [f"--input=c={directory}/c.npy"]
    command += [f"--output-dir={directory}/results"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)

    failures = 0
    with np.errstate(all="ignore"):
        for i, (name, exact, allowed) in enumerate(get_expected(x, y)):
            actual = np.load(f"{directory}/results/result{i}.npy")
            expected = exact.astype(np.float32)
            same = (actual == expected) | (np.isnan(actual) & np.isnan(expected))
            # Results below the normal range may be 0.
            near = np.abs(actual.astype(np.float64) - exact) <= allowed + 1.2e-38
            # Where rounding decides between the largest number and infinity.
            limit = np.abs(exact) > 3.40282e38
            near |= limit & np.isfinite(exact) & (np.abs(actual) > 3.4028e38)
            for at in np.argwhere(~(same | near)):
                at = tuple(at)
                print(
                    f"{name}: x = {x[at]!r}, y = {y[at]!r}: {actual[at]!r} instead"
                    f" of {exact[at]!r}"
                )
                failures += 1
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
