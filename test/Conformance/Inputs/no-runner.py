#!/usr/bin/env python3
# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Stands for a gc-runner that refuses everything."""

import sys

print("no-runner: error: nothing runs here", file=sys.stderr)
sys.exit(2)
