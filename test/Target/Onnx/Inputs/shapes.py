# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Writes a model that computes the shapes of its heads, as exporters write it.

    shapes.py FILE
"""

import sys

import onnx
from onnx import TensorProto, helper


def constant(name, dims, values):
    tensor = helper.make_tensor(name, TensorProto.INT64, dims, values)
    return helper.make_node("Constant", [], [name], value=tensor)


graph = helper.make_graph(
    [
        constant("zero", [], [0]),
        constant("one", [], [1]),
        constant("axis", [1], [0]),
        constant("heads", [2], [4, -1]),
        helper.make_node("Shape", ["x"], ["s"]),
        helper.make_node("Gather", ["s", "zero"], ["b0"]),
        helper.make_node("Gather", ["s", "one"], ["t0"]),
        helper.make_node("Unsqueeze", ["b0", "axis"], ["b"]),
        helper.make_node("Unsqueeze", ["t0", "axis"], ["t"]),
        helper.make_node("Concat", ["b", "t", "heads"], ["shape"], axis=0),
        helper.make_node("Reshape", ["x", "shape"], ["r"]),
        helper.make_node("Transpose", ["r"], ["p"], perm=[0, 2, 1, 3]),
        helper.make_node("Softmax", ["p"], ["y"]),
    ],
    "shapes",
    [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["b", "t", 32])],
    [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
onnx.save(model, sys.argv[1])
