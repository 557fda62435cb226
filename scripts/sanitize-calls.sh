#!/bin/sh
# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Runs random sequences of calls of the Graph API, right and wrong ones, random
# graphs, and ops alone with random tensors and attributes under the address and
# leak sanitizers (MutationsTest.cpp, RandomGraphsTest.cpp and SingleOpsTest.cpp of
# unittests/CAPI/DnnlGraph). The interface, the driver and the runtime are
# instrumented; leaks are found wherever the memory comes from.
#
#   scripts/sanitize-calls.sh BUILD_DIR [SEQUENCES [GRAPHS [OPS]]]
#
# BUILD_DIR is a configured build tree; there are 1000 sequences, 20 graphs and 300
# ops by default. Needs the package libclang-rt-22-dev (GC_SANITIZER_PACKAGES of
# setup.sh). The exit status is 0 if there was no report and a leak that is there
# on purpose had one, and 2 if the program cannot be made.

set -eu

if [ $# -lt 1 ] || [ $# -gt 4 ]; then
  echo "usage: $0 BUILD_DIR [SEQUENCES [GRAPHS [OPS]]]" >&2
  exit 2
fi
program=$1/bin/gc-dnnl-calls
sequences=${2:-1000}
graphs=${3:-20}
ops=${4:-300}

. "$(dirname "$0")/sanitizer.sh"
gc_need_sanitizer "$1" address

ninja -C "$1" gc-dnnl-calls

# Some calls ask for more memory than there is, and get a status.
export ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1
GC_MUTATIONS=$sequences "$program" --gtest_brief=1 \
  --gtest_filter=Mutations.GiveStatuses
GC_RANDOM_GRAPHS=$graphs "$program" --gtest_brief=1 \
  --gtest_filter='RandomGraphs.*'
GC_SINGLE_OPS=$ops "$program" --gtest_brief=1 --gtest_filter='SingleOps.*'

if "$program" --gtest_also_run_disabled_tests \
  --gtest_filter='*LeakAGraph' >/dev/null 2>&1; then
  echo "a graph that nobody destroys was not seen" >&2
  exit 1
fi
echo "no reports in $sequences sequences of calls, $graphs graphs and $ops ops"
