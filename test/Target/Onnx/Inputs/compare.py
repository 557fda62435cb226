# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Compares the one result that a run left in a folder with what is expected.

    compare.py EXPECTED.npy FOLDER
"""

import pathlib
import sys

import numpy as np

(result,) = pathlib.Path(sys.argv[2]).glob("*.npy")
np.testing.assert_allclose(
    np.load(result), np.load(sys.argv[1]), rtol=1e-5, atol=1e-4
)
