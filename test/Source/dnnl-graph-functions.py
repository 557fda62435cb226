# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Every function of the Graph API's headers is defined in the library's sources
# and called by the client in C, which checks its statuses.
#
# RUN: %python %s %gc_source | FileCheck %s
# CHECK: graph functions: 62, without a definition: 0, not called: 0
# CHECK: all functions: {{[0-9]+}}, without a definition: 0, not called: 0

import pathlib
import re
import sys

source = pathlib.Path(sys.argv[1])


def read(folder, pattern):
    return "\n".join(
        path.read_text() for path in sorted((source / folder).glob(pattern))
    )


headers = re.sub(
    r"/\*.*?\*/", "", read("include/dnnl/oneapi/dnnl", "*.h"), flags=re.S
)
functions = sorted(set(re.findall(r"DNNL_API\s+\*?(dnnl_\w+)\(", headers)))
library = read("lib/CAPI/DnnlGraph", "*.cpp")
client = read("unittests/CAPI/DnnlGraph", "*.c")

for title, names in (
    ("graph functions", [name for name in functions if name.startswith("dnnl_graph_")]),
    ("all functions", functions),
):
    undefined = [n for n in names if not re.search(r"\b%s\(" % n, library)]
    uncalled = [n for n in names if not re.search(r"\b%s\(" % n, client)]
    for name in undefined + uncalled:
        print(name)
    print(
        "%s: %d, without a definition: %d, not called: %d"
        % (title, len(names), len(undefined), len(uncalled))
    )
