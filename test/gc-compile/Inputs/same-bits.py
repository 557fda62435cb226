# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""A packaged graph as a shared library gives the bits that gc-runner gives.

    same-bits.py GRAPH FOLDER OPTION...

Options go to both tools; `weights=KIND` (none, embed, file) and `prepack` say
what the package does with the constant arguments.
"""

import ctypes
import os
import re
import shutil
import subprocess
import sys

import numpy as np

BITS = {"bf16": np.uint16, "f8_e5m2": np.uint8, "f8_e4m3": np.uint8,
        "s4": np.int8, "u4": np.uint8}
TYPES = {"f32": np.float32, "f16": np.float16, "s32": np.int32, "s8": np.int8,
         "u8": np.uint8, "boolean": np.bool_, "u64": np.uint64, **BITS}


def read_header(path, name):
    """Kind, graph name, type, shape, whether it is constant, and strides (None:
    row-major) of each parameter, in order."""
    text = open(path).read()
    pattern = (r"/\* (Input|Output) (\S+): (\w+) \[([\d, ]*)\]"
               r"(?:, strides \[([\d, ]*)\])?(, the same[^*]*)? \*/")
    numbers = lambda text: [int(n) for n in text.split(",") if n.strip()]
    return [
        (kind, tensor, type, numbers(shape), bool(const), numbers(strides) or None)
        for kind, tensor, type, shape, strides, const in re.findall(pattern, text)
    ]


def lay_out(type, shape, strides):
    """Memory for a tensor, and the tensor as a view of it."""
    if strides is None:
        block = np.zeros(shape, TYPES[type])
        return block, block
    block = np.zeros(1 + sum((n - 1) * s for n, s in zip(shape, strides)), TYPES[type])
    return block, np.lib.stride_tricks.as_strided(
        block, shape, [s * block.itemsize for s in strides])


def make_input(type, shape, random):
    most = {"boolean": 2, "s4": 8, "u4": 16, "f8_e5m2": 0x7c, "f8_e4m3": 0x7f}
    if type in ("s8", "u8", "s32", "u64", *most):
        numbers = random.integers(0, most.get(type, 100), shape)
        return np.asarray(numbers, TYPES[type])
    values = np.asarray(random.standard_normal(shape), np.float32)
    if type == "bf16":
        return np.asarray(np.asarray(values, np.float32).view(np.uint32) >> 16, np.uint16)
    return np.asarray(values, TYPES[type])


def call(library, name, arguments, weights):
    code = ctypes.CDLL(library)
    error = getattr(code, name + "_error")
    error.restype = ctypes.c_char_p
    load = getattr(code, name + "_load")
    if load(*([ctypes.c_char_p(weights.encode())] if weights else [])):
        sys.exit(error().decode())
    for _ in range(2):
        if getattr(code, name)(*[ctypes.c_void_p(a.ctypes.data) for a in arguments]):
            sys.exit(error().decode())
    getattr(code, name + "_unload")()


def main():
    graph, folder, *options = sys.argv[1:]
    kind, extra, common = "none", [], []
    for option in options:
        if option.startswith("weights="):
            kind = option.partition("=")[2]
        elif option == "prepack":
            extra.append("--prepack")
        else:
            common.append(option)
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)

    # A first package only to learn what the parameters are.
    package = os.path.join(folder, "package")
    compile = ["gc-compile", graph, "-o", package, "--name=graph", "--shared", *common]
    subprocess.run(compile, check=True)
    parameters = read_header(os.path.join(package, "graph.h"), "graph")
    random = np.random.default_rng(3)
    given, inputs, constants = [], {}, []
    for i, (what, tensor, type, shape, constant, _) in enumerate(parameters):
        if what != "Input":
            continue
        inputs[tensor] = make_input(type, shape, random)
        path = os.path.join(folder, f"{i}.npy")
        np.save(path, inputs[tensor])
        given.append(f"--input={tensor}={path}")
        if constant:
            constants.append(given[-1])
    subprocess.run(["gc-runner", graph, "--output-dir", folder, *common, *given],
                   check=True, stdout=subprocess.DEVNULL)
    if kind != "none":
        subprocess.run([*compile, *constants, f"--weights={kind}", *extra], check=True)
        parameters = read_header(os.path.join(package, "graph.h"), "graph")

    outputs, arguments = {}, []
    for what, tensor, type, shape, _, strides in parameters:
        block, view = lay_out(type, shape, strides)
        arguments.append(block)
        if what == "Input":
            view[...] = inputs[tensor]
        else:
            outputs[tensor] = view
    weights = os.path.join(package, "graph.safetensors")
    call(os.path.join(package, "libgraph.so"), "graph", arguments,
         weights if os.path.exists(weights) else None)
    for tensor, actual in outputs.items():
        expected = np.load(os.path.join(folder, tensor + ".npy"))
        if actual.tobytes() != expected.tobytes():
            sys.exit(f"{tensor} differs\n{actual}\n{expected}")
    print(f"{len(arguments)} parameters, the same bits")


main()
