# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the tests share: random tensors and graphs as text."""

import numpy as np
import pytest


def tensor(*shape):
    """The MLIR type of a plain f32 tensor."""
    return f"tensor<{'x'.join(map(str, shape))}xf32>"


def strided(shape, strides):
    """The MLIR type of an f32 tensor with strides in elements."""
    sizes = "x".join(map(str, shape))
    return f"tensor<{sizes}xf32, #graph.layout<strided, {list(strides)}>>"


def layer_text(m, k, n, x_type=None):
    """y = relu(x w + b), w and b constant."""
    x_type = x_type or tensor(m, k)
    w, b, y = tensor(k, n), tensor(n), tensor(m, n)
    return f"""func.func @layer(
    %x: {x_type} {{graph.name = "x"}},
    %w: {w} {{graph.const_arg, graph.name = "w"}},
    %b: {b} {{graph.const_arg, graph.name = "b"}})
    -> ({y} {{graph.name = "y"}}) {{
  %0 = graph.matmul %x, %w, %b : ({x_type}, {w}, {b}) -> {y}
  %1 = graph.relu %0 : ({y}) -> {y}
  return %1 : {y}
}}
"""


def add_text(shape, dtype="f32", result=None):
    """z = x + y, nothing constant."""
    t = f"tensor<{'x'.join(map(str, shape))}x{dtype}>"
    return f"""func.func @add(%x: {t} {{graph.name = "x"}},
                 %y: {t} {{graph.name = "y"}}) -> {t} {{
  %0 = graph.add %x, %y : ({t}, {t}) -> {t}
  return %0 : {t}
}}
"""


@pytest.fixture
def rng():
    return np.random.default_rng(7)


def normal(rng, *shape, scale=1.0):
    return (rng.standard_normal(shape) * scale).astype(np.float32)


def matmul_tolerance(k):
    """Relative to |a| |b|: rounding of a sum of k products in f32, either way
    of adding them up."""
    return 2 * k * np.finfo(np.float32).eps
