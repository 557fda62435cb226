# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors of other libraries are used in place."""

import gc

import gc_compiler
import numpy as np
import pytest
from conftest import add_text


class Tensor:
    """A tensor that is only known by the protocol."""

    def __init__(self, array, device=1):
        self.array = array
        self.device = device

    def __dlpack__(self, stream=None):
        return self.array.__dlpack__(stream=stream)

    def __dlpack_device__(self):
        return (self.device, 0)


def test_memory_is_shared():
    values = np.arange(24, dtype=np.float32).reshape(4, 6)
    view = gc_compiler.from_dlpack(Tensor(values[:, ::2]))
    assert view.shape == (4, 3) and view.strides == (24, 8)
    view[0, 1] = 100
    assert values[0, 2] == 100
    del values
    gc.collect()
    assert view[0, 1] == 100 and view[3, 2] == 22


@pytest.mark.parametrize("dtype", ["f4", "f2", "i4", "i1", "u1", "u8", "f8"])
def test_element_types(dtype):
    values = np.arange(6).astype(dtype)
    view = gc_compiler.from_dlpack(Tensor(values))
    assert view.dtype == values.dtype and np.array_equal(view, values)


def test_calls_take_tensors():
    add = gc_compiler.compile(add_text((2, 3)))
    x, y = np.ones((2, 3), np.float32), np.full((2, 3), 2, np.float32)
    assert np.array_equal(add(Tensor(x), Tensor(y)), x + y)
    out = np.zeros((2, 3), np.float32)
    target = Tensor(out)
    assert add(x, Tensor(y), out=target) is target
    assert np.array_equal(out, x + y)
    with pytest.raises(TypeError, match="dtype is float64"):
        add(Tensor(x.astype(np.float64)), y)


def test_results_are_exported():
    add = gc_compiler.compile(add_text((2, 3)))
    x = np.ones((2, 3), np.float32)
    result = np.from_dlpack(add(x, x))
    assert np.array_equal(result, x + x)


def test_bfloat16_keeps_its_bits():
    bits = gc_compiler.to_bfloat16(np.array([1.5, -2, 3], np.float32))
    tensor = gc_compiler.Bfloat16Tensor(bits)
    with pytest.raises(Exception):
        np.from_dlpack(tensor)
    view = gc_compiler.from_dlpack(tensor)
    assert view.dtype == np.uint16 and np.array_equal(view, bits)
    add = gc_compiler.compile(add_text((3,), "bf16"))
    result = gc_compiler.from_bfloat16(add(tensor, tensor))
    assert np.array_equal(result, np.array([3, -4, 6], np.float32))
    with pytest.raises(TypeError, match="uint16"):
        gc_compiler.Bfloat16Tensor(np.zeros(2, np.float32))


def test_refusals():
    with pytest.raises(TypeError, match="no __dlpack__"):
        gc_compiler.from_dlpack([1])
    with pytest.raises(ValueError, match="not on the CPU"):
        gc_compiler.from_dlpack(Tensor(np.zeros(2, np.float32), device=2))
    with pytest.raises(TypeError, match="DLPack type 5"):
        gc_compiler.from_dlpack(Tensor(np.zeros(2, np.complex64)))


def test_torch():
    torch = pytest.importorskip("torch")
    add = gc_compiler.compile(add_text((2, 3)))
    x = torch.ones(2, 3)
    assert torch.equal(torch.from_dlpack(add(x, x)), x + x)
