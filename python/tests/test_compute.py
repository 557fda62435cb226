# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled graphs compute what numpy computes in double precision."""

import json
import threading

import numpy as np
import pytest

import gc_compiler
from conftest import (
    add_text,
    layer_text,
    matmul_tolerance,
    normal,
    strided,
    tensor,
)


def mlp_text(batch, widths):
    """A relu MLP with constant weights."""
    arguments = [f"%x: {tensor(batch, widths[0])}"]
    lines = []
    last = "%x"
    for i, (k, n) in enumerate(zip(widths, widths[1:])):
        arguments.append(f"%w{i}: {tensor(k, n)} {{graph.const_arg}}")
        arguments.append(f"%b{i}: {tensor(n)} {{graph.const_arg}}")
        y = tensor(batch, n)
        lines.append(
            f"%m{i} = graph.matmul {last}, %w{i}, %b{i} : "
            f"({tensor(batch, k)}, {tensor(k, n)}, {tensor(n)}) -> {y}"
        )
        lines.append(f"%r{i} = graph.relu %m{i} : ({y}) -> {y}")
        last = f"%r{i}"
    y = tensor(batch, widths[-1])
    body = "\n  ".join(lines)
    return (
        f"func.func @mlp({', '.join(arguments)}) -> {y} {{\n  {body}\n"
        f"  return {last} : {y}\n}}\n"
    )


# One row, one column, sizes that no block divides, several blocks.
@pytest.mark.parametrize(
    "batch, widths",
    [(1, (8, 16)), (33, (13, 64, 1)), (100, (70, 129, 256, 31))],
)
@pytest.mark.parametrize("threads", [1, 2])
def test_mlp(rng, batch, widths, threads):
    mlp = gc_compiler.compile(mlp_text(batch, widths), threads=threads)
    x = normal(rng, batch, widths[0])
    arrays = [x]
    expected, bound = x.astype(np.float64), 0.0
    for k, n in zip(widths, widths[1:]):
        w, b = normal(rng, k, n, scale=k**-0.5), normal(rng, n)
        arrays += [w, b]
        # The layer's own rounding, and that of the layers before it.
        bound = bound @ np.abs(w) if np.ndim(bound) else 0.0
        bound = bound + matmul_tolerance(k + 1) * (
            np.abs(expected) @ np.abs(w) + np.abs(b)
        )
        expected = np.maximum(expected @ w + b, 0)
    for _ in range(2):
        y = mlp(*arrays)
        assert y.dtype == np.float32 and y.shape == expected.shape
        assert np.all(np.abs(y - expected) <= bound)
    assert np.any(expected > 0)


def test_onednn_json(rng):
    """The JSON that oneDNN Graph dumps: names are tensor ids."""

    def port(number, shape, kind="variable"):
        stride = [int(np.prod(shape[i + 1 :])) for i in range(len(shape))]
        return {
            "id": number,
            "dtype": "f32",
            "shape": list(shape),
            "stride": stride,
            "layout_type": "strided",
            "property_type": kind,
        }

    x, w, y = port(0, (5, 7)), port(1, (7, 3), "constant"), port(2, (5, 3))
    text = json.dumps(
        {
            "version": "3.0.0",
            "engine_kind": "cpu",
            "fpmath_mode": "strict",
            "input_ports": [0, 1],
            "output_ports": [2],
            "graph": [
                {
                    "id": 0,
                    "name": "mm",
                    "kind": "MatMul",
                    "attrs": {},
                    "inputs": [x, w],
                    "outputs": [y],
                }
            ],
        }
    )
    product = gc_compiler.compile(text)
    assert [i.name for i in product.inputs] == ["0", "1"]
    assert [i.constant for i in product.inputs] == [False, True]
    a, b = normal(rng, 5, 7), normal(rng, 7, 3)
    result = product.run({"1": b, "0": a})
    exact = a.astype(np.float64) @ b
    assert np.all(np.abs(result - exact) <= matmul_tolerance(7) * (np.abs(a) @ np.abs(b)))


