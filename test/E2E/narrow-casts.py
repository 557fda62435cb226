# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Casts of f32 to 8 bits in whole vectors and a partial one: ties, numbers beyond the
# limits of the type and of 32 bits, infinities and NaN. Expected values are numpy's
# nearest even integers within the limits, and 0 for NaN.

# REQUIRES: numpy
# RUN: rm -rf %t && mkdir %t && %python %s %t

import subprocess
import sys

import numpy

folder = sys.argv[1]
numbers = [0.0, -0.0, 1e-45, 0.49999997, 0.5, 0.50000006, 1.5, 2.5, 126.5, 127.0, 127.4]
numbers += [127.5, 128.0, 128.5, 129.5, 253.5, 254.5, 255.0, 255.49998, 255.5, 256.0, 1e4]
numbers += [8388608.0, 12582912.0, 2147483520.0, 2147483648.0, 4294967296.0, 4294967551.0]
numbers += [1e30, 3.4028235e38, numpy.inf]
numbers += [-number for number in numbers] + [numpy.nan, -numpy.nan]
# Each number in each lane.
x = numpy.repeat(numpy.array(numbers, numpy.float32), 16).reshape(-1, 16)
x = numpy.concatenate([x, x[:, :5]], axis=1)
numpy.save(folder + "/x.npy", x)
rows, columns = x.shape
tensor = "tensor<%dx%dx%%s>" % (rows, columns)
failed = 0
for name, least, most in (("ui8", 0, 255), ("si8", -128, 127)):
    types = (tensor % "f32", tensor % name)
    with open(folder + "/graph.mlir", "w") as file:
        file.write("func.func @main(%%x: %s) -> %s {\n" % types)
        file.write("  %%0 = graph.type_cast %%x : %s -> %s\n" % types)
        file.write("  return %%0 : %s\n}\n" % types[1])
    subprocess.run(
        ["gc-runner", folder + "/graph.mlir", "--threads=2", "--output-dir=" + folder]
        + ["--input=arg0=%s/x.npy" % folder],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    actual = numpy.load(folder + "/result0.npy").astype(numpy.int64)
    expected = numpy.clip(numpy.rint(numpy.nan_to_num(x.astype(float), nan=0)), least, most)
    for i in numpy.argwhere(actual != expected)[:10]:
        print(x[tuple(i)], "is", actual[tuple(i)], "not", expected[tuple(i)], "in", name)
    failed += (actual != expected).any()
sys.exit(int(failed))
