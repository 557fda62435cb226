#!/usr/bin/python3
# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the times that the machine model predicts with measured ones.

For each workload one line: what GC predicts for one execution, the best of many
executions, and the error; at the end the median of the errors' sizes per set.
With --regions also a line per parallel loop. Exit codes: 0 fine, 1 a workload
failed, 2 usage.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import workloads  # noqa: E402

DEFAULT_SETS = "unseen,unseen-mha"


def parse_options(arguments):
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n", maxsplit=1)[0])
    add = parser.add_argument
    add("--set", default=DEFAULT_SETS, metavar="LIST",
        help=f"sets of workloads, comma separated (default {DEFAULT_SETS})")
    add("--build-dir", metavar="DIR",
        default=os.path.join(os.path.dirname(HERE), "build"),
        help="GC's build (default build)")
    add("--machine", metavar="FILE|PRESET",
        help="the machine that GC decides and predicts for (default: the "
             "host's, see gc-machine)")
    add("--threads", type=int, default=2, metavar="N", help="default 2")
    add("--min-time", type=float, default=0.3, metavar="S",
        help="measured seconds per workload (default 0.3)")
    add("--regions", action="store_true",
        help="trace the runs, and compare each parallel loop as well")
    options = parser.parse_args(arguments)
    options.set = options.set.split(",")
    for name in options.set:
        if name not in workloads.SETS:
            parser.error(f"there is no set {name}")
    if options.threads < 1:
        parser.error("--threads must be at least 1")
    return options


def error_of(predicted, measured):
    """How much longer than measured was predicted, as a fraction."""
    return (predicted - measured) / measured


def summarize(errors):
    """The median of the errors' sizes, and the largest of them."""
    sizes = [abs(error) for error in errors]
    return statistics.median(sizes), max(sizes)


def run(options, path, directory):
    """gc-runner's report on a workload."""
    command = [os.path.join(options.build_dir, "bin", "gc-runner"), path,
               f"--threads={options.threads}", "--bench",
               f"--min-time={options.min_time}", "--json=-"]
    environment = dict(os.environ)
    if options.machine:
        environment["GC_MACHINE"] = options.machine
    if options.regions:
        command.append(f"--trace={os.path.join(directory, 'trace.json')}")
    result = subprocess.run(command, capture_output=True, text=True,
                            env=environment, check=False)
    if result.returncode:
        raise RuntimeError(result.stderr.strip())
    return json.loads(result.stdout)


def line(name, predicted, measured, bound):
    error = error_of(predicted, measured)
    print(f"{name:28} {predicted:10.4f} {measured:10.4f} {error:+8.1%}  {bound}",
          flush=True)
    return error


def main(arguments):
    options = parse_options(arguments)
    directory = os.path.join(options.build_dir, "bench", "workloads")
    failed = False
    print(f"{'workload':28} {'predicted':>10} {'measured':>10} {'error':>8}  "
          "bound by (ms)")
    for name_of_set in options.set:
        errors = []
        for name in workloads.SETS[name_of_set]:
            path = workloads.write(directory, name)
            try:
                report = run(options, path, directory)
            except (OSError, RuntimeError, ValueError) as problem:
                print(f"predict: {name}: {problem}", file=sys.stderr)
                failed = True
                continue
            regions = report["regions"]
            longest = max(regions, key=lambda r: r["predicted_ms"],
                          default={"bound_by": ""})
            errors.append(line(name, report["predicted_ms"],
                               report["run_ms"]["min"], longest["bound_by"]))
            if options.regions:
                for region in regions:
                    if region["measured_ms"]:
                        line("  " + region["name"][:26],
                             region["predicted_ms"], region["measured_ms"],
                             region["bound_by"])
        if errors:
            median, largest = summarize(errors)
            print(f"{name_of_set}: median error {median:.1%}, largest "
                  f"{largest:.1%}, of {len(errors)} workloads")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