def test_strided_inputs_and_outputs(rng):
    """Views are read and written where they are, gaps are left alone."""
    m, k, n = 6, 10, 4
    text = f"""func.func @f(%x: {strided((m, k), (1, m))}, %w: {tensor(k, n)})
        -> {strided((m, n), (2 * n, 1))} {{
      %0 = graph.matmul %x, %w
        : ({strided((m, k), (1, m))}, {tensor(k, n)}) -> {tensor(m, n)}
      %1 = graph.reorder %0
        : {tensor(m, n)} -> {strided((m, n), (2 * n, 1))}
      return %1 : {strided((m, n), (2 * n, 1))}
    }}"""
    f = gc_compiler.compile(text)
    assert f.inputs[0].strides == (1, m) and f.outputs[0].strides == (2 * n, 1)
    x, w = normal(rng, k, m).T, normal(rng, k, n)
    exact = x.astype(np.float64) @ w
    bound = matmul_tolerance(k) * (np.abs(x) @ np.abs(w))

    wide = np.full((m, 2 * n), 99, np.float32)
    result = f(x, w, out=wide[:, :n])
    assert result.base is wide
    assert np.all(np.abs(wide[:, :n] - exact) <= bound)
    assert np.all(wide[:, n:] == 99)

    result = f(x, w)
    assert result.strides == (8 * n, 4) and np.array_equal(result, wide[:, :n])

    # The same values in another order are not accepted silently.
    plain = np.ascontiguousarray(x)
    with pytest.raises(ValueError, match=r"strides are \(40, 4\) bytes.*\(4, 24\)"):
        f(plain, w)
    with pytest.raises(ValueError, match="output 0 'result0': strides"):
        f(x, w, out=np.empty((m, n), np.float32))
    copied = np.empty((m, n), np.float32)
    assert f(plain, w, out=copied, copy=True) is copied
    assert np.array_equal(copied, result)


@pytest.mark.parametrize("dtype, numpy_type", [("f16", np.float16), ("si32", np.int32)])
def test_other_types(dtype, numpy_type):
    add = gc_compiler.compile(add_text((3, 5), dtype))
    x = np.arange(15).reshape(3, 5).astype(numpy_type)
    y = (100 - 3 * x).astype(numpy_type)
    result = add(x, y)
    assert result.dtype == numpy_type and np.array_equal(result, 100 - 2 * x)


def test_bfloat16():
    # Ties go to even: 1 + 2^-8 is half way between 1 and 1 + 2^-7.
    values = np.float32([1 + 2**-8, 1 + 3 * 2**-8, -0.0, np.inf, np.nan, 3e38])
    bits = gc_compiler.to_bfloat16(values)
    assert list(bits) == [0x3F80, 0x3F82, 0x8000, 0x7F80, 0x7FC0, 0x7F62]
    add = gc_compiler.compile(add_text((6,), "bf16"))
    assert add.inputs[0].dtype_name == "bf16"
    total = gc_compiler.from_bfloat16(add(bits, bits))
    expected = np.float32([2, 2 + 2**-5, -0.0, np.inf, np.nan, np.inf])
    np.testing.assert_array_equal(total, expected)


def test_constants_are_told_apart(rng):
    """Weights in new arrays, in a changed array, and in memory that is used
    again: never the numbers of another call."""
    layer = gc_compiler.compile(layer_text(4, 8, 16))
    x, b = np.ones((4, 8), np.float32), np.zeros(16, np.float32)

    def result(value, w):
        w[:] = value
        return layer(x, w, b)

    for value in (1, 2, 3, 1):
        # The array dies in each iteration; numpy tends to reuse its memory.
        assert np.all(result(value, np.empty((8, 16), np.float32)) == 8 * value)
    w = np.empty((8, 16), np.float32)
    assert np.all(result(1, w) == 8)
    w[:] = 5
    layer.invalidate()
    assert np.all(layer(x, w, b) == 40)


def test_versions_of_constants():
    """Two sets of weights that are used alternately are folded once each."""
    layer = gc_compiler.compile(layer_text(4, 8, 16))
    x, b = np.ones((4, 8), np.float32), np.zeros(16, np.float32)
    weights = {v: np.full((8, 16), v, np.float32) for v in (1, 2, 3)}
    for _ in range(3):
        for version in (1, 2):
            assert np.all(layer(x, weights[version], b, version=version) == 8 * version)
            held = layer.report["constant_bytes_held"]
            # Whether a version was folded shows in place of its new content.
            weights[version][:] = -1
    assert held == 2 * layer.report["constant_bytes"]
    # New content is a new version; the least recently used one is evicted.
    assert np.all(layer(x, weights[3], b, version=3) == 24)
    assert np.all(layer.run([x, weights[1], b], version=1) == 0)
    assert layer.report["constant_bytes_held"] == held
    layer.keep_versions(1)
    assert layer.report["constant_bytes_held"] == layer.report["constant_bytes"]
    with pytest.raises(gc_compiler.Error, match="negative version"):
        layer(x, weights[1], b, version=-1)
    with pytest.raises(gc_compiler.Error, match="less than 1 set"):
        layer.keep_versions(0)


def test_bound_inputs(rng):
    layer = gc_compiler.compile(layer_text(4, 8, 16))
    x, w, b = normal(rng, 4, 8), normal(rng, 8, 16), normal(rng, 16)
    expected = layer(x, w, b)
    layer.bind(w=w, b=b)
    assert np.array_equal(layer(x), expected)
    assert np.array_equal(layer(x=x), expected)
    assert np.array_equal(layer(x, w=w), expected)
    with pytest.raises(TypeError, match="1 inputs that are not bound, 2 were given"):
        layer(x, w)
    layer.bind(b=None)
    with pytest.raises(TypeError, match="input 2 'b' is missing"):
        layer(x)
    with pytest.raises(TypeError, match="no input 'v'; there are x, w, b"):
        layer.bind(v=w)


