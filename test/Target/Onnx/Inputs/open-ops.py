# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Operators whose batch, and more, is open. Each model is run with sizes that are given
at run time, and imported with these sizes: the bits must be equal.

    open-ops.py FOLDER [--filter=RE]   runs the models
    open-ops.py FOLDER --refused       prints the errors of those that are not supported
"""

import argparse
import pathlib
import re
import subprocess
import sys

import numpy as np
import onnx
from onnx import helper, numpy_helper

MS = "com.microsoft"
random = np.random.default_rng(7)
MOST = {"b": 4, "t": 8, "past": 8}
SIZES = {"b": (1, 3), "t": (1, 5), "past": (1, 6)}
cases, refused = [], []


def draw(*shape):
    return random.standard_normal(shape).astype(np.float32)


def ints(*values):
    return np.array(values, np.int64)


def case(name, op, inputs, results=1, domain="", opset=23, to=cases, **attrs):
    """`inputs` are shapes, arrays, or None. A shape that starts with np.int32 is of that type:
    its elements are 0 and 1."""
    nodes, known, values, names = [], [], [], []
    for i, value in enumerate(inputs):
        names.append("" if value is None else f"x{i}")
        if isinstance(value, np.ndarray):
            known.append(numpy_helper.from_array(value, names[i]))
        elif value is not None:
            element = onnx.TensorProto.FLOAT
            if value and not isinstance(value[0], (int, str)):
                element, value = onnx.TensorProto.INT32, value[1:]
            values.append(helper.make_tensor_value_info(names[i], element, value))
    outputs = [f"y{i}" for i in range(results)]
    nodes = op(names, outputs) if callable(op) else [
        helper.make_node(op, names, outputs, name=name, domain=domain, **attrs)]
    graph = helper.make_graph(
        nodes, "g", values,
        [helper.make_tensor_value_info(y, onnx.TensorProto.UNDEFINED, None) for y in outputs],
        known)
    opsets = [helper.make_opsetid("", opset), helper.make_opsetid(MS, 1)]
    to.append((name, helper.make_model(graph, opset_imports=opsets)))


def recurrent(op, gates, hidden=8, inputs=6, directions=1):
    return [draw(directions, gates * hidden, inputs), draw(directions, gates * hidden, hidden),
            draw(directions, 2 * gates * hidden)]


for op, gates, states in (("LSTM", 4, 2), ("GRU", 3, 1), ("RNN", 1, 1)):
    plain, both = recurrent(op, gates), recurrent(op, gates, directions=2)
    case(op, op, [(5, "b", 6)] + plain, 1 + states, opset=22, hidden_size=8)
    case(op + "-state", op, [(5, "b", 6)] + plain + [None] + [(1, "b", 8)] * states,
         1 + states, opset=22, hidden_size=8)
    case(op + "-both", op, [(3, "b", 6)] + both, 1 + states, opset=22, hidden_size=8,
         direction="bidirectional")
    case(op + "-first", op, [("b", 3, 6)] + plain + [None] + [("b", 1, 8)] * states,
         1 + states, opset=22, hidden_size=8, layout=1)
    case(op + "-time", op, [("t", 2, 6)] + plain, 1 + states, opset=22, to=refused, hidden_size=8)
case("GRU-reset", "GRU", [(4, "b", 6)] + recurrent("GRU", 3), 2, opset=22, hidden_size=8,
     linear_before_reset=1)

for keeps in (0, 1):
    case(f"ArgMax-{keeps}", "ArgMax", [("b", 5, 7)], opset=13, axis=1, keepdims=keeps)
case("ArgMin", "ArgMin", [("b", "t", 7)], opset=13, axis=-1, select_last_index=1)
case("ArgMax-open", "ArgMax", [("b", 5)], opset=13, to=refused, axis=0)
case("Hardmax", "Hardmax", [("b", "t", 7)], opset=13)
case("Hardmax-flat", "Hardmax", [("b", "t", 3, 5)], opset=11, axis=2)
case("Hardmax-open", "Hardmax", [("b", 2, 5)], opset=13, to=refused, axis=0)
case("OneHot", "OneHot", [(np.int32, "b", 3), ints(6), np.array([0, 1], np.float32)], opset=11)

case("Tile", "Tile", [("b", 3, 4), ints(1, 2, 3)], opset=13)
case("Tile-batch", "Tile", [("b", 3), ints(2, 1)], opset=13)
case("Tile-two", "Tile", [("b", "t", 4), ints(1, 1, 3)], opset=13)
case("Tile-none", "Tile", [("b", 3), ints(1, 0)], opset=13, to=refused)
case("Trilu", "Trilu", [("b", 4, 5)], opset=14, upper=0)
case("Trilu-open", "Trilu", [(2, "t", "t")], opset=14, to=refused)
case("Pad", "Pad", [("b", 3, 4), ints(0, 1, 0, 0, 2, 1)], opset=13)
case("Pad-reflect", "Pad", [("b", 3, 4), ints(0, 1, 0, 0, 2, 1)], opset=13, mode="reflect")
case("Pad-open", "Pad", [("b", 3), ints(1, 0, 0, 0)], opset=13, to=refused)
case("DepthToSpace", "DepthToSpace", [("b", 8, 2, 3)], opset=13, blocksize=2)
case("DepthToSpace-open", "DepthToSpace", [("b", 8, "t", "past")], opset=13, blocksize=2,
     mode="CRD")
case("SpaceToDepth", "SpaceToDepth", [("b", 2, 4, 6)], opset=13, blocksize=2)
case("SpaceToDepth-open", "SpaceToDepth", [("b", 2, "t", 6)], opset=13, to=refused, blocksize=2)

scales = np.array([1, 1, 2, 1.5], np.float32)
for mode in ("nearest", "linear", "cubic"):
    case("Resize-" + mode, "Resize", [("b", 2, 4, 6), None, scales], opset=13, mode=mode)
case("Resize-sizes", "Resize", [("b", 2, 4, 6), None, None, ints(2, 2, 7, 5)], opset=18,
     to=refused)
case("Resize-axes", "Resize", [("b", 2, 4, 6), None, None, ints(7, 5)], opset=18, axes=[2, 3])
case("Resize-open", "Resize", [("b", 2, "t"), None, np.array([1, 1, 2], np.float32)], opset=13,
     to=refused)
case("Upsample", "Upsample", [("b", 2, 3, 3), np.array([1, 1, 2, 2], np.float32)], opset=9)


def resize_to_shape(x, y):
    return [helper.make_node("Shape", x[:1], ["s"], start=0, end=2),
            helper.make_node("Concat", ["s", x[1]], ["sizes"], axis=0),
            helper.make_node("Resize", [x[0], "", "", "sizes"], y, name="resize")]


case("Resize-shape", resize_to_shape, [("b", 2, 4, 6), ints(8, 9)], opset=18)

heads = dict(q_num_heads=4, kv_num_heads=2)
qkv = [("b", 3, 32), ("b", 6, 16), ("b", 6, 16)]
case("Attention", "Attention", qkv, **heads)
case("Attention-4d", "Attention", [("b", 4, "t", 8), ("b", 4, "past", 8), ("b", 4, "past", 8)])
case("Attention-causal", "Attention", qkv, is_causal=1, softcap=2.0, **heads)
case("Attention-mask", "Attention", qkv + [("b", 1, 3, 6)], **heads)
case("Attention-heads-mask", "Attention", qkv + [("b", 4, 3, 6)], **heads)
case("Attention-past", "Attention",
     [("b", 1, 32), ("b", 1, 16), ("b", 1, 16), None, ("b", 2, "past", 8), ("b", 2, "past", 8)], 3,
     is_causal=1, **heads)
case("Attention-causal-open", "Attention", [("b", "t", 32), ("b", "t", 16), ("b", "t", 16)],
     to=refused, is_causal=1, **heads)
case("Attention-keys", "Attention", [("b", 3, 32), ("b", "t", 16), ("b", "past", 16)], to=refused,
     **heads)
case("MultiHeadAttention", "MultiHeadAttention",
     [("b", 3, 32), ("b", 5, 32), ("b", 5, 32), draw(96), (np.int32, "b", 5)], domain=MS,
     num_heads=4)
case("MultiHeadAttention-past", "MultiHeadAttention",
     [("b", 1, 32), ("b", 1, 32), ("b", 1, 32), None, None, None, ("b", 4, "past", 8),
      ("b", 4, "past", 8)], 3, domain=MS, num_heads=4, unidirectional=1)
case("MultiHeadAttention-open", "MultiHeadAttention", [("b", "t", 32)] * 3, domain=MS,
     num_heads=4)
groups = dict(domain=MS, num_heads=4, kv_num_heads=2)
total = np.array(3, np.int32)
case("GroupQueryAttention", "GroupQueryAttention",
     [("b", 3, 32), ("b", 3, 16), ("b", 3, 16), None, None, (np.int32, "b"), total], 3, **groups)
case("GroupQueryAttention-packed", "GroupQueryAttention",
     [("b", 3, 64), None, None, None, None, (np.int32, "b"), total, draw(8, 4), draw(8, 4)],
     do_rotary=1, rotary_interleaved=1, local_window_size=2, **groups)
case("GroupQueryAttention-past", "GroupQueryAttention",
     [("b", 1, 32), ("b", 1, 16), ("b", 1, 16), ("b", 2, "past", 8), ("b", 2, "past", 8),
      (np.int32, "b"), total], 3, to=refused, **groups)
case("GroupQueryAttention-lengths", "GroupQueryAttention",
     [("b", 1, 32), ("b", 1, 16), ("b", 1, 16), ("b", 2, 4, 8), ("b", 2, 4, 8), (np.int32, "b"),
      total], 3, to=refused, **groups)
case("GroupQueryAttention-rows", "GroupQueryAttention",
     [("b", "t", 32), ("b", "t", 16), ("b", "t", 16), None, None, (np.int32, "b"), total], 3,
     to=refused, **groups)
for interleaved in (0, 1):
    case(f"RotaryEmbedding-{interleaved}", "RotaryEmbedding",
         [("b", 3, "t", 8), draw(9, 4), draw(9, 4), (np.int32, "b", "t")], interleaved=interleaved)
case("RotaryEmbedding-flat", "RotaryEmbedding",
     [("b", "t", 32), (np.int32, "b", "t"), draw(9, 4), draw(9, 4)], domain=MS, num_heads=4)
case("RotaryEmbedding-angles", "RotaryEmbedding",
     [("b", 3, "t", 8), ("b", "t", 4), ("b", "t", 4)])
case("RotaryEmbedding-first", "RotaryEmbedding",
     [("b", "t", 32), ints(0), draw(9, 4), draw(9, 4)], domain=MS, to=refused, num_heads=4)


def flatten_and_restore(x, y):
    return [helper.make_node("Reshape", [x[0], x[1]], ["flat"]),
            helper.make_node("MatMul", ["flat", x[2]], ["product"]),
            helper.make_node("Shape", [x[0]], ["s"], start=0, end=2),
            helper.make_node("Concat", ["s", x[1]], ["sizes"], axis=0),
            helper.make_node("Reshape", ["product", "sizes"], y, name="restore")]


case("Reshape-restore", flatten_and_restore, [("b", "t", 16), ints(-1, 16), draw(16, 16)],
     opset=18)


def restore_other(x, y):
    return [helper.make_node("Shape", [x[1]], ["s"]),
            helper.make_node("Concat", ["s", x[2]], ["sizes"], axis=0),
            helper.make_node("Reshape", [x[0], "sizes"], y, name="restore")]


case("Reshape-other", restore_other, [("past", 16), ("b", "t"), ints(16)], opset=18, to=refused)


def run(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}")


def get_dims(model):
    return sorted({d.dim_param for x in model.graph.input for d in x.type.tensor_type.shape.dim}
                  - {""})


def compare(name, model, folder):
    file = folder / f"{name}.onnx"
    onnx.save(model, file)
    dims = get_dims(model)
    opened = [f"--dim={dim}=1..{MOST[dim]}" for dim in dims]
    for pick in (0, 1):
        size = {dim: SIZES[dim][pick] for dim in dims}
        inputs = []
        for x in model.graph.input:
            if x.type.tensor_type.elem_type == onnx.TensorProto.FLOAT:
                continue
            shape = [size.get(d.dim_param, d.dim_value) for d in x.type.tensor_type.shape.dim]
            path = folder / f"{x.name}.npy"
            np.save(path, random.integers(0, 2, shape).astype(np.int32))
            inputs.append(f"--input={x.name}={path}")
        common = ["gc-runner", str(file), "--threads=2", *inputs]
        run(*common, "--check", f"--output-dir={folder / 'open'}", *opened,
            *(f"--size={dim}={n}" for dim, n in size.items()))
        run(*common, f"--output-dir={folder / 'fixed'}",
            *(f"--dim={dim}={n}" for dim, n in size.items()))
        for i in range(len(model.graph.output)):
            a, b = ((folder / kind / f"result{i}.npy").read_bytes() for kind in ("open", "fixed"))
            if a != b:
                sys.exit(f"{name}: result {i} differs for {size}")
    print(name)


parser = argparse.ArgumentParser()
parser.add_argument("folder", type=pathlib.Path)
parser.add_argument("--filter", default="")
parser.add_argument("--refused", action="store_true")
options = parser.parse_args()
options.folder.mkdir(parents=True, exist_ok=True)
for name, model in refused if options.refused else cases:
    if not re.search(options.filter, name):
        continue
    if not options.refused:
        compare(name, model, options.folder)
        continue
    file = options.folder / f"{name}.onnx"
    onnx.save(model, file)
    dims = [f"--dim={dim}=1..{MOST[dim]}" for dim in get_dims(model)]
    done = subprocess.run(["gc-translate", "--import-onnx", *dims, file], stderr=subprocess.PIPE,
                          stdout=subprocess.DEVNULL, text=True)
    errors = [line for line in done.stderr.splitlines() if "error:" in line]
    if done.returncode == 0 or len(errors) != 1:
        sys.exit(f"{name}: exit code {done.returncode}, {done.stderr}")
    print(errors[0].replace(str(options.folder), ""))
