#!/usr/bin/python3
# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Puts results of bench.py into the documentation.

Takes one or more JSON files of bench.py, measurements and ablations; where two
have the same workload the later file's row counts. Rewrites the text between
the marks `<!-- bench:begin -->` and `<!-- bench:end -->` of two pages: every
table in docs/benchmarks.md, a summary in README.md. Draws the plots.
"""

import argparse
import json
import os
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import plot  # noqa: E402
import report  # noqa: E402
import workloads  # noqa: E402

BEGIN, END = "<!-- bench:begin -->", "<!-- bench:end -->"

# Groups in the order of the pages: what they are, and whether every row is
# shown (else the summary alone).
GROUPS = {
    "mlp-f32": ("MLPs of the paper's Table I, f32", True),
    "mha-f32": ("Attention of the paper's Table I, f32", True),
    "unseen": ("40 random MLPs: 1 to 5 layers, dimensions 1 to 2048, batch 1 "
               "to 512", False),
    "unseen-mha": ("20 random attention shapes: 16 heads, S in {33, 100, 197, "
                   "384, 1000} × D in {40, 64, 80, 128}", False),
    "long-mha": ("Attention over long sequences, D = 64", True),
    "matvec": ("One row times a constant matrix, compared with reading the "
               "matrix", True),
    "decode": ("Attention of one query of each head, compared with reading the "
               "keys and values", True),
    "onednn-graph": ("Subgraphs of whole models", True),
}


def merge(results):
    """One result out of several of the same machine, options and systems.

    Raises ValueError if they were measured on different hosts.
    """
    last = results[-1]
    for result in results:
        if result["host"] != last["host"]:
            raise ValueError(f"{result['name']} and {last['name']} are from "
                             "different machines")
    rows, titles, versions = {}, {}, {}
    for result in results:
        titles.update(result["titles"])
        versions.update({p: v for p, v in result["versions"].items() if v})
        for row in result["rows"]:
            rows[row["name"]] = row
    order = {name: i for i, name in enumerate(workloads.SETS["all"])}
    rows = sorted(rows.values(), key=lambda row: order.get(row["name"], 0))
    titles = {p: f"{t} {versions[p]}" if p in versions else t
              for p, t in titles.items()}
    return dict(last, titles=titles, rows=rows, failures=report.failures(rows),
                versions={},  # They are in the titles.
                summary=report.summaries(rows, list(titles)))


def part(result, group):
    """The rows of one group as a separate result."""
    rows = [row for row in result["rows"] if row["group"] == group]
    titles = {p: t for p, t in result["titles"].items()
              if any(p in row["systems"] for row in rows)}
    return dict(result, name=group, rows=rows, titles=titles,
                summary=report.summaries(rows, list(titles)))


def machine(result):
    host = result["host"]
    peak = report.peak_text(result["rows"])
    text = (f"{host['cpu']} ({host.get('detail', '')}), {host['cpus']} cores, "
            f"{result['options']['threads']} threads")
    if peak:
        text += ("; peak, an in-cache batch-reduce GEMM measured with each "
                 f"workload: {peak}")
    return text


def short_table(rows, titles):
    """A narrower table than the report's: best runs only, medians of GC."""
    titles = {p: t for p, t in titles.items()
              if any(p in row["systems"] for row in rows)}
    others = [p for p in titles if p != "gc"]
    # The processor's peak is irrelevant for what memory bounds.
    peak = (not set(report.BOUNDS) & set(titles) and
            any(row["peak_gflops"] for row in rows))
    head = ["workload", "GC ms", *[f"{titles[p]} ms" for p in others],
            *[f"vs {titles[p]}" for p in others],
            *(["GC of peak"] if peak else []), "compile ms", "arena MiB"]
    lines = ["| " + " | ".join(head) + " |",
             "|---|" + "---:|" * (len(head) - 1)]
    for row in rows:
        ours = row["systems"].get("gc", {}).get("report", {})
        cells = [row["name"], *[report.time_cell(row, p) for p in titles],
                 *[report.fixed(report.value(row, p, "best_ratio"))
                   for p in others]]
        if peak:
            cells.append(report.fixed(
                report.value(row, "gc", "best_peak_fraction")))
        compile_ms = ours.get("compile_ms")
        cells += [f"{compile_ms:.0f}" if compile_ms else "—",
                  report.arena_cell(row, "gc")]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def plain_summary(summary, titles):
    """One sentence of best-run geometric means and worst cases."""
    parts = []
    for peer, title in titles.items():
        ratio = summary.get(peer, {}).get("best_ratio")
        if ratio:
            parts.append(f"{ratio['geomean']:.2f} times the speed of {title} "
                         f"(worst {ratio['worst']:.2f}, {ratio['worst_name']}; "
                         f"{ratio['count']} workloads)")
    peak = summary.get("gc", {}).get("best_peak_fraction")
    if peak:
        parts.append(f"{peak['geomean']:.2f} of peak (worst "
                     f"{peak['worst']:.2f}, {peak['worst_name']})")
    return "Geometric means of the best runs: " + "; ".join(parts) + "."


