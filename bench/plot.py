# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws the result of a benchmark as an SVG dot plot.

One line per workload. On the left GC's speed over each peer's (log scale, right
of 1 GC is faster), on the right the fraction of peak of every system, or GFLOP/s
where no peak was measured. Filled marks are best runs, the thin line next to a
mark reaches to the median.
"""

import math
from xml.sax.saxutils import escape

import report

COLOURS = {"gc": "#1664a8", "onednn": "#d9730d", "ort": "#5f6b76",
           "read": "#3c8c40", "no-coarse-grain": "#d9730d",
           "no-fine-grain": "#b3261e", "no-propagate-layout": "#6b4fa0",
           "no-buffer-reuse": "#3c8c40"}
DIAMONDS = ("onednn", "no-coarse-grain", "no-buffer-reuse")
SQUARES = ("ort", "no-propagate-layout")
INK, FAINT, GRID, BAND = "#1f2429", "#69737d", "#dfe3e8", "#f5f7f9"
ROW, HEADER = 17, 46
LABEL_X, SHAPE_X, LEFT_X, PANEL, GAP, MARGIN = 24, 132, 388, 380, 44, 24
RATIO_TICKS = (0.125, 0.25, 0.35, 0.5, 0.7, 1, 1.4, 2, 2.8, 4, 8, 16, 32)


class Canvas:
    """SVG elements in the order of drawing."""

    def __init__(self):
        self.parts = []

    def text(self, x, y, words, size=11, colour=INK, anchor="start",
             weight="normal"):
        self.parts.append(
            f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" fill="{colour}" '
            f'text-anchor="{anchor}" font-weight="{weight}">{escape(words)}'
            '</text>')

    def line(self, x1, y1, x2, y2, colour=GRID, width=1.0, dash=""):
        dash = f' stroke-dasharray="{dash}"' if dash else ""
        self.parts.append(
            f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" '
            f'stroke="{colour}" stroke-width="{width}"{dash}/>')

    def rect(self, x, y, width, height, colour):
        self.parts.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" '
                          f'height="{height:.1f}" fill="{colour}"/>')

    def mark(self, x, y, peer):
        """A circle for GC, a diamond for oneDNN, a square for ONNX Runtime; an
        ablation's systems alternate."""
        colour = COLOURS.get(peer, INK)
        style = f'fill="{colour}" stroke="white" stroke-width="0.8"'
        if peer in DIAMONDS:
            r = 5.0
            points = f"{x - r:.1f},{y:.1f} {x:.1f},{y - r:.1f} " \
                     f"{x + r:.1f},{y:.1f} {x:.1f},{y + r:.1f}"
            self.parts.append(f'<polygon points="{points}" {style}/>')
        elif peer in SQUARES:
            self.parts.append(f'<rect x="{x - 3.4:.1f}" y="{y - 3.4:.1f}" '
                              f'width="6.8" height="6.8" {style}/>')
        else:
            self.parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4.3" '
                              f'{style}/>')

    def svg(self, width, height):
        return "\n".join([
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" '
            f'height="{height}" viewBox="0 0 {width} {height}" '
            'font-family="DejaVu Sans, Helvetica, Arial, sans-serif">',
            f'<rect width="{width}" height="{height}" fill="white"/>',
            *self.parts, "</svg>"]) + "\n"


class Axis:
    """Maps numbers to x in a panel; what is outside is drawn at its edge."""

    def __init__(self, x, low, high, ticks, log=False, label=str):
        self.x, self.log, self.label = x, log, label
        self.low, self.high, self.ticks = low, high, ticks

    def at(self, number):
        number = min(max(number, self.low), self.high)
        if self.log:
            part = math.log(number / self.low) / math.log(self.high / self.low)
        else:
            part = (number - self.low) / (self.high - self.low)
        return self.x + part * PANEL


def ratio_axis(rows, peers):
    ratios = [report.value(row, p, "best_ratio") for row in rows for p in peers]
    ratios = [r for r in ratios if r]
    if not ratios:
        return None
    low = max((t for t in RATIO_TICKS if t <= min(ratios) / 1.03),
              default=RATIO_TICKS[0])
    high = min((t for t in RATIO_TICKS if t >= max(ratios) * 1.03),
               default=RATIO_TICKS[-1])
    low, high = min(low, 0.7), max(high, 1.4)
    ticks = [t for t in RATIO_TICKS if low <= t <= high]
    return Axis(LEFT_X, low, high, ticks, log=True, label=lambda t: f"{t:g}×")


class Panel:
    """An axis, its title, and how to find a system's (best, median) in a row."""

    def __init__(self, axis, title, find):
        self.axis, self.title, self.find = axis, title, find


def measured(what):
    """A finder for a number that report.make_row computes."""
    return lambda row, peer: (report.value(row, peer, f"best_{what}"),
                              report.value(row, peer, f"median_{what}"))


def arena(row, peer):
    size = row["systems"].get(peer, {}).get("report", {}).get("arena_bytes")
    mib = size / 2**20 if size else None
    return mib, mib


def level_panel(rows, peers, x):
    """The fraction of peak, or GFLOP/s where no peak was measured."""
    if any(row["peak_gflops"] for row in rows):
        axis = Axis(x, 0, 1, [i / 5 for i in range(6)],
                    label=lambda t: f"{t:.0%}")
        return Panel(axis, "fraction of peak", measured("peak_fraction"))
    top = max((report.value(row, p, "best_gflops") or 0
               for row in rows for p in peers), default=0) or 1
    step = 10 ** math.floor(math.log10(top))
    step = next(s for s in (step / 5, step / 2, step, 2 * step)
                if top / s <= 7)
    count = math.ceil(top / step)
    axis = Axis(x, 0, count * step, [i * step for i in range(count + 1)],
                label=lambda t: f"{t:g}")
    return Panel(axis, "GFLOP/s", measured("gflops"))


