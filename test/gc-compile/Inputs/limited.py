# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Runs a command whose files cannot grow beyond a number of bytes, as on a disk
that is full.

    limited.py BYTES COMMAND...
"""

import resource
import signal
import subprocess
import sys

limit = int(sys.argv[1])
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
sys.exit(subprocess.run(sys.argv[2:], check=False, restore_signals=False).returncode)
