# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Values of an argument of layer.mlir, and a call of C that has them inside.

    constants.py save FILE.npy           writes values for w
    constants.py call FILE.npy INCLUDE LAYER.c
"""

import ctypes
import os
import subprocess
import sys

import numpy as np

mode, file = sys.argv[1:3]
if mode == "save":
    values = np.random.default_rng(3).standard_normal((40, 72))
    np.save(file, values.astype(np.float32))
    sys.exit()

include, source = sys.argv[3:]
library = os.path.splitext(source)[0] + ".so"
compiler = os.environ.get("CC", "cc")
subprocess.run(
    [compiler, "-std=c11", "-O1", "-shared", "-fPIC", "-I" + include, source,
     "-o", library, "-lm"],
    check=True,
)
random = np.random.default_rng(4)
x = random.standard_normal((24, 40)).astype(np.float32)
b = random.standard_normal(72).astype(np.float32)
y = np.zeros((24, 72), np.float32)
block = np.zeros(1 << 20, np.uint8)
memory = block[-block.ctypes.data % 64 :]
ctypes.CDLL(library).layer(
    *(ctypes.c_void_p(array.ctypes.data) for array in (x, b, y, memory))
)
scores = x.astype(np.float64) @ np.load(file) + b
exact = np.exp(scores - scores.max(1, keepdims=True))
exact /= exact.sum(1, keepdims=True)
assert np.abs(y - exact).max() < 1e-4, np.abs(y - exact).max()
