#!/usr/bin/python3
# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values of the NPU's test matrix against the reference interpreter.

The kernels of the matrix are too large to compute their values. Each is compiled,
the sizes of its tiles are taken from its plan, and the same operator with two tiles
and a tail in each dimension is compiled with them and checked. A dimension that is
one tile keeps its size. The simulator fails a run in which accesses race.

  matrix_values.py FOLDER [WORD...] [--gc-opt=FILE] [--runner=FILE]
"""

import argparse
import json
import math
import os
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "..", "..", "..", "bench"))

import npu_matrix_graphs as graphs  # noqa: E402


def shorten(extent, tile):
    """Two tiles and a tail, unless there is only one tile."""
    if tile >= extent:
        return extent
    return min(extent, 2 * tile + (tile // 3 | 1 if tile > 1 else 1))


def parse_policy(text):
    """{level: sizes} of the last statement of the policy."""
    sizes = {}
    for item in text.rsplit(":", maxsplit=1)[1].split(","):
        size, level = item.split("@")
        sizes.setdefault(level.strip(), []).append(int(size))
    return sizes


def merge(shape, order):
    """(shape, order) with one dimension for those that stay together."""
    groups = []
    for axis in order:
        if shape[axis] == 1:
            continue
        if groups and groups[-1][-1] + 1 == axis:
            groups[-1].append(axis)
        else:
            groups.append([axis])
    ordered = sorted(groups)
    merged = [math.prod(shape[axis] for axis in g) for g in ordered]
    return merged, [ordered.index(g) for g in groups]


def make_flat(make):
    """Of a kernel whose elements are one dimension."""
    return lambda elements: (lambda sizes: make(
        (shorten(elements, sizes["UB"][0]),)))


def make_product(make, batch, m, k, n):
    def build(sizes):
        *outer, tile_m, tile_n, tile_k = sizes["L1"]
        shape = [shorten(extent, tile) for extent, tile in
                 ((m, tile_m), (k, tile_k), (n, tile_n))]
        outer = tuple(shorten(extent, tile)
                      for extent, tile in zip(batch, outer))
        return make(*shape, *([outer] if batch else []))
    return build


def make_convolution(channels, size, outputs, kernel, stride):
    pad = kernel // 2
    width = (size + 2 * pad - kernel) // stride + 1

    def build(sizes):
        if len(sizes["L1"]) == 3:
            # A product of all pixels with the weights.
            pixels, columns, terms = sizes["L1"]
            rows = -(-shorten(16 * size * size, pixels) // size)
            return graphs.convolution(
                shorten(channels, terms), (rows, size),
                shorten(outputs, columns), kernel, stride, 1)
        images, positions, columns, terms = sizes["L1"]
        rows = width
        if positions < width * width:
            rows = min(width, -(-(2 * positions + positions // 3) // width))
        taps = kernel * kernel
        own = channels if terms >= channels * taps else 2 * terms // taps
        height = (rows - 1) * stride + kernel - 2 * pad
        return graphs.convolution(own, (height, size),
                                  shorten(outputs, columns), kernel, stride,
                                  shorten(16, images))
    return build


def make_transpose(shape, order, element):
    shape, order = merge(shape, order)

    def build(sizes):
        own = list(shape)
        for axis, tile in zip(order, sizes["UB"]):
            own[axis] = shorten(shape[axis], tile)
        return graphs.transpose(own, order, element)
    return build


def make_hot(rows, depth):
    def build(sizes):
        tiles = list(sizes["UB"])
        tile = tiles.pop(0) if rows > 1 else 1
        return graphs.one_hot((shorten(rows, tile),),
                              shorten(depth, tiles[0]))
    return build


def make_norm_update(c1, size):
    return lambda sizes: graphs.batch_norm_update(*(
        shorten(extent, tile) for extent, tile in
        zip((16, c1, size * size), sizes["UB"])))


def make_norm_reduce(c1, size):
    # All that is added up is one tile, whatever the size; steps within it are
    # not part of the policy.
    return lambda sizes: graphs.batch_norm_reduce(5, min(c1, 5),
                                                  min(size * size, 500))


def make_softmax(sizes):
    batch, rows, _ = sizes["UB"]
    return graphs.subgraph1((shorten(16, batch), shorten(8192, rows), 512))


def make_attention(sizes):
    # Both products are one kernel if the terms of the second one are whole
    # fractals.
    length = -(-shorten(1024, sizes["L1"][1]) // 16) * 16
    return graphs.attention(length, 64, 3)


def make_rules():
    """{class/name: function from the sizes of tiles to a graph, or None for the
    sizes that the passes choose}, in the order of the matrix."""
    m = graphs
    flat = {"op3-relu": ("relu", m.SHAPES), "op5-cast": ("cast", m.SHAPES),
            "op8-add": ("add", m.SHAPES)}
    rules = {f"{kind}/{m.join(shape)}": make_flat(
        lambda own, name=name: m.elementwise(name, own))(math.prod(shape))
        for kind, (name, shapes) in flat.items() for shape in shapes}
    rules.update({f"op1-convolution/{m.name_convolution(*layer)}":
                  make_convolution(*layer) for layer in m.LAYERS})
    rules.update({f"op2-matmul/{m.join(p)}": make_product(m.matmul, (), *p)
                  for p in m.PRODUCTS})
    rules.update({f"op4-batched/{m.join(p)}":
                  make_product(m.matmul, p[:1], *p[1:]) for p in m.BATCHED})
    rules.update({f"op6-transpose/{m.name_transpose(*t)}": make_transpose(*t)
                  for t in m.TRANSPOSES})
    rules.update({f"op7-one-hot/{m.join(s)}-to-{d}":
                  make_hot(math.prod(s), d) for s, d in m.HOTS})
    rules.update({f"op9-norm-reduce/{m.norm_name(*n)}": make_norm_reduce(*n)
                  for n in m.NORMS})
    rules.update({f"op10-norm-update/{m.norm_name(*n)}": make_norm_update(*n)
                  for n in m.NORMS})
    rules.update({f"gemm/{n}": make_product(m.matmul, (), n, n, n)
                  for n in m.SIZES})
    rules.update({
        "subgraph/1": make_softmax,
        "subgraph/2": make_flat(m.subgraph2)(256 * 512 * 256),
        "subgraph/3": make_flat(m.subgraph3)(30522 * 1024),
        "subgraph/4": make_flat(m.subgraph4)(1024 * 1024),
        "subgraph/5": make_product(m.subgraph5, (), 16, 1024, 1024),
        "subgraph/attention": make_attention})
    return rules


class Checker:
    def __init__(self, arguments):
        self.folder = arguments.folder
        self.tool = arguments.gc_opt
        self.runner = arguments.runner
        os.makedirs(self.folder, exist_ok=True)
        self.done = {}

    def write(self, name, text):
        path = os.path.join(self.folder, name.replace("/", "-"))
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def get_plan(self, name, text):
        """The plan of a kernel of the matrix."""
        path = self.write(name + ".mlir", text)
        plan = path + ".json"
        subprocess.run([self.tool, path, "-o", os.devnull, "--gc-npu-pipeline="
                        f"stop-after=promote export-plan={plan}"],
                       check=True, stderr=subprocess.DEVNULL)
        with open(plan, encoding="utf-8") as file:
            return json.load(file)

    def check(self, name, text, rule):
        """What went wrong, or nothing."""
        plan = self.get_plan(name, text)
        kernel = plan["kernels"][0]
        small = rule(parse_policy(kernel["policy"]))
        keeps = not name.startswith("op9")
        key = small, kernel["policy"] if keeps else ""
        if key in self.done:
            return self.done[key]
        path = self.write(name + ".small.mlir", small)
        options = []
        if keeps:
            # The rest of the plan is for the large shape.
            own = self.get_plan(name + ".own", small)["kernels"][0]
            plan["kernels"] = [{"kernel": own["kernel"],
                                "problem": own["problem"],
                                "policy": kernel["policy"]}]
            options = ["--pipeline-options=import-plan=" +
                       self.write(name + ".small.json", json.dumps(plan))]
        result = subprocess.run(
            [self.runner, "--target=npu", path, "--check", *options],
            capture_output=True, text=True)
        message = ""
        if result.returncode:
            message = (result.stderr or result.stdout).strip().splitlines()[-1]
        self.done[key] = message
        return message


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", help="where graphs and plans are written")
    parser.add_argument("words", nargs="*", help="parts of CLASS/NAME")
    parser.add_argument("--gc-opt", default="gc-opt")
    parser.add_argument("--runner", default="gc-runner")
    arguments = parser.parse_args()
    checker, matrix, rules = Checker(arguments), graphs.make_matrix(), make_rules()
    count = wrong = 0
    for kind, kernels in matrix.items():
        for kernel, text in kernels.items():
            name = f"{kind}/{kernel}"
            if arguments.words and not any(w in name for w in arguments.words):
                continue
            count += 1
            message = checker.check(name, text, rules[name])
            if message:
                wrong += 1
                print(f"{name}: {message}", flush=True)
    print(f"{count} kernels, {wrong} are wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
