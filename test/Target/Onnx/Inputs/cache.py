# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Writes one step of a decoder whose batch and past length are open, in the small
ops that exporters make of it: shapes are read, taken apart and put together.

    cache.py FOLDER [--break=NAME]

--break makes it depend on a size in a way that cannot be expressed, but for `flatten`:
  range     positions up to the length of the past
  flatten   a reshape that has to find out two sizes
  slice     the last element of the past
  expand    a repetition for the batch
  squeeze   sizes of 1 are left out, whichever they are
  sums      an operator that takes no sizes that vary
"""

import argparse
import pathlib

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

parser = argparse.ArgumentParser()
parser.add_argument("folder", type=pathlib.Path)
parser.add_argument("--break", dest="wrong", default="")
options = parser.parse_args()
options.folder.mkdir(parents=True, exist_ok=True)
random = np.random.default_rng(3)
WIDTH, HEADS = 32, 4
SIZE = WIDTH // HEADS
nodes, weights = [], []


def name(prefix, count):
    return f"{prefix}{count}"


def constant(values, dtype=np.int64):
    result = name("c", len(nodes))
    tensor = numpy_helper.from_array(np.array(values, dtype))
    nodes.append(helper.make_node("Constant", [], [result], value=tensor))
    return result


def add(op, *inputs, **attrs):
    result = name("v", len(nodes))
    nodes.append(helper.make_node(op, list(inputs), [result], **attrs))
    return result


def linear(x):
    matrix = (random.standard_normal((WIDTH, WIDTH)) * 0.2).astype(np.float32)
    weights.append(numpy_helper.from_array(matrix, name("w", len(weights))))
    return add("MatMul", x, weights[-1].name)


def size(x, dim):
    return add("Gather", add("Shape", x), constant(dim))


def shape(*parts):
    """A list of sizes, of which numbers are known."""
    return add(
        "Concat",
        *(constant([p]) if isinstance(p, int) else add("Unsqueeze", p, constant([0])) for p in parts),
        axis=0,
    )


def heads(x):
    split = add("Reshape", x, shape(size(x, 0), size(x, 1), HEADS, SIZE))
    return add("Transpose", split, perm=[0, 2, 1, 3])


q, k, v = heads(linear("x")), heads(linear("x")), heads(linear("x"))
keys = add("Concat", "past_keys", k, axis=2)
values = add("Concat", "past_values", v, axis=2)
scores = add("MatMul", q, add("Transpose", keys, perm=[0, 1, 3, 2]))
scores = add("Div", scores, constant(SIZE**0.5, np.float32))
mask = add("Unsqueeze", "mask", constant([1, 2]))
mask = add("Sub", constant(1, np.float32), add("Cast", mask, to=TensorProto.FLOAT))
scores = add("Add", scores, add("Mul", mask, constant(-1e4, np.float32)))
y = add("MatMul", add("Softmax", scores, axis=-1), values)
y = add("Transpose", y, perm=[0, 2, 1, 3])
# Heads next to each other, by way of some arithmetic.
half = add("Div", add("Mul", size(y, 2), constant(2)), constant(2))
y = add("Reshape", y, shape(size(y, 0), size(y, 1), add("Mul", half, constant(SIZE))))
y = linear(y)
past = size("past_keys", 2)
if options.wrong == "range":
    nodes.append(helper.make_node("Range", [constant(0), past, constant(1)], ["extra"], "positions"))
elif options.wrong == "flatten":
    flat = add("Reshape", keys, constant([-1]))
    nodes.append(helper.make_node("Reshape", [flat, add("Shape", keys)], ["extra"], "restore"))
elif options.wrong == "slice":
    nodes.append(helper.make_node(
        "Slice", ["past_keys", constant([-1]), constant([2**63 - 1]), constant([2])], ["extra"], "last"))
elif options.wrong == "expand":
    nodes.append(helper.make_node(
        "Expand", [constant([[1.0]], np.float32), shape(size("x", 0), 3)], ["extra"], "repeat"))
elif options.wrong == "squeeze":
    nodes.append(helper.make_node("Squeeze", [keys], ["extra"], "ones"))
elif options.wrong == "sums":
    nodes.append(helper.make_node("CumSum", ["x", constant([1])], ["extra"], "sums"))
for output, source in (("y", y), ("keys", keys), ("values", values)):
    nodes.append(helper.make_node("Identity", [source], [output]))
outputs = ["y", "keys", "values"] + (["extra"] if options.wrong else [])
graph = helper.make_graph(
    nodes,
    "cache",
    [
        helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", "rows", WIDTH]),
        helper.make_tensor_value_info("past_keys", TensorProto.FLOAT, ["batch", HEADS, "past", SIZE]),
        helper.make_tensor_value_info("past_values", TensorProto.FLOAT, ["batch", HEADS, "past", SIZE]),
        helper.make_tensor_value_info("mask", TensorProto.INT64, ["batch", "past + rows"]),
    ],
    [helper.make_tensor_value_info(o, TensorProto.FLOAT, None) for o in outputs],
    weights,
)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
onnx.save(model, str(options.folder / "cache.onnx"))
for batch, past in ((1, 1), (3, 10), (2, 64)):
    np.save(options.folder / f"mask-{batch}-{past}.npy",
            random.integers(0, 2, (batch, past + 1)).astype(np.int32) | (np.arange(past + 1) == 0))
