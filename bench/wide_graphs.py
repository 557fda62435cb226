#!/usr/bin/python3
# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes graphs of many ops, in several shapes, as MLIR.

What makes compilation take more than linear time differs from shape to shape: a
value with many users, many values alive at once, many results, many inputs of
one fused region, a long chain of uses. `graph(shape, ops)` returns the text of a
module with one function of about `ops` ops; `SHAPES` lists the shapes.
"""

import argparse
import sys

TENSOR = "tensor<16x64xf32>"
COLUMN = "tensor<16x1xf32>"
UNARY = ("relu", "sigmoid", "tanh", "exp", "abs", "square")


class Function:
    """Collects the ops of one function."""

    def __init__(self):
        self.lines = []
        self.arguments = []

    def argument(self, type=TENSOR, constant=False):
        name = f"%a{len(self.arguments)}"
        self.arguments.append(
            f"{name}: {type}" + (" {graph.const_arg}" if constant else ""))
        return name

    def op(self, name, operands, types=None, result=TENSOR, attrs=""):
        value = f"%{len(self.lines)}"
        types = types or [TENSOR] * len(operands)
        self.lines.append(f"  {value} = graph.{name} {', '.join(operands)}{attrs} : "
                          f"({', '.join(types)}) -> {result}")
        return value

    def leaky_relu(self, index, operand):
        """No two indices below 8192 give the same slope."""
        return self.op("leaky_relu", [operand],
                       attrs=f" {{alpha = {1 - index / 8192} : f32}}")

    def unary(self, index, operand):
        """A unary op; no two indices give the same one."""
        if index < len(UNARY):
            return self.op(UNARY[index], [operand])
        return self.leaky_relu(index, operand)

    def text(self, results, type=TENSOR):
        types = ", ".join([type] * len(results))
        return (f"func.func @main({', '.join(self.arguments)}) -> ({types}) {{\n"
                + "\n".join(self.lines)
                + f"\n  return {', '.join(results)} : {types}\n}}\n")


def add_tree(f, values):
    """Adds neighbours until one value is left."""
    while len(values) > 1:
        pairs = [f.op("add", values[i:i + 2])
                 for i in range(0, len(values) - 1, 2)]
        values = pairs + values[len(values) // 2 * 2:]
    return values[0]


def users(ops):
    """One value with many unary users, each of which is a result."""
    f = Function()
    x = f.argument()
    return f.text([f.unary(i, x) for i in range(ops)])


def distinct_users(ops):
    """One value with many binary users, no two of which are equal."""
    f = Function()
    x = f.argument()
    return f.text([f.op("add", [x, f.argument()]) for _ in range(ops)])


def chains(ops, length=8):
    """Independent chains, each with an input and a result of its own."""
    f = Function()
    results = []
    for _ in range(max(1, ops // length)):
        x = f.argument()
        for i in range(length):
            x = f.unary(i % len(UNARY), x)
        results.append(x)
    return f.text(results)


def tree(ops):
    """The sum of many inputs, two at a time."""
    f = Function()
    return f.text([add_tree(f, [f.argument() for _ in range(ops + 1)])])


def fan(ops):
    """One value, many unary users, and the sum of them."""
    f = Function()
    x = f.argument()
    return f.text([add_tree(f, [f.unary(i, x) for i in range(ops // 2)])])


def diamonds(ops):
    """x -> (f(x), g(x)) -> max(f, g), one after another."""
    f = Function()
    x = f.argument()
    for i in range(ops // 3):
        x = f.op("maximum", [f.leaky_relu(2 * i, x), f.leaky_relu(2 * i + 1, x)])
    return f.text([x])


def deep(ops):
    """One chain."""
    f = Function()
    x = f.argument()
    for i in range(ops):
        x = f.leaky_relu(i, x)
    return f.text([x])


def matmuls(ops):
    """Matmuls of one input with weights of their own, and a ReLU each."""
    f = Function()
    x = f.argument("tensor<16x32xf32>")
    results = []
    for _ in range(ops // 2):
        w = f.argument("tensor<32x64xf32>", constant=True)
        results.append(f.op("relu", [f.op(
            "matmul", [x, w], ["tensor<16x32xf32>", "tensor<32x64xf32>"])]))
    return f.text(results)


def convolutions(ops):
    """Convolutions of one image with filters of their own."""
    f = Function()
    image, filters = "tensor<1x8x8x16xf32>", "tensor<3x3x16x16xf32>"
    x = f.argument(image)
    attrs = (" {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, "
             "pads_begin = array<i64: 1, 1>, pads_end = array<i64: 1, 1>, "
             'data_format = "NXC", weights_format = "XIO"}')
    return f.text([
        f.op("convolution", [x, f.argument(filters, constant=True)],
             [image, filters], image, attrs) for _ in range(ops)], image)


def layers(ops, batch=16, width=64):
    """A chain of matmuls with a ReLU each."""
    f = Function()
    type = f"tensor<{batch}x{width}xf32>"
    weight = f"tensor<{width}x{width}xf32>"
    x = f.argument(type)
    for _ in range(ops // 2):
        w = f.argument(weight, constant=True)
        x = f.op("relu", [f.op("matmul", [x, w], [type, weight], type)], [type],
                 type)
    return f.text([x], type)


def reductions(ops):
    """Sums over rows of one input, each minus that input."""
    f = Function()
    x = f.argument()
    results = []
    for _ in range(ops // 3):
        y = f.op("add", [x, f.argument()])
        total = f.op("reduce_sum", [y], result=COLUMN,
                     attrs=" {axes = array<i64: 1>, keep_dims = true}")
        results.append(f.op("subtract", [y, total], [TENSOR, COLUMN]))
    return f.text(results)


def constants(ops):
    """Unary ops of weights, which are folded once, each added to the input."""
    f = Function()
    x = f.argument()
    return f.text([
        f.op("add", [x, f.op("tanh", [f.argument(constant=True)])])
        for _ in range(ops // 2)])


SHAPES = {f.__name__: f for f in (
    users, distinct_users, chains, tree, fan, diamonds, deep, matmuls,
    convolutions, layers, reductions, constants)}


def graph(shape, ops):
    return SHAPES[shape](ops)


def main():
    parser = argparse.ArgumentParser(
        description="Writes a graph of many ops as MLIR to standard output.")
    parser.add_argument("shape", choices=sorted(SHAPES))
    parser.add_argument("ops", type=int)
    options = parser.parse_args()
    if options.ops < 3:
        parser.error("a graph has 3 ops or more")
    sys.stdout.write(graph(options.shape, options.ops))


if __name__ == "__main__":
    main()
