# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors of other libraries, by the DLPack protocol, without copies.

numpy has no bfloat16 and no 8-bit floating-point numbers, so such tensors are
arrays of their bits here, uint16 and uint8.
"""

import ctypes

import numpy as np


class _Type(ctypes.Structure):
    _fields_ = [
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
    ]


class _Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("dtype", _Type),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


_CPU = 1
_BFLOAT = 4
_DTYPES = {
    (0, 8): np.int8,
    (0, 16): np.int16,
    (0, 32): np.int32,
    (0, 64): np.int64,
    (1, 8): np.uint8,
    (1, 16): np.uint16,
    (1, 32): np.uint32,
    (1, 64): np.uint64,
    (2, 16): np.float16,
    (2, 32): np.float32,
    (2, 64): np.float64,
    (_BFLOAT, 16): np.uint16,
    (6, 8): np.bool_,
    (10, 8): np.uint8,
    (12, 8): np.uint8,
}

_get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_get_pointer.restype = ctypes.c_void_p
_get_pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]


def _get_tensor(capsule):
    return _Tensor.from_address(_get_pointer(capsule, b"dltensor"))


class _Memory:
    """Elements in the memory of a capsule, which lives as long as they do."""

    def __init__(self, capsule, tensor, dtype):
        shape = tuple(tensor.shape[: tensor.ndim])
        strides = None
        if tensor.strides:
            strides = tuple(s * dtype.itemsize for s in tensor.strides[: tensor.ndim])
        address = (tensor.data or 0) + tensor.byte_offset
        self._capsule = capsule
        self.__array_interface__ = {
            "version": 3,
            "typestr": dtype.str,
            "shape": shape,
            "strides": strides,
            "data": (address, False),
        }


def from_dlpack(tensor):
    """A numpy array that shares the memory of a tensor on the CPU: any object
    with `__dlpack__`, such as a tensor of PyTorch."""
    if not hasattr(tensor, "__dlpack__"):
        raise TypeError(f"{type(tensor).__name__} has no __dlpack__")
    device = getattr(tensor, "__dlpack_device__", lambda: (_CPU, 0))()
    if int(device[0]) != _CPU:
        raise ValueError(f"a tensor on DLPack device {int(device[0])} is not on the CPU")
    capsule = tensor.__dlpack__()
    view = _get_tensor(capsule)
    dtype = _DTYPES.get((view.dtype.code, view.dtype.bits))
    if dtype is None or view.dtype.lanes != 1:
        raise TypeError(
            f"no array has elements of DLPack type {view.dtype.code} "
            f"with {view.dtype.bits} bits in {view.dtype.lanes} lanes"
        )
    return np.asarray(_Memory(capsule, view, np.dtype(dtype)))


class Bfloat16Tensor:
    """An array of the bits of bfloat16 numbers (uint16), which other libraries
    take as numbers by `from_dlpack`; PyTorch, for example."""

    def __init__(self, array):
        if array.dtype != np.uint16:
            raise TypeError(f"bits of bfloat16 are uint16, not {array.dtype}")
        self.array = array

    def __dlpack__(self, stream=None):
        capsule = self.array.__dlpack__(stream=stream)
        _get_tensor(capsule).dtype.code = _BFLOAT
        return capsule

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def as_array(value):
    """The value itself, or the array that shares the memory of a tensor of
    another library."""
    if isinstance(value, np.ndarray) or not hasattr(value, "__dlpack__"):
        return value
    return from_dlpack(value)
