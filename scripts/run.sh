#!/bin/sh
# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Installs what is missing, builds, and runs gc-runner:
#
#   scripts/run.sh                   MLP-2 of the paper's Table I at batch 512,
#                                    checked and measured
#   scripts/run.sh [ARGUMENT...]     gc-runner with these arguments
#
# The exit code is gc-runner's: 0 fine, 1 the check failed, 2 bad input or
# usage, or nothing to run. Settings: see setup.sh.

set -u
. "$(dirname "$0")/setup.sh"

gc_install $GC_PACKAGES
# The tests need more packages; a build that has them keeps them.
if [ -f "$GC_BUILD_DIR/build.ninja" ]; then
  gc_configure
else
  gc_configure -DGC_BUILD_TESTS=OFF
fi
gc_build gc-runner

if [ $# -eq 0 ]; then
  graphs=$GC_BUILD_DIR/workloads
  python3 "$GC_SOURCE_DIR/bench/workloads.py" --set=mlp-f32 --out="$graphs" \
    >/dev/null || gc_fail "could not write the example"
  set -- "$graphs/mlp2-f32-b512.json" --check --bench
fi
echo "gc-runner $*"
exec "$GC_BUILD_DIR/bin/gc-runner" "$@"
