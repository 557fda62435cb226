# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""trace.py FILE: checks that a trace of two executions folds once."""

import json
import sys

events = json.load(open(sys.argv[1]))["traceEvents"]
spans = [e for e in events if e["ph"] == "X"]
names = [e["name"] for e in spans]
assert names.count("fold") == 1, names
assert names.count("execute #0") == 1 and names.count("execute #1") == 1, names
second = next(e for e in spans if e["name"] == "execute #1")
inside = [
    e
    for e in spans
    if e is not second and second["ts"] <= e["ts"] <= second["ts"] + second["dur"]
]
assert inside, "the second execution shows no region"
assert all(e["cat"] == "compute" for e in inside), inside
assert any(e["cat"] == "fold" and e["name"] != "fold" for e in spans), names
