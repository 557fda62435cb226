#!/usr/bin/python3
# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What gc-tune finds for the CPU, against the cost model's own templates.

Each workload is tuned in a process of its own, which keeps what it found in a
database. If these are other templates, gc-runner times the workload with the
database and without it, in turn and in processes that know nothing of the tuner's
times. A ratio is the time with the database over the time without: above 1 the
tuner has made it slower. Where the compiler's own templates are kept, the code is
the same, and the ratio 1.

  bench/cpu_tune.py --set=unseen
  bench/cpu_tune.py --set=mlp-f32 --filter=mlp2 --rounds=8 --samples=16
  bench/cpu_tune.py --set=unseen --publish     into docs/cpu-tuning.md
"""

import argparse
import json
import math
import os
import re
import statistics
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import workloads  # noqa: E402
from npu_tables import ROOT, replace, table  # noqa: E402

PAGE = os.path.join(ROOT, "docs", "cpu-tuning.md")


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"cpu_tune.py: {' '.join(command)}: {done.stderr.strip()}")
    return json.loads(done.stdout) if done.stdout.strip() else None


def tune(arguments, path, database):
    """The tuner's report; nothing if the graph has no templates."""
    return run([os.path.join(arguments.bin, "gc-tune"), "--target=cpu", path,
                "-o", database, "--json", f"--threads={arguments.threads}",
                f"--rounds={arguments.rounds}",
                f"--samples={arguments.samples}"])


def compare(arguments, path, database):
    """Milliseconds without and with the database: (best, median) each."""
    command = [os.path.join(arguments.bin, "gc-runner"), path, "--bench",
               "--json=-", f"--threads={arguments.threads}",
               f"--min-time={arguments.min_time}"]
    times = ([], [])
    for _ in range(arguments.turns):
        for found, extra in zip(
                times,
                [[], [f"--pipeline-options=template-database={database}"]]):
            found.append(run(command + extra)["run_ms"])
    return [(min(t["min"] for t in found),
             statistics.median(t["median"] for t in found)) for found in times]


def mean(ratios):
    return math.exp(statistics.fmean(math.log(ratio) for ratio in ratios))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--set", default="unseen",
                        choices=sorted(workloads.SETS))
    parser.add_argument("--filter", default="", metavar="REGEX")
    parser.add_argument("--bin", default=os.path.join(ROOT, "build", "bin"))
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--samples", type=int, default=16)
    parser.add_argument("--turns", type=int, default=5,
                        help="runs of gc-runner, each with and without")
    parser.add_argument("--min-time", type=float, default=0.2)
    parser.add_argument("--publish", action="store_true",
                        help="put the table into docs/cpu-tuning.md")
    arguments = parser.parse_args()
    names = [name for name in workloads.SETS[arguments.set]
             if re.search(arguments.filter, name)]
    if not names:
        parser.error("no workload has this name")
    rows, best, median = [], [], []
    count = 0
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            path = workloads.write(folder, name)
            database = os.path.join(folder, "templates.json")
            report = tune(arguments, path, database)
            if not report:
                continue
            count += 1
            if report["templates"] == report["own_templates"]:
                print(name, "keeps its templates", file=sys.stderr, flush=True)
                continue
            own, tuned = compare(arguments, path, database)
            best.append(tuned[0] / own[0])
            median.append(tuned[1] / own[1])
            rows.append([name, workloads.describe(workloads.workload(name)),
                         f"{own[0]:.4g} ({own[1]:.4g})",
                         f"{tuned[0]:.4g} ({tuned[1]:.4g})",
                         f"{best[-1]:.3f} ({median[-1]:.3f})",
                         f"{report['ratio']:.3f}"])
            print(*rows[-1], file=sys.stderr, flush=True)
    text = table(["<workload", "<shape", "cost model, ms", "tuned, ms", "ratio",
                  "tuner's ratio"], rows)
    text += (f"\nBest runs (medians) of {arguments.turns} turns; "
             f"{arguments.rounds * arguments.samples} samples a workload. "
             f"{count - len(rows)} of {count} workloads of `{arguments.set}` "
             "keep\nthe cost model's templates")
    if rows:
        text += ("; ratios of the others: geometric mean "
                 f"{mean(best):.3f} ({mean(median):.3f}),\nlargest "
                 f"{max(best):.3f} ({max(median):.3f})")
    text += ".\n"
    print(text)
    if arguments.publish:
        replace(PAGE, "tuned", text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
