# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Runs the parts of a model with gc-runner and the nodes outside with numpy, and
compares the outputs.

    run-parts.py MODEL.onnx PARTS.mlir DATA

DATA has the inputs and the expected outputs.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np
import onnx
from onnx import numpy_helper


def einsum(node, x):
    return [np.einsum(node.attribute[0].s.decode(), x)]


def top_k(node, x, k):
    places = np.argsort(-x, axis=-1)[..., : int(k[0])]
    return [np.take_along_axis(x, places, -1), places]


# Shape and Gather are folded, for nodes outside too.
OUTSIDE = {
    "Einsum": einsum,
    "Gather": lambda node, x, places: [x[places]],
    "Shape": lambda node, x: [np.array(x.shape)],
    "TopK": top_k,
}

model = onnx.load(sys.argv[1])
parts = pathlib.Path(sys.argv[2])
data = pathlib.Path(sys.argv[3])
graph = model.graph
tensors = {value.name: np.load(data / f"{value.name}.npy") for value in graph.input}
for constant in graph.initializer:
    tensors[constant.name] = numpy_helper.to_array(constant)
makers = {name: node for node in graph.node for name in node.output}


def get(name):
    """A tensor that a part before has, or nodes outside compute."""
    if name not in tensors:
        node = makers[name]
        results = OUTSIDE[node.op_type](node, *map(get, node.input))
        tensors.update(zip(node.output, results))
    return tensors[name]


def names(text):
    return re.findall(r'graph\.name = "([^"]*)"', text)


text = parts.read_text()
for part, arguments, results in re.findall(
    r"func\.func @(part\d+)\((.*)\) -> (.*) {", text
):
    with tempfile.TemporaryDirectory() as folder:
        command = ["gc-runner", parts, f"--entry={part}", "--threads=1"]
        for i, name in enumerate(names(arguments)):
            np.save(f"{folder}/{i}.npy", get(name))
            command.append(f"--input={name}={folder}/{i}.npy")
        subprocess.run([*command, f"--output-dir={folder}"], check=True)
        for name in names(results):
            tensors[name] = np.load(f"{folder}/{name}.npy")
    print(f"{part}: {', '.join(names(arguments))} -> {', '.join(names(results))}")
for output in graph.output:
    np.testing.assert_allclose(
        get(output.name), np.load(data / f"{output.name}.npy"), rtol=1e-5, atol=1e-4
    )
print("equal")
