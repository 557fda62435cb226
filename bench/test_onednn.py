#!/usr/bin/python3
# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of the oneDNN driver: every way in which it computes a small graph is
compared with numpy. They need the driver, which `bench.py` builds, as it is in
the sources, and are skipped without it."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import bench  # noqa: E402
import conv_workloads  # noqa: E402
import peers  # noqa: E402
import workloads  # noqa: E402
from graph_builder import GraphBuilder  # noqa: E402

try:
    import numpy as np
    import oracle
except ImportError:
    np = None

DRIVER = peers.OneDnn(bench.parse_options([]))


class Graph(GraphBuilder):
    """Quantised tensors with little text."""

    def given(self, shape, scale, zero=0, dtype="u8", const=False, axis=1):
        return self.quantization(
            "Dequantize", lambda: self.tensor(dtype, shape, const=const), "f32",
            shape, scale, zero if isinstance(scale, float) else
            [zero] * len(scale), axis)

    def channels(self, shape, dtype="s8", zero=0, axis=1):
        """Constant weights with a scale for each channel."""
        return self.given(
            shape, [0.002 + 0.0003 * (i % 5) for i in range(shape[axis])], zero,
            dtype, True, axis)

    def product(self, x, y, shape, transposed=(0, 0), bias=False):
        inputs = [x, y]
        if bias:
            inputs.append(self.tensor("f32", shape[-1:], const=True))
        return self.op("MatMul", inputs, "f32", shape, {
            "transpose_a": ("bool", transposed[0]),
            "transpose_b": ("bool", transposed[1])})

    def quantized(self, x, scale, zero=0, dtype="u8"):
        return self.quantization("Quantize", x, dtype, x["shape"], scale, zero)

    def unary(self, kind, x, attrs=None):
        return self.op(kind, [x], "f32", x["shape"], attrs)

    def binary(self, kind, x, y):
        return self.op(kind, [x, y], "f32", x["shape"],
                       {"auto_broadcast": ("string", "numpy")})


