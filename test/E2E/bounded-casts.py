# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Casts to 8 bits whose operands are known not to be large, in rows of whole packs of
# four registers, single registers and the rest: integers of 32 bits times constants,
# with ties, both limits, the largest integers and NaN, and quantized softmax with NaN
# and infinity in some rows. Expected values are numpy's.

# REQUIRES: numpy
# RUN: rm -rf %t && mkdir %t && %python %s %t
# RUN: %python %s %t --machine=%runnable-laptop-avx2-4

import subprocess
import sys

import numpy

folder, options = sys.argv[1], sys.argv[2:]
failed = 0


def check(name, text, inputs, expected):
    """Runs a graph; expected[i] are the values of result i, or None for any."""
    global failed
    with open(folder + "/graph.mlir", "w") as file:
        file.write(text)
    command = ["gc-runner", folder + "/graph.mlir", "--threads=2", "--output-dir=" + folder]
    for i, value in enumerate(inputs):
        numpy.save("%s/x%d.npy" % (folder, i), value)
        command.append("--input=arg%d=%s/x%d.npy" % (i, folder, i))
    subprocess.run(command + options, check=True, stdout=subprocess.DEVNULL)
    for i, values in enumerate(expected):
        actual = numpy.load("%s/result%d.npy" % (folder, i)).astype(numpy.int64)
        wrong = numpy.argwhere(actual != values)
        for at in wrong[:10]:
            print(name, "result", i, "at", at, "is", actual[tuple(at)], "not", values[tuple(at)])
        failed += len(wrong)


def cast(x, least, most):
    return numpy.clip(numpy.rint(numpy.nan_to_num(x.astype(float), nan=0)), least, most)


# 64 and 32 lanes, 16, and 7 more; values of each lane differ from row to row.
columns = 128 + 16 + 7
integers = [0, 1, -1, 2, 3, 5, 254, 255, 256, 257, 508, 509, 510, 511, 512, 65534, 65536, 65791]
integers += [131072, 8388608, 16777216, 2147483520, -2147483648]
integers += [-value for value in integers if value > 0]
rows = len(integers) + 1
x = numpy.resize(numpy.array(integers, numpy.int32), (rows, columns))
types = {"m": rows, "n": columns}
check(
    "integers",
    """func.func @main(%%x: tensor<%(m)dx%(n)dxsi32>) -> (tensor<%(m)dx%(n)dxui8>, tensor<%(m)dx%(n)dxsi8>, tensor<%(m)dx%(n)dxsi8>) {
  %%half = graph.constant dense<0.5> : tensor<f32>
  %%nan = graph.constant dense<0x7FC00000> : tensor<f32>
  %%0 = graph.type_cast %%x : tensor<%(m)dx%(n)dxsi32> -> tensor<%(m)dx%(n)dxf32>
  %%1 = graph.multiply %%0, %%half : (tensor<%(m)dx%(n)dxf32>, tensor<f32>) -> tensor<%(m)dx%(n)dxf32>
  %%2 = graph.clamp %%1 {min = -5.0e8 : f32, max = 5.0e8 : f32} : (tensor<%(m)dx%(n)dxf32>) -> tensor<%(m)dx%(n)dxf32>
  %%3 = graph.type_cast %%2 : tensor<%(m)dx%(n)dxf32> -> tensor<%(m)dx%(n)dxui8>
  %%4 = graph.type_cast %%2 : tensor<%(m)dx%(n)dxf32> -> tensor<%(m)dx%(n)dxsi8>
  %%5 = graph.multiply %%2, %%nan : (tensor<%(m)dx%(n)dxf32>, tensor<f32>) -> tensor<%(m)dx%(n)dxf32>
  %%6 = graph.type_cast %%5 : tensor<%(m)dx%(n)dxf32> -> tensor<%(m)dx%(n)dxsi8>
  return %%3, %%4, %%6 : tensor<%(m)dx%(n)dxui8>, tensor<%(m)dx%(n)dxsi8>, tensor<%(m)dx%(n)dxsi8>
}
"""
    % types,
    [x],
    [cast(x * 0.5, 0, 255), cast(x * 0.5, -128, 127), numpy.zeros((rows, columns))],
)

# One element of a row takes all of its weight, which is one more than the largest
# integer; or two take half each; or the row is NaN.
x = numpy.full((9, columns), -numpy.inf, numpy.float32)
expected = numpy.zeros((9, columns))
for row in range(6):
    x[row, 25 * row] = 3
    expected[row, 25 * row] = 255
x[6, [3, 140]] = -1e30
expected[6, [3, 140]] = 128
x[7, 5] = numpy.nan
x[8, 70] = numpy.inf
check(
    "softmax",
    """func.func @main(%%x: tensor<9x%(n)dxf32>) -> tensor<9x%(n)dxui8> {
  %%0 = graph.softmax %%x {axis = 1 : i64} : (tensor<9x%(n)dxf32>) -> tensor<9x%(n)dxf32>
  %%1 = graph.quantize %%0 {scales = array<f32: 0.00390625>, zps = array<i64: 0>} : (tensor<9x%(n)dxf32>) -> tensor<9x%(n)dxui8>
  return %%1 : tensor<9x%(n)dxui8>
}
"""
    % types,
    [x],
    [expected],
)
sys.exit(int(failed > 0))
