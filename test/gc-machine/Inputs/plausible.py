# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether a measured description is one of a machine that may exist.

The limits are far apart: the host may be busy with anything else.
"""

import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    machine = json.load(file)


def check(value, least, most):
    assert least <= value <= most, (value, least, most)


check(machine["clock_ghz"], 0.05, 10)
check(machine["cores"], 1, 65536)
levels = [machine[level] for level in ("l1", "l2", "l3", "memory")]
for near, far in zip(levels, levels[1:]):
    assert near["bytes_per_cycle"] >= far["bytes_per_cycle"], (near, far)
    assert near["bytes"] <= far.get("bytes", near["bytes"]), (near, far)
check(levels[0]["bytes_per_cycle"], 0.5, 1024)
for level in levels[2:]:
    alone, together = level["bytes_per_cycle"], level["shared_bytes_per_cycle"]
    check(together, alone, 1.01 * alone * machine["cores"])
for key in ("barrier", "fork"):
    assert machine[key]["cycles"] >= 0
    assert machine[key]["cycles_per_thread"] >= 0
assert machine["call_cycles"] >= 0
check(machine["exchange_bytes_per_cycle"], 1e-3, 1024)
check(machine["pack_cycles_per_byte"], 1e-4, 1000)
rates = [k["macs_per_cycle"] for k in machine["kernels"] if k["types"] == "f32"]
assert rates and min(rates) > 0
