#!/bin/sh
# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Installs what is missing, builds everything and runs all tests: unit tests,
# the lit suite, the tests of the Python package and of the bench, and a small
# compiler that builds against the installed package. Then the lit suite runs
# again for each of the other machines that have a preset: what passes may not
# depend on the machine (test/lit.cfg.py says how code runs for one that has more
# instructions than this host).
#
#   scripts/test.sh [ARGUMENT...]    arguments for ctest, such as -R lit; with
#                                    any, the suite runs for one machine only
#
# GC_TEST_MACHINES names the machines of the runs after the first. None of them
# begins later than GC_TEST_MINUTES after the start, if that is set.
#
# The last line is "N passed, N failed", counting each lit, unit and Python test.
# The exit code is 0 if nothing failed. Settings: see setup.sh.

set -u
gc_start=$(date +%s)
. "$(dirname "$0")/setup.sh"

gc_install $GC_PACKAGES $GC_TEST_PACKAGES
gc_configure -DGC_BUILD_TESTS=ON
gc_build

reports=$GC_BUILD_DIR/test-reports
rm -rf "$reports"
mkdir -p "$reports"
# GoogleTest writes one file per program into a folder, lit, pytest and ctest one
# each.
GTEST_OUTPUT="xml:$reports/" LIT_OPTS="--xunit-xml-output=$reports/lit.xml" \
  PYTEST_ADDOPTS="--junitxml=$reports/python.xml" \
  ctest --test-dir "$GC_BUILD_DIR" --output-on-failure \
  --output-junit "$reports/ctest.junit" "$@"
status=$?
left_out=

# Not in these runs, which should take a minute each: tests that do not depend on
# the CPU (the NPU, readers and writers of files), the conformance table, and
# random graphs, which gc-fuzz --machine checks in any number.
if [ $# -eq 0 ]; then
  gc_lit=$(sed -n 's/^GC_LIT:[A-Z]*=//p' "$GC_BUILD_DIR/CMakeCache.txt")
  for machine in ${GC_TEST_MACHINES-zen4-2 server-avx512-64 laptop-avx2-4 zen5-2 graniterapids-2}; do
    minutes=$((($(date +%s) - gc_start) / 60))
    if [ "$minutes" -ge "${GC_TEST_MINUTES:-$((minutes + 1))}" ]; then
      left_out="$left_out $machine"
      continue
    fi
    echo "The lit suite for the machine $machine"
    python3 "$gc_lit" -sv --param "machine=$machine" \
      --filter-out '/Npu|/npu|Fuzz/|Conformance/|Target/|gc-lsp|gc-translate|Plugin/|Source/' \
      --xunit-xml-output="$reports/lit-$machine.xml" "$GC_BUILD_DIR/test" ||
      status=1
  done
fi
if [ -n "$left_out" ]; then
  echo "NOT RUN, for lack of time: the lit suite for the machines$left_out"
fi
python3 "$GC_SOURCE_DIR/scripts/summary.py" "$reports" || status=1
exit $status
