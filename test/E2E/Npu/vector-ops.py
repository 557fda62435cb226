# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Every kind of vector instruction against the reference interpreter, on f16 and
# f32: whole repeats and a remainder with a mask, or the special form of a
# reduction, a comparison or a transposition.

# RUN: %python %s %t

import os
import subprocess
import sys

N = 1000  # 7 repeats and 104 lanes of f16, 15 and 40 of f32
LANES = {"f16": 128, "f32": 64}
BYTES = {"f16": 2, "f32": 4, "i8": 1}


def memref(count, element, space="ub", offset=None):
    """With an offset the type of a subview."""
    layout = "" if offset is None else ", strided<[1]>"
    if offset:
        layout = f", strided<[1], offset: {offset}>"
    return f"memref<{count}x{element}{layout}, #npu.space<{space}>>"


def mask(lanes):
    """As two signed numbers of 64 bits."""
    bits = (1 << lanes) - 1
    words = [bits & (2**64 - 1), bits >> 64]
    return "mask [%d, %d]" % tuple(w - 2**64 if w >> 63 else w for w in words)


class Program:
    """A kernel that is built line by line, with a barrier after each."""

    def __init__(self, inputs, output, graph):
        """Types as (shape, element); `graph` is the reference's body, which
        reads %x0, %x1 ... and defines %y."""
        self.inputs, self.output, self.graph = inputs, output, graph
        self.lines, self.address = [], 0

    def add(self, *lines):
        self.lines += lines
        self.lines.append("npu.barrier all")

    def buffer(self, name, count, element):
        size = -(-count * BYTES[element] // 256) * 256
        self.lines.append(
            f"%{name} = npu.alloc at {self.address} : {memref(count, element)}"
        )
        self.address += size

    def transfer(self, source, target, count, element, out=False):
        spaces = ("ub", "gm") if out else ("gm", "ub")
        types = [memref(count, element, space) for space in spaces]
        self.add(
            f"npu.dma %{source} to %{target} length {count * BYTES[element]} : "
            f"{types[0]} to {types[1]}"
        )

    def text(self):
        def tensor(type):
            return f"tensor<{'x'.join(map(str, type[0]))}x{type[1]}>"

        def argument(type):
            return f"memref<{'x'.join(map(str, type[0]))}x{type[1]}, #npu.space<gm>>"

        names = [f"%x{i}" for i in range(len(self.inputs))]
        graph = ", ".join(f"{n}: {tensor(t)}" for n, t in zip(names, self.inputs))
        kernel = ", ".join(
            f"{n}: {argument(t)}"
            for n, t in zip(names + ["%y"], self.inputs + [self.output])
        )
        body = "\n  ".join(self.lines)
        return f"""
func.func private @graph({graph}) -> {tensor(self.output)} {{
  {self.graph}
  return %y : {tensor(self.output)}
}}
func.func @main({kernel}) attributes {{npu.kernel, reference = @graph}} {{
  {body}
  return
}}
"""


def op(name, operands, types, result, attributes=""):
    return f"%y = graph.{name} {operands} {attributes} : ({types}) -> {result}"


def elementwise(kind, graph, element, sources=1, scalar=None, result=None):
    """One instruction for whole repeats, one for the rest."""
    result = result or element
    lanes = min(LANES[element], LANES[result])
    program = Program([((N,), element)] * sources, ((N,), result), graph)
    for i in range(sources):
        program.buffer(f"a{i}", N, element)
        program.transfer(f"x{i}", f"a{i}", N, element)
    program.buffer("r", N, result)
    register = ""
    if scalar is not None:
        program.lines.append(f"%s = arith.constant {scalar!r} : f32")
        register = ", %s"
    full = N // lanes * lanes
    parts = [(0, full, f"repeat {N // lanes}"), (full, N - full, mask(N - full))]
    # A cast moves over less of its narrower side.
    strides = [8 * BYTES[t] * lanes // 256 for t in (result, element)]
    for i, (start, count, how) in enumerate(parts):
        views = []
        for name, type in [(f"a{j}", element) for j in range(sources)] + [
            ("r", result)
        ]:
            view = f"{name}_{i}"
            views.append((f"%{view}", memref(count, type, offset=start)))
            program.lines.append(
                f"%{view} = memref.subview %{name}[{start}] [{count}] [1] : "
                f"{memref(N, type)} to {memref(count, type, offset=start)}"
            )
        names = ", ".join(v for v, _ in views[:-1])
        types = ", ".join(t for _, t in views[:-1])
        program.add(
            f"npu.vector {kind} ({names}){register} to {views[-1][0]} {how} "
            f"strides [1, {strides[0]}, 1, {strides[1]}, 1, {strides[1]}] : "
            f"({types}) to {views[-1][1]}"
        )
    program.transfer("r", "y", N, result, out=True)
    return program


def reduction(kind, element, groups):
    """One result of each repeat, or of each block."""
    rows = 8
    width = LANES[element]
    length = width // 8 if groups else width
    count = rows * width // length
    source, shape = f"{count}x{length}x{element}", (count, length)
    name = {"sum": "reduce_sum", "max": "reduce_max", "min": "reduce_min"}
    graph = op(
        name[kind],
        "%x0",
        f"tensor<{source}>",
        f"tensor<{count}x{element}>",
        "{axes = array<i64: 1>, keep_dims = false}",
    )
    program = Program([(shape, element)], ((count,), element), graph)
    total = rows * width
    program.buffer("a", total, element)
    program.buffer("r", count, element)
    program.lines.append(
        "%flat = memref.collapse_shape %x0 [[0, 1]] : memref<"
        f"{source}, #npu.space<gm>> into {memref(total, element, 'gm')}"
    )
    program.transfer("flat", "a", total, element)
    program.add(
        f"npu.vector {'group' if groups else 'reduce'}_{kind} (%a) to %r repeat "
        f"{rows} : ({memref(total, element)}) to {memref(count, element)}"
    )
    program.transfer("r", "y", count, element, out=True)
    return program


def choice(kind, element):
    """A comparison whose bits select: the larger or the smaller of two."""
    count = LANES[element] * 5
    tensor = f"tensor<{count}x{element}>"
    larger = kind in ("cmp_ge", "cmp_gt")
    name = "maximum" if larger else "minimum"
    graph = op(name, "%x0, %x1", f"{tensor}, {tensor}", tensor)
    if kind in ("cmp_eq", "cmp_ne"):
        # Unequal numbers: always the second, or always the first.
        source = "%x1" if kind == "cmp_eq" else "%x0"
        graph = op("abs", source, tensor, tensor)
    program = Program([((count,), element)] * 2, ((count,), element), graph)
    for i in range(2):
        program.buffer(f"a{i}", count, element)
        program.transfer(f"x{i}", f"a{i}", count, element)
    type, bits = memref(count, element), memref(count // 8, "i8")
    program.buffer("bits", count // 8, "i8")
    program.buffer("r", count, element)
    program.add(
        f"npu.vector {kind} (%a0, %a1) to %bits repeat 5 : ({type}, {type}) to {bits}"
    )
    program.add(
        f"npu.vector select (%bits, %a0, %a1) to %r repeat 5 : "
        f"({bits}, {type}, {type}) to {type}"
    )
    if kind in ("cmp_eq", "cmp_ne"):
        program.add(f"npu.vector abs (%r) to %r repeat 5 : ({type}) to {type}")
    program.transfer("r", "y", count, element, out=True)
    return program


def transposition():
    graph = op(
        "static_transpose",
        "%x0",
        "tensor<16x16xf16>",
        "tensor<16x16xf16>",
        "{order = array<i64: 1, 0>}",
    )
    program = Program([((16, 16), "f16")], ((16, 16), "f16"), graph)
    program.buffer("a", 256, "f16")
    program.buffer("r", 256, "f16")
    for name in ("x0", "y"):
        program.lines.append(
            f"%{name}_flat = memref.collapse_shape %{name} [[0, 1]] : "
            f"memref<16x16xf16, #npu.space<gm>> into {memref(256, 'f16', 'gm')}"
        )
    program.transfer("x0_flat", "a", 256, "f16")
    type = memref(256, "f16")
    program.add(f"npu.vector transpose (%a) to %r : ({type}) to {type}")
    program.transfer("r", "y_flat", 256, "f16", out=True)
    return program


def strided():
    """Row i of eight added to a row that is the same for all: a source whose
    repeat stride is 0."""
    program = Program(
        [((8, 128), "f16"), ((128,), "f16")],
        ((8, 128), "f16"),
        op(
            "add",
            "%x0, %x1",
            "tensor<8x128xf16>, tensor<128xf16>",
            "tensor<8x128xf16>",
        ),
    )
    program.buffer("a", 1024, "f16")
    program.buffer("b", 128, "f16")
    for name in ("x0", "y"):
        program.lines.append(
            f"%{name}_flat = memref.collapse_shape %{name} [[0, 1]] : "
            f"memref<8x128xf16, #npu.space<gm>> into {memref(1024, 'f16', 'gm')}"
        )
    program.transfer("x0_flat", "a", 1024, "f16")
    program.transfer("x1", "b", 128, "f16")
    a, b = memref(1024, "f16"), memref(128, "f16")
    program.add(
        f"npu.vector add (%a, %b) to %a repeat 8 strides [1, 8, 1, 8, 1, 0] : "
        f"({a}, {b}) to {a}"
    )
    program.transfer("a", "y_flat", 1024, "f16", out=True)
    return program


def collect():
    for element in ("f16", "f32"):
        tensor = f"tensor<{N}x{element}>"
        for kind, name in {
            "add": "add",
            "sub": "subtract",
            "mul": "multiply",
            "div": "divide",
            "max": "maximum",
            "min": "minimum",
        }.items():
            graph = op(name, "%x0, %x1", f"{tensor}, {tensor}", tensor)
            yield f"{kind} {element}", elementwise(kind, graph, element, 2)
        for kind, name in {
            "relu": "relu",
            "abs": "abs",
            "exp": "exp",
            "log": "log",
            "sqrt": "sqrt",
            "rec": "reciprocal",
        }.items():
            graph = op(name, "%x0", tensor, tensor)
            yield f"{kind} {element}", elementwise(kind, graph, element)
        graph = "%r = graph.sqrt %x0 : (" + tensor + f") -> {tensor}\n  "
        graph += op("reciprocal", "%r", tensor, tensor)
        yield f"rsqrt {element}", elementwise("rsqrt", graph, element)
        for kind, name in {"adds": "add", "muls": "multiply"}.items():
            constant = f"tensor<1x{element}>"
            graph = f"%c = graph.constant dense<0.75> : {constant}\n  "
            graph += op(name, "%x0, %c", f"{tensor}, {constant}", tensor)
            yield f"{kind} {element}", elementwise(kind, graph, element, scalar=0.75)
        for kind in ("sum", "max", "min"):
            for groups in (False, True):
                form = "group" if groups else "reduce"
                yield f"{form}_{kind} {element}", reduction(kind, element, groups)
        for kind in ("eq", "ne", "lt", "le", "gt", "ge"):
            yield f"cmp_{kind} {element}", choice(f"cmp_{kind}", element)
    for source, target in (("f16", "f32"), ("f32", "f16")):
        tensors = [f"tensor<{N}x{e}>" for e in (source, target)]
        graph = f"%y = graph.type_cast %x0 : {tensors[0]} -> {tensors[1]}"
        program = elementwise("convert", graph, source, result=target)
        yield f"convert {source} to {target}", program
    for element in ("f16", "f32"):
        tensor, constant = f"tensor<{N}x{element}>", f"tensor<1x{element}>"
        graph = f"%y = graph.static_reshape %x0 {{shape = array<i64: {N}>, "
        graph += f"special_zero = false}} : ({tensor}) -> {tensor}"
        yield f"copy {element}", elementwise("copy", graph, element)
        graph = f"%c = graph.constant dense<-0.75> : {constant}\n  "
        graph += op("add", "%x0, %c", f"{tensor}, {constant}", tensor)
        program = elementwise("add", graph, element, 2)
        # The second operand is made instead of being loaded.
        program.inputs = program.inputs[:1]
        place = next(i for i, l in enumerate(program.lines) if "%x1" in l)
        whole, rest = divmod(N, LANES[element])
        type = memref(N, element)
        tail = memref(rest, element, offset=N - rest)
        program.lines[place : place + 1] = [
            "%d = arith.constant -0.75 : f32",
            f"npu.vector dup (), %d to %a1 repeat {whole} : () to {type}",
            f"%tail = memref.subview %a1[{N - rest}] [{rest}] [1] : {type} to {tail}",
            f"npu.vector dup (), %d to %tail {mask(rest)} : () to {tail}",
        ]
        yield f"dup {element}", program
    yield "transpose", transposition()
    yield "strided", strided()


def main():
    path = sys.argv[1] + ".mlir"
    os.makedirs(os.path.dirname(path), exist_ok=True)
    failed = count = 0
    for name, program in collect():
        count += 1
        with open(path, "w") as file:
            file.write(program.text())
        run = subprocess.run(
            ["gc-runner", "--target=npu", "--check", path],
            capture_output=True,
            text=True,
        )
        if run.returncode != 0:
            failed += 1
            print(f"{name}: exit code {run.returncode}")
            print(run.stdout + run.stderr)
            if failed == 1:
                print(program.text())
    assert count > 50, count
    return failed > 0


sys.exit(main())
