# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Compares `gc-translate --list-ops=json` (standard input) with the facts of the
specification: op-table.py onednn-graph-ops.json"""

import json
import re
import sys

# Optional tensors that the dialect does not have: axes and shapes are attributes
# there.
LACKING = {("ReduceL1", "axes"), ("ReduceL2", "axes"), ("ReduceMax", "axes"),
           ("ReduceMean", "axes"), ("ReduceMin", "axes"), ("ReduceProd", "axes"),
           ("ReduceSum", "axes"), ("AvgPoolBackward", "src_shape"),
           ("ConvTransposeBackwardWeights", "weights_shape"),
           ("ConvolutionBackwardData", "dst_shape"),
           ("ConvolutionBackwardWeights", "weights_shape"),
           ("Interpolate", "sizes"), ("InterpolateBackward", "sizes")}
# Attributes that are required because such a tensor cannot stand for them.
REQUIRED = {("AvgPoolBackward", "src_shape"),
            ("ConvTransposeBackwardWeights", "weights_shape"),
            ("ConvolutionBackwardWeights", "weights_shape")}
# Any number of tensors, which the specification names by an index.
VARIADIC = {"src_i": "srcs"}
differences = 0


def report(row, text):
    global differences
    differences += 1
    print(row["kind"] + ": " + text)


def get_name(text):
    """Without the marks of the specification's own documentation."""
    return re.search(r"\w+", text).group()


def compare(row, facts):
    known = {get_name(attr["name"]): attr for attr in facts["attrs"]}
    own = {attr["name"]: attr for attr in row["attributes"]}
    for name in sorted(known.keys() | own.keys()):
        if name not in known:
            report(row, "attribute " + name + " is not in the specification")
        elif name not in own:
            report(row, "attribute " + name + " is missing")
        elif (known[name]["required"] != own[name]["required"] and
              (row["kind"], name) not in REQUIRED):
            report(row, "attribute " + name + " is required in one of them")
        # The facts do not tell lists from single values.
        elif known[name]["type"].strip("[].") != own[name]["type"].strip("[]"):
            report(row, "attribute " + name + " has another type")
    for what, ours in (("inputs", "operands"), ("outputs", "results")):
        names = [get_name(value["name"]) for value in facts[what]]
        names = [VARIADIC.get(name, name) for name in names
                 if (row["kind"], name) not in LACKING]
        if names and names != [value["name"] for value in row[ours]]:
            report(row, "%s are %s" % (what, ", ".join(names)))


with open(sys.argv[1], encoding="utf-8") as file:
    specification = json.load(file)
rows = [row for row in json.load(sys.stdin) if row["kind"]]
for row in rows:
    if row["kind"] not in specification:
        report(row, "is not in the specification")
    # These two stand for any op.
    elif row["kind"] not in ("Wildcard", "End"):
        compare(row, specification[row["kind"]])
print("compared: %d, differences: %d" % (len(rows), differences))
