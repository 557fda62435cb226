# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""GC, a compiler of deep-learning graphs for CPUs.

    import gc_compiler
    mlp = gc_compiler.compile("mlp.mlir", threads=2)
    y = mlp(x, w0, b0)

`compile` reads MLIR (text or bytecode) or oneDNN Graph JSON, and returns a
function of numpy arrays. Arrays are used in place, never copied unless
`copy=True` says so; one that does not have the dtype, the shape and the strides
of the graph is an error. Where the graph names sizes that vary, any size within
its bounds will do. Errors of the compiler or the runtime are raised as
`gc_compiler.Error`.
"""

import json
import operator
import os

from . import _core
from ._core import Error, Remark, TensorInfo
from .bfloat16 import from_bfloat16, to_bfloat16
from .dlpack import Bfloat16Tensor, as_array, from_dlpack
from .graphs import GraphBuilder, Partition
from .package import Package, load

__all__ = [
    "Bfloat16Tensor",
    "Compiled",
    "Error",
    "Graph",
    "GraphBuilder",
    "Package",
    "Partition",
    "Remark",
    "TensorInfo",
    "compile",
    "from_bfloat16",
    "from_dlpack",
    "load",
    "peak_gflops",
    "to_bfloat16",
]

__version__ = _core.version()

_EXTENSIONS = (".mlir", ".mlirbc", ".json", ".onnx")
_FORMATS = {"auto": 0, "mlir": 1, "onednn-graph": 2}
_KINDS = {"mlir": 0, "llvm": 1, "asm": 2, "obj": 3}
_DTYPES = ("f32", "bf16", "f16", "s8", "u8", "s32", "boolean",
           "f8_e5m2", "f8_e4m3")


def _format_options(options):
    """Pipeline options as text: a mapping's True and False are lower case."""
    if options is None:
        return ""
    if isinstance(options, str):
        return options
    words = []
    for name, value in dict(options).items():
        if isinstance(value, bool):
            value = "true" if value else "false"
        words.append(f"{name}={value}")
    return " ".join(words)


def _format_settings(dims, shapes, values):
    """What an ONNX model leaves open, as gc_graph_read_onnx takes it."""

    def join(numbers, separator, form):
        try:
            numbers = list(numbers)
        except TypeError:
            numbers = [numbers]
        return separator.join(form(number) for number in numbers)

    def size(given):
        """A size, or the bounds of one that varies."""
        if isinstance(given, (tuple, list)) and len(given) == 2:
            return "..".join(str(operator.index(bound)) for bound in given)
        return str(operator.index(given))

    settings = [f"dim={n}={size(s)}" for n, s in (dims or {}).items()]
    for name, shape in (shapes or {}).items():
        text = join(shape, "x", lambda size: str(operator.index(size)))
        settings.append(f"shape={name}={text}")
    for name, value in (values or {}).items():
        text = join(value, ",", lambda number: repr(float(number)))
        settings.append(f"value={name}={text}")
    return settings


def _check_kind(kind, kinds, what):
    if kind not in kinds:
        raise ValueError(f"{what} is one of {', '.join(kinds)}; not {kind!r}")
    return kinds[kind]


