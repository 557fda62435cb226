# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ONNX models, and what they leave open."""

import gc_compiler
import numpy as np
import pytest

onnx = pytest.importorskip("onnx")
numpy_helper = pytest.importorskip("onnx.numpy_helper")


@pytest.fixture
def model(tmp_path):
    """y = relu(reshape(x, shape) w), with an open batch."""
    helper, proto = onnx.helper, onnx.TensorProto
    w = np.arange(12, dtype=np.float32).reshape(4, 3) - 5
    graph = helper.make_graph(
        [
            helper.make_node("Reshape", ["x", "shape"], ["r"]),
            helper.make_node("MatMul", ["r", "w"], ["p"]),
            helper.make_node("Relu", ["p"], ["y"]),
        ],
        "open",
        [
            helper.make_tensor_value_info("x", proto.FLOAT, ["batch", 2, 2]),
            helper.make_tensor_value_info("shape", proto.INT64, [2]),
        ],
        [helper.make_tensor_value_info("y", proto.FLOAT, None)],
        [numpy_helper.from_array(w, "w")],
    )
    path = tmp_path / "open.onnx"
    opset = helper.make_opsetid("", 13)
    onnx.save(helper.make_model(graph, opset_imports=[opset]), str(path))
    return path, w


@pytest.mark.parametrize("how", [{"dims": {"batch": 5}}, {"shapes": {"x": (5, 2, 2)}}])
def test_open_model(model, how):
    path, w = model
    run = gc_compiler.compile(path, values={"shape": [-1, 4]}, threads=1, **how)
    assert [info.name for info in run.inputs] == ["x"]
    x = np.linspace(-1, 1, 20, dtype=np.float32).reshape(5, 2, 2)
    expected = np.maximum(x.reshape(5, 4) @ w, 0)
    np.testing.assert_allclose(run(x), expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    "how, message",
    [
        ({}, "the size of dimension 'batch' is open; --dim gives it one"),
        ({"dims": {"batch": 5}}, "operand 1 is not a list of integers known"),
        ({"dims": {"batch": -5}}, "'batch=-5' is not NAME=SIZE"),
        ({"dims": {"batch": 5}, "values": {"shape": [1]}}, "does not have its shape"),
    ],
)
def test_bad_settings(model, how, message):
    with pytest.raises(gc_compiler.Error, match=message):
        gc_compiler.compile(model[0], **how)


def test_settings_of_text():
    with pytest.raises(ValueError, match="those of ONNX files"):
        gc_compiler.compile("module {}", dims={"batch": 1})
    with pytest.raises(gc_compiler.Error, match="only ONNX models"):
        gc_compiler.compile("layer.mlir", dims={"batch": 1})


def test_range(model):
    """A dimension that each call chooses; the reshape has the size that is left."""
    path, w = model
    net = gc_compiler.compile(
        path, threads=2, dims={"batch": (2, 9)}, values={"shape": (-1, 4)}
    )
    assert net.dims == {"batch": (2, 9)}
    for batch in (2, 5, 9):
        x = np.arange(batch * 4, dtype=np.float32).reshape(batch, 2, 2) - 7
        fixed = gc_compiler.compile(
            path, threads=2, dims={"batch": batch}, values={"shape": (-1, 4)}
        )
        assert np.array_equal(net(x), fixed(x))
        assert np.array_equal(net(x), np.maximum(x.reshape(-1, 4) @ w, 0))
    with pytest.raises(ValueError, match="size 1 of 'batch' is not from 2 to 9"):
        net(np.zeros((1, 2, 2), np.float32))
    with pytest.raises(gc_compiler.Error, match="is not NAME=MIN..MAX"):
        gc_compiler.Graph(path, dims={"batch": (5, 4)})