def ablation_block(result, image):
    """What each part is worth: a table of geometric means per group."""
    titles = {p: t for p, t in result["titles"].items() if p != "gc"}
    groups = report.groups_of(sorted(
        result["rows"], key=lambda row: list(GROUPS).index(row["group"])))
    head = ["without", *[f"{g}: time ×" for g in groups],
            *[f"{g}: arena ×" for g in groups]]
    lines = ["| " + " | ".join(head) + " |",
             "|---|" + "---:|" * (len(head) - 1)]
    for peer, title in titles.items():
        cells = [title.removeprefix("no ")]
        for members in groups.values():
            found = report.summarise(members, peer, "best_ratio")
            cells.append(report.fixed(found["geomean"] if found else None))
        for members in groups.values():
            cells.append(report.fixed(arena_ratio(members, peer)))
        lines.append("| " + " | ".join(cells) + " |")
    return [
        "", "What each part contributes: GC without it, measured alternately "
        "with full GC (geometric means of time and of arena bytes over "
        f"{len(result['rows'])} workloads).", "", *lines, "",
        f"![Time and memory of GC without its parts]({image})"]


def arena_ratio(rows, peer):
    """Geometric mean of a system's arena over GC's; None without both."""
    pairs = [(plot.arena(row, peer)[0], plot.arena(row, "gc")[0])
             for row in rows]
    pairs = [a / b for a, b in pairs if a and b]
    return report.geomean(pairs) if pairs else None


def block(measured, ablation, images):
    """The lines of docs/benchmarks.md between the marks; `images` is the folder
    of the plots."""
    lines = []
    if measured:
        lines += [
            f"{machine(measured)}. The systems are measured alternately on each "
            "workload. Cells: best run in milliseconds, median in brackets; “vs” "
            "is the peer's best time over GC's. The machine is virtual and "
            "shared: medians are noisy, and ratios of best runs are accurate to "
            "about 10%. [How it is measured](../bench/README.md)."]
        for group, (words, every_row) in GROUPS.items():
            own = part(measured, group)
            if not own["rows"]:
                continue
            lines += ["", f"**{words}.**"]
            if len(own["rows"]) > 2:
                lines[-1] += " " + plain_summary(own["summary"][group],
                                                 own["titles"])
            if every_row:
                lines += ["", short_table(own["rows"], own["titles"])]
            if len(own["rows"]) > 2:
                lines += ["", f"![GC and its peers on {group}]"
                          f"({images}/bench-{group}.svg)"]
            skipped = report.skipped(own)
            if skipped:
                lines += ["", "Not measured: " + "; ".join(skipped) + "."]
        both = [row for row in measured["rows"]
                if row["group"] in ("mlp-f32", "mha-f32")]
        if len(report.groups_of(both)) == 2:
            summary = report.summaries(
                [dict(row, group="both") for row in both],
                list(measured["titles"]))["both"]
            lines += ["", f"All {len(both)} of Table I together. " +
                      plain_summary(summary, measured["titles"])]
    if ablation:
        lines += ablation_block(ablation, f"{images}/bench-ablation.svg")
    sets = sorted({row["group"] for row in measured["rows"]}
                  if measured else [], key=list(GROUPS).index)
    lines += ["", "To reproduce (the bench installs the peers and builds their "
              "drivers):", "", "```shell"]
    if measured:
        lines.append(f"bench/run.sh --set={','.join(sets)} --name=all")
    if ablation:
        groups = ",".join(sorted(report.groups_of(ablation["rows"]),
                                 key=list(GROUPS).index))
        lines.append(f"bench/run.sh --ablation --set={groups} --name=ablation")
    names = [n for n, r in (("all", measured), ("ablation", ablation)) if r]
    lines += ["bench/publish.py " + " ".join(
        f"build/bench/results/{n}.json" for n in names), "```"]
    return lines


