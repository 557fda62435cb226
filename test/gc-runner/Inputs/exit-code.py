# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""exit-code.py CODE COMMAND...: runs the command and passes on what it prints;
fails unless it ends with CODE."""

import subprocess
import sys

code = subprocess.run(sys.argv[2:]).returncode
if code != int(sys.argv[1]):
    print(f"FAILED: exit code {code} of {sys.argv[2:]}")
sys.exit(code != int(sys.argv[1]))