class Graph:
    """A graph that has been read, to be compiled in one or more ways.

    `source` is a path (a `os.PathLike`, or a str that ends in .mlir, .mlirbc,
    .json or .onnx), or else the text itself (str or bytes). `format` says what
    text is: "mlir", "onednn-graph" or "auto"; `name` stands for the file name in
    errors and remarks.

    What an ONNX model leaves open are mappings: `dims` of the names of
    dimensions to sizes, or to bounds (min, max) of a size that each call
    chooses, `shapes` of inputs to shapes, and `values` of inputs
    that have to be known to numbers or lists of numbers.
    """

    def __init__(
        self,
        source,
        *,
        format="auto",
        name="<text>",
        dims=None,
        shapes=None,
        values=None,
    ):
        code = _check_kind(format, _FORMATS, "format")
        is_path = isinstance(source, os.PathLike) or (
            isinstance(source, str)
            and "\n" not in source
            and source.endswith(_EXTENSIONS)
        )
        settings = _format_settings(dims, shapes, values)
        if is_path and settings:
            self._core = _core.Graph.read_onnx(os.fspath(source), settings)
        elif settings:
            raise ValueError("dims, shapes and values are those of ONNX files")
        elif is_path:
            self._core = _core.Graph.read_file(os.fspath(source))
        elif isinstance(source, (str, bytes, bytearray)):
            if isinstance(source, str):
                source = source.encode("utf-8", "surrogatepass")
            self._core = _core.Graph.read_text(bytes(source), code, name)
        else:
            raise TypeError(
                "a graph is a path or text, not " + type(source).__name__
            )

    def compile(
        self,
        *,
        options="",
        threads=0,
        entry="",
        cpu="",
        features="",
        machine="",
    ):
        """Compiles the graph; see `gc_compiler.compile`."""
        text = _format_options(options)
        machine = os.fspath(machine)
        core = self._core.compile(
            _core.Options(text, entry, threads, cpu, features, machine)
        )
        return Compiled(self, core, (text, entry, cpu, features, machine))

    def emit(
        self,
        kind="mlir",
        *,
        after=None,
        options="",
        threads=0,
        cpu="",
        features="",
        machine="",
    ):
        """What the compiler makes of the graph.

        kind "mlir" gives the module as text after the phase `after` (import,
        graph, layout, fusion, tensor or machine), "llvm" LLVM IR after
        optimisation, "asm" assembly, and "obj" an object file (bytes).
        """
        code = _check_kind(kind, _KINDS, "kind")
        words = _format_options(options).split()
        if after is not None:
            words = [w for w in words if not w.startswith("stop-after=")]
            words.append(f"stop-after={after}")
        given = _core.Options(
            " ".join(words), "", threads, cpu, features, os.fspath(machine)
        )
        data = self._core.emit(given, code)
        return data if kind == "obj" else data.decode("utf-8", "replace")


    def package(
        self,
        folder,
        *,
        name="",
        shared=True,
        linker="",
        weights_in_file=False,
        prepack=False,
        values=None,
        options="",
        threads=0,
        entry="",
        cpu="",
        features="",
        machine="",
    ):
        """Compiles the graph ahead of time and writes `folder`, whole or not at
        all, for programs without a compiler: an object file, a C header, a CMake
        package and, if `shared`, a library that `gc_compiler.load` opens.

        name: of the entry point and the files, a C identifier (default: the
        function's). linker: the program that links the library.
        weights_in_file: constants go to NAME.safetensors. prepack: fold them
        now. values: names of inputs that become constants, with .npy files. The
        other arguments are those of `gc_compiler.compile`.
        """
        given = _core.Options(
            _format_options(options), entry, threads, cpu, features, os.fspath(machine)
        )
        pairs = [(key, os.fspath(file)) for key, file in dict(values or {}).items()]
        self._core.write_package(
            given, os.fspath(folder), name, bool(shared), os.fspath(linker),
            bool(weights_in_file), bool(prepack), pairs,
        )


