# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs that are built op by op, and what they are divided into.

Ops and attributes are those of oneDNN's Graph API; docs/graph-api.md says what
GC makes of them.
"""

import ctypes

import numpy as np

from . import _dnnl
from ._dnnl import LogicalTensor
from .dlpack import as_array


class Tensor:
    """A tensor of a graph: `name`, `dtype`, and `shape`, which is None until it
    is known. `strides`, in elements, are those of a tensor that is compiled."""

    def __init__(self, number, name, dtype, shape, strides, constant):
        self.name = name
        self.dtype = dtype
        self.constant = constant
        self._lt = lt = LogicalTensor()
        lt.id = number
        lt.data_type = _dnnl.DTYPES[dtype][0]
        lt.property = _dnnl.PROPERTIES["constant" if constant else "variable"]
        lt.layout_type = _dnnl.STRIDED
        lt.ndims = -1
        if shape is not None:
            self._describe(shape, strides)

    def _describe(self, shape, strides):
        if len(shape) > _dnnl.MAX_NDIMS:
            raise ValueError(f"{self.name} has more than {_dnnl.MAX_NDIMS} dimensions")
        if strides is None:
            strides, size = [], 1
            for extent in reversed(shape):
                strides.insert(0, size)
                size *= max(1, extent)
        if len(strides) != len(shape):
            raise ValueError(f"{self.name} has {len(shape)} sizes and {len(strides)} strides")
        self._lt.ndims = len(shape)
        for i, (extent, step) in enumerate(zip(shape, strides)):
            if extent < 0 or step < 0:
                raise ValueError(f"{self.name} has a negative size or stride")
            self._lt.dims[i], self._lt.strides[i] = extent, step

    @property
    def shape(self):
        return self._lt.get_shape()

    @property
    def strides(self):
        return None if self.shape is None else self._lt.get_strides()

    def __repr__(self):
        shape = "?" if self.shape is None else list(self.shape)
        return f"<{self.name}: {self.dtype} {shape}>"


def _values(value, kind, name):
    """An attribute as a ctypes value and the number of its elements."""
    if kind == "str":
        return str(value).encode(), len(str(value))
    if kind == "bool":
        return (ctypes.c_uint8 * 1)(bool(value)), 1
    element = ctypes.c_float if kind.startswith("f32") else ctypes.c_int64
    is_list = kind.endswith("[]")
    if is_list != isinstance(value, (list, tuple, np.ndarray)):
        raise TypeError(f"attribute {name} is {'a list' if is_list else 'a number'}")
    values = list(value) if is_list else [value]
    if element is ctypes.c_int64:
        values = [int(v) for v in values]
    return (element * max(1, len(values)))(*values), len(values)


class GraphBuilder:
    """A graph to which ops are added one by one.

        graph = GraphBuilder()
        x = graph.tensor("f32", (2, 3), name="x")
        w = graph.tensor("f32", (3, 2), name="w", constant=True)
        y = graph.op("ReLU", graph.op("MatMul", x, w))
        layer, = graph.partitions()
        layer.compile()
        layer(x=..., w=...)
    """

    def __init__(self):
        self._library = _dnnl.get_library()
        self._handle = self._library.create("graph_graph_create", _dnnl.CPU)
        self._tensors = {}
        self._ops = {}
        self._finalized = False

    def __del__(self):
        if getattr(self, "_handle", None):
            self._library.graph_graph_destroy(self._handle)

    def tensor(self, dtype="f32", shape=None, *, name=None, constant=False, strides=None):
        """A tensor that no op of the graph makes: an input. constant: the same in
        every execution, such as weights. strides are in elements."""
        if dtype not in _dnnl.DTYPES:
            raise ValueError(f"dtype is one of {', '.join(_dnnl.DTYPES)}; not {dtype!r}")
        number = len(self._tensors)
        tensor = Tensor(number, name or f"t{number}", dtype, shape, strides, constant)
        if any(t.name == tensor.name for t in self._tensors.values()):
            raise ValueError(f"there are two tensors named {tensor.name!r}")
        self._tensors[number] = tensor
        return tensor

    def op(self, kind, *inputs, outputs=1, dtype=None, name=None, **attributes):
        """Adds an op and returns its output, or a tuple if there is not exactly
        one. dtype: of the outputs, one or a list (default: the first input's).
        The shapes of outputs follow when partitions are compiled."""
        if kind not in _dnnl.KINDS:
            raise ValueError(f"there is no op {kind!r}")
        for tensor in inputs:
            if not isinstance(tensor, Tensor) or self._tensors.get(tensor._lt.id) is not tensor:
                raise TypeError("an input of an op is a tensor of its graph")
        if dtype is None:
            dtype = inputs[0].dtype if inputs else "f32"
        dtypes = [dtype] * outputs if isinstance(dtype, str) else list(dtype)
        if len(dtypes) != outputs:
            raise ValueError(f"{len(dtypes)} dtypes for {outputs} outputs")
        number = len(self._ops)
        name = name or f"{kind}_{number}"
        handle = self._library.create(
            "graph_op_create", number, _dnnl.KINDS.index(kind), name.encode()
        )
        known = dict(self._tensors)
        try:
            self._set_attributes(handle, kind, attributes)
            results = tuple(self.tensor(d) for d in dtypes)
            for tensor in inputs:
                self._library.graph_op_add_input(handle, ctypes.byref(tensor._lt))
            for tensor in results:
                self._library.graph_op_add_output(handle, ctypes.byref(tensor._lt))
            self._library.graph_add_op(self._handle, handle)
        except Exception:
            self._tensors = known
            raise
        finally:
            self._library.graph_op_destroy(handle)
        self._ops[number] = kind
        return results[0] if outputs == 1 else results

    def _set_attributes(self, handle, kind, attributes):
        for name, value in attributes.items():
            for sort, numbers in _dnnl.ATTRIBUTES.items():
                if name in numbers:
                    break
            else:
                raise TypeError(f"{kind}: there is no attribute {name!r}")
            data, count = _values(value, sort, name)
            setter = getattr(self._library, "graph_op_set_attr_" + sort.replace("[]", ""))
            setter(handle, numbers[name], data, count)

    def end(self, tensor):
        """Marks a tensor that ops read as an output as well."""
        self.op("End", tensor, outputs=0)

    def partitions(self, policy="fusion"):
        """Divides the graph, which takes no more ops then, and returns its
        partitions in an order in which they can be executed. policy: "fusion",
        or "debug" for one op each."""
        if policy not in _dnnl.POLICIES:
            raise ValueError(f"policy is 'fusion' or 'debug', not {policy!r}")
        if not self._finalized:
            self._library.graph_graph_finalize(self._handle)
            self._finalized = True
        self._library.graph_graph_filter(self._handle, _dnnl.POLICIES[policy])
        count = self._library.number("graph_graph_get_partition_num", self._handle)
        handles = (ctypes.c_void_p * count)()
        if count:
            self._library.graph_graph_get_partitions(self._handle, count, handles)
        return [Partition(self, ctypes.c_void_p(handle)) for handle in handles]


class Partition:
    """Ops of a graph that are compiled as one. `ops` are their kinds, `inputs`
    and `outputs` tensors of the graph; `is_supported` says whether it can be
    compiled."""

    def __init__(self, graph, handle):
        self._graph = graph
        self._library = library = graph._library
        self._handle = handle
        self._compiled = None
        count = library.number("graph_partition_get_op_num", handle)
        ids = (ctypes.c_size_t * count)()
        library.graph_partition_get_ops(handle, count, ids)
        self.ops = tuple(graph._ops[number] for number in ids)
        supported = ctypes.c_uint8()
        library.graph_partition_is_supported(handle, ctypes.byref(supported))
        self.is_supported = bool(supported.value)
        self.inputs = self._find_tensors("input")
        self.outputs = self._find_tensors("output")

    def __del__(self):
        if getattr(self, "_compiled", None):
            self._library.graph_compiled_partition_destroy(self._compiled)
        if getattr(self, "_handle", None):
            self._library.graph_partition_destroy(self._handle)

    def _find_tensors(self, which):
        numbers = [port.id for port in self._library.ports(which, self._handle)]
        return tuple(self._graph._tensors[number] for number in dict.fromkeys(numbers))

    def compile(self):
        """Compiles the partition for the shapes of its inputs, which must be
        known: of those that other partitions make, once these are compiled. The
        shapes of the outputs are known afterwards. Returns the partition."""
        for tensor in self.inputs:
            if tensor.shape is None:
                raise ValueError(f"the shape of {tensor.name} is not known yet")
        lists = []
        for tensors in (self.inputs, self.outputs):
            pointers = [ctypes.addressof(tensor._lt) for tensor in tensors]
            lists += [len(tensors), (ctypes.c_void_p * len(tensors))(*pointers)]
        engine, _ = _dnnl.get_engine()
        compiled = self._library.create("graph_compiled_partition_create", self._handle)
        try:
            self._library.graph_partition_compile(self._handle, compiled, *lists, engine)
            for tensor in self.outputs:
                found = LogicalTensor()
                self._library.graph_compiled_partition_query_logical_tensor(
                    compiled, tensor._lt.id, ctypes.byref(found)
                )
                tensor._describe(found.get_shape(), found.get_strides())
        except Exception:
            self._library.graph_compiled_partition_destroy(compiled)
            raise
        old, self._compiled = self._compiled, compiled
        if old:
            self._library.graph_compiled_partition_destroy(old)
        return self

    def __call__(self, *arrays, out=None, **named):
        """Executes the compiled partition on arrays, or tensors of other
        libraries that have `__dlpack__`; inputs by position, or by name. They are
        used in place. out: an array, or a sequence of arrays, for the outputs;
        without, new ones. Returns the output, or a tuple if there is not exactly
        one. Several threads may call it at the same time."""
        if not self._compiled:
            raise RuntimeError("the partition is not compiled")
        if len(arrays) > len(self.inputs):
            raise TypeError(f"there are {len(self.inputs)} inputs, {len(arrays)} were given")
        given = {tensor.name: array for tensor, array in zip(self.inputs, arrays)}
        for name, array in named.items():
            if name in given:
                raise TypeError(f"input {name!r} was given twice")
            given[name] = array
        for name in given:
            if all(tensor.name != name for tensor in self.inputs):
                raise TypeError(f"there is no input {name!r}")
        inputs = []
        for tensor in self.inputs:
            if tensor.name not in given:
                raise TypeError(f"input {tensor.name!r} is missing")
            inputs.append(_check(tensor, given[tensor.name], "input"))
        if out is None:
            results = [_make(tensor) for tensor in self.outputs]
        else:
            results = list(out) if isinstance(out, (list, tuple)) else [out]
            if len(results) != len(self.outputs):
                raise TypeError(f"there are {len(self.outputs)} outputs")
        outputs = [_check(t, a, "output") for t, a in zip(self.outputs, results)]
        self._execute(inputs, outputs)
        return results[0] if len(results) == 1 else tuple(results)

    def _execute(self, inputs, outputs):
        engine, stream = _dnnl.get_engine()
        handles = []
        try:
            lists = []
            for tensors, arrays in ((self.inputs, inputs), (self.outputs, outputs)):
                for tensor, array in zip(tensors, arrays):
                    handles.append(
                        self._library.create(
                            "graph_tensor_create",
                            ctypes.byref(tensor._lt),
                            engine,
                            array.ctypes.data,
                        )
                    )
                own = [handle.value for handle in handles[len(handles) - len(arrays) :]]
                lists += [len(own), (ctypes.c_void_p * len(own))(*own)]
            self._library.graph_compiled_partition_execute(self._compiled, stream, *lists)
        finally:
            for handle in handles:
                self._library.graph_tensor_destroy(handle)

    def __repr__(self):
        names = [", ".join(t.name for t in ts) for ts in (self.inputs, self.outputs)]
        note = "" if self.is_supported else ", not supported"
        return f"<gc_compiler.Partition of {', '.join(self.ops)}: {names[0]} -> {names[1]}{note}>"


def _make(tensor):
    """A new array in the layout of a tensor."""
    dtype = np.dtype(_dnnl.DTYPES[tensor.dtype][1])
    shape = tensor.shape
    steps = tuple(step * dtype.itemsize for step in tensor.strides)
    span = sum((extent - 1) * step for extent, step in zip(shape, steps) if extent)
    memory = np.empty(max(0, span) + dtype.itemsize, np.uint8)
    return np.ndarray(shape, dtype, memory, 0, steps)


def _check(tensor, value, what):
    """The array of a value, if it is what was compiled."""
    array = as_array(value)
    dtype = np.dtype(_dnnl.DTYPES[tensor.dtype][1])
    what = f"{what} {tensor.name!r}"
    if not isinstance(array, np.ndarray):
        raise TypeError(f"{what} is {type(array).__name__}, not an array")
    if array.dtype != dtype:
        raise TypeError(f"{what}: dtype is {array.dtype}, the graph takes {dtype}")
    if array.shape != tensor.shape:
        raise ValueError(f"{what}: shape is {array.shape}, the graph takes {tensor.shape}")
    steps = tuple(step * dtype.itemsize for step in tensor.strides)
    if array.size and any(
        mine != theirs
        for mine, theirs, extent in zip(array.strides, steps, array.shape)
        if extent > 1
    ):
        raise ValueError(f"{what}: strides are {array.strides} bytes, the graph takes {steps}")
    if what.startswith("output") and not array.flags.writeable:
        raise ValueError(f"{what} is read-only")
    return array
