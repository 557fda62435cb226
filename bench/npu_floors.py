# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What kernels of the NPU's matrix have to reach, as fractions of their bounds.

A floor is for the geometric mean of some kernels or for the worst of them.
"""

import math
import re

MEGABYTE = 1000 * 1000
BYTES = {"f16": 2, "f32": 4}


def get_mean(fractions):
    return math.exp(sum(map(math.log, fractions)) / len(fractions))


def count_bytes(text):
    """(bytes of the largest tensor, of all arguments and results together)."""
    head = text[:text.index("{\n")]
    sizes = [math.prod(map(int, shape[:-1].split("x"))) * BYTES[element]
             for shape, element in re.findall(r"tensor<((?:\d+x)+)(f16|f32)>",
                                              head)]
    return max(sizes), sum(sizes)


class Kernels:
    """Reports of the matrix: {class/name: report}, and the graphs' texts."""

    def __init__(self, reports, texts):
        self.reports = reports
        self.texts = texts

    def choose(self, kind, accepts=lambda name: True):
        """Fractions of the kernels of a class whose names are accepted."""
        return [report["bound_fraction"]
                for name, report in self.reports.items()
                if name.split("/")[0] == kind
                and accepts(name.split("/", maxsplit=1)[1])]

    def choose_large(self, kind):
        return self.choose(kind, lambda name: count_bytes(
            self.texts[f"{kind}/{name}"])[0] >= MEGABYTE)

    def get_padded(self, name):
        """The fraction of the bound with the channels that the layout has."""
        report = self.reports.get(name)
        return [report["padded_bound_fraction"]] if report else []

    def get_traffic(self, name):
        """Bytes that have to be moved over those that are."""
        report = self.reports.get(name)
        return [min(1.0, count_bytes(self.texts[name])[1] /
                    report["gm_bytes"])] if report else []


def get_floors(k):
    """[(what, geometric mean or worst, floor, fractions)]."""
    def is_size(low, high):
        return lambda name: low <= int(name) < high

    floors = [
        ("GEMM from 1024 on", "mean", 0.97, k.choose("gemm", is_size(1024, 9999))),
        ("GEMM from 1024 on", "worst", 0.93,
         k.choose("gemm", is_size(1024, 9999))),
        ("GEMM 640 to 1000", "worst", 0.78, k.choose("gemm", is_size(640, 1024))),
        ("GEMM below 640", "worst", 0.65, k.choose("gemm", is_size(0, 640))),
        ("GEMM, all 41", "mean", 0.92, k.choose("gemm")),
        ("matmul", "mean", 0.93, k.choose("op2-matmul")),
        ("batched matmul", "mean", 0.90, k.choose("op4-batched")),
        ("convolution of 64 channels or more", "mean", 0.90,
         k.choose("op1-convolution", lambda name: not name.startswith("3-"))),
        ("convolution 3 x 3 of 7 x 7", "worst", 0.70,
         k.choose("op1-convolution", lambda name: "-7-" in name
                  and "3x3" in name)),
        ("first layer, of the padded bound", "worst", 0.95,
         k.get_padded("op1-convolution/3-224-to-64-7x7-s2")),
    ]
    for title, kind in (("relu", "op3-relu"), ("cast", "op5-cast"),
                        ("add", "op8-add")):
        floors += [(f"{title}, 1 MB or more", "worst", 0.98, k.choose_large(kind)),
                   (title, "mean", 0.88, k.choose(kind))]
    floors += [
        ("batch norm, sums", "mean", 0.95, k.choose("op9-norm-reduce")),
        ("batch norm, update", "mean", 0.95, k.choose("op10-norm-update")),
        ("transpose", "mean", 0.85, k.choose("op6-transpose")),
        ("one-hot, 1 MB or more", "worst", 0.85, k.choose_large("op7-one-hot")),
    ]
    for name, floor in (("1", 0.72), ("2", 0.88), ("3", 0.80), ("4", 0.78),
                        ("5", 0.85)):
        floors += [
            (f"subgraph {name}", "worst", floor,
             k.choose("subgraph", lambda own, name=name: own == name)),
            (f"subgraph {name}, compulsory bytes of those moved", "worst", 0.97,
             k.get_traffic(f"subgraph/{name}"))]
    floors.append(("attention", "worst", 0.70,
                   k.choose("subgraph", lambda name: name == "attention")))
    return floors


def get_rows(reports, texts):
    """[(what, kernels, floor, measured, whether it is reached)] of the kernels
    that were measured."""
    rows = []
    for title, kind, floor, fractions in get_floors(Kernels(reports, texts)):
        if fractions:
            found = get_mean(fractions) if kind == "mean" else min(fractions)
            # As it is printed.
            rows.append((f"{title}, {kind}", len(fractions), floor, found,
                         round(found, 3) >= floor))
    return rows
