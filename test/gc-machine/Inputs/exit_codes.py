# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""gc-machine ends with 2 for every kind of wrong usage."""

import subprocess

for options in (["--print=zen9"], ["--list", "--quick"], ["--frobnicate"],
                ["--print=zen4-2", "--quick"], ["positional"],
                ["--print=zen4-2", "-o", "/nowhere/machine.json"]):
    result = subprocess.run(["gc-machine", *options], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, check=False)
    assert result.returncode == 2, (options, result)
    assert not result.stdout, options
