#!/bin/sh
# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# In place of a linker: interrupts the program that calls it, by the signal that
# SIGNAL names.
kill -"$SIGNAL" "$PPID"
sleep 2
