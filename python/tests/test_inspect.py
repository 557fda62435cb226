# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a compiled graph says about itself."""

import gc as garbage
import pathlib
import re
import weakref

import numpy as np
import pytest

import gc_compiler
from conftest import layer_text, tensor


@pytest.fixture(scope="module")
def layer():
    return gc_compiler.compile(layer_text(4, 8, 16), threads=2)


def test_inputs_and_outputs(layer):
    names = [(i.name, i.shape, i.strides, i.constant) for i in layer.inputs]
    assert names == [
        ("x", (4, 8), (8, 1), False),
        ("w", (8, 16), (16, 1), True),
        ("b", (16,), (1,), True),
    ]
    (y,) = layer.outputs
    assert y.name == "y" and y.dtype == np.float32 and y.dtype_name == "f32"
    assert y.nbytes == 4 * 16 * 4 and not y.constant
    empty = y.empty()
    assert empty.shape == (4, 16) and empty.ctypes.data % 64 == 0
    assert repr(layer) == (
        "<gc_compiler.Compiled (x: f32[4, 8], w: f32[8, 16], b: f32[16])"
        " -> (y: f32[4, 16])>"
    )
    assert repr(y) == "<output 0 'y': f32 (4, 16), strides (16, 1)>"


def test_report():
    layer = gc_compiler.compile(layer_text(4, 8, 16), threads=2)
    before = layer.report
    assert before["name"] == "layer" and before["threads"] == 2
    assert before["flops"] == 2 * 4 * 8 * 16
    assert before["compile_ms"] > 0 and before["arena_bytes"] >= 0
    assert before["fused_ops"] >= 1 and before["parallel_regions"] >= 1
    assert before["fold_ms"] is None and before["forks"] is None
    layer(*(np.zeros(i.shape, i.dtype) for i in layer.inputs))
    after = layer.report
    assert after["forks"] == 1


def test_emit(layer):
    assert "graph.matmul" in layer.emit(after="import")
    assert "graph.fused_op" in layer.emit("mlir", after="fusion")
    assert "tir.parallel" in layer.emit("mlir", after="tensor")
    assert "llvm.func @layer_compute" in layer.emit()
    assert "define" in layer.emit("llvm")
    assert "layer_compute:" in layer.emit("asm")
    code = layer.emit("obj")
    assert isinstance(code, bytes) and code.startswith(b"\x7fELF")
    # The options of the compilation hold.
    vector = gc_compiler.compile(layer_text(4, 8, 16), options="kernel=vector")
    assert "gc_brgemm_dispatch" not in vector.emit("asm")


def test_remarks():
    """The sum needs the second product, and that the first: no region can hold
    the first product and the sum without the second."""
    t = tensor(8, 8)
    text = f"""func.func @cycle(%x: {t}, %w: {t}) -> {t} {{
  %0 = graph.matmul %x, %w : ({t}, {t}) -> {t}
  %1 = graph.matmul %w, %0 : ({t}, {t}) -> {t}
  %2 = graph.add %0, %1 : ({t}, {t}) -> {t}
  return %2 : {t}
}}
"""
    cycle = gc_compiler.compile(text, name="cycle.mlir")
    found = [
        r
        for r in cycle.remarks
        if r.kind == "missed" and r.category == "graph-fuse" and r.name == "NotFused"
    ]
    assert found, cycle.remarks
    assert found[0].location == "cycle.mlir:4:8" and found[0].function == "cycle"
    assert "graph.add" in str(found[0]) and found[0].message in str(found[0])
    assert str(found[0]).startswith("cycle.mlir:4:8: missed: [graph-fuse] ")


def test_paths(tmp_path):
    path = tmp_path / "layer.mlir"
    path.write_text(layer_text(4, 8, 16))
    for source in (path, str(path), pathlib.PurePosixPath(path)):
        assert gc_compiler.compile(source).report["name"] == "layer"


def test_graph_is_compiled_several_ways():
    graph = gc_compiler.Graph(layer_text(4, 8, 16))
    arrays = [np.ones(s, np.float32) for s in ((4, 8), (8, 16), (16,))]
    results = [
        graph.compile(options=options, threads=threads)(*arrays)
        for options in ("", {"kernel": "vector"}, "kernel=libxsmm")
        for threads in (1, 2)
    ]
    assert all(np.all(result == 9) for result in results)


def test_machine(tmp_path):
    """Code for machines that need not be this one."""
    graph = gc_compiler.Graph(layer_text(4, 8, 16))
    text = graph.emit("llvm", machine="server-avx512-64", options="kernel=vector")
    assert '"tune-cpu"="emeraldrapids"' in text
    # A team is as large as the machine, whatever the host has.
    wide = gc_compiler.Graph(layer_text(6400, 8, 16))
    text = wide.emit(after="layout", machine="server-avx512-64")
    assert re.search(r"MPN = (64, NPN = 1|32, NPN = 2)", text)
    text = wide.emit(after="layout", machine="server-avx512-64", threads=3)
    assert "MPN = 3, NPN = 1" in text
    path = tmp_path / "none.json"
    path.write_text("{}")
    with pytest.raises(gc_compiler.Error, match="none.json: there is no key"):
        graph.emit(machine=path)


def test_memory_is_given_back():
    layer = gc_compiler.compile(layer_text(4, 8, 16))
    arrays = [np.ones(i.shape, i.dtype) for i in layer.inputs]

    class Watched(np.ndarray):
        pass

    x, w = (a.copy().view(Watched) for a in arrays[:2])
    seen = [weakref.ref(x), weakref.ref(w)]
    layer(x, w, arrays[2])
    del x, w
    garbage.collect()
    # A constant has to stay while it is what is folded, nothing else.
    assert seen[0]() is None and seen[1]() is not None
    layer(*arrays)
    assert seen[1]() is None


def test_versions():
    assert gc_compiler.__version__.count(".") == 2
    assert gc_compiler.peak_gflops("f32") > 0
