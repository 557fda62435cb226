# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs with sizes that vary: the same bits as graphs of these sizes."""

import threading

import numpy as np
import pytest

import gc_compiler
from conftest import layer_text, tensor

LAYER = """func.func @layer(
    %x: tensor<?x48xf32> {graph.name = "x", graph.dims = ["batch", ""]},
    %w: tensor<48x40xf32> {graph.const_arg, graph.name = "w"},
    %b: tensor<40xf32> {graph.const_arg, graph.name = "b"})
    -> (tensor<?x40xf32> {graph.name = "y"})
    attributes {graph.dim_bounds = {batch = [1, 64]}} {
  %0 = graph.matmul %x, %w, %b : (tensor<?x48xf32>, tensor<48x40xf32>, tensor<40xf32>) -> tensor<?x40xf32>
  %1 = graph.relu %0 : (tensor<?x40xf32>) -> tensor<?x40xf32>
  return %1 : tensor<?x40xf32>
}
"""
CACHE = """func.func @append(
    %past: tensor<2x?x4xf32> {graph.name = "past", graph.dims = ["", "past", ""]},
    %new: tensor<2x1x4xf32> {graph.name = "new"},
    %mask: tensor<2x?x1xf32> {graph.name = "mask", graph.dims = ["", "past + 1", ""]})
    -> (tensor<2x?x4xf32> {graph.name = "all"})
    attributes {graph.dim_bounds = {past = [2, 9]}} {
  %0 = graph.concat %past, %new {axis = 1 : i64} : (tensor<2x?x4xf32>, tensor<2x1x4xf32>) -> tensor<2x?x4xf32>
  %1 = graph.multiply %0, %mask : (tensor<2x?x4xf32>, tensor<2x?x1xf32>) -> tensor<2x?x4xf32>
  return %1 : tensor<2x?x4xf32>
}
"""


