# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Prints a graph of as many ReLU as the argument says, each fed by the one before,
the first by the last."""

import json
import sys


def tensor(number):
    return {"id": number, "dtype": "f32", "shape": [2], "layout_type": "undef"}


count = int(sys.argv[1])
ops = [
    {
        "id": i,
        "kind": "ReLU",
        "inputs": [tensor(i)],
        "outputs": [tensor((i + 1) % count)],
    }
    for i in range(count)
]
print(json.dumps({"graph": ops}, indent=1))