def test_threads_call_at_once(rng):
    """Several threads, each with inputs and weights of its own."""
    layer = gc_compiler.compile(layer_text(16, 8, 32), threads=2)
    failures = []

    def call(value):
        x = np.full((16, 8), value, np.float32)
        b = np.full(32, value, np.float32)
        for turn in range(100):
            w = np.full((8, 32), turn + 1, np.float32)
            y = layer(x, w, b)
            if not np.all(y == 8 * value * (turn + 1) + value):
                failures.append((value, turn, y))
                return

    threads = [threading.Thread(target=call, args=(i + 1,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_interpreter_runs_on(rng):
    """Compiling and running do not hold Python's lock: two compilations end
    while the main thread counts."""
    graph = gc_compiler.Graph(layer_text(16, 8, 32))
    results = []
    threads = [
        threading.Thread(target=lambda: results.append(graph.compile()))
        for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    x, w, b = normal(rng, 16, 8), normal(rng, 8, 32), normal(rng, 32)
    first, second = (layer(x, w, b) for layer in results)
    assert np.array_equal(first, second)


def test_several_outputs():
    t = tensor(3)
    two = gc_compiler.compile(
        f"""func.func @two(%x: {t}) -> ({t} {{graph.name = "neg"}},
                                      {t} {{graph.name = "pos"}}) {{
          %0 = graph.abs %x : ({t}) -> {t}
          %1 = graph.relu %x : ({t}) -> {t}
          return %1, %0 : {t}, {t}
        }}"""
    )
    x = np.float32([-1, 0, 2])
    relu, absolute = two(x)
    assert list(relu) == [0, 0, 2] and list(absolute) == [1, 0, 2]
    pos, neg = np.empty(3, np.float32), np.empty(3, np.float32)
    result = two(x, out={"pos": pos, "neg": neg})
    assert result[0] is neg and result[1] is pos
    assert list(neg) == [0, 0, 2] and list(pos) == [1, 0, 2]
    with pytest.raises(ValueError, match="output 1 'pos' shares memory with output 0"):
        two(x, out=(pos, pos))


# A few rows; more rows than a block; keys that no block divides.
@pytest.mark.parametrize("batch, heads, rows, size", [(1, 2, 5, 8), (2, 3, 100, 40)])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"attention": "always"},
        {"coarse-grain": False},
        {"fine-grain": False},
        {"propagate-layout": False},
        {"buffer-reuse": False},
    ],
    ids=str,
)
def test_attention(rng, batch, heads, rows, size, options):
    """Queries, keys and values are views of [batch, rows, heads, size]."""
    step = heads * size
    q_strides = (rows * step, size, step, 1)
    q = strided((batch, heads, rows, size), q_strides)
    k = strided((batch, heads, size, rows), (rows * step, size, 1, step))
    c, m = tensor(1), tensor(batch, 1, 1, rows)
    s, y = tensor(batch, heads, rows, rows), tensor(batch, heads, rows, size)
    text = f"""func.func @attention(%q: {q}, %k: {k}, %v: {q}, %c: {c}, %m: {m}) -> {y} {{
      %0 = graph.matmul %q, %k : ({q}, {k}) -> {s}
      %1 = graph.divide %0, %c : ({s}, {c}) -> {s}
      %2 = graph.add %1, %m : ({s}, {m}) -> {s}
      %3 = graph.softmax %2 {{axis = -1 : i64}} : ({s}) -> {s}
      %4 = graph.matmul %3, %v : ({s}, {q}) -> {y}
      return %4 : {y}
    }}"""
    attention = gc_compiler.compile(text, options=options, threads=2)
    query, key, value = (normal(rng, batch, rows, heads, size) for _ in range(3))
    divisor = np.float32([size**0.5])
    # The last third of the keys is masked, and the first row has large scores.
    mask = np.zeros((batch, 1, 1, rows), np.float32)
    mask[..., rows - rows // 3 :] = -1e9
    query[:, 0] *= 20
    result = attention(
        query.transpose(0, 2, 1, 3),
        key.transpose(0, 2, 3, 1),
        value.transpose(0, 2, 1, 3),
        divisor,
        mask,
    )

    exact = [a.astype(np.float64).transpose(0, 2, 1, 3) for a in (query, key, value)]
    product = exact[0] @ exact[1].swapaxes(2, 3)
    scores = product / divisor + mask
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    expected = weights @ exact[2]
    # An error of the scores is a relative one of the weights.
    eps = np.finfo(np.float32).eps
    magnitude = np.abs(exact[0]) @ np.abs(exact[1]).swapaxes(2, 3) / divisor
    drift = 2 * (size + 8) * eps * magnitude[..., : rows - rows // 3].max()
    bound = (2 * drift + 2 * (rows + 16) * eps) * (weights @ np.abs(exact[2]))
    assert np.all(np.abs(result - expected) <= bound)
