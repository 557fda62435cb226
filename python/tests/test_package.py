# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiling ahead of time, and calling the result; installing the package."""

import os
import pathlib
import shutil
import subprocess
import sys
from importlib.util import find_spec

import gc_compiler
import numpy as np
import pytest
from conftest import add_text, layer_text, normal

SOURCE = pathlib.Path(__file__).parents[2]


def test_a_package_computes_the_same_bits(tmp_path, rng):
    graph = gc_compiler.Graph(layer_text(6, 8, 5))
    folder = tmp_path / "layer"
    graph.package(folder, options={"kernel": "vector"}, threads=2)
    files = {"gc-package.json", "layer.h", "layer.o", "layerConfig.cmake", "liblayer.so"}
    assert {file.name for file in folder.iterdir()} == files
    layer = gc_compiler.load(folder)
    assert [t.name for t in layer.inputs] == ["x", "w", "b"]
    assert [t.constant for t in layer.inputs] == [False, True, True]
    assert layer.threads == 2 and layer.outputs[0].shape == (6, 5)
    x, w, b = normal(rng, 6, 8), normal(rng, 8, 5), normal(rng, 5)
    expected = graph.compile(options={"kernel": "vector"}, threads=2)(x, w, b)
    assert np.array_equal(layer(x, w, b), expected)
    out = np.zeros((6, 5), np.float32)
    assert layer(b=b, w=w, x=x, out=out) is out
    assert np.array_equal(out, expected)
    layer.unload()
    assert np.array_equal(layer(x, w, b), expected)


@pytest.mark.parametrize("prepack", [False, True])
def test_weights_in_a_file(tmp_path, rng, prepack):
    x, w, b = normal(rng, 6, 8), normal(rng, 8, 5), normal(rng, 5)
    np.save(tmp_path / "w.npy", w)
    np.save(tmp_path / "b.npy", b)
    graph = gc_compiler.Graph(layer_text(6, 8, 5))
    graph.package(
        tmp_path / "net",
        name="net",
        options="kernel=vector",
        weights_in_file=True,
        prepack=prepack,
        values={"w": tmp_path / "w.npy", "b": tmp_path / "b.npy"},
    )
    net = gc_compiler.load(tmp_path / "net")
    assert [t.name for t in net.inputs] == ["x"]
    expected = graph.compile(options="kernel=vector")(x, w, b)
    np.testing.assert_allclose(net(x), expected, rtol=1e-5, atol=1e-5)
    (tmp_path / "bad.safetensors").write_bytes(b"nothing")
    with pytest.raises(RuntimeError):
        net.unload()
        gc_compiler.load(tmp_path / "net", weights=tmp_path / "bad.safetensors")


def test_refusals(tmp_path):
    graph = gc_compiler.Graph(add_text((2, 3)))
    with pytest.raises(gc_compiler.Error, match="identifier"):
        graph.package(tmp_path / "a", name="not a name")
    with pytest.raises(gc_compiler.Error, match="folder above does not exist"):
        graph.package(tmp_path / "no" / "such")
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "file").write_text("mine")
    with pytest.raises(gc_compiler.Error, match="'file'"):
        graph.package(tmp_path / "taken")
    with pytest.raises(gc_compiler.Error, match="no linker"):
        graph.package(tmp_path / "b", linker="no-such-linker")
    assert not (tmp_path / "b").exists()
    graph.package(tmp_path / "static", shared=False)
    with pytest.raises(ValueError, match="no shared library"):
        gc_compiler.load(tmp_path / "static")
    with pytest.raises(FileNotFoundError):
        gc_compiler.load(tmp_path / "nothing")
    graph.package(tmp_path / "add", options="kernel=vector")
    add = gc_compiler.load(tmp_path / "add")
    x = np.zeros((2, 3), np.float32)
    for error, arguments, words in (
        (TypeError, (x,), "'y' is missing"),
        (TypeError, (x, x, x), "2 inputs, 3 were given"),
        (TypeError, (x, [1]), "not an array"),
        (TypeError, (x, x.astype(np.float64)), "dtype is float64"),
        (ValueError, (x, x[:1]), "shape is"),
        (ValueError, (x, np.asfortranarray(x)), "strides are"),
    ):
        with pytest.raises(error, match=words):
            add(*arguments)


def test_installation(tmp_path):
    """pip makes a wheel of a build, and what it installs works alone."""
    build = os.environ.get("GC_TEST_LIBDIR")
    if not build:
        pytest.skip("GC_TEST_LIBDIR does not say where a build is")
    missing = [
        name for name in ("pip", "setuptools", "wheel") if not find_spec(name)
    ]
    if missing:
        pytest.skip("needs " + ", ".join(missing))
    pip = [sys.executable, "-m", "pip"]
    # setuptools builds in the folder.
    source = tmp_path / "source"
    shutil.copytree(SOURCE / "python", source)
    target = tmp_path / "packages"
    environment = {**os.environ, "GC_BUILD_DIR": str(pathlib.Path(build).parent)}
    environment.pop("PYTHONPATH", None)
    subprocess.run(
        [
            *pip,
            *("install", "--no-build-isolation", "--no-index", "--no-deps"),
            *("--quiet", "--target", target, source),
        ],
        check=True,
        env=environment,
        cwd=tmp_path,
    )
    program = """
import gc_compiler, numpy
graph = gc_compiler.GraphBuilder()
graph.op("Square", graph.tensor("f32", (2,), name="x"))
part, = graph.partitions()
print(gc_compiler.__file__, part.compile()(numpy.array([2, 3], "f4")))
"""
    run = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        env={**environment, "PYTHONPATH": str(target)},
        cwd=tmp_path,
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.startswith(str(target)) and run.stdout.endswith("[4. 9.]\n")
