#!/usr/bin/python3
# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures GC, oneDNN primitives and ONNX Runtime, in one run.

Generates the workloads, runs each one on every system alternately, and writes a
Markdown table, a JSON file and an SVG plot. Exit codes: 0 all measured, 1 a
system failed on a workload (the report names it), 2 usage or set-up.
"""

import argparse
import datetime
import json
import os
import re
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import peers as peer_module  # noqa: E402
import plot  # noqa: E402
import report  # noqa: E402
import workloads  # noqa: E402

DEFAULT_SETS = "mlp-f32,mha-f32,unseen"


def parse_options(arguments):
    root = os.path.dirname(HERE)
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n")[0],
        epilog="Sets: " + ", ".join(workloads.SETS) + ".")
    add = parser.add_argument
    add("--set", default=DEFAULT_SETS, metavar="LIST",
        help=f"sets of workloads, comma separated (default {DEFAULT_SETS})")
    add("--filter", metavar="REGEX",
        help="only workloads whose name has a match, out of all sets unless "
             "--set is given")
    add("--peers", default="gc,onednn,ort,read,copy", metavar="LIST",
        help="systems to run (default gc,onednn,ort,read,copy; read and "
             "copy are the time to read the inputs, and to write the results, "
             "once, where that is the bound)")
    add("--ablation", action="store_true",
        help="compare GC with GC without its parts instead of its peers: "
             + ", ".join(p.name for p in peer_module.ABLATIONS))
    add("--rounds", type=int, help="rounds of every system (default 5)")
    add("--min-time", type=float, metavar="S",
        help="timed seconds per system and round (default 0.5)")
    add("--warmup", type=int, default=5, metavar="N",
        help="untimed runs before (default 5)")
    add("--threads", type=int, default=2, metavar="N", help="default 2")
    add("--quick", action="store_true",
        help="2 rounds of 0.15 s: a first look, not a measurement")
    add("--check", action="store_true",
        help="compare every system's results with numpy instead of measuring")
    add("--build-dir", default=os.path.join(root, "build"), metavar="DIR",
        help="the product's build; drivers, packages and results go to its "
             "bench folder (default build)")
    add("--gc-runner", metavar="FILE", help="default BUILD/bin/gc-runner")
    add("--gc-option", action="append", default=[], metavar="OPTION",
        help="passed on to gc-runner; may be repeated")
    add("--name", help="of the result files (default: date and time)")
    add("--out-dir", metavar="DIR", help="default BUILD/bench/results")
    add("--no-install", dest="install", action="store_false",
        help="fail instead of installing a missing peer")
    options = parser.parse_args(arguments)

    explicit_set = any(a == "--set" or a.startswith("--set=")
                       for a in arguments)
    if options.filter and not explicit_set:
        options.set = "all"
    options.rounds = options.rounds or (2 if options.quick else 5)
    options.min_time = options.min_time or (0.15 if options.quick else 0.5)
    options.build_dir = os.path.abspath(options.build_dir)
    options.gc_runner = os.path.abspath(
        options.gc_runner or os.path.join(options.build_dir, "bin",
                                          "gc-runner"))
    options.out_dir = options.out_dir or os.path.join(options.build_dir,
                                                      "bench", "results")
    now = datetime.datetime.now().strftime("%Y-%m-%d-%H%M%S")
    options.name = options.name or now
    try:
        select(options)
    except ValueError as error:
        parser.error(str(error))
    if options.rounds < 1 or options.threads < 1 or options.warmup < 0:
        parser.error("--rounds and --threads must be at least 1, --warmup 0")
    return options


def select(options):
    """Sets `options.names` and `options.peer_names`; ValueError if nothing."""
    names = []
    for part in options.set.split(","):
        if part not in workloads.SETS:
            raise ValueError(f"there is no set {part}")
        names += [n for n in workloads.SETS[part] if n not in names]
    if options.filter:
        try:
            pattern = re.compile(options.filter)
        except re.error as error:
            raise ValueError(f"--filter: {error}") from error
        names = [n for n in names if pattern.search(n)]
    if not names:
        raise ValueError("no workload is selected")
    options.names = names
    options.peer_names = options.peers.split(",")
    if options.ablation:
        options.peer_names = ["gc"] + [p.name for p in peer_module.ABLATIONS]
    for name in options.peer_names:
        if name not in peer_module.PEERS:
            raise ValueError(f"there is no peer {name}")


def group_of(name):
    """The set of a workload: mlp-f32, ..., unseen."""
    return next(s for s in workloads.BASE_SETS if name in workloads.SETS[s])


def host():
    """The processor as /proc/cpuinfo names it, and what tells its kind."""
    found = {}
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            for line in file:
                key, _, text = line.partition(":")
                found.setdefault(key.strip(), text.strip())
    except OSError:
        pass
    flags = found.get("flags", "").split()
    vectors = next((name for flag, name in (("avx512f", "AVX-512"),
                                            ("avx2", "AVX2"))
                    if flag in flags), "no AVX2")
    return {"cpu": found.get("model name", "unknown processor"),
            "detail": f"family {found.get('cpu family', '?')}, model "
                      f"{found.get('model', '?')}, {vectors}",
            "cpus": len(os.sched_getaffinity(0))}


def measure(options, peers):
    """The rows: every workload on every system, the systems alternating."""
    directory = os.path.join(options.build_dir, "bench", "workloads")
    rows = []
    for name in options.names:
        graph = workloads.workload(name)
        path = workloads.write(directory, name)
        running = [peer for peer in peers if peer.applies(graph)]
        if not running:
            continue
        rounds = {peer.name: [] for peer in running}
        for turn in range(options.rounds):
            # Each round starts with a different system, so that none always
            # runs after the same neighbour.
            shift = turn % len(running)
            for peer in running[shift:] + running[:shift]:
                past = rounds[peer.name]
                if not past or past[-1]["status"] == "ok":
                    past.append(peer.measure(path, graph))
        row = report.make_row(name, group_of(name), workloads.describe(graph),
                              workloads.flops(graph), rounds,
                              sum(workloads.compulsory_bytes(graph)))
        rows.append(row)
        cells = [f"{p.title} {report.time_cell(row, p.name)}" for p in running]
        cells += [f"vs {p.title} {report.pair_cell(row, p.name, 'ratio')}"
                  for p in running if report.value(row, p.name, "best_ratio")]
        if report.value(row, "gc", "best_peak_fraction"):
            cells.append(
                f"of peak {report.pair_cell(row, 'gc', 'peak_fraction')}")
        print(f"{name:16} " + "  ".join(cells), flush=True)
    return rows


def version_of(rows, peer):
    return next((s["report"]["version"] for row in rows
                 for p, s in row["systems"].items()
                 if p == peer and s.get("report", {}).get("version")), None)


def write_results(options, result):
    os.makedirs(options.out_dir, exist_ok=True)
    base = os.path.join(options.out_dir, options.name)
    ablation = result["ablation"]
    texts = {"json": json.dumps(result, indent=1) + "\n",
             "md": (report.ablation_markdown if ablation else
                    report.markdown)(result),
             "svg": (plot.draw_ablation if ablation else plot.draw)(result)}
    for suffix, text in texts.items():
        with open(f"{base}.{suffix}", "w", encoding="utf-8") as file:
            file.write(text)
    return base


def check(options, peers):
    """Compares every system's result with numpy. Returns the failures."""
    try:
        import oracle
    except ImportError:
        peer_module.apt_install(["python3-numpy"], "--check computes in numpy",
                                options.install)
        import oracle
    directory = os.path.join(options.build_dir, "bench", "workloads")
    failed = 0
    for name in options.names:
        graph = workloads.workload(name)
        path = workloads.write(directory, name)
        expected = oracle.evaluate(graph)
        verdicts = []
        for peer in peers:
            if not peer.applies(graph):
                continue
            done, actual = peer.compute(path, graph)
            if done["status"] == "ok":
                problem = oracle.compare(graph, actual, expected)
                verdict = problem or "agrees"
            else:
                problem = done["status"] == "error" or isinstance(
                    peer, peer_module.Gc)
                verdict = f"{done['status']}: {done.get('error', '')}"
            failed += bool(problem)
            verdicts.append(f"{peer.title} {verdict}")
        print(f"{name:16} " + "  ".join(verdicts), flush=True)
    return failed


