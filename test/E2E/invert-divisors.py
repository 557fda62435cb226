# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Division of many elements by one number, which the compiler inverts: zero,
# denormal, huge and infinite divisors. Expected values are numpy's, in f64.

# REQUIRES: numpy
# RUN: %python %s %t

import os
import subprocess
import sys

import numpy as np

DIVISORS = [
    0.0, -0.0, 1e-45, -1e-40, 2e-39, 1.17549435e-38, 1e-30, -5.4e-20, 5.5e-20, 0.1,
    -3.0, 9.797959, 1e19, 1e38, 3.4028235e38, np.inf, -np.inf, np.nan,
]  # fmt: skip
DIVIDENDS = [
    0.0, -0.0, 1e-45, 1e-40, -1.17549435e-38, 1e-25, -1e-10, 0.7, -1.0, 3.0, 255.0,
    1e10, 1.8e19, -1e30, 3.4028235e38, np.inf, -np.inf, np.nan,
]  # fmt: skip

# What the inverse may be off by, in units in the last place of f32.
GRAPHS = {
    "f32": (1.5, """
func.func @main(%x: tensor<64x72xf32>, %c: tensor<1xf32> {CONST}) -> tensor<64x72xf32> {
  %0 = graph.divide %x, %c : (tensor<64x72xf32>, tensor<1xf32>) -> tensor<64x72xf32>
  return %0 : tensor<64x72xf32>
}
"""),
    # A constant factor of integers joins the inverse.
    "si32": (2.5, """
func.func @main(%x: tensor<64x72xsi32>, %c: tensor<1xf32> {CONST}) -> tensor<64x72xf32> {
  %s = graph.constant dense<3.0e-9> : tensor<f32>
  %f = graph.type_cast %x : tensor<64x72xsi32> -> tensor<64x72xf32>
  %y = graph.multiply %f, %s : (tensor<64x72xf32>, tensor<f32>) -> tensor<64x72xf32>
  %0 = graph.divide %y, %c : (tensor<64x72xf32>, tensor<1xf32>) -> tensor<64x72xf32>
  return %0 : tensor<64x72xf32>
}
"""),
}  # fmt: skip
INTEGERS = [0, 1, -1, 2, -3, 100, 255, -32640, 1 << 20, -(1 << 24), 2147483520, -2147483648]


def check(graph, units, x, factor, kind):
    """Whether x * factor / divisor is right for all divisors."""
    with open(out + "/graph.mlir", "w") as file:
        file.write(graph.replace("{CONST}", kind))
    np.save(out + "/x.npy", x)
    passed = True
    for divisor in np.array(DIVISORS, np.float32):
        np.save(out + "/c.npy", np.array([divisor]))
        subprocess.run(
            ["gc-runner", out + "/graph.mlir", "--threads=2", "--output-dir=" + out]
            + ["--input=arg%d=%s/%s.npy" % (i, out, n) for i, n in enumerate("xc")],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        actual = np.load(out + "/result0.npy").astype(np.float64)
        with np.errstate(all="ignore"):
            exact = x.astype(np.float64) * factor / np.float64(divisor)
            expected = exact.astype(np.float32).astype(np.float64)
            # Of denormals if the quotient is one. At the edge of the range one may
            # be infinite and the other not.
            bound = units * np.maximum(np.abs(exact) * 2.0**-23, 2.0**-149)
            edge = np.abs(exact) > 3.4028e38
            good = (
                (actual == expected)
                | (np.isnan(actual) & np.isnan(expected))
                | (np.abs(actual - exact) <= bound)
                | (edge & (np.sign(actual) == np.sign(exact)) & (np.abs(actual) > 3.4e38))
            )
        for i in np.argwhere(~good.ravel()[: len(DIVIDENDS)]).ravel():
            print(x.ravel()[i], "/", divisor, "is", actual.ravel()[i], "not", expected.ravel()[i])
        passed &= good.all()
    return passed


out = sys.argv[1]
os.makedirs(out, exist_ok=True)
INPUTS = {
    "f32": (np.array(DIVIDENDS, np.float32), 1.0),
    "si32": (np.array(INTEGERS, np.int32), float(np.float32(3.0e-9))),
}
failed = 0
for name, (units, graph) in GRAPHS.items():
    values, factor = INPUTS[name]
    for kind in ("", "{graph.const_arg}"):
        failed += not check(graph, units, np.resize(values, (64, 72)), factor, kind)
sys.exit(failed)
