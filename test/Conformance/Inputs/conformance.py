#!/usr/bin/env python3
# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Runs programs with `gc-runner --check` and prints a table: name, status, reason
and milliseconds, all of gc-runner.

The programs are the oneDNN Graph files of a folder (--graphs) and those that
cases.py generates for every op with windows (--cases). "weak" are results that
agree but prove little, such as a gradient most of which is 0. Exit code: 0 if all
agree, or are refused for the reason that is stated here; 1 if not; 2 bad usage.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import cases

# Graphs that the specification does not allow, and what the error must say.
REFUSED = {
    # It has a scale for each index of a dimension, of which there are that many.
    "int8_convtranspose_post_ops_add_fusion": "(C3) has 16 scales, takes 1",
}


def run(arguments, name, path):
    """(status, reason, milliseconds)"""
    command = [arguments.runner, path, "--check", "--json=-"]
    command += [f"--threads={arguments.threads}"]
    if arguments.machine:
        command += [f"--machine={arguments.machine}"]
    start = time.monotonic()
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            timeout=arguments.time_limit,
        )
    except subprocess.TimeoutExpired:
        return "hung", "", 1000 * arguments.time_limit
    milliseconds = 1000 * (time.monotonic() - start)
    text = done.stderr.decode(errors="replace").strip()
    if done.returncode not in (0, 1):
        reason = text.splitlines()[0].rpartition("error: ")[2] if text else "no message"
        wanted = REFUSED.get(name)
        if done.returncode == 2 and wanted and wanted in text:
            return "refused", reason, milliseconds
        return "failed", f"exit code {done.returncode}: {reason}", milliseconds
    try:
        check = json.loads(done.stdout)["check"]
    except (ValueError, KeyError):
        return "failed", "no report: " + text, milliseconds
    reason = check.get("reason", "") or check.get("message", "")
    if name in REFUSED:
        return "failed", "should be refused", milliseconds
    return check["status"], reason or text, milliseconds


def get_label(op, choice):
    return op + " " + ",".join(str(value) for value in choice.values())


def collect(arguments, folder):
    """Pairs of name and path."""
    programs = []
    for graphs in arguments.graphs:
        paths = sorted(pathlib.Path(graphs).rglob("*.json"))
        if not paths:
            sys.exit(f"conformance.py: {graphs} has no .json files")
        programs += [(path.stem, path) for path in paths]
    if arguments.cases:
        for index, (op, choice, text) in enumerate(cases.get_cases()):
            path = folder / f"case{index}.mlir"
            path.write_text(text)
            programs.append((get_label(op, choice), path))
    return [program for program in programs if arguments.filter in program[0]]


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--graphs", action="append", default=[], help="a folder of .json files")
    parser.add_argument("--cases", action="store_true", help="the generated programs")
    parser.add_argument("--filter", default="", help="only names that have this in them")
    parser.add_argument("--runner", default=shutil.which("gc-runner"), help="gc-runner")
    parser.add_argument("--machine", help="what to compile for")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="programs at a time")
    parser.add_argument("--time-limit", type=float, default=120, help="seconds for one program")
    parser.add_argument("--keep", type=pathlib.Path, help="folder for the generated programs")
    arguments = parser.parse_args()
    if not arguments.graphs and not arguments.cases:
        parser.error("neither --graphs nor --cases")
    if not arguments.runner:
        parser.error("gc-runner is not on PATH")
    return arguments


def main():
    arguments = parse_arguments()
    counts = collections.Counter()
    bad = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.keep or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        programs = collect(arguments, folder)
        width = max((len(name) for name, _ in programs), default=0)
        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            jobs = [pool.submit(run, arguments, name, path) for name, path in programs]
            for (name, _), job in zip(programs, jobs):
                status, reason, milliseconds = job.result()
                counts[status] += 1
                bad += status not in ("passed", "weak", "refused")
                print(f"{name:{width}}  {status:7} {milliseconds:8.0f}  {reason}".rstrip(), flush=True)
    summary = ", ".join(f"{counts[status]} {status}" for status in sorted(counts))
    print(f"{len(programs)} programs: {summary}; {bad} not as expected")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
