# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Writes a model of two layers, an input, and the output as numpy computes it.

    mlp.py FOLDER [--opset=N] [--external] [--open]

FOLDER gets mlp.onnx, x.npy and expected.npy; with --external, the weights are in
mlp.bin beside the model; with --open, the batch of 4 is a dimension with a name.
"""

import argparse
import pathlib

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

parser = argparse.ArgumentParser()
parser.add_argument("folder", type=pathlib.Path)
parser.add_argument("--opset", type=int, default=13)
parser.add_argument("--external", action="store_true")
parser.add_argument("--open", action="store_true")
options = parser.parse_args()
options.folder.mkdir(parents=True, exist_ok=True)

random = np.random.default_rng(1)


def draw(*shape):
    return random.standard_normal(shape).astype(np.float32)


x, w1, b1, w2, b2 = draw(4, 32), draw(48, 32), draw(48), draw(48, 16), draw(16)
batch = "batch" if options.open else 4
graph = helper.make_graph(
    [
        helper.make_node("Gemm", ["x", "w1", "b1"], ["h"], "fc1", transB=1),
        helper.make_node("Relu", ["h"], ["r"], "act"),
        helper.make_node("MatMul", ["r", "w2"], ["p"], "fc2"),
        helper.make_node("Add", ["p", "b2"], ["y"], "bias"),
    ],
    "mlp",
    [helper.make_tensor_value_info("x", TensorProto.FLOAT, [batch, 32])],
    [helper.make_tensor_value_info("y", TensorProto.FLOAT, [batch, 16])],
    [
        numpy_helper.from_array(value, name)
        for name, value in (("w1", w1), ("b1", b1), ("w2", w2), ("b2", b2))
    ],
)
model = helper.make_model(
    graph, opset_imports=[helper.make_opsetid("", options.opset)]
)
onnx.save(
    model,
    str(options.folder / "mlp.onnx"),
    save_as_external_data=options.external,
    location="mlp.bin",
    size_threshold=0,
)
np.save(options.folder / "x.npy", x)
np.save(
    options.folder / "expected.npy", np.maximum(x @ w1.T + b1, 0) @ w2 + b2
)
