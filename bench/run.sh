#!/bin/sh
# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Runs the benchmark with the system's Python, whichever comes first on PATH.
exec /usr/bin/python3 "$(dirname "$0")/bench.py" "$@"
