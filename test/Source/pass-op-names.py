# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Passes on the Graph dialect, conversions of it and the driver name no ops: they
# use interfaces and traits, so that a new op joins them where it is defined. A
# pass may name the ops that it creates. Templates are for certain ops.
#
# RUN: %python %s %gc_source | FileCheck %s
# CHECK: files: {{[1-9][0-9]+}}, named ops: 0

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
# Passes that look for a pattern of certain ops.
PATTERNS = {
    "FormAttention.cpp",
    "InvertDivisors.cpp",
    "LowerPrecision.cpp",
    "LowerPrecisionCaches.cpp",
    "LowerPrecisionCaches.h",
    "LowerPrecisionWeights.cpp",
    "LowerPrecisionWeights.h",
    "RaiseSoftmax.cpp",
    "ReadElementwise.cpp",
    "ShortenFunctions.cpp",
}
# What is attached to ops, one line for each.
MODELS = {"ElementwiseModels.cpp", "NpuBoundModels.cpp"}

source = pathlib.Path(sys.argv[1])
ops = set()
for path in (source / "include/Dialect/Graph/IR").glob("*.td"):
    ops.update(re.findall(r"^def Graph_(\w+Op)\b", path.read_text(), re.M))
assert STRUCTURE < ops

files, count = 0, 0
for folder in FOLDERS:
    for path in sorted((source / folder).rglob("*.*")):
        if path.suffix not in (".cpp", ".h") or "Templates" in path.parts:
            continue
        files += 1
        if path.name in PATTERNS | MODELS:
            continue
        # Ops of other dialects may have the same names.
        text = re.sub(r"//.*", "", path.read_text())
        names = re.findall(r"(?<![\w:])(?:(?:gc::)?graph::)?(\w+Op)\b(?!::create)", text)
        for op in sorted(set(names) & ops - STRUCTURE):
            count += 1
            print("%s names %s" % (path.name, op))
print("files: %d, named ops: %d" % (files, count))
