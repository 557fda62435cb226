# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Graphs as C, compiled and run, against the reference interpreter.

    c-code.py INCLUDE FOLDER < graphs

Reads graphs as gc-fuzz --print writes them. Each becomes C (gc-runner --emit=c),
a shared library by each of the compilers gcc and clang that there is, and is
called on inputs of this script. Prints how many graphs agree and how many cannot
be written in C, with the reasons.
"""

import collections
import ctypes
import os
import re
import shutil
import subprocess
import sys

import numpy as np

# C has no names for these: their bits travel.
BITS = {"bf16": np.uint16, "f8_e5m2": np.uint8, "f8_e4m3": np.uint8}
TYPES = {
    "f32": np.float32, "f16": np.float16, "s32": np.int32, "s8": np.int8,
    "u8": np.uint8, "boolean": np.bool_, "u64": np.uint64,
    "s4": np.int8, "u4": np.uint8, **BITS,
}


def split_graphs(text):
    """One graph per top-level function."""
    graphs, lines = [], []
    for line in text.splitlines(keepends=True):
        lines.append(line)
        if line.startswith("}"):
            graphs.append("".join(lines))
            lines = []
    return graphs


def to_bf16(values):
    bits = values.astype(np.float32).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def make_input(kind, shape, random):
    """Numbers that stay away from overflow and from zero divisors."""
    ranges = {"s8": (-128, 128), "u8": (0, 256), "s4": (-8, 8), "u4": (0, 16),
              "s32": (0, 4), "u64": (0, 9), "boolean": (0, 2)}
    if kind in ranges:
        return random.integers(*ranges[kind], shape).astype(TYPES[kind])
    values = random.uniform(0.25, 1.25, shape) * random.choice([-1, 1], shape)
    if kind == "bf16":
        return to_bf16(values)
    if kind.startswith("f8"):
        return random.integers(0x20, 0x38, shape).astype(np.uint8)
    return values.astype(TYPES[kind])


def lay_out(kind, shape, rest):
    """A block of memory for a tensor, and the tensor as a view of it."""
    found = re.search(r"strides \[([\d, ]*)\]", rest)
    if not found:
        block = np.zeros(shape, TYPES[kind])
        return block, block
    strides = [int(n) for n in found.group(1).split(",")]
    size = 1 + sum((n - 1) * s for n, s in zip(shape, strides))
    block = np.zeros(size, TYPES[kind])
    width = block.itemsize
    return block, np.lib.stride_tricks.as_strided(
        block, shape, [s * width for s in strides])


def to_numbers(kind, array):
    if kind == "bf16":
        return (np.ascontiguousarray(array).view(np.uint16).astype(np.uint32) << 16).view(np.float32)
    if kind.startswith("f8"):
        exponent, mantissa = (5, 2) if kind == "f8_e5m2" else (4, 3)
        bits = np.ascontiguousarray(array).view(np.uint8).astype(np.int32)
        power = (bits >> mantissa) & ((1 << exponent) - 1)
        fraction = bits & ((1 << mantissa) - 1)
        bias = (1 << (exponent - 1)) - 1
        value = np.where(
            power == 0,
            fraction * 2.0 ** (1 - bias - mantissa),
            (1 + fraction / 2.0**mantissa) * 2.0 ** (power - bias),
        )
        top = power == (1 << exponent) - 1
        if kind == "f8_e5m2":
            value = np.where(top, np.where(fraction == 0, np.inf, np.nan), value)
        else:
            value = np.where(top & (fraction == 7), np.nan, value)
        return np.where(bits & 0x80, -value, value)
    return array.astype(np.float64)


INVALID = "not a graph"
EPSILON = {"f32": 2e-4, "f16": 8e-3, "bf16": 6e-2, "f8_e5m2": 0.6, "f8_e4m3": 0.3}


def find_difference(kind, actual, expected, text):
    """The worst element beyond what another order of sums changes, as text;
    integers may be one step apart. Numbers of the graph's narrow types are
    rounded, and where it quantises a few may fall on the other side of a step."""
    a, e = to_numbers(kind, actual), to_numbers(kind, expected)
    same = (a == e) | (np.isnan(a) & np.isnan(e))
    if kind in EPSILON:
        scale = np.max(np.abs(e[np.isfinite(e)]), initial=0) + 1e-6
        spelled = {"bf16": "bf16", "f16": "xf16", "f8_e5m2": "f8E5M2", "f8_e4m3": "f8E4M3"}
        epsilon = max([EPSILON[kind]] + [EPSILON[k] for k, v in spelled.items() if v in text])
        bound = epsilon * (np.abs(e) + 0.25 * scale)
    else:
        bound = 1 if kind != "boolean" else 0
    with np.errstate(invalid="ignore"):
        excess = np.where(same, -1.0, np.abs(a - e) - bound)
    excess = np.where(np.isnan(excess), np.inf, excess)
    if np.sum(excess > 0) <= (0.02 * excess.size if "quantize" in text else 0):
        return None
    at = np.unravel_index(np.argmax(excess), excess.shape)
    return f"{kind} {e.shape} at {at}: {a[at]}, not {e[at]}; {np.sum(excess > 0)} in all"


class Graph:
    def __init__(self, folder, text, include):
        self.folder = folder
        self.include = include
        self.text = text
        self.source = os.path.join(folder, "graph.mlir")
        os.makedirs(folder)
        with open(self.source, "w") as file:
            file.write(text)
        self.code = os.path.join(folder, "graph.c")

    def emit(self):
        """An error message, or None."""
        done = subprocess.run(
            ["gc-runner", self.source, "--emit=c", "-o", self.code],
            capture_output=True, text=True,
        )
        if done.returncode == 0:
            text = open(self.code).read()
            found = re.findall(r"^ \*   (\S+): (\w+) \[([\d, ]*)\](.*)$", text, re.M)
            self.tensors = [
                (kind, [int(n) for n in shape.split(",") if n.strip()], rest)
                for _, kind, shape, rest in found
            ]
            self.memory = int(re.search(r"_memory_bytes = (\d+)", text).group(1))
            self.name = re.search(r"enum { (\w+)_memory_bytes", text).group(1)
            return None
        if done.returncode == 2 and "cannot be written in C" in done.stderr:
            return re.search(r"'\S+' op cannot be written in C: .*", done.stderr).group()
        # Some graphs of the generator are refused by every target.
        check = subprocess.run(["gc-runner", self.source, "--threads=1"],
                               capture_output=True, text=True)
        if check.returncode == 2:
            return INVALID
        sys.exit(f"{self.source}: {done.stderr}")

    def run_reference(self):
        random = np.random.default_rng(7)
        command = ["gc-runner", self.source, "--target=reference",
                   "--output-dir", self.folder]
        self.inputs = []
        for kind, shape, rest in self.tensors:
            if "result" in rest:
                continue
            array = make_input(kind, shape, random)
            block, view = lay_out(kind, shape, rest)
            view[...] = array
            # Elements that share a place in memory are equal.
            path = os.path.join(self.folder, f"in{len(self.inputs)}.npy")
            np.save(path, view.copy())
            command.append(f"--input=arg{len(self.inputs)}={path}")
            self.inputs.append(block)
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"{self.source}: {done.stderr}")
        self.results = [t for t in self.tensors if "result" in t[2]]
        self.expected = []
        for index, (kind, shape, _) in enumerate(self.results):
            array = np.load(os.path.join(self.folder, f"result{index}.npy"))
            self.expected.append(array)

    def run_code(self, compiler):
        library = os.path.join(self.folder, f"{compiler}.so")
        done = subprocess.run(
            [compiler, "-std=c11", "-O1", "-Wall", "-Wno-unused", "-Wno-parentheses", "-Werror", "-shared",
             "-fPIC", "-I", self.include, self.code, "-lm", "-o", library],
            capture_output=True, text=True,
        )
        if done.returncode:
            sys.exit(f"{self.code}: {compiler}: {done.stderr[:500]}")
        outputs = [lay_out(*tensor) for tensor in self.results]
        block = np.full(self.memory + 64, 255, np.uint8)
        memory = block.ctypes.data + (-block.ctypes.data) % 64
        function = getattr(ctypes.CDLL(library), self.name)
        function.restype = None
        function(*[ctypes.c_void_p(a.ctypes.data) for a in self.inputs + [block for block, _ in outputs]],
                 ctypes.c_void_p(memory))
        for index, expected in enumerate(self.expected):
            kind, _, _ = self.results[index]
            difference = find_difference(kind, outputs[index][1], expected, self.text)
            if difference:
                sys.exit(f"{self.source}: {compiler}: result{index}: {difference}")


def main():
    include, folder = sys.argv[1:]
    compilers = [name for name in ("gcc", "clang") if shutil.which(name)]
    shutil.rmtree(folder, ignore_errors=True)
    agreed, refused = 0, collections.Counter()
    for index, text in enumerate(split_graphs(sys.stdin.read())):
        graph = Graph(os.path.join(folder, str(index)), text, include)
        reason = graph.emit()
        if reason:
            refused[reason] += reason != INVALID
            continue
        graph.run_reference()
        for compiler in compilers:
            graph.run_code(compiler)
        agreed += 1
    print(f"{agreed} agree")
    for reason, count in sorted((+refused).items()):
        print(f"{count} refused: {reason}")


main()