@unittest.skipUnless(np and DRIVER.is_built(), "the driver is not built")
class Quantized(unittest.TestCase):
    def run_way(self, path, graph, way):
        with tempfile.TemporaryDirectory() as scratch:
            output = os.path.join(scratch, "output.bin")
            done = subprocess.run(
                [*DRIVER.command(path, 0, 0), f"--output={output}",
                 f"--way={way}"], env=DRIVER.environment(),
                capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            dtype = oracle.TYPES[oracle.graph_output(graph)["dtype"]]
            return json.loads(done.stdout), np.fromfile(output, dtype)

    def check(self, builder, *steps):
        """Each way is right; the first has steps of these kinds, in order."""
        graph = builder if isinstance(builder, dict) else builder.graph()
        expected = oracle.evaluate(graph)
        with tempfile.TemporaryDirectory() as scratch:
            path = os.path.join(scratch, "graph.json")
            with open(path, "w", encoding="utf-8") as file:
                json.dump(graph, file)
            way, ways = 0, 1
            while way < ways:
                report, actual = self.run_way(path, graph, way)
                ways = report["ways"]
                self.assertIsNone(oracle.compare(graph, actual, expected),
                                  f"way {way}: {report['steps']}")
                if way == 0 and steps:
                    found = [s.split(" +")[0].split(" jit")[0].split(" brg")[0]
                             for s in report["steps"]]
                    self.assertEqual(found, list(steps))
                way += 1

    def test_layers_pass_integers(self):
        b = Graph()
        x = b.given((7, 13), 0.02, 128)
        x = b.product(x, b.channels((13, 37)), (7, 37), bias=True)
        x = b.quantized(b.unary("ReLU", x), 0.03, 3)
        x = b.quantization("Dequantize", x, "f32", (7, 37), 0.03, 3)
        x = b.product(x, b.channels((37, 5)), (7, 5), bias=True)
        b.quantized(b.unary("Sigmoid", x), 0.00392157)
        self.check(b, "matmul u8 to u8", "matmul u8 to u8")

    def test_signed_source_and_result(self):
        b = Graph()
        x = b.product(b.given((9, 20), 0.02, -3, "s8"), b.channels((20, 33)),
                      (9, 33))
        b.quantized(x, 0.01, 5, "s8")
        self.check(b, "matmul s8 to s8")

    def test_unsigned_weights(self):
        for zero in (128, 120):
            for const in (False, True):
                b = Graph()
                weights = b.given((24, 33), 0.002, zero, "u8", const)
                x = b.product(b.given((9, 24), 0.02, 7), weights, (9, 33))
                b.quantized(x, 0.1, 120)
                self.check(b)

    def test_weights_of_a_run(self):
        b = Graph()
        x = b.given((2, 3, 9, 16), 0.02, 7)
        y = b.given((2, 3, 33, 16), 0.01, 0, "s8")
        b.product(x, y, (2, 3, 9, 33), (0, 1))
        self.check(b)

    def test_one_matrix_for_all(self):
        b = Graph()
        x = b.product(b.given((2, 9, 16), 0.02, 7), b.channels((16, 33)),
                      (2, 9, 33))
        b.quantized(x, 0.02, 120)
        self.check(b)

    def test_transposed_weights(self):
        b = Graph()
        x = b.product(b.given((9, 16), 0.02, 7), b.channels((33, 16), axis=0),
                      (9, 33), (0, 1), bias=True)
        b.quantized(x, 0.05, 120)
        self.check(b, "matmul u8 to u8")

    def test_attention(self):
        self.check(workloads.mha(2, 3, 17, 40, "int8"))

    def test_a_sum_of_integers_is_a_post_op(self):
        b = Graph()
        x = b.product(b.given((9, 16), 0.02, 7), b.channels((16, 33)), (9, 33),
                      bias=True)
        x = b.binary("Add", x, b.given((9, 33), 0.03, 11))
        b.quantized(b.unary("ReLU", x), 0.05, 4)
        self.check(b, "matmul u8 to u8")

    def test_a_sum_takes_the_place_of_what_is_added(self):
        for zero in (0, 5):
            b = Graph()
            source = b.given((9, 16), 0.02, 7)
            other = b.product(source, b.channels((16, 33)), (9, 33))
            other = b.quantized(other, 0.03, zero, "s8")
            x = b.product(source, b.channels((16, 33)), (9, 33), bias=True)
            other = b.quantization("Dequantize", other, "f32", (9, 33), 0.03,
                                   zero)
            x = b.binary("Add", x, other)
            b.quantized(b.unary("ReLU", x), 0.03, zero)
            self.check(b, "matmul u8 to s8", "matmul u8 to u8")

    def convolution(self, b, x, outputs, kernel, stride, relu=False):
        channels = x["shape"][-1]
        weights = b.channels((kernel, kernel, channels, outputs), axis=3)
        return b.convolution(x, kernel, stride, outputs, relu, lambda _: weights)

    def test_convolutions(self):
        for kernel, stride, zero in ((1, 1, 0), (1, 2, 9), (3, 1, 0),
                                     (3, 2, 9), (7, 2, 120)):
            b = Graph()
            x = self.convolution(b, b.given((2, 13, 13, 5), 0.02, zero), 19,
                                 kernel, stride, True)
            b.quantized(x, 0.02, 3)
            self.check(b)

    def test_residual_blocks(self):
        for kind in ("identity", "projection", "stride"):
            self.check(conv_workloads.bottleneck_int8(kind, 1, 9, 8))

    def test_tensors_between_product_and_result(self):
        b = Graph()
        x = b.product(b.given((9, 16), 0.02, 7), b.channels((16, 33)), (9, 33))
        x = b.binary("Multiply", x, b.tensor("f32", (9, 33)))
        x = b.binary("Subtract", x, b.given((9, 33), 0.03, 11))
        b.quantized(x, 0.05, 128)
        self.check(b, "matmul u8 to u8")

    def test_what_reads_floats_gets_them(self):
        b = Graph()
        x = b.given((9, 16), 0.02, 7)
        y = b.product(x, b.channels((16, 16)), (9, 16))
        b.quantized(b.binary("Add", b.unary("ReLU", x), y), 0.05, 100)
        self.check(b)

    def test_scales_that_are_no_output_scales(self):
        b = Graph()
        x = b.product(b.given((9, 16), 0.02, 7), b.channels((16, 33), axis=0),
                      (9, 33))
        b.quantized(x, 0.05, 120)
        self.check(b)

    def test_only_one_operand_is_quantized(self):
        b = Graph()
        x = b.product(b.tensor("f32", (9, 16)), b.given((16, 33), 0.02, 3),
                      (9, 33))
        b.quantized(x, 0.05, 120)
        self.check(b)

    def test_softmax(self):
        for zero in (0, 3):
            b = Graph()
            x = b.unary("ReLU", b.tensor("f32", (4, 30)))
            x = b.unary("SoftMax", x, {"axis": ("s64", -1)})
            b.quantized(x, 0.00392157, zero)
            self.check(b)

    def test_alone(self):
        b = Graph()
        b.given((4, 30), 0.02, 3)
        self.check(b, "reorder")
        b = Graph()
        b.quantization("Quantize", b.tensor("f32", (4, 30)), "s8", (4, 30),
                       [0.01 + 0.001 * i for i in range(30)], [5] * 30)
        self.check(b, "reorder")


if __name__ == "__main__":
    unittest.main()
