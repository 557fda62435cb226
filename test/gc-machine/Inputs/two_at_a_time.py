# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures several times at once: the hosts' processors are never idle."""

import subprocess
import sys

running = [subprocess.Popen(["gc-machine", "--quick", "-o", path])
           for path in sys.argv[1:]]
codes = [process.wait() for process in running]
assert not any(codes), codes
