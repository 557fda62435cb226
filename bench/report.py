# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From the rounds of a benchmark to rows, summaries and a Markdown table.

Times are milliseconds. A ratio is a peer's time over GC's: above one GC is
faster. `best` is the fastest run of all rounds, `median` the median of the
rounds' medians. The fraction of peak divides by the highest `peak_gflops` (the
physical limit, in windows of 2 ms) that gc-runner measured along with the
workload's rounds, for every system alike; `sustained_peak_gflops`, over windows
as long as a run, is given next to it.
"""

import math
import statistics

STATISTICS = ("best", "median")
# Systems that are only bounds and compute nothing.
BOUNDS = ("read", "copy")


def collect(rounds):
    """One system's measurements on one workload, from its reports.

    A failure in any round is the result: a system that works now and then does
    not work.
    """
    for report in rounds:
        if report["status"] != "ok":
            return {"status": report["status"], "error": report.get("error", "")}
    last = {k: v for k, v in rounds[-1].items() if k not in ("status", "run_ms")}
    return {
        "status": "ok",
        "best_ms": min(r["run_ms"]["min"] for r in rounds),
        "median_ms": statistics.median(r["run_ms"]["median"] for r in rounds),
        "rounds": [r["run_ms"] for r in rounds],
        "report": {**last, **compile_time(rounds)},
    }


def compile_time(rounds):
    """Each round compiles anew: the median of them, where they say."""
    times = [r["compile_ms"] for r in rounds if r.get("compile_ms")]
    return {"compile_ms": statistics.median(times)} if times else {}


def make_row(name, group, shape, flops, rounds, moved=0):
    """A workload's row from {peer: [report of each round]}; `moved` are the
    bytes that have to be read and written."""
    systems = {peer: collect(reports) for peer, reports in rounds.items()
               if reports}
    peak, sustained = (
        max((r[key] for r in rounds.get("gc", [])
             if r["status"] == "ok" and r.get(key)), default=None)
        for key in ("peak_gflops", "sustained_peak_gflops"))
    ours = systems.get("gc")
    for peer, system in systems.items():
        if system["status"] != "ok":
            continue
        for stat in STATISTICS:
            if moved:
                system[f"{stat}_gbytes"] = (moved / system[f"{stat}_ms"] *
                                            1e-6)
            if peer in BOUNDS:
                if ours and ours["status"] == "ok":
                    system[f"{stat}_ratio"] = (system[f"{stat}_ms"] /
                                               ours[f"{stat}_ms"])
                continue
            if flops:
                gflops = flops / system[f"{stat}_ms"] * 1e-6
                system[f"{stat}_gflops"] = gflops
                if peak:
                    system[f"{stat}_peak_fraction"] = gflops / peak
            if peer != "gc" and ours and ours["status"] == "ok":
                system[f"{stat}_ratio"] = (system[f"{stat}_ms"] /
                                           ours[f"{stat}_ms"])
    return {"name": name, "group": group, "shape": shape, "flops": flops,
            "bytes": moved,
            "peak_gflops": peak, "sustained_peak_gflops": sustained,
            "systems": systems}


def peak_text(rows):
    """What the rows' peaks were, in words; empty where none was measured."""
    def span(key):
        values = [row[key] for row in rows if row.get(key)]
        return (f"{min(values):.0f}–{max(values):.0f} GFLOP/s" if values
                else "")
    peak, sustained = span("peak_gflops"), span("sustained_peak_gflops")
    if peak and sustained:
        peak += f" in windows of 2 ms, {sustained} in windows as long as a run"
    return peak


def value(row, peer, key):
    """A measured number of a row, or None."""
    return row["systems"].get(peer, {}).get(key)


def geomean(numbers):
    return math.exp(statistics.fmean(map(math.log, numbers)))


