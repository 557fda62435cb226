# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""bfloat16 values, for which numpy has no dtype, as uint16 arrays of their bits:
the upper half of a float32."""

import numpy as np


def to_bfloat16(array):
    """float32 to the bits of bfloat16, rounded to nearest even; NaN stays NaN."""
    bits = np.asarray(array, dtype=np.float32).view(np.uint32)
    rounded = (bits + (0x7FFF + ((bits >> 16) & 1))) >> 16
    quiet = (bits >> 16) | 0x40
    return np.where(np.isnan(array), quiet, rounded).astype(np.uint16)


def from_bfloat16(array):
    """The bits of bfloat16 (uint16) to float32, exactly."""
    bits = np.asarray(array)
    if bits.dtype != np.uint16:
        raise TypeError(f"the bits of bfloat16 are uint16, not {bits.dtype}")
    return (bits.astype(np.uint32) << 16).view(np.float32)
