# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs that were compiled ahead of time: folders that `Graph.package` or
gc-compile wrote with a shared library. Nothing of the compiler is needed to
call them."""

import ctypes
import json
import os

import numpy as np

from .dlpack import as_array

_DTYPES = {
    "f32": np.float32,
    "f16": np.float16,
    "bf16": np.uint16,
    "s32": np.int32,
    "s8": np.int8,
    "u8": np.uint8,
    "s4": np.int8,
    "u4": np.uint8,
    "boolean": np.bool_,
    "f8_e5m2": np.uint8,
    "f8_e4m3": np.uint8,
    "u64": np.uint64,
}


class PackageTensor:
    """An input or output: name, dtype, shape, strides (in bytes), constant."""

    def __init__(self, described):
        self.name = described["name"]
        self.type = described["type"]
        self.dtype = np.dtype(_DTYPES[self.type])
        self.shape = tuple(described["shape"])
        steps = described.get("strides")
        if steps is None:
            steps, size = [], 1
            for extent in reversed(self.shape):
                steps.insert(0, size)
                size *= max(1, extent)
        self.strides = tuple(step * self.dtype.itemsize for step in steps)
        self.constant = described.get("constant", False)

    def check(self, array, what):
        """The array, if it is what the code expects."""
        array = as_array(array)
        what = f"{what} '{self.name}'"
        if not isinstance(array, np.ndarray):
            raise TypeError(f"{what} is {type(array).__name__}, not an array")
        if array.dtype != self.dtype:
            raise TypeError(f"{what}: dtype is {array.dtype}, the graph takes {self.dtype}")
        if array.shape != self.shape:
            raise ValueError(f"{what}: shape is {array.shape}, the graph takes {self.shape}")
        steps = [
            (mine, theirs)
            for mine, theirs, extent in zip(array.strides, self.strides, self.shape)
            if extent > 1
        ]
        if array.size and any(mine != theirs for mine, theirs in steps):
            raise ValueError(
                f"{what}: strides are {array.strides} bytes, the graph takes {self.strides}"
            )
        if array.ctypes.data % self.dtype.itemsize:
            raise ValueError(f"{what} is not aligned to its elements")
        return array

    def empty(self):
        """A new array in this layout."""
        span = sum(
            (extent - 1) * step for extent, step in zip(self.shape, self.strides) if extent
        )
        memory = np.empty(span + self.dtype.itemsize, np.uint8)
        return np.ndarray(self.shape, self.dtype, memory, 0, self.strides)

    def __repr__(self):
        return f"{self.name}: {self.type}{list(self.shape)}"


class Package:
    """A compiled graph in a folder, callable on arrays. Several threads may call
    it at the same time."""

    def __init__(self, folder, weights=None):
        path = os.path.join(os.fspath(folder), "gc-package.json")
        with open(path, encoding="utf-8") as manifest:
            described = json.load(manifest)
        name = described.get("name")
        library = os.path.abspath(os.path.join(os.fspath(folder), f"lib{name}.so"))
        if name is None or not os.path.exists(library):
            raise ValueError(
                f"{os.fspath(folder)} has no shared library: "
                "it was written without shared=True (gc-compile --shared)"
            )
        self.name = name
        self.threads = described["threads"]
        self.inputs = tuple(PackageTensor(t) for t in described["inputs"])
        self.outputs = tuple(PackageTensor(t) for t in described["outputs"])
        self._library = ctypes.CDLL(library)
        self._run = self._function("")
        self._error = self._function("_error", ctypes.c_char_p)
        load = self._function("_load")
        if described["weights"]:
            file = weights or os.path.join(os.fspath(folder), f"{name}.safetensors")
            self._check(load(os.fsencode(file)))
        elif weights is not None:
            raise ValueError(f"{os.fspath(folder)} has its weights in the code")
        else:
            self._check(load())

    def _function(self, suffix, result=ctypes.c_int32):
        function = getattr(self._library, self.name + suffix)
        function.restype = result
        return function

    def _check(self, status):
        if status != 0:
            raise RuntimeError(self._error().decode("utf-8", "replace"))

    def __call__(self, *arrays, out=None, **named):
        """Runs the graph: inputs by position, or by name. out: an array or a
        sequence of arrays for the outputs; without, new ones."""
        if len(arrays) > len(self.inputs):
            raise TypeError(
                f"the graph has {len(self.inputs)} inputs, {len(arrays)} were given"
            )
        given = dict(zip((t.name for t in self.inputs), arrays))
        for name, array in named.items():
            if name in given:
                raise TypeError(f"input '{name}' was given twice")
            given[name] = array
        buffers = []
        for tensor in self.inputs:
            if tensor.name not in given:
                raise TypeError(f"input '{tensor.name}' is missing")
            buffers.append(tensor.check(given.pop(tensor.name), "input"))
        if given:
            raise TypeError(f"there is no input '{next(iter(given))}'")
        if out is None:
            results = [tensor.empty() for tensor in self.outputs]
        else:
            results = list(out) if isinstance(out, (list, tuple)) else [out]
            if len(results) != len(self.outputs):
                raise TypeError(f"the graph has {len(self.outputs)} outputs")
            for tensor, array in zip(self.outputs, results):
                if not tensor.check(array, "output").flags.writeable:
                    raise ValueError(f"output '{tensor.name}' is read-only")
        pointers = [
            ctypes.c_void_p(as_array(a).ctypes.data) for a in buffers + results
        ]
        self._check(self._run(*pointers))
        return results[0] if len(results) == 1 else tuple(results)

    def unload(self):
        """Frees what the calls have allocated, and forgets folded constants."""
        self._function("_unload", None)()

    def __repr__(self):
        return f"<gc_compiler.Package {self.name} {self.inputs} -> {self.outputs}>"


def load(folder, *, weights=None):
    """Opens a package with a shared library and returns it as a `Package`.

    weights: the file of weights, where they are not in the code (default: the
    one in the folder). Raises a RuntimeError if this processor does not have
    the instructions of the code, or if the weights are not those of the graph.
    """
    return Package(folder, weights)
