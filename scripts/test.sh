#!/bin/sh
# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Installs what is missing, builds everything and runs all tests: unit tests,
# the lit suite, the tests of the Python package and of the bench, and a small
# compiler that builds against the installed package.
#
#   scripts/test.sh [ARGUMENT...]    arguments for ctest, such as -R lit
#
# The last line is "N passed, N failed", counting each lit, unit and Python test.
# The exit code is 0 if nothing failed. Settings: see setup.sh.

set -u
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
python3 "$GC_SOURCE_DIR/scripts/summary.py" "$reports" || status=1
exit $status