def arena_panel(rows, peers, x):
    """The bytes of one execution, on a log scale."""
    sizes = [arena(row, p)[0] for row in rows for p in peers]
    sizes = [size for size in sizes if size] or [1.0]
    low = math.floor(math.log10(min(sizes)))
    high = max(low + 1, math.ceil(math.log10(max(sizes))))
    axis = Axis(x, 10.0 ** low, 10.0 ** high,
                [10.0 ** i for i in range(low, high + 1)], log=True,
                label=lambda t: f"{t:g} MiB")
    return Panel(axis, "arena", arena)


def draw_marks(canvas, panel, row, peers, y):
    axis = panel.axis
    found = [(p, *panel.find(row, p)) for p in reversed(peers)]
    found = [entry for entry in found if entry[1] is not None]
    for peer, best, median in found:
        canvas.line(axis.at(best), y, axis.at(median), y,
                    COLOURS.get(peer, INK), 1.4)
    for peer, best, _ in found:
        canvas.mark(axis.at(best), y, peer)


def group_note(summary, titles):
    """Geometric means and worst cases, for the line under a group's name."""
    notes = []
    for peer, title in titles.items():
        ratio = summary.get(peer, {}).get("best_ratio")
        if ratio:
            notes.append(f"vs {title}: geometric mean {ratio['geomean']:.2f}×, "
                         f"worst {ratio['worst']:.2f}×")
    ours = summary.get("gc", {}).get("best_peak_fraction")
    if ours:
        notes.append(f"of peak: {ours['geomean']:.0%}")
    return "  ·  ".join(notes)


def ablation_note(summary, titles):
    notes = [f"{title}: {summary[peer]['best_ratio']['geomean']:.2f}×"
             for peer, title in titles.items()
             if summary.get(peer, {}).get("best_ratio")]
    return "geometric means: " + "  ·  ".join(notes) if notes else ""


def draw(result):
    """The SVG text for a result as bench.py writes it to JSON."""
    return draw_panels(result, "GC benchmark", "← GC slower · GC faster →",
                       level_panel, group_note)


def draw_ablation(result):
    """The SVG text for the result of bench.py --ablation."""
    return draw_panels(result, "What each part of GC is worth",
                       "time without a part / time with all", arena_panel,
                       ablation_note)


def draw_panels(result, heading, ratio_title, right_panel, note):
    rows, titles = result["rows"], result["titles"]
    peers = list(titles)
    others = [p for p in peers if p != "gc"]
    canvas = Canvas()
    ratios = ratio_axis(rows, others) if "gc" in titles else None
    right_x = LEFT_X + PANEL + GAP if ratios else LEFT_X
    width = right_x + PANEL + MARGIN + 12
    panels = [(right_panel(rows, peers, right_x), peers)]
    if ratios:
        panels.insert(0, (Panel(ratios, ratio_title, measured("ratio")),
                          others))

    canvas.text(LABEL_X, 34, f"{heading}: {result['name']}", 17, weight="bold")
    canvas.text(LABEL_X, 54, f"{result['host']['cpu']}, "
                f"{result['options']['threads']} threads. Marks are best runs; "
                "lines reach to the median.", 11, FAINT)
    x = LABEL_X + 5
    for peer, title in titles.items():
        canvas.mark(x, 74, peer)
        version = result["versions"].get(peer)
        words = f"{title} {version}" if version and peer != "gc" else title
        canvas.text(x + 10, 78, words, 12)
        x += 34 + 7.2 * len(words)

    y = 92
    for group, members in report.groups_of(rows).items():
        canvas.text(LABEL_X, y + 24, group, 13, weight="bold")
        canvas.text(LABEL_X, y + 40, note(
            result["summary"].get(group, {}), titles), 10.5, FAINT)
        for panel, _ in panels:
            canvas.text(panel.axis.x + PANEL, y + 24, panel.title, 11, FAINT,
                        "end")
        shape_x = max(SHAPE_X, LABEL_X + 14 +
                      6.6 * max(len(row["name"]) for row in members))
        top = y + HEADER
        bottom = top + ROW * len(members)
        for index, row in enumerate(members):
            if index % 2 == 0:
                canvas.rect(LABEL_X - 8, top + ROW * index,
                            width - 2 * MARGIN + 16, ROW, BAND)
        for axis in (panel.axis for panel, _ in panels):
            for tick in axis.ticks:
                unit = axis is ratios and tick == 1
                canvas.line(axis.at(tick), top, axis.at(tick), bottom,
                            INK if unit else GRID, 1.2 if unit else 1)
                canvas.text(axis.at(tick), bottom + 13, axis.label(tick), 9.5,
                            FAINT, "middle")
        for index, row in enumerate(members):
            middle = top + ROW * (index + 0.5)
            canvas.text(LABEL_X, middle + 4, row["name"], 11)
            canvas.text(shape_x, middle + 3.5, row["shape"], 9.5, FAINT)
            for panel, shown in panels:
                draw_marks(canvas, panel, row, shown, middle)
            bad = [f"{titles[p]}: {s['status']}" for p, s in
                   row["systems"].items() if s["status"] != "ok"]
            if bad:
                canvas.text(panels[0][0].axis.x + 6, middle + 3.5, ", ".join(bad), 9.5,
                            "#b3261e")
        y = bottom + 26
    return canvas.svg(width, y + 4)
