# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Writes models of which nodes are not supported, one file per case.

    partition.py FOLDER

Where results are compared, FOLDER/CASE has the inputs and the expected outputs as
.npy. Einsum and TopK are the operators that are not supported.
"""

import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

folder = pathlib.Path(sys.argv[1])
random = np.random.default_rng(2)


def draw(*shape):
    return random.standard_normal(shape).astype(np.float32)


def info(name, *shape, element=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, element, shape)


def node(op, inputs, outputs, name=None, **attrs):
    return helper.make_node(op, inputs.split(), outputs.split(), name, **attrs)


def transpose(source, result, name=None):
    return node("Einsum", source, result, name, equation="ij->ji")


def write(
    case, nodes, inputs, outputs, infos=(), constants=None, functions=(), data=None
):
    initializers = [
        numpy_helper.from_array(value, name)
        for name, value in (constants or {}).items()
    ]
    graph = helper.make_graph(
        nodes, case, inputs, outputs, initializers, value_info=infos
    )
    opsets = [helper.make_opsetid("", 13), helper.make_opsetid("local", 1)]
    model = helper.make_model(graph, opset_imports=opsets, functions=functions)
    (folder / case).mkdir(parents=True, exist_ok=True)
    onnx.save(model, str(folder / f"{case}.onnx"))
    for name, value in (data or {}).items():
        np.save(folder / case / f"{name}.npy", value)


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


# A node in the middle, with a tensor that goes around it; w is in both parts.
x, w, k = draw(4, 8), draw(8, 8), np.array([8])
h = np.maximum(x @ w, 0)
m = h.mean(1, keepdims=True)
top = -np.sort(-h, 1)
middle = [
    node("MatMul", "x w", "p"),
    node("Relu", "p", "h"),
    node("ReduceMean", "h", "m", axes=[1]),
    node("TopK", "h k", "top places", "best"),
    node("MatMul", "top w", "q"),
    node("Add", "q m", "sum"),
    node("Softmax", "sum", "y"),
]
for case, batch, infos in (
    ("middle", 4, [info("top", 4, 8)]),
    ("open", "batch", [info("top", "batch", 8)]),
    ("named", 4, [info("top", "rows", 8)]),
    ("product", 4, [info("top", "heads * rows", 8)]),
    ("shapeless", 4, [helper.make_tensor_value_info("top", TensorProto.FLOAT, None)]),
    ("untyped", 4, []),
):
    write(
        case, middle, [info("x", batch, 8)], [info("y", batch, 8)], infos,
        {"w": w, "k": k}, data={"x": x, "y": softmax(top @ w + m)},
    )

# One part in front of the node has what is around it, too.
a = draw(4, 4)
relu = np.maximum(a, 0)
write(
    "diamond",
    [
        node("Relu", "x", "h"),
        node("Sigmoid", "h", "b"),
        transpose("h", "a", "turn"),
        node("Add", "a b", "y"),
    ],
    [info("x", 4, 4)], [info("y", 4, 4)], [info("a", 4, 4)],
    data={"x": a, "y": relu.T + 1 / (1 + np.exp(-relu))},
)

# Two graphs, two parts; nothing needs d.
write(
    "unrelated",
    [
        node("Relu", "x", "u"),
        transpose("x", "t", "turn"),
        node("Sigmoid", "z", "v"),
        node("Exp", "z", "d"),
    ],
    [info("x", 4, 4), info("z", 5)],
    [info("u", 4, 4), info("v", 5), info("t", 4, 4)],
)

# A function that calls an operator, and a branch that nobody can choose yet.
turn = helper.make_function(
    "local", "turn", ["x"], ["y"],
    [node("Neg", "x", "n"), transpose("n", "y")],
    [helper.make_opsetid("", 13)],
)


def branch(name, nodes):
    return helper.make_graph(nodes, name, [], [info(name, 4, 4)])


def choose(name, condition, result):
    return node(
        "If", condition, result, name,
        then_branch=branch(f"{name}_then", [node("Neg", "h", f"{name}_then")]),
        else_branch=branch(f"{name}_else", [transpose("h", f"{name}_else")]),
    )


write(
    "nested",
    [
        node("Relu", "x", "h"),
        node("Tanh", "x", "g"),
        helper.make_node("turn", ["g"], ["f"], "call", domain="local"),
        choose("open", "c", "i"),
        choose("known", "no", "j"),
        node("Sum", "f i j", "y"),
    ],
    [info("x", 4, 4), info("c", element=TensorProto.BOOL)],
    [info("y", 4, 4)],
    [info("f", 4, 4), info("i", 4, 4), info("j", 4, 4)],
    {"no": np.array(False)},
    [turn],
)

# An attribute that the operator does not have.
write(
    "attribute",
    [
        node("Neg", "x", "n"),
        node("Relu", "n", "r", "odd", alpha=2.0),
        node("Exp", "r", "y"),
    ],
    [info("x", 3)], [info("y", 3)], [info("r", 3)],
)

# Shapes are folded where they are needed, and so is a large constant; outputs
# are a constant and another name of what a node outside computes.
x, table = draw(2, 40), draw(40, 50)
top = -np.sort(-np.maximum(x, 0), 1)
write(
    "folded",
    [
        node("Relu", "x", "h"),
        node("Shape", "h", "s"),
        node("Gather", "s one", "n"),
        node("TopK", "h n", "top places", "best"),
        node("Exp", "table", "e"),
        node("Reshape", "top s", "r"),
        node("MatMul", "r e", "y"),
        node("Identity", "top", "same"),
    ],
    [info("x", 2, 40)],
    [info("y", 2, 50), info("same", 2, 40), info("s", 2, element=TensorProto.INT64)],
    [info("top", 2, 40)],
    {"one": np.array([1]), "table": table},
    data={"x": x, "y": top @ np.exp(table), "same": top, "s": np.array([2, 40])},
)

# A node outside reads what depends on constants only.
write(
    "constants",
    [
        node("Exp", "table", "e"),
        transpose("e", "t", "turn"),
        node("MatMul", "x t", "y"),
    ],
    [info("x", 2, 50)], [info("y", 2, 40)], [info("t", 50, 40)], {"table": table},
)

# What is no tensor of numbers may be computed outside.
write(
    "strings",
    [
        node("StringNormalizer", "text", "lower", "normalize"),
        node("Identity", "lower", "copy", "copy"),
        node("TfIdfVectorizer", "copy", "weights", "count"),
        node("Softmax", "weights", "y"),
    ],
    [info("text", 5, element=TensorProto.STRING)], [info("y", 9)],
    [info("lower", 5, element=TensorProto.STRING), info("weights", 9)],
)

write(
    "nothing",
    [transpose("x", "t"), node("TopK", "t k", "y i")],
    [info("x", 4, 4)], [info("y", 4, 4)], constants={"k": np.array([4])},
)
write(
    "undefined",
    [node("Relu", "x", "h"), node("Einsum", "h z", "y", equation="ij,ij->ij")],
    [info("x", 4, 4)], [info("y", 4, 4)],
)
write(
    "twice",
    [node("Relu", "x", "y"), transpose("x", "y", "turn")],
    [info("x", 4, 4)], [info("y", 4, 4)],
)
