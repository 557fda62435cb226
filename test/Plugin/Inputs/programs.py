# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Random programs of TOSA and of linalg on tensors, as text."""

import math
import random

from linalg_program import Linalg
from program import pick_shape
from tosa_program import Tosa


def generate(name, kind, seed, foreign):
    """A program of a dialect; the share `foreign` of its ops stays upstream's.
    Returns it with its text."""
    rng = random.Random(seed)
    program = (Tosa if kind == "tosa" else Linalg)(name, rng, foreign > 0)
    values = [program.argument(pick_shape(rng, rng.randint(1, 4)))]
    for _ in range(rng.randint(3, 12)):
        # Mostly a chain, sometimes a branch.
        x = values[-1] if rng.random() < 0.75 else rng.choice(values)
        if math.prod(x[1]) > 4096:
            continue
        step = program.foreign if rng.random() < foreign else program.step
        values.append(step(x))
    results = values[-1:] + rng.sample(values, min(2, len(values)))
    results = [r for r in results if not r[0].startswith("%a")] or \
        [program.foreign(values[0])]
    return program, program.finish(results)
