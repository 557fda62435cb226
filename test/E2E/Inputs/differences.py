# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Arrays against numpy's: what two tests print and count."""

import numpy as np


def count_failures(name, actual, exact, allowed):
    """How many elements differ by more than `allowed`; prints the first three. Equal
    infinities, and two NaN, do not differ."""
    allowed = np.broadcast_to(allowed, exact.shape)
    same = (actual == exact) | (np.isnan(actual) & np.isnan(exact))
    with np.errstate(invalid="ignore"):
        near = np.abs(actual - exact) <= allowed
    failures = np.argwhere(~(same | near))
    for at in failures[:3]:
        at = tuple(at)
        print(f"{name} at {at}: {actual[at]!r} instead of {exact[at]!r}, {allowed[at]} allowed")
    return len(failures)
