# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Writes a convolutional model whose kernel has the shape of its weights.

    cnn.py FILE
"""

import sys

import onnx
from onnx import TensorProto, helper


def weights(name, dims, count):
    values = [((i * 37) % 101 - 50) / 100 for i in range(count)]
    return helper.make_tensor(name, TensorProto.FLOAT, dims, values)


graph = helper.make_graph(
    [
        helper.make_node("Conv", ["x", "w", "b"], ["c"], pads=[1, 1, 1, 1]),
        helper.make_node("Relu", ["c"], ["r"]),
        helper.make_node("GlobalAveragePool", ["r"], ["p"]),
        helper.make_node("Flatten", ["p"], ["f"]),
        helper.make_node("Gemm", ["f", "v"], ["g"], transB=1),
        helper.make_node("Softmax", ["g"], ["y"], axis=1),
    ],
    "cnn",
    [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 3, 16, 16])],
    [helper.make_tensor_value_info("y", TensorProto.FLOAT, [2, 10])],
    [
        weights("w", [8, 3, 3, 3], 216),
        weights("b", [8], 8),
        weights("v", [10, 8], 80),
    ],
)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
onnx.save(model, sys.argv[1])