def summary_table(measured):
    """One line per group: geometric mean over its workloads, worst in brackets."""
    titles = {p: t for p, t in measured["titles"].items()
              if p not in ("gc", *report.BOUNDS)}

    def cell(found):
        return f"{found['geomean']:.2f} ({found['worst']:.2f})" if found else "—"

    lines = ["| workloads | number | " +
             " | ".join(f"vs {t}" for t in titles.values()) + " | of peak |",
             "|---|---:|" + "---:|" * (len(titles) + 1)]
    for group, (words, _) in GROUPS.items():
        own = part(measured, group)
        if not own["rows"]:
            continue
        summary = own["summary"][group]
        lines.append(
            f"| {words.split(':')[0]} | {len(own['rows'])} | " +
            " | ".join(cell(summary.get(p, {}).get("best_ratio"))
                       for p in titles) +
            f" | {cell(summary.get('gc', {}).get('best_peak_fraction'))} |")
    return lines


def summary_block(measured, images):
    """The README's lines between the marks: one table, one plot."""
    return [
        f"{machine(measured)}. Geometric means of the ratios of best runs, the "
        "worst workload in brackets; above 1, GC is faster.", "",
        *summary_table(measured), "",
        "![GC and its peers on Table I of the paper]"
        f"({images}/bench-table1.svg)", "",
        "[Every workload, memory, compile time, and how to reproduce "
        "it](docs/benchmarks.md)."]


def write_images(folder, measured, ablation):
    os.makedirs(folder, exist_ok=True)
    pictures = {}
    if measured:
        table1 = [row for row in measured["rows"]
                  if row["group"] in ("mlp-f32", "mha-f32")]
        if table1:
            pictures["bench-table1"] = plot.draw(dict(
                measured, name="Table I", rows=table1, summary=report.summaries(
                    table1, list(measured["titles"]))))
    for group in GROUPS if measured else ():
        own = part(measured, group)
        if len(own["rows"]) > 2:
            pictures[f"bench-{group}"] = plot.draw(own)
    if ablation:
        pictures["bench-ablation"] = plot.draw_ablation(
            dict(ablation, name="ablation"))
    for name, text in pictures.items():
        path = os.path.join(folder, name + ".svg")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


def replace_block(text, lines):
    """The page's text with new lines between the marks."""
    begin, end = text.find(BEGIN), text.find(END)
    if begin < 0 or end < begin:
        raise ValueError(f"no {BEGIN} … {END}")
    return (text[:begin + len(BEGIN)] + "\n" + "\n".join(lines) + "\n" +
            text[end:])


def main(arguments):
    root = os.path.dirname(HERE)
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("results", nargs="+", metavar="RESULT.json")
    parser.add_argument("--root", default=root, metavar="DIR",
                        help="where README.md and docs/benchmarks.md are")
    options = parser.parse_args(arguments)
    measured, ablation = [], []
    try:
        for path in options.results:
            with open(path, encoding="utf-8") as file:
                result = json.load(file)
            (ablation if result.get("ablation") else measured).append(result)
        measured = merge(measured) if measured else None
        ablation = merge(ablation) if ablation else None
        pages = {os.path.join("docs", "benchmarks.md"):
                 block(measured, ablation, "images")}
        if measured:
            pages["README.md"] = summary_block(measured, "docs/images")
        texts = {}
        for page, lines in pages.items():
            path = os.path.join(options.root, page)
            with open(path, encoding="utf-8") as file:
                texts[path] = replace_block(file.read(), lines)
        write_images(os.path.join(options.root, "docs", "images"), measured,
                     ablation)
        for path, text in texts.items():
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
    except (OSError, ValueError) as error:
        print(f"publish: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