def summarise(rows, peer, key):
    """Geometric mean and worst case (with its name) of a number, or None."""
    found = [(value(row, peer, key), row["name"]) for row in rows
             if value(row, peer, key)]
    if not found:
        return None
    worst = min(found)
    return {"count": len(found), "geomean": geomean([v for v, _ in found]),
            "worst": worst[0], "worst_name": worst[1]}


def groups_of(rows):
    """{group: rows}, in the order of appearance."""
    groups = {}
    for row in rows:
        groups.setdefault(row["group"], []).append(row)
    return groups


def summaries(rows, peers):
    """{group: {peer: {key: summary}}}; what was not measured is left out."""
    result = {}
    for group, members in groups_of(rows).items():
        result[group] = {}
        for peer in peers:
            keys = [f"{stat}_{what}" for stat in STATISTICS
                    for what in ("ratio", "peak_fraction")]
            found = {k: summarise(members, peer, k) for k in keys}
            result[group][peer] = {k: v for k, v in found.items() if v}
    return result


def failures(rows):
    """Lines for the systems that failed; unsupported workloads are not
    failures, unless it is the product that lacks them."""
    return [f"{row['name']}: {peer}: {system['error']}"
            for row in rows for peer, system in row["systems"].items()
            if system["status"] == "error" or
            (peer == "gc" and system["status"] != "ok")]


def number(x, digits=3):
    """A number with that many significant digits, never in exponent form."""
    if x is None:
        return "—"
    if x == 0:
        return "0"
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(x))))
    return f"{x:.{min(decimals, 5)}f}"


def fixed(x, decimals=2):
    return "—" if x is None else f"{x:.{decimals}f}"


def time_cell(row, peer):
    system = row["systems"].get(peer)
    if not system:
        return "—"
    if system["status"] != "ok":
        return system["status"]
    return f"{number(system['best_ms'])} ({number(system['median_ms'])})"


def pair_cell(row, peer, what):
    best = value(row, peer, f"best_{what}")
    if best is None:
        return "—"
    return f"{fixed(best)} ({fixed(value(row, peer, f'median_{what}'))})"


def table(rows, titles):
    """The Markdown table of some rows; `titles` is {peer: title}."""
    titles = {p: t for p, t in titles.items()
              if any(p in row["systems"] for row in rows)}
    others = [p for p in titles if p != "gc"]
    computing = [p for p in titles if p not in BOUNDS]
    peak = any(row["peak_gflops"] for row in rows)
    computes = any(row["flops"] for row in rows)
    head = ["workload", "shape", "GFLOP" if computes else "MB"]
    head += [f"{t} ms" for t in titles.values()]
    if "gc" in titles:
        head += [f"vs {titles[p]}" for p in others]
    if computes:
        head += [f"{titles[p]} {'of peak' if peak else 'GFLOP/s'}"
                 for p in computing]
    else:
        head += [f"{t} GB/s" for t in titles.values()]
    lines = ["| " + " | ".join(head) + " |",
             "|" + "|".join(["---"] * 2 + ["---:"] * (len(head) - 2)) + "|"]
    for row in rows:
        cells = [row["name"], row["shape"],
                 number(row["flops"] / 1e9 if computes else
                        row["bytes"] / 1e6)]
        cells += [time_cell(row, p) for p in titles]
        if "gc" in titles:
            cells += [pair_cell(row, p, "ratio") for p in others]
        if not computes:
            cells += [number(value(row, p, "best_gbytes")) for p in titles]
        elif peak:
            cells += [pair_cell(row, p, "peak_fraction") for p in computing]
        else:
            cells += [number(value(row, p, "best_gflops")) for p in computing]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def summary_lines(summary, titles):
    """Markdown bullets for one group's summary."""
    lines = []
    words = {"ratio": "GC's speed over {}'s", "peak_fraction": "{}, of peak"}
    for what, phrase in words.items():
        for peer, title in titles.items():
            best = summary.get(peer, {}).get(f"best_{what}")
            if not best:
                continue
            median = summary[peer][f"median_{what}"]
            lines.append(
                f"- {phrase.format(title)}: geometric mean "
                f"{fixed(best['geomean'])} ({fixed(median['geomean'])}), worst "
                f"{fixed(best['worst'])} on {best['worst_name']} "
                f"({fixed(median['worst'])} on {median['worst_name']}), "
                f"{best['count']} workloads")
    return lines


