# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Writes models that cannot be imported, one file per reason.

    bad.py FOLDER
"""

import pathlib
import sys

from onnx import TensorProto, helper

folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
FLOAT = TensorProto.FLOAT


def write(name, nodes, initializers=(), shape=(2, 3), opset=13, element=FLOAT):
    graph = helper.make_graph(
        nodes,
        "bad",
        [helper.make_tensor_value_info("x", element, shape)],
        [helper.make_tensor_value_info("y", FLOAT, None)],
        list(initializers),
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
    (folder / (name + ".onnx")).write_bytes(model.SerializeToString())


def tensor(name, dims, data, element=FLOAT):
    value = TensorProto()
    value.name, value.data_type, value.raw_data = name, element, data
    value.dims.extend(dims)
    return value


def external(name, **entries):
    value = tensor("w", [2, 3], b"")
    value.ClearField("raw_data")
    value.data_location = TensorProto.EXTERNAL
    for key, text in entries.items():
        entry = value.external_data.add()
        entry.key, entry.value = key, text
    write(name, [add], [value])


relu = helper.make_node("Relu", ["x"], ["y"], "act")
add = helper.make_node("Add", ["x", "w"], ["y"], "sum")
write("opset", [relu], opset=0)
write("newer", [relu], opset=25)
write(
    "unknown",
    [
        helper.make_node("TopK", ["x", "k"], ["v", "i"]),
        helper.make_node("BeamSearch", ["v"], ["y"], domain="com.microsoft"),
        helper.make_node("TopK", ["x", "k"], ["w", "j"]),
    ],
)
write("open", [relu], shape=("batch", 3))
write("unnamed", [relu], shape=(None, 3))
write("element", [relu], element=TensorProto.STRING)
write("short", [add], [tensor("w", [2, 3], b"\0" * 20)])
write("huge", [add], [tensor("w", [1 << 40, 1 << 40], b"")])
write("claimed", [add], [tensor("w", [1 << 30], b"\0" * 4)])
write("negative", [add], [tensor("w", [-1], b"")])
write("twice", [relu, relu])
write("undefined", [helper.make_node("Relu", ["z"], ["y"])])
write("shapes", [add], [tensor("w", [5], b"\0" * 20)])
write("attribute", [helper.make_node("Relu", ["x"], ["y"], "act", alpha=2.0)])
write("type", [helper.make_node("Elu", ["x"], ["y"], "act", alpha=2)])
pool = helper.make_node("MaxPool", ["x"], ["y"], "pool")
write("pool", [pool], shape=(1, 2, 8, 8))
write("wide", [add], [tensor("w", [1], b"\0\0\0\0\1\0\0\0", TensorProto.INT64)])


def ints(name, *values):
    return helper.make_tensor(name, TensorProto.INT64, [len(values)], values)


one, zero = ints("one", 1), ints("zero", 0)
write("step", [helper.make_node("Slice", ["x", "zero", "one", "zero", "zero"], ["y"])],
      [one, zero])
write("pads", [helper.make_node("Pad", ["x", "w"], ["y"])], [ints("w", 0, -4, 0, 0)])
write("index", [helper.make_node("Gather", ["x", "w"], ["y"])], [ints("w", 0, 2)])
write("pieces", [helper.make_node("Split", ["x", "w"], ["y", "z"])], [ints("w", 1, 2)])
write("expand", [helper.make_node("Expand", ["x", "w"], ["y"])], [ints("w", 5, 3)])
write("tile", [helper.make_node("Tile", ["x", "w"], ["y"])], [ints("w", 1 << 40, 1)])
write("large", [helper.make_node("ConstantOfShape", ["w"], ["y"])],
      [ints("w", 1 << 30, 1 << 30)])
write("range", [helper.make_node("Range", ["zero", "w", "one"], ["y"])],
      [one, zero, ints("w", 1 << 40)])
write("many", [helper.make_node("ArgMax", ["x"], ["y"], axis=1)], shape=(2, 1 << 27))
write("mask", [helper.make_node("Trilu", ["x"], ["y"])], opset=14, shape=(1 << 14, 1 << 14))
write("resize", [helper.make_node("Resize", ["x", "", "", "w"], ["y"])],
      [ints("w", 2, 0)])
write("minuend", [helper.make_node("Sub", ["one"], ["z"]), helper.make_node("Add", ["x", "z"], ["y"])],
      [one])
write("quotient", [helper.make_node("Mod", ["one", "zero"], ["z"]),
                   helper.make_node("Add", ["x", "z"], ["y"])], [one, zero])
write("infinite", [helper.make_node("IsInf", ["x"], ["y"])], element=TensorProto.INT32)
write("places", [helper.make_node("ScatterND", ["x", "w", "u"], ["y"])],
      [helper.make_tensor("w", TensorProto.INT64, [1, 1], [0]), tensor("u", [1], b"\0\0\0\0")],
      shape=((1 << 31) - 1,))
branch = helper.make_graph([], "b", [], [])
write("branch", [helper.make_node("Cast", ["x"], ["c"], to=TensorProto.BOOL),
                 helper.make_node("If", ["c"], ["y"], then_branch=branch,
                                  else_branch=branch)], shape=())
again = helper.make_function(
    "local", "f", ["a"], ["b"], [helper.make_node("f", ["a"], ["b"], domain="local")],
    [helper.make_opsetid("local", 1)])
graph = helper.make_graph(
    [helper.make_node("f", ["x"], ["y"], domain="local")], "g",
    [helper.make_tensor_value_info("x", FLOAT, [1])],
    [helper.make_tensor_value_info("y", FLOAT, None)])
model = helper.make_model(
    graph, opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("local", 1)],
    functions=[again])
(folder / "endless.onnx").write_bytes(model.SerializeToString())
(folder / "model.bin").write_bytes(b"\0" * 24)
(folder.parent / "secret.bin").write_bytes(b"\0" * 24)
if not (folder / "link.bin").exists():
    (folder / "link.bin").symlink_to(folder.parent / "secret.bin")
external("dots", location="../secret.bin")
external("absolute", location="/etc/passwd")
external("link", location="link.bin")
external("absent", location="absent.bin")
external("beyond", location="model.bin", offset="8", length="24")
external("wraps", location="model.bin", offset=str(2**64 - 8), length="24")
external("length", location="model.bin", length="20")
external("number", location="model.bin", offset="-1")
(folder / "text.onnx").write_text("not a model")
(folder / "empty.onnx").write_bytes(b"")
