# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""x * (10 if n - 1 == NUMBER else 20), where x is n x 4.

  size-equals.py MODEL NUMBER
"""

import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

constants = {
    "zero": np.int64(0),
    "one": np.int64(1),
    "number": np.int64(int(sys.argv[2])),
    "ten": np.float32(10),
    "twenty": np.float32(20),
}
nodes = [
    helper.make_node("Shape", ["x"], ["shape"]),
    helper.make_node("Gather", ["shape", "zero"], ["n"], axis=0),
    helper.make_node("Sub", ["n", "one"], ["less"]),
    helper.make_node("Equal", ["less", "number"], ["equal"], "equals"),
    helper.make_node("Where", ["equal", "ten", "twenty"], ["factor"]),
    helper.make_node("Mul", ["x", "factor"], ["y"]),
]
graph = helper.make_graph(
    nodes,
    "equals",
    [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 4])],
    [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", 4])],
    [numpy_helper.from_array(np.array(value), name) for name, value in constants.items()],
)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
onnx.save(model, sys.argv[1])
