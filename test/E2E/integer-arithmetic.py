# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Sums, differences and products of s32 saturate, in whole vectors and a partial
# one: every pair of numbers around the limits and 0, against Python's integers;
# the reference must agree.
#
# REQUIRES: numpy
# RUN: rm -rf %t && mkdir %t && %python %s %t

import itertools
import subprocess
import sys

import numpy

OPS = {
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "multiply": lambda a, b: a * b,
}
LEAST, MOST = -(2**31), 2**31 - 1
numbers = [LEAST, LEAST + 1, -(2**16), -46341, -46340, -2, -1, 0]
numbers += [1, 2, 3, 46340, 46341, 2**16, 2**30, MOST - 1, MOST]
pairs = list(itertools.product(numbers, repeat=2))
folder = sys.argv[1]
tensor = "tensor<%dxsi32>" % len(pairs)

lines = [
    "  %%%s = graph.%s %%a, %%b : (%s, %s) -> %s" % (op, op, tensor, tensor, tensor)
    for op in OPS
]
program = "func.func @main(%%a: %s {graph.name = \"a\"}, %%b: %s {graph.name = \"b\"}) -> (%s) {\n%s\n  return %s : %s\n}\n" % (
    tensor,
    tensor,
    ", ".join([tensor] * len(OPS)),
    "\n".join(lines),
    ", ".join("%" + op for op in OPS),
    ", ".join([tensor] * len(OPS)),
)
with open(folder + "/program.mlir", "w") as file:
    file.write(program)
for i, name in enumerate("ab"):
    values = numpy.array([pair[i] for pair in pairs], numpy.int32)
    numpy.save(folder + "/%s.npy" % name, values)

for target in ("cpu", "reference"):
    subprocess.run(
        [
            "gc-runner",
            folder + "/program.mlir",
            "--target=" + target,
            "--input=a=%s/a.npy" % folder,
            "--input=b=%s/b.npy" % folder,
            "--output-dir=" + folder,
        ],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    for i, (op, function) in enumerate(OPS.items()):
        result = numpy.load(folder + "/result%d.npy" % i)
        for (a, b), value in zip(pairs, result):
            expected = min(max(function(a, b), LEAST), MOST)
            assert value == expected, (target, op, a, b, value, expected)
