# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Writes a model in which shapes, a mask and a branch are computed: as a mask of
what attention may see is by exporters, inside a function of the model.

    fold.py FILE
"""

import sys

import onnx
from onnx import TensorProto, helper


def constant(name, dims, values, element=TensorProto.INT64):
    tensor = helper.make_tensor(name, element, dims, values)
    return helper.make_node("Constant", [], [name], value=tensor)


def node(op, inputs, outputs, **attrs):
    return helper.make_node(op, inputs, [outputs], **attrs)


opsets = [helper.make_opsetid("", 17), helper.make_opsetid("local", 1)]
# scale(x) = x / sqrt(size of the last dimension)
scale = helper.make_function(
    "local", "scale", ["x"], ["y"],
    [
        node("Shape", ["x"], "shape", start=-1),
        node("Cast", ["shape"], "size", to=TensorProto.FLOAT),
        node("Sqrt", ["size"], "root"),
        node("Div", ["x", "root"], "y"),
    ],
    opsets[:1],
)


def branch(name, nodes):
    value = helper.make_tensor_value_info(f"{name}_y", TensorProto.FLOAT, None)
    return helper.make_graph(nodes, name, [], [value])


graph = helper.make_graph(
    [
        constant("zero", [], [0]),
        constant("one", [], [1]),
        constant("ones", [2], [1, 1]),
        constant("low", [], [-1e9], TensorProto.FLOAT),
        constant("nothing", [], [0], TensorProto.FLOAT),
        # mask[i, j] = j > i ? -1e9 : 0
        node("Shape", ["x"], "shape"),
        node("Gather", ["shape", "one"], "t"),
        node("Range", ["zero", "t", "one"], "index"),
        node("Unsqueeze", ["index", "one1"], "row"),
        node("Greater", ["index", "row"], "later"),
        node("Where", ["later", "low", "nothing"], "mask"),
        # The branch for three dimensions.
        node("Size", ["shape"], "rank"),
        constant("three", [], [3]),
        node("Equal", ["rank", "three"], "is3d"),
        helper.make_node("scale", ["x"], ["scaled"], domain="local"),
        helper.make_node(
            "If", ["is3d"], ["masked"],
            then_branch=branch("then", [node("Add", ["scaled", "mask"], "then_y")]),
            else_branch=branch("else", [node("Loop", ["scaled"], "else_y")]),
        ),
        node("Softmax", ["masked"], "p"),
        # The last row of each matrix.
        constant("last", [1], [-1]),
        constant("end", [1], [2**63 - 1]),
        constant("axis", [1], [1]),
        node("Slice", ["p", "last", "end", "axis"], "y"),
    ],
    "fold",
    [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["b", "t", "t"])],
    [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
    [helper.make_tensor("one1", TensorProto.INT64, [1], [1])],
)
model = helper.make_model(graph, opset_imports=opsets, functions=[scale])
onnx.save(model, sys.argv[1])