def main(arguments):
    options = parse_options(arguments)
    peers = [peer_module.PEERS[n](options) for n in options.peer_names]
    try:
        for peer in peers:
            peer.prepare()
        if options.check:
            return 1 if check(options, peers) else 0
    except peer_module.SetupError as error:
        print(f"bench: {error}", file=sys.stderr)
        return 2
    rows = measure(options, peers)
    if not rows:
        print("bench: none of the systems applies to these workloads",
              file=sys.stderr)
        return 2
    result = {
        "name": options.name,
        "ablation": options.ablation,
        "host": host(),
        "options": {k: getattr(options, k) for k in
                    ("threads", "rounds", "min_time", "warmup", "gc_option")},
        "titles": {peer.name: peer.title for peer in peers},
        "versions": {peer.name: version_of(rows, peer.name) for peer in peers},
        "rows": rows,
        "summary": report.summaries(rows, [p.name for p in peers]),
        "failures": report.failures(rows),
    }
    base = write_results(options, result)
    for group, summary in result["summary"].items():
        print(f"\n{group}")
        print("\n".join(report.summary_lines(summary, result["titles"])))
    for line in result["failures"]:
        print(f"bench: {line}", file=sys.stderr)
    print(f"\nwritten: {base}.md, .json, .svg")
    return 1 if result["failures"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