def draw(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


W, B = draw(48, 40, seed=1), draw(40, seed=2)


def compile_static(batch):
    return gc_compiler.compile(layer_text(batch, 48, 40), threads=2)


def test_same_bits():
    layer = gc_compiler.compile(LAYER, threads=2)
    assert layer.dims == {"batch": (1, 64)}
    assert layer.inputs[0].shape == (None, 48)
    assert layer.inputs[0].strides == (48, 1)
    assert layer.outputs[0].shape == (None, 40)
    assert layer.report["compilations"] == 0
    for batch in (1, 7, 64, 7, 1):
        x = draw(batch, 48, seed=batch)
        y = layer(x, W, B)
        assert y.shape == (batch, 40)
        assert np.array_equal(y, compile_static(batch)(x, W, B))
    assert layer.report["compilations"] == 3
    assert layer.report["sizes"] == 3
    out = np.zeros((7, 40), np.float32)
    x = draw(7, 48, seed=7)
    assert layer(x, W, B, out=out) is out
    assert np.array_equal(out, compile_static(7)(x, W, B))


def test_constants_are_shared():
    layer = gc_compiler.compile(LAYER, threads=2, options="kernel=vector")
    for batch in (16, 32, 48, 64):
        layer(draw(batch, 48), W, B)
    report = layer.report
    assert report["sizes"] == 4
    # Packed weights have the same bytes for several of these sizes.
    assert 0 < report["shared_constant_bytes"] < report["unshared_constant_bytes"]


def test_gaps_of_packed_constants_are_equal():
    # 80 columns do not fill the blocks of 32, nor 96 rows those of 64.
    text = LAYER.replace("48", "96").replace("40", "80")
    layer = gc_compiler.compile(text, threads=2, options="kernel=vector")
    layer.keep_versions(3)
    w, b = draw(96, 80, seed=1), draw(80, seed=2)
    once = None
    for version in (1, 2, 3):
        layer(draw(64, 96), w, b, version=version)
        once = once or layer.report["shared_constant_bytes"]
        assert layer.report["shared_constant_bytes"] == once


def test_stated_sizes_are_kept():
    text = LAYER.replace("tensor<?x40xf32>", "tensor<4x40xf32>")
    layer = gc_compiler.compile(text, threads=2)
    layer(draw(4, 48), W, B)
    with pytest.raises(gc_compiler.Error, match="has size 7 in dimension 0, its type says 4"):
        layer(draw(7, 48), W, B)


def test_empty_arrays_are_no_size():
    text = """func.func @add(%x: tensor<?x4xf32> {graph.dims = ["n", ""], graph.name = "x"},
                             %y: tensor<?x4xf32> {graph.dims = ["n", ""], graph.name = "y"})
        -> tensor<?x4xf32> attributes {graph.dim_bounds = {n = [1, 8]}} {
      %0 = graph.add %x, %y : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
      return %0 : tensor<?x4xf32>
    }"""
    add = gc_compiler.compile(text, threads=1)
    for x, y in (((0, 4), (4, 4)), ((4, 4), (0, 4)), ((0, 4), (0, 4))):
        with pytest.raises(ValueError):
            add(draw(*x), draw(*y))


def test_a_size_that_fails_takes_no_place():
    layer = gc_compiler.compile(LAYER.replace("tensor<?x40xf32>", "tensor<4x40xf32>"), threads=2)
    layer.keep_sizes(1)
    layer.prepare(batch=4)
    with pytest.raises(gc_compiler.Error):
        layer.prepare(batch=5)
    layer.prepare(batch=4)
    assert layer.report["sizes"] == 1
    assert layer.report["compilations"] == 1


def test_sizes_are_dropped():
    layer = gc_compiler.compile(LAYER, threads=2)
    layer.keep_sizes(2)
    expected = {}
    for batch in (1, 2, 3, 1):
        y = layer(draw(batch, 48, seed=batch), W, B)
        assert np.array_equal(expected.setdefault(batch, y), y)
    assert layer.report["sizes"] == 2
    assert layer.report["compilations"] == 4
    with pytest.raises(gc_compiler.Error, match="less than 1 size"):
        layer.keep_sizes(0)


def test_prepare():
    layer = gc_compiler.compile(LAYER, threads=2)
    layer.prepare(batch=16)
    assert layer.report["compilations"] == 1
    layer(draw(16, 48), W, B)
    assert layer.report["compilations"] == 1
    for size in (65, 0, -1, -(2**63)):
        with pytest.raises(gc_compiler.Error, match=f"size {size} of 'batch' is not from 1 to 64"):
            layer.prepare(batch=size)
    with pytest.raises(TypeError, match="the size 'batch' is missing"):
        layer.prepare()
    with pytest.raises(TypeError, match="there is no size 'rows'; there are batch"):
        layer.prepare(batch=1, rows=2)


@pytest.mark.parametrize(
    "arrays, error, message",
    [
        ((draw(65, 48), W, B), ValueError, "size 65 of 'batch' is not from 1 to 64"),
        ((draw(0, 48), W, B), ValueError, "size 0 of 'batch' is not from 1 to 64"),
        ((draw(48), W, B), ValueError, "input 0 'x' has 1 dimensions instead of 2"),
        ((draw(3, 47), W, B), ValueError, "input 0 'x' has size 47 in dimension 1 instead of 48"),
        ((draw(3, 48), W.T, B), ValueError, "input 1 'w' has size 40 in dimension 0 instead of 48"),
        ((draw(3, 48).astype("f8"), W, B), TypeError, "input 0 'x': dtype is float64"),
        ((draw(48, 3).T, W, B), ValueError, "input 0 'x': strides are"),
        (([[1.0] * 48], W, B), TypeError, "expected a numpy array"),
    ],
)
def test_wrong_arrays(arrays, error, message):
    layer = gc_compiler.compile(LAYER, threads=2)
    with pytest.raises(error, match=message):
        layer(*arrays)
    assert layer.report["compilations"] == 0


def test_wrong_outputs():
    layer = gc_compiler.compile(LAYER, threads=2)
    with pytest.raises(ValueError, match=r"output 0 'y': shape is \(4, 40\), the graph takes \(3, 40\)"):
        layer(draw(3, 48), W, B, out=np.zeros((4, 40), np.float32))
    with pytest.raises(ValueError, match="output 0 'y': its sizes vary"):
        layer.outputs[0].empty()


def test_sums_of_sizes():
    append = gc_compiler.compile(CACHE, threads=2)
    for past in (2, 5, 9):
        old, new, mask = draw(2, past, 4), draw(2, 1, 4, seed=1), draw(2, past + 1, 1)
        expected = np.concatenate([old, new], axis=1) * mask
        assert np.array_equal(append(old, new, mask), expected)
    with pytest.raises(
        ValueError,
        match="input 2 'mask' has size 5 in dimension 1 instead of 6, as 'past' of 'past' is 5",
    ):
        append(draw(2, 5, 4), draw(2, 1, 4), draw(2, 5, 1))


def test_new_constants():
    """Folded constants of one size do not outlive their arrays in another."""
    layer = gc_compiler.compile(LAYER, threads=2)
    fixed = {batch: compile_static(batch) for batch in (4, 8)}
    for step in range(6):
        w = draw(48, 40, seed=step)
        for batch in (4, 8) if step % 2 else (8,):
            x = draw(batch, 48)
            fixed[batch].invalidate()
            assert np.array_equal(layer(x, w, B), fixed[batch](x, w, B))
        del w
    w = draw(48, 40)
    x = draw(8, 48)
    layer(x, w, B)
    layer(x[:4].copy(), w, B)
    w *= 2
    layer.invalidate()
    for batch in (4, 8):
        fixed[batch].invalidate()
        assert np.array_equal(layer(x[:batch].copy(), w, B), fixed[batch](x[:batch].copy(), w, B))


def test_threads():
    layer = gc_compiler.compile(LAYER, threads=2)
    layer.keep_sizes(3)
    cases = {b: (draw(b, 48, seed=b),) for b in (1, 2, 3, 5, 8)}
    expected = {b: compile_static(b)(x, W, B) for b, (x,) in cases.items()}
    wrong = []

    def work(order):
        for _ in range(4):
            for batch in order:
                y = layer(cases[batch][0], W, B)
                if not np.array_equal(y, expected[batch]):
                    wrong.append(batch)

    workers = [
        threading.Thread(target=work, args=(order,))
        for order in ((1, 2, 3, 5, 8), (8, 5, 3, 2, 1), (3, 8, 1, 5, 2))
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not wrong


def test_emit_needs_a_size():
    graph = gc_compiler.Graph(LAYER)
    with pytest.raises(gc_compiler.Error, match="the sizes of @layer vary: batch from 1 to 64"):
        graph.emit("asm")
    with pytest.raises(gc_compiler.Error, match="the sizes of @layer vary: batch from 1 to 64"):
        graph.package("no-folder")


def test_broken_size():
    text = LAYER.replace("graph.relu %0 :", "graph.static_reshape %0 {shape = array<i64: -1, 80>, special_zero = true} :")
    text = text.replace("(tensor<?x40xf32>) -> tensor<?x40xf32>", "(tensor<?x40xf32>) -> tensor<?x80xf32>")
    text = text.replace("return %1 : tensor<?x40xf32>", "return %1 : tensor<?x80xf32>")
    text = text.replace("-> (tensor<?x40xf32>", "-> (tensor<?x80xf32>")
    layer = gc_compiler.compile(text, threads=2)
    assert layer(draw(4, 48), W, B).shape == (2, 80)
    with pytest.raises(gc_compiler.Error, match="'graph.static_reshape' op"):
        layer(draw(3, 48), W, B)
    assert layer(draw(4, 48), W, B).shape == (2, 80)


def test_fixed_graphs_have_no_dims():
    layer = compile_static(4)
    assert layer.dims == {}
    layer.prepare()
    assert tensor(4, 40) in layer.emit(after="import")
