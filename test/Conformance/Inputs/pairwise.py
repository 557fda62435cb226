# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Few combinations of choices, in which every pair of choices occurs."""

import itertools
import random


def make(factors, constrained=(), allowed=lambda choice: True, seed=1):
    """Dictionaries from the names in `factors` (name: list of values): every pair of
    values of two factors occurs in at least one, unless `allowed` accepts no
    combination that has it. `allowed` sees the factors `constrained` only; all
    others go with everything. Reproducible."""
    rng = random.Random(seed)
    names = list(factors)
    bound = [name for name in names if name in constrained]
    free = [name for name in names if name not in constrained]
    every = [
        choice
        for values in itertools.product(*(factors[name] for name in bound))
        if allowed(choice := dict(zip(bound, values)))
    ]

    def get_pairs(choice):
        return {
            (a, choice[a], b, choice[b]) for a, b in itertools.combinations(names, 2)
        }

    possible = {name: factors[name] for name in free}
    for name in bound:
        seen = {choice[name] for choice in every}
        possible[name] = [value for value in factors[name] if value in seen]
    missing = {
        (a, x, b, y)
        for a, b in itertools.combinations(names, 2)
        for x in possible[a]
        for y in possible[b]
        if not (a in bound and b in bound)
        or any(choice[a] == x and choice[b] == y for choice in every)
    }

    def draw(wanted):
        """A combination that has the wanted pair."""
        a, x, b, y = wanted
        fixed = {a: x, b: y}
        choice = {name: rng.choice(possible[name]) for name in free}
        choice.update(
            rng.choice(
                [
                    each
                    for each in every
                    if all(each.get(name, value) == value for name, value in fixed.items())
                ]
            )
        )
        choice.update((name, value) for name, value in fixed.items() if name in free)
        return choice

    picked = []
    while missing:
        wanted = min(missing, key=str)
        candidates = [draw(wanted) for _ in range(30)]
        best = max(candidates, key=lambda choice: len(get_pairs(choice) & missing))
        picked.append(best)
        missing -= get_pairs(best)
    return picked
