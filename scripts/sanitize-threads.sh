#!/bin/sh
# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Runs eight host threads that compile and execute graphs under the thread
# sanitizer: the runtime on plain threads, the interface, the driver and the
# generated code are instrumented (unittests/CAPI/DnnlGraph/Threads). The packaged
# libMLIR and libLLVM are not; what needs a suppression because of that is listed
# there in suppressions.txt.
#
#   scripts/sanitize-threads.sh BUILD_DIR [RUNS]
#
# BUILD_DIR is a configured build tree; RUNS is 3 by default. Needs the package
# libclang-rt-22-dev (GC_SANITIZER_PACKAGES of setup.sh), which no other build
# needs. The exit status is 0 if the runs had no report and a race that is there
# on purpose had one, and 2 if they cannot be made.

set -eu

if [ $# -lt 1 ] || [ $# -gt 2 ]; then
  echo "usage: $0 BUILD_DIR [RUNS]" >&2
  exit 2
fi
folder=$(cd "$(dirname "$0")/.." && pwd)/unittests/CAPI/DnnlGraph/Threads
program=$1/bin/gc-dnnl-threads
runs=${2:-3}

. "$(dirname "$0")/sanitizer.sh"
gc_need_sanitizer "$1" thread

ninja -C "$1" gc-dnnl-threads

# The sanitizer knows accesses of up to 16 bytes, so code has no longer vectors.
GC_MACHINE=$folder/narrow.json
# Teams of four, whatever the host has.
OMP_NUM_THREADS=4
# OpenMP's threads are not used; its tool for the sanitizer only prints advice.
OMP_TOOL=disabled
export GC_MACHINE OMP_NUM_THREADS OMP_TOOL
options=suppressions=$folder/suppressions.txt:halt_on_error=1

run=0
while [ "$run" -lt "$runs" ]; do
  TSAN_OPTIONS=$options "$program"
  run=$((run + 1))
done

if TSAN_OPTIONS=$options "$program" race >/dev/null 2>&1; then
  echo "a race between two executions was not seen" >&2
  exit 1
fi
echo "no races in $runs runs"
