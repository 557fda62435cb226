# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""A function of an upstream dialect under construction, as text."""

import math
import struct


class Program:
    """A function under construction: values are (name, shape), all of f32."""

    def __init__(self, name, rng, mixed):
        self.name, self.rng, self.mixed = name, rng, mixed
        self.lines, self.arguments, self.count = [], [], 0
        self.constants = {}

    def emit(self, text, shape):
        self.count += 1
        name = f"%v{self.count}"
        self.lines.append(f"  {name} = {text}")
        return name, tuple(shape)

    def argument(self, shape):
        name = f"%a{len(self.arguments)}"
        self.arguments.append((name, tuple(shape)))
        return name, tuple(shape)

    def constant(self, text):
        """The name of a constant op of this text; one per text."""
        if text not in self.constants:
            self.constants[text] = f"%c{len(self.constants)}"
        return self.constants[text]

    def finish(self, results):
        arguments = ", ".join(f"{n}: {tensor(s)}" for n, s in self.arguments)
        types = ", ".join(tensor(s) for _, s in results)
        names = ", ".join(n for n, _ in results)
        constants = [f"  {n} = {t}" for t, n in self.constants.items()]
        body = "\n".join(constants + self.lines)
        self.results = [s for _, s in results]
        return (f"func.func @{self.name}({arguments}) -> ({types}) {{\n{body}\n"
                f"  return {names} : {types}\n}}\n")


def tensor(shape, element="f32"):
    return "tensor<" + "".join(f"{s}x" for s in shape) + element + ">"


def dense(shape, rng):
    values = [rng.uniform(-1, 1) for _ in range(math.prod(shape))]
    data = struct.pack(f"<{len(values)}f", *values).hex().upper()
    return f'arith.constant dense<"0x{data}"> : {tensor(shape)}'


def pick_shape(rng, rank):
    return tuple(rng.choice([1, 2, 3, 4, 6, 8]) for _ in range(rank))
