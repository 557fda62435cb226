# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs that are built op by op, and their partitions."""

import threading

import gc_compiler
import numpy as np
import pytest
from conftest import matmul_tolerance, normal
from gc_compiler import GraphBuilder


def make_layer(rows=4, inner=6, columns=5):
    graph = GraphBuilder()
    x = graph.tensor("f32", (rows, inner), name="x")
    w = graph.tensor("f32", (inner, columns), name="w", constant=True)
    return graph, graph.op("ReLU", graph.op("MatMul", x, w))


def test_a_layer(rng):
    graph, y = make_layer()
    (layer,) = graph.partitions()
    assert layer.is_supported and layer.ops == ("MatMul", "ReLU")
    assert [t.name for t in layer.inputs] == ["x", "w"]
    assert layer.outputs == (y,) and y.shape is None
    with pytest.raises(RuntimeError, match="not compiled"):
        layer(None, None)
    layer.compile()
    assert y.shape == (4, 5) and y.strides == (5, 1)
    x, w = normal(rng, 4, 6), normal(rng, 6, 5)
    exact = np.maximum(x.astype(np.float64) @ w, 0)
    out = np.empty((4, 5), np.float32)
    for result in (layer(x, w), layer(w=w, x=x), layer(x, w, out=out)):
        assert np.all(np.abs(result - exact) <= matmul_tolerance(6) * (np.abs(x) @ np.abs(w)))
    assert layer(x, w, out=out) is out


def test_partitions_around_a_wildcard(rng):
    graph = GraphBuilder()
    x = graph.tensor("f32", (3, 4), name="x")
    a = graph.op("Exp", x)
    b = graph.op("Wildcard", a, dtype="f32")
    c = graph.op("Add", a, b)
    graph.end(a)
    parts = graph.partitions()
    assert [p.ops for p in parts if p.is_supported] == [("Exp",), ("Add",)]
    assert sorted(p.ops for p in parts if not p.is_supported) == [("End",), ("Wildcard",)]
    exp, add = (p for p in parts if p.is_supported)
    exp.compile()
    with pytest.raises(ValueError, match="is not known yet"):
        add.compile()
    wildcard = next(p for p in parts if p.ops == ("Wildcard",))
    with pytest.raises(gc_compiler.Error, match="not supported"):
        wildcard.compile()
    values = normal(rng, 3, 4)
    np.testing.assert_allclose(exp(values), np.exp(values), rtol=1e-5)
    assert len(graph.partitions("debug")) == 4
    del b, c


def test_attributes_and_several_outputs(rng):
    graph = GraphBuilder()
    x = graph.tensor("f32", (8, 16), name="x")
    scale, shift = (graph.tensor("f32", (16,), name=n) for n in ("scale", "shift"))
    y, mean, variance = graph.op(
        "LayerNorm", x, scale, shift, outputs=3, keep_stats=True, epsilon=1e-5
    )
    t = graph.op("StaticTranspose", y, order=[1, 0])
    s = graph.op("ReduceSum", t, axes=(0,), keep_dims=False)
    q = graph.op("Quantize", s, dtype="s8", scales=[0.5], zps=[0], qtype="per_tensor")
    (part,) = graph.partitions()
    part.compile()
    assert {t.name for t in part.outputs} >= {mean.name, variance.name, q.name}
    values = normal(rng, 8, 16)
    results = dict(zip([t.name for t in part.outputs], part(values, np.ones(16, np.float32), np.zeros(16, np.float32))))
    np.testing.assert_allclose(results[mean.name].ravel(), values.mean(1), atol=1e-5)
    assert results[q.name].dtype == np.int8 and results[q.name].shape == (8,)


def test_strided_inputs(rng):
    graph = GraphBuilder()
    x = graph.tensor("f32", (4, 6), name="x", strides=(1, 4))
    graph.op("Square", x)
    (part,) = graph.partitions()
    part.compile()
    values = np.asfortranarray(normal(rng, 4, 6))
    np.testing.assert_allclose(part(values), values**2, rtol=1e-6)
    with pytest.raises(ValueError, match="strides are"):
        part(np.ascontiguousarray(values))


def test_threads(rng):
    graph, _ = make_layer(64, 32, 48)
    (layer,) = graph.partitions()
    layer.compile()
    x, w = normal(rng, 64, 32), normal(rng, 32, 48)
    expected = layer(x, w)
    wrong = []

    def work():
        for _ in range(20):
            if not np.allclose(layer(x, w), expected, rtol=1e-5, atol=1e-5):
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_refusals():
    graph = GraphBuilder()
    x = graph.tensor("f32", (2, 3), name="x")
    with pytest.raises(ValueError, match="no op 'Matmul'"):
        graph.op("Matmul", x, x)
    with pytest.raises(gc_compiler.Error, match="MatMul"):
        graph.op("MatMul", x)
    with pytest.raises(TypeError, match="no attribute 'axe'"):
        graph.op("SoftMax", x, axe=1)
    with pytest.raises(TypeError, match="axis is a number"):
        graph.op("SoftMax", x, axis=[1])
    with pytest.raises(TypeError, match="of its graph"):
        graph.op("ReLU", GraphBuilder().tensor("f32", (2,)))
    with pytest.raises(ValueError, match="two tensors named 'x'"):
        graph.tensor("f32", (2,), name="x")
    with pytest.raises(ValueError, match="dtype is one of"):
        graph.tensor("float32")
    with pytest.raises(ValueError, match="negative"):
        graph.tensor("f32", (-1,))
    with pytest.raises(ValueError, match="policy"):
        graph.partitions("max")
    graph.op("ReLU", x)
    (part,) = graph.partitions()
    with pytest.raises(gc_compiler.Error):
        graph.op("ReLU", x)
    part.compile()
    good = np.zeros((2, 3), np.float32)
    with pytest.raises(TypeError, match="dtype is float64"):
        part(good.astype(np.float64))
    with pytest.raises(ValueError, match="shape is"):
        part(good[:1])
    with pytest.raises(TypeError, match="missing"):
        part()
    with pytest.raises(TypeError, match="no input 'y'"):
        part(good, y=good)
    with pytest.raises(TypeError, match="not an array"):
        part([1.0])
    good.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        part(np.zeros((2, 3), np.float32), out=good)


def test_shapes_that_do_not_fit():
    graph = GraphBuilder()
    x = graph.tensor("f32", (2, 3), name="x")
    graph.op("MatMul", x, x)
    (part,) = graph.partitions()
    with pytest.raises(gc_compiler.Error, match="MatMul|matmul"):
        part.compile()
