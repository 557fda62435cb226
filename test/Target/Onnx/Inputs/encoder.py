# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Writes an encoder with embeddings of ids and a mask of padding, in the small ops
that exporters make of it, and its inputs and result as numpy computes it.

    encoder.py FOLDER
"""

import math
import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
random = np.random.default_rng(5)
BATCH, TIME, WIDTH, HEADS, WORDS, MOST = 2, 6, 32, 4, 40, 16
SIZE = WIDTH // HEADS
nodes, weights = [], []
counter = 0


def weight(*shape, scale=0.3):
    global counter
    counter += 1
    value = (random.standard_normal(shape) * scale).astype(np.float32)
    weights.append(numpy_helper.from_array(value, f"w{counter}"))
    return f"w{counter}", value


def constant(values, dtype=np.int64):
    global counter
    counter += 1
    tensor = numpy_helper.from_array(np.array(values, dtype))
    nodes.append(helper.make_node("Constant", [], [f"c{counter}"], value=tensor))
    return f"c{counter}"


def add(op, *inputs, **attrs):
    global counter
    counter += 1
    nodes.append(helper.make_node(op, list(inputs), [f"v{counter}"], **attrs))
    return f"v{counter}"


def norm(x, value):
    """A layer norm as reductions; a pair of name and value as the others."""
    (g, gamma), (b, beta) = weight(WIDTH), weight(WIDTH)
    centered = add("Sub", x, add("ReduceMean", x, axes=[-1]))
    variance = add("ReduceMean", add("Pow", centered, constant(2, np.float32)), axes=[-1])
    root = add("Sqrt", add("Add", variance, constant(1e-5, np.float32)))
    y = add("Add", add("Mul", add("Div", centered, root), g), b)
    value = (value - value.mean(-1, keepdims=True)) / np.sqrt(
        value.var(-1, keepdims=True) + 1e-5)
    return y, value * gamma + beta


def linear(x, value, columns):
    (w, matrix), (b, bias) = weight(value.shape[-1], columns), weight(columns)
    return add("Add", add("MatMul", x, w), b), value @ matrix + bias


def heads(x, value):
    """Sizes are those of the input, as the exporter reads them."""
    shape = add("Shape", x)
    sizes = [add("Unsqueeze", add("Gather", shape, constant(i)), constant([0])) for i in (0, 1)]
    shape = add("Concat", *sizes, constant([HEADS]), constant([-1]), axis=0)
    y = add("Transpose", add("Reshape", x, shape), perm=[0, 2, 1, 3])
    return y, value.reshape(BATCH, TIME, HEADS, SIZE).transpose(0, 2, 1, 3)


ids = random.integers(0, WORDS, (BATCH, TIME))
mask = np.array([[1, 1, 1, 1, 1, 1], [1, 1, 1, 0, 0, 0]])

# Embeddings.
(words, word_values), (places, place_values) = weight(WORDS, WIDTH), weight(MOST, WIDTH)
time = add("Gather", add("Shape", "ids"), constant(1))
index = constant(np.arange(MOST)[None])
index = add("Slice", index, constant([0]), add("Unsqueeze", time, constant([0])), constant([1]))
x = add("Add", add("Gather", words, "ids"), add("Gather", places, index))
value = word_values[ids] + place_values[:TIME]
x, value = norm(x, value)

# What is padded does not count.
wide = add("Unsqueeze", add("Unsqueeze", "mask", constant([1])), constant([2]))
wide = add("Cast", wide, to=TensorProto.FLOAT)
wide = add("Sub", constant(1, np.float32), wide)
shift = add("Mul", wide, constant(-3.4028235e38, np.float32))
shift_value = np.where(mask, 0, -3.4028235e38)[:, None, None]

# One layer.
(q, q_value), (k, k_value), (v, v_value) = (heads(*linear(x, value, WIDTH)) for _ in range(3))
scores = add("MatMul", q, add("Transpose", k, perm=[0, 1, 3, 2]))
scores = add("Div", scores, constant(math.sqrt(SIZE), np.float32))
p = add("Softmax", add("Add", scores, shift), axis=-1)
p_value = q_value @ k_value.swapaxes(2, 3) / math.sqrt(SIZE) + shift_value
p_value = np.exp(p_value - p_value.max(-1, keepdims=True))
p_value /= p_value.sum(-1, keepdims=True)
context = add("Transpose", add("MatMul", p, v), perm=[0, 2, 1, 3])
context = add("Reshape", context, constant([0, 0, WIDTH]))
context_value = (p_value @ v_value).transpose(0, 2, 1, 3).reshape(BATCH, TIME, WIDTH)
y, y_value = linear(context, context_value, WIDTH)
x, value = norm(add("Add", x, y), value + y_value)
h, h_value = linear(x, value, 2 * WIDTH)
gate = add("Erf", add("Div", h, constant(math.sqrt(2), np.float32)))
gate = add("Mul", add("Mul", h, add("Add", gate, constant(1, np.float32))),
           constant(0.5, np.float32))
erf = np.vectorize(math.erf)
y, y_value = linear(gate, h_value * (erf(h_value / math.sqrt(2)) + 1) * 0.5, WIDTH)
x, value = norm(add("Add", x, y), value + y_value)

# The first token stands for all.
first = add("Gather", x, constant(0), axis=1)
y, y_value = linear(first, value[:, 0], 8)
nodes.append(helper.make_node("Tanh", [y], ["y"]))

graph = helper.make_graph(
    nodes,
    "encoder",
    [helper.make_tensor_value_info(n, TensorProto.INT64, ["b", "t"]) for n in ("ids", "mask")],
    [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["b", 8])],
    weights,
)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
onnx.save(model, str(folder / "encoder.onnx"))
np.save(folder / "ids.npy", ids.astype(np.int32))
np.save(folder / "mask.npy", mask.astype(np.int32))
np.save(folder / "expected.npy", np.tanh(y_value).astype(np.float32))
