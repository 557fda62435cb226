# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Floats of 8 bits: every code is dequantized, and every number, every tie between
# two numbers and their neighbours in f32 are quantized and cast, by generated code
# and by the reference, against the definition of the formats in Python's
# arithmetic. Tensors end in partial vectors.
#
# REQUIRES: numpy
# RUN: rm -rf %t && mkdir %t && %python %s %t

import bisect
import subprocess
import sys

import numpy

FORMATS = {"f8E5M2": (2, 15, 0x7C), "f8E4M3FN": (3, 7, 0x7F)}
folder = sys.argv[1]


def decode(code, fraction_bits, bias, special):
    sign = -1.0 if code & 0x80 else 1.0
    code &= 0x7F
    if code >= special:
        infinite = special != 0x7F and code == special
        return sign * numpy.inf if infinite else numpy.nan
    exponent, fraction = code >> fraction_bits, code & ((1 << fraction_bits) - 1)
    unit = 2.0 ** (max(exponent, 1) - bias - fraction_bits)
    return sign * unit * (fraction + ((1 << fraction_bits) if exponent else 0))


def encode(value, numbers, special):
    """The code of the nearest of `numbers`, which are those of the positive codes
    and the one that would come next."""
    if numpy.isnan(value):
        return None
    sign = 0x80 if numpy.signbit(value) else 0
    value = abs(float(value))
    if value >= numbers[-1]:
        return sign | special
    above = bisect.bisect_right(numbers, value)
    low, high = numbers[above - 1], numbers[above]
    code = above - 1
    if value - low > high - value or (value - low == high - value and code % 2):
        code += 1
    return sign | min(code, special)


def run(target, program, inputs, names):
    with open(folder + "/program.mlir", "w") as file:
        file.write(program)
    arguments = ["gc-runner", folder + "/program.mlir", "--target=" + target]
    for name, values in inputs.items():
        numpy.save(folder + "/%s.npy" % name, values)
        arguments.append("--input=%s=%s/%s.npy" % (name, folder, name))
    subprocess.run(
        arguments + ["--output-dir=" + folder], check=True, stdout=subprocess.DEVNULL
    )
    return [numpy.load(folder + "/%s.npy" % name) for name in names]


def check_codes(target, name):
    codes = numpy.arange(257).astype(numpy.uint8)
    program = """func.func @main(%%a: tensor<257x%s> {graph.name = "a"})
    -> (tensor<257xf32> {graph.name = "b"}, tensor<257x%s> {graph.name = "c"}) {
  %%0 = graph.dequantize %%a {scales = array<f32: 0.5>} : (tensor<257x%s>) -> tensor<257xf32>
  %%1 = graph.reorder %%a : tensor<257x%s> -> tensor<257x%s>
  return %%0, %%1 : tensor<257xf32>, tensor<257x%s>
}
""" % ((name,) * 6)
    values, copies = run(target, program, {"a": codes}, ["b", "c"])
    expected = [0.5 * decode(int(code), *FORMATS[name]) for code in codes]
    numpy.testing.assert_array_equal(values, numpy.float32(expected))
    # The code of NaN may change.
    decoded = [0.5 * decode(int(code), *FORMATS[name]) for code in copies]
    numpy.testing.assert_array_equal(decoded, expected)


def check_rounding(target, name):
    special = FORMATS[name][2]
    numbers = [decode(code, *FORMATS[name]) for code in range(special)]
    numbers.append(2 * numbers[-1] - numbers[-2])
    points = set(numbers)
    for low, high in zip(numbers, numbers[1:]):
        points.add((low + high) / 2)
    points = numpy.float32(sorted(points))
    values = [points, numpy.nextafter(points, numpy.float32(numpy.inf))]
    values.append(numpy.nextafter(points[1:], numpy.float32(0)))
    values.append(numpy.float32([numpy.inf, 1e30, 1e-30, 1e-44, numpy.nan]))
    values = numpy.concatenate(values)
    values = numpy.concatenate([values, -values]).astype(numpy.float32)
    size = len(values)
    program = """func.func @main(%%a: tensor<%dxf32> {graph.name = "a"})
    -> (tensor<%dx%s> {graph.name = "b"}, tensor<%dx%s> {graph.name = "c"}) {
  %%0 = graph.quantize %%a {scales = array<f32: 1.0>} : (tensor<%dxf32>) -> tensor<%dx%s>
  %%1 = graph.type_cast %%a : tensor<%dxf32> -> tensor<%dx%s>
  return %%0, %%1 : tensor<%dx%s>, tensor<%dx%s>
}
""" % (size, size, name, size, name, size, size, name, size, size, name,
       size, name, size, name)
    for result in run(target, program, {"a": values}, ["b", "c"]):
        assert result.dtype == numpy.uint8
        for value, code in zip(values, result):
            expected = encode(value, numbers, special)
            if expected is None:
                assert numpy.isnan(decode(int(code), *FORMATS[name])), (value, code)
            elif expected & 0x7F == 0:  # the sign of zero is not a part of the result
                assert int(code) & 0x7F == 0, (target, name, value, code, expected)
            else:
                assert int(code) == expected, (target, name, value, code, expected)


for target in ("cpu", "reference"):
    for name in FORMATS:
        check_codes(target, name)
        check_rounding(target, name)
