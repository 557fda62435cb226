#!/usr/bin/python3
# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts the tests in a folder of reports and prints "N passed, N failed".

`summary.py DIR` reads the XML files that GoogleTest, lit and pytest wrote, and
ctest's own report DIR/ctest.junit for the tests that are none of these. A test
program that failed without a failing test case in its report (it crashed, say)
counts as one failure. The exit code is 1 if anything failed or if nothing ran.
"""

import glob
import os
import re
import sys
import xml.etree.ElementTree as ElementTree


def count(path):
    """(passed, failed, skipped) test cases of one JUnit-like file."""
    passed = failed = skipped = 0
    for case in ElementTree.parse(path).iter("testcase"):
        if case.find("failure") is not None or case.find("error") is not None:
            failed += 1
        elif (
            case.find("skipped") is not None
            or case.get("status") in ("notrun", "disabled")
            or case.get("result") == "skipped"
        ):
            skipped += 1
        else:
            passed += 1
    return passed, failed, skipped


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: summary.py DIR")
    directory = sys.argv[1]
    detailed = {}
    for path in glob.glob(os.path.join(directory, "*.xml")):
        # GoogleTest numbers the reports of a program that runs several times.
        program = re.sub(r"(_\d+)?\.xml$", "", os.path.basename(path))
        try:
            counts = count(path)
        except ElementTree.ParseError:
            continue
        old = detailed.get(program, (0, 0, 0))
        detailed[program] = tuple(a + b for a, b in zip(old, counts))

    passed, failed, skipped = (sum(n) for n in zip((0, 0, 0), *detailed.values()))
    report = os.path.join(directory, "ctest.junit")
    if os.path.exists(report):
        for case in ElementTree.parse(report).iter("testcase"):
            program = case.get("name").split(".")[0]
            fails = case.get("status") == "fail"
            if program not in detailed:
                passed, failed = passed + (not fails), failed + fails
            elif fails and detailed[program][1] == 0:
                failed += 1
    if skipped:
        print(f"{skipped} skipped")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
