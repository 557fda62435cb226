# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Wrong arguments, graphs and options: one clear exception each."""

import numpy as np
import pytest

import gc_compiler
from conftest import add_text, layer_text


@pytest.fixture(scope="module")
def layer():
    return gc_compiler.compile(layer_text(4, 8, 16))


@pytest.fixture
def arrays():
    return [
        np.zeros((4, 8), np.float32),
        np.zeros((8, 16), np.float32),
        np.zeros(16, np.float32),
    ]


def test_wrong_dtype(layer, arrays):
    message = "input 0 'x': dtype is float64, the graph takes float32"
    with pytest.raises(TypeError, match=message):
        layer(arrays[0].astype(np.float64), *arrays[1:])
    with pytest.raises(TypeError, match="dtype is >f4"):
        layer(arrays[0].astype(">f4"), *arrays[1:])
    # copy=True is about strides, not about values.
    with pytest.raises(TypeError, match=message):
        layer(arrays[0].astype(np.float64), *arrays[1:], copy=True)
    with pytest.raises(TypeError, match="output 0 'y': dtype is int32"):
        layer(*arrays, out=np.zeros((4, 16), np.int32))


def test_wrong_shape(layer, arrays):
    with pytest.raises(
        ValueError,
        match=r"input 1 'w': shape is \(16, 8\), the graph takes \(8, 16\)",
    ):
        layer(arrays[0], np.zeros((16, 8), np.float32), arrays[2])
    with pytest.raises(ValueError, match=r"shape is \(1, 16\), .* \(16,\)"):
        layer(arrays[0], arrays[1], arrays[2].reshape(1, 16))
    with pytest.raises(ValueError, match=r"output 0 'y': shape is \(4,\)"):
        layer(*arrays, out=np.zeros(4, np.float32))


def test_wrong_number(layer, arrays):
    with pytest.raises(TypeError, match="input 2 'b' is missing"):
        layer(*arrays[:2])
    with pytest.raises(TypeError, match="3 inputs .* 4 were given"):
        layer(*arrays, arrays[0])
    with pytest.raises(TypeError, match="input 0 'x' was given twice"):
        layer(*arrays, x=arrays[0])
    with pytest.raises(TypeError, match="no input 'z'; there are x, w, b"):
        layer(z=arrays[0])
    with pytest.raises(TypeError, match="no output 'z'; there are y"):
        layer(*arrays, out={"z": np.zeros((4, 16), np.float32)})
    with pytest.raises(TypeError, match="1 output, 2 were given"):
        layer(*arrays, out=[np.zeros((4, 16), np.float32)] * 2)


@pytest.mark.parametrize("value", [1, "x", [[0.0] * 8] * 4, object(), {}])
def test_no_array(layer, arrays, value):
    with pytest.raises(TypeError, match="input 0 'x': expected a numpy array, not"):
        layer(value, *arrays[1:])


def test_read_only_output(layer, arrays):
    y = np.zeros((4, 16), np.float32)
    y.flags.writeable = False
    with pytest.raises(ValueError, match="output 0 'y': the array is read-only"):
        layer(*arrays, out=y)
    # Inputs may be.
    arrays[0].flags.writeable = False
    assert layer(*arrays).shape == (4, 16)


def test_unaligned(layer, arrays):
    memory = np.zeros(4 * 8 * 4 + 1, np.uint8)
    x = memory[1:].view(np.float32).reshape(4, 8)
    with pytest.raises(ValueError, match="input 0 'x': the data is not aligned"):
        layer(x, *arrays[1:])
    assert np.all(layer(x, *arrays[1:], copy=True) == 0)


def test_negative_and_broadcast_strides(layer, arrays):
    with pytest.raises(ValueError, match="strides are"):
        layer(arrays[0][::-1], *arrays[1:])
    with pytest.raises(ValueError, match="strides are"):
        layer(np.broadcast_to(np.float32(1), (4, 8)), *arrays[1:])


def test_overlap():
    add = gc_compiler.compile(add_text((4, 8)))
    memory = np.zeros(64, np.float32)
    x, y = memory[:32].reshape(4, 8), memory[32:].reshape(4, 8)
    for out in (x, memory[16:48].reshape(4, 8)):
        with pytest.raises(ValueError, match="output 0 'result0' shares memory with"):
            add(x, y, out=out)
    # Inputs may be the same array.
    out = np.empty((4, 8), np.float32)
    assert add(x, x, out=out) is out


@pytest.mark.parametrize(
    "source, message",
    [
        ("func.func @f(\n", r"<text>:\d+:\d+: "),
        ("", "no function to run"),
        (b"\xff\xfe\x00", "<text>:1:1: "),
        ("\ud800\n", "<text>:1:1: "),
        ("ML\xefR\x0d\x01", "<text>"),
        (b"ML\xefR\x01\x02\x03", "<text>"),
        ("{", "malformed JSON"),
        ('{"graph": []}\n', "<text>:"),
        ("[" * 100000, "nested more than 256 levels deep"),
        ("{" * 100000, "nested more than"),
        ("no-such-file.mlir", "no-such-file.mlir: No such file"),
        ("model.onnx", "model.onnx: No such file"),
        (
            "func.func @f(%a: tensor<?xf32>) -> tensor<?xf32> { return %a : tensor<?xf32> }",
            "argument 0 of @f is not a ranked tensor of static shape",
        ),
    ],
)
def test_bad_graphs(source, message):
    with pytest.raises(gc_compiler.Error, match=message) as caught:
        gc_compiler.compile(source)
    assert caught.value.status == "invalid argument"
    assert isinstance(caught.value, RuntimeError)


@pytest.mark.parametrize("source", [None, 3, ["func.func"], object()])
def test_no_source(source):
    with pytest.raises(TypeError, match="a graph is a path or text"):
        gc_compiler.compile(source)


@pytest.mark.parametrize(
    "options, message",
    [
        ({"options": "kernel=none"}, "kernel=none: not one of auto"),
        ({"options": {"kernel": "none"}}, "kernel=none: not one of auto"),
        ({"options": "no-such-option=1"}, "no-such-option"),
        ({"options": "stop-after=graph"}, "phase 'graph' cannot be run"),
        ({"threads": -2}, "threads must be from 1 to 1024"),
        ({"threads": 100000}, "threads must be from 1 to 1024"),
        ({"entry": "other"}, "no function @other; there are @layer"),
        ({"cpu": "abacus"}, "unknown processor 'abacus'"),
        ({"features": "+beads"}, "unknown processor feature 'beads'"),
        ({"features": "+soft-float"}, "soft-float"),
        ({"machine": "cray1"}, "machine 'cray1': there is no such file"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(gc_compiler.Error, match=message):
        gc_compiler.compile(layer_text(4, 8, 16), **options)


@pytest.mark.parametrize("name", ["options", "entry", "cpu", "features", "machine", "name"])
def test_null_characters(name):
    with pytest.raises(ValueError, match=name + " has a null character"):
        gc_compiler.compile(layer_text(4, 8, 16), **{name: "a\0b"})


def test_null_character_in_path():
    with pytest.raises(ValueError, match="path has a null character"):
        gc_compiler.compile("graph\0.mlir")


def test_bad_choices(layer):
    with pytest.raises(ValueError, match="kind is one of mlir, llvm, asm, obj"):
        layer.emit("binary")
    with pytest.raises(ValueError, match="format is one of"):
        gc_compiler.compile("", format="tf")
    with pytest.raises(ValueError, match="dtype is one of"):
        gc_compiler.peak_gflops("f8")
    with pytest.raises(gc_compiler.Error, match="stop-after=never"):
        layer.emit(after="never")
