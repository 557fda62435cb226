# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A quantized layer whose weights have a scale and a zero point per column, and one
with weights in f16.

  channels.py MODEL COLUMNS
"""

import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

columns = int(sys.argv[2])
random = np.random.default_rng(1)
constants = {
    "x_scale": np.float32(0.02),
    "x_zp": np.uint8(128),
    "w": random.integers(-127, 128, (32, columns)).astype(np.int8),
    "w_scale": random.uniform(0.01, 0.02, columns).astype(np.float32),
    "w_zp": np.zeros(columns, np.int8),
    "half": random.standard_normal((32, columns)).astype(np.float16),
}
nodes = [
    helper.make_node("QuantizeLinear", ["x", "x_scale", "x_zp"], ["q"]),
    helper.make_node("DequantizeLinear", ["q", "x_scale", "x_zp"], ["a"]),
    helper.make_node("DequantizeLinear", ["w", "w_scale", "w_zp"], ["b"], axis=1),
    helper.make_node("MatMul", ["a", "b"], ["y"]),
    helper.make_node("Cast", ["half"], ["wide"], to=TensorProto.FLOAT),
    helper.make_node("MatMul", ["x", "wide"], ["z"]),
]
graph = helper.make_graph(
    nodes,
    "channels",
    [helper.make_tensor_value_info("x", TensorProto.FLOAT, [8, 32])],
    [helper.make_tensor_value_info(n, TensorProto.FLOAT, [8, columns]) for n in "yz"],
    [numpy_helper.from_array(np.array(value), name) for name, value in constants.items()],
)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
onnx.save(model, sys.argv[1])