def arena_cell(row, peer):
    report = row["systems"].get(peer, {}).get("report", {})
    size = report.get("arena_bytes")
    return "—" if size is None else number(size / 2**20)


def ablation_table(rows, titles):
    """The Markdown table of an ablation: for each system its time, how many
    times that is GC's, and the arena."""
    others = [p for p in titles if p != "gc"]
    head = ["workload", "GC ms", "MiB"]
    for peer in others:
        head += [f"{titles[peer]} ms", "×", "MiB"]
    lines = ["| " + " | ".join(head) + " |",
             "|---|" + "---:|" * (len(head) - 1)]
    for row in rows:
        cells = [row["name"], time_cell(row, "gc"), arena_cell(row, "gc")]
        for peer in others:
            cells += [time_cell(row, peer), pair_cell(row, peer, "ratio"),
                      arena_cell(row, peer)]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def ablation_lines(summary, titles):
    """Markdown bullets: what each missing part costs in a group."""
    lines = []
    for peer, title in titles.items():
        best = summary.get(peer, {}).get("best_ratio")
        if best:
            median = summary[peer]["median_ratio"]
            lines.append(f"- {title}: {fixed(best['geomean'])} "
                         f"({fixed(median['geomean'])}) times the time in "
                         f"geometric mean, {best['count']} workloads")
    return lines


def ablation_markdown(result):
    """The whole report of an ablation as Markdown."""
    titles = result["titles"]
    lines = [f"# Ablation {result['name']}", "", run_line(result),
             "Every cell: best run (median). MiB: the arena of one execution."]
    for group, members in groups_of(result["rows"]).items():
        lines += ["", f"## {group}", "",
                  *ablation_lines(result["summary"][group], titles), "",
                  ablation_table(members, titles)]
    return "\n".join(lines + failure_lines(result)) + "\n"


def run_line(result):
    host, options = result["host"], result["options"]
    return (f"{host['cpu']}, {host['cpus']} CPUs; {options['threads']} "
            f"threads, {options['rounds']} rounds of {options['min_time']} s "
            "per system, taking turns.")


def skipped(result):
    """What was not run or is not supported, with the reasons."""
    return [f"{row['name']}: {result['titles'][peer]}: {system['error']}"
            for row in result["rows"]
            for peer, system in row["systems"].items()
            if system["status"] in ("not run", "unsupported")]


def skipped_lines(result):
    found = [f"- {line}" for line in skipped(result)]
    return ["", "## Not measured", "", *found] if found else []


def failure_lines(result):
    if not result["failures"]:
        return []
    return ["", "## Failures", "", *[f"- {line}" for line in
                                     result["failures"]]]


def markdown(result):
    """The whole report of a run as Markdown."""
    titles = result["titles"]
    peak = peak_text(result["rows"])
    lines = [f"# Benchmark {result['name']}", "",
             run_line(result) + " Versions: " +
             (", ".join(f"{titles[p]} {v}" for p, v in
                        result["versions"].items() if v) or "not reported") +
             ".",
             "Every cell: best run (median). A ratio above 1 means GC is "
             "faster."]
    if peak:
        lines[-1] += f" Peak, over the rows: in-cache batch-reduce GEMM, {peak}."
    for group, members in groups_of(result["rows"]).items():
        lines += ["", f"## {group}", "",
                  *summary_lines(result["summary"][group], titles), "",
                  table(members, titles)]
    lines += skipped_lines(result) + failure_lines(result)
    return "\n".join(lines) + "\n"
