# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Passes on the Graph dialect, conversions of it and the driver name no ops: they
# use interfaces and traits, so that a new op joins them where it is defined. A
# pass may name the ops that it creates. Templates are for certain ops.
#
# RUN: %python %s %gc_source | FileCheck %s
# CHECK: files: {{[1-9][0-9]+}}, named ops: 0, stale: 0

import pathlib
import re
import sys

FOLDERS = [
    "lib/Conversion/GraphToPoly",
    "lib/Conversion/GraphToTensorIR",
    "lib/Dialect/Graph/Transforms",
    "lib/Dialect/Poly",
    "lib/Driver",
    "lib/Transforms",
]
# What holds a graph together, and the copy that passes put between ops.
STRUCTURE = {"ConstantOp", "FusedOp", "ReorderOp", "YieldOp"}
# Passes that raise, decompose or rewrite certain ops: that is what they are, so an
# interface would have one implementation, and the pass would be that one. Each
# says which ops; an entry that the file does not need is an error.
PATTERNS = {
    "FormAttention.cpp": "raises matmul, softmax, matmul to one graph.attention",
    "InvertDivisors.cpp": "rewrites x / y for all x as x * (1 / y), an identity of "
    "divide, multiply and reciprocal, with a guard of comparisons",
    "LowerPrecision.cpp": "decomposes matmul of dequantized operands: the "
    "compensation of zero points is that of a product",
    "LowerPrecisionCaches.cpp": "the same for a matmul that dequantizes a cache",
    "LowerPrecisionCaches.h": "declares it",
    "LowerPrecisionWeights.cpp": "the same for a matmul that dequantizes weights",
    "LowerPrecisionWeights.h": "declares it",
    "RaiseSoftmax.cpp": "raises maximum, subtract, exp, sum, divide to softmax",
    "ReadElementwise.cpp": "reads two selections by >= as one by ==, which the "
    "Graph dialect has no comparison for; all else is by interface",
    "ShortenFunctions.cpp": "decomposes gelu to what f16 needs, by its constants",
}
# What is attached to ops, one line for each.
MODELS = {
    "ElementwiseModels.cpp": "how elementwise ops are emitted beyond their bodies",
    "NpuBoundModels.cpp": "the least cycles of ops on the NPU",
}

source = pathlib.Path(sys.argv[1])
ops = set()
for path in (source / "include/Dialect/Graph/IR").glob("*.td"):
    ops.update(re.findall(r"^def Graph_(\w+Op)\b", path.read_text(), re.M))
assert STRUCTURE < ops

files, count = 0, 0
# Those that are left name no op.
exempt = set(PATTERNS | MODELS)
for folder in FOLDERS:
    for path in sorted((source / folder).rglob("*.*")):
        if path.suffix not in (".cpp", ".h") or "Templates" in path.parts:
            continue
        files += 1
        # Ops of other dialects may have the same names.
        text = re.sub(r"//.*", "", path.read_text())
        names = re.findall(r"(?<![\w:])(?:(?:gc::)?graph::)?(\w+Op)\b(?!::create)", text)
        named = sorted(set(names) & ops - STRUCTURE)
        if path.name in exempt:
            if named:
                exempt.remove(path.name)
            continue
        for op in named:
            count += 1
            print("%s names %s" % (path.name, op))
for name in sorted(exempt):
    print("%s names no op and need not be exempt" % name)
print("files: %d, named ops: %d, stale: %d" % (files, count, len(exempt)))
