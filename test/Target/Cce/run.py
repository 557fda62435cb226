# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Programs of the NPU as C text: compiled with the host's compiler and run on the
# simulator, they give what gc-runner gives, bit for bit, in as many cycles, with
# as many flags.
#
# REQUIRES: numpy
# RUN: %python %s %t.dir %S/Inputs/control.mlir %S/Inputs/cube.mlir \
# RUN:   %S/Inputs/vector.mlir %gc_source/examples/npu/vadd-4mb.tuned.mlir \
# RUN:   %gc_source/examples/npu/gemm-1024.tuned.mlir

import json
import os
import re
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs"))
from cce import call, compile_text

DTYPES = {"f16": np.float16, "f32": np.float32, "i8": np.int8, "i32": np.int32}


def find_arguments(module):
    """Data type and shape of each argument of the only kernel."""
    for signature, attributes in re.findall(
            r"func\.func @\w+\((.*?)\)\s*attributes \{(.*)", module):
        if "npu.kernel" in attributes:
            memrefs = re.findall(r"memref<((?:\d+x)+)(\w+)", signature)
            return [(DTYPES[element], [int(n) for n in shape[:-1].split("x")])
                    for shape, element in memrefs]
    sys.exit("there is no kernel")


def make_input(random, dtype, shape):
    if np.issubdtype(dtype, np.integer):
        return random.integers(-128, 128, shape).astype(dtype)
    return random.uniform(-4, 4, shape).astype(dtype)


def get_counts(report):
    lines = (line.split() for line in report.splitlines())
    return {name: int(value) for name, value in lines}


def compare(directory, path):
    name = os.path.basename(path).removesuffix(".mlir")
    lowered = os.path.join(directory, name + ".mlir")
    call("gc-runner", "--target=npu", path, "--emit=mlir", "-o", lowered)
    call("gc-translate", "--npu-to-cce", lowered, "-o",
         os.path.join(directory, name + ".cpp"))
    program = compile_text(directory, name)

    with open(lowered) as file:
        arguments = find_arguments(file.read())
    random = np.random.default_rng(1)
    results = os.path.join(directory, name + ".results")
    os.makedirs(results, exist_ok=True)
    options, files = [f"--output-dir={results}"], []
    *inputs, output = arguments
    for i, (dtype, shape) in enumerate(inputs):
        array = make_input(random, dtype, shape)
        files.append(os.path.join(directory, f"{name}.{i}.bin"))
        array.tofile(files[-1])
        np.save(files[-1] + ".npy", array)
        options.append(f"--input=arg{i}={files[-1]}.npy")
    files.append(os.path.join(directory, f"{name}.out.bin"))

    for profile in ("gm64", "l2"):
        report = json.loads(call("gc-runner", "--target=npu", path, "--json=-",
                                 f"--profile={profile}", *options))
        own = get_counts(call(program, f"--profile={profile}", *files))
        assert own["cycles"] == report["cycles"], (own, report)
        assert own["flags"] == report["flags"], (own, report)
        for pipe, busy in report["pipes"].items():
            assert own[pipe] == busy, (pipe, own, report)
        again = get_counts(call(program, f"--profile={profile}", "--mode=cycles"))
        assert again == own, (again, own)

        (written,) = os.listdir(results)
        wanted = np.load(os.path.join(results, written))
        found = np.fromfile(files[-1], output[0]).reshape(output[1])
        np.testing.assert_array_equal(found, wanted)
        assert len(np.unique(found)) > 2, "all results are equal"
    print(f"{name}: {own['cycles']} cycles")


os.makedirs(sys.argv[1], exist_ok=True)
for path in sys.argv[2:]:
    compare(sys.argv[1], path)