class Compiled:
    """A graph as machine code, callable on numpy arrays.

    Several threads may call it at the same time; the interpreter lock is not
    held during a call.
    """

    def __init__(self, graph, core, options):
        self._graph = graph
        self._core = core
        self._options = options
        self._bound = {}
        self._inputs = tuple(core.inputs)
        self._outputs = tuple(core.outputs)
        self._remarks = None

    @property
    def inputs(self):
        """The inputs in order, as `TensorInfo`."""
        return self._inputs

    @property
    def outputs(self):
        """The outputs in order, as `TensorInfo`."""
        return self._outputs

    @property
    def dims(self):
        """The dimensions whose sizes each call chooses, a dict of their names to
        (min, max); they follow from the shapes of the arrays."""
        return dict(self._core.dims)

    def prepare(self, /, **sizes):
        """Compiles for these sizes now, one for each of `dims`, so that the first
        call with them takes no longer than others."""
        dims = self.dims
        for name in sizes:
            if name not in dims:
                names = ", ".join(dims) or "none"
                raise TypeError(f"there is no size {name!r}; there are {names}")
        missing = [name for name in dims if name not in sizes]
        if missing:
            raise TypeError(f"the size {missing[0]!r} is missing")
        self._core.prepare([operator.index(sizes[name]) for name in dims])

    def keep_sizes(self, count):
        """For how many tuples of sizes code is kept, at least 1 (default: 16).
        Beyond that, the least recently used one is dropped."""
        self._core.set_size_capacity(count)

    @property
    def remarks(self):
        """What the compiler did not do and why, as a list of `Remark`."""
        # With sizes that vary, there are none before one is compiled.
        if not self._remarks:
            self._remarks = self._core.remarks()
        return list(self._remarks)

    @property
    def report(self):
        """A dict with compile_ms, fold_ms (milliseconds), flops, arena_bytes,
        constant_bytes (of one set of constants), constant_bytes_held (of all
        that are folded now), fused_ops, parallel_regions, forks, threads and
        name. fold_ms and forks are None before the first call. With sizes that
        vary, compilations and sizes (in memory), weight_bytes,
        shared_constant_bytes (folded constants of all sizes, each content once)
        and unshared_constant_bytes; other numbers are those of the last call."""
        return json.loads(self._core.report())

    def emit(self, kind="mlir", *, after=None):
        """What the compiler made of it; see `Graph.emit`."""
        text, _, cpu, features, machine = self._options
        return self._graph.emit(
            kind,
            after=after,
            options=text,
            threads=self.report["threads"],
            cpu=cpu,
            features=features,
            machine=machine,
        )

    def _index(self, infos, name, what):
        for index, info in enumerate(infos):
            if info.name == name:
                return index
        names = ", ".join(info.name for info in infos) or "none"
        raise TypeError(f"there is no {what} {name!r}; there are {names}")

    def bind(self, **arrays):
        """Sets inputs, such as weights, for all calls from now on; the inputs
        of a call are those that are not bound. None unbinds a name again."""
        found = {self._index(self._inputs, n, "input"): a for n, a in arrays.items()}
        for index, array in found.items():
            if array is None:
                self._bound.pop(index, None)
            else:
                self._bound[index] = array

    def invalidate(self):
        """Says that constant inputs have new content in the same arrays: the
        next call folds them again."""
        self._core.invalidate()

    def keep_versions(self, count):
        """How many versions of the constant inputs stay folded, at least 1
        (default: 2). Beyond that, the least recently used one is dropped."""
        self._core.set_capacity(count)

    def __call__(
        self, *arrays, out=None, copy=False, threads=0, version=0, **named
    ):
        """Runs the graph: inputs by position, or by name. See `run`."""
        free = [i for i in range(len(self._inputs)) if i not in self._bound]
        if len(arrays) > len(free):
            raise TypeError(
                f"the graph has {len(free)} inputs that are not bound, "
                f"{len(arrays)} were given"
            )
        given = dict(zip(free, arrays))
        for name, array in named.items():
            index = self._index(self._inputs, name, "input")
            if index in given:
                raise TypeError(f"input {index} '{name}' was given twice")
            given[index] = array
        return self._run(given, out, copy, threads, version)

    def run(self, inputs, *, out=None, copy=False, threads=0, version=0):
        """Runs the graph on `inputs`, a sequence or a mapping by name.

        out: arrays for the outputs (one, a sequence, or a mapping by name);
        without, new ones. copy: allow copies of arrays that are right except
        for strides and alignment. threads: 0 means as compiled. version: a
        number of 1 or more for the content of the constant inputs, which are
        folded once per version and array; 0: they are identified only by their
        arrays (see `invalidate`). Returns the output, or a tuple if there is
        not exactly one.
        """
        options = dict(out=out, copy=copy, threads=threads, version=version)
        if hasattr(inputs, "keys"):
            return self(**options, **dict(inputs))
        return self(*inputs, **options)

    def _run(self, given, out, copy, threads, version):
        arrays = []
        for index, info in enumerate(self._inputs):
            array = given.get(index)
            if array is None:
                array = self._bound.get(index)
            if array is None:
                raise TypeError(f"input {index} '{info.name}' is missing")
            arrays.append(as_array(array))
        if out is not None:
            if hasattr(out, "keys"):
                by_index = {
                    self._index(self._outputs, n, "output"): a
                    for n, a in out.items()
                }
                out = [by_index.get(i) for i in range(len(self._outputs))]
            elif not isinstance(out, (list, tuple)):
                out = [out]
            given_out, out = out, [as_array(a) for a in out]
        results = self._core.execute(arrays, out, bool(copy), threads, version)
        if out is not None:
            # What the caller gave, not the arrays that share its memory.
            results = [r if g is None else g for r, g in zip(results, given_out)]
        return results[0] if len(results) == 1 else tuple(results)

    def __repr__(self):
        def show(infos):
            return ", ".join(
                f"{i.name}: {i.dtype_name}{list(i.shape)}" for i in infos
            )

        return (
            f"<gc_compiler.Compiled ({show(self._inputs)})"
            f" -> ({show(self._outputs)})>"
        )


def compile(
    source,
    *,
    options="",
    threads=0,
    entry="",
    cpu="",
    features="",
    machine="",
    format="auto",
    name="<text>",
    dims=None,
    shapes=None,
    values=None,
):
    """Compiles a graph and returns it as a `Compiled`.

    source, format, name, dims, shapes, values: see `Graph`. options: those of the CPU pipeline, as text
    ("kernel=vector") or a mapping ({"kernel": "vector"}). threads: to divide the
    work among, 0 for the OpenMP setting, else the machine's cores, at most the
    host's. entry: the function, needed if there are several. machine: to compile
    for, the name of a preset or of a JSON file (default: what the module
    describes, else GC_MACHINE, else the host). cpu, features: LLVM's names, for
    a processor other than the machine's.
    """
    graph = Graph(
        source, format=format, name=name, dims=dims, shapes=shapes, values=values
    )
    return graph.compile(
        options=options,
        threads=threads,
        entry=entry,
        cpu=cpu,
        features=features,
        machine=machine,
    )


def peak_gflops(dtype="f32", seconds=0.0):
    """GFLOP/s that one thread reaches over windows of `seconds` (2 to 250 ms; values
    outside are clamped): the best of several in-cache
    libxsmm batch-reduce GEMMs of "f32", "bf16", "s8" or "u8" in the best of
    several windows; 0 for types without instructions. Windows of 2 ms give the
    physical limit, those as long as a run what the clock can sustain."""
    if dtype not in _DTYPES:
        raise ValueError(f"dtype is one of {', '.join(_DTYPES)}; not {dtype!r}")
    return _core.peak_gflops(_DTYPES.index(dtype), seconds)
