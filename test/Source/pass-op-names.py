# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Passes of the Graph dialect name no ops: they use interfaces and traits, so that
# a new op joins them where it is defined. A pass may name the ops that it
# creates.
#
# RUN: %python %s %gc_source | FileCheck %s
# CHECK: passes: {{[1-9][0-9]+}}, named ops: 0

import pathlib
import re
import sys

# What holds a graph together, and the copy that passes put between ops.
STRUCTURE = {"ConstantOp", "FusedOp", "ReorderOp", "YieldOp"}
# Passes that look for a pattern of certain ops.
PATTERNS = {
    "FormAttention.cpp",
    "InvertDivisors.cpp",
    "LowerPrecision.cpp",
    "LowerPrecisionWeights.cpp",
    "LowerPrecisionWeights.h",
    "RaiseSoftmax.cpp",
}

source = pathlib.Path(sys.argv[1])
ops = set()
for path in (source / "include/Dialect/Graph/IR").glob("*.td"):
    ops.update(re.findall(r"^def Graph_(\w+Op)\b", path.read_text(), re.M))
assert STRUCTURE < ops

passes, count = 0, 0
for path in sorted((source / "lib/Dialect/Graph/Transforms").glob("*.*")):
    if path.suffix not in (".cpp", ".h"):
        continue
    passes += 1
    text = re.sub(r"//.*", "", path.read_text())
    named = set(re.findall(r"\b(\w+Op)\b(?!::create)", text)) & ops - STRUCTURE
    if path.name in PATTERNS:
        continue
    for op in sorted(named):
        count += 1
        print("%s names %s" % (path.name, op))
print("passes: %d, named ops: %d" % (passes, count))
