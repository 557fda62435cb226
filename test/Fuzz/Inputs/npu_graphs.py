#!/usr/bin/python3
# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random fused operators on the NPU against the reference interpreter.

Each graph is an operator of the matrix (a chain of elementwise ops, of row or
column reductions, a product, a convolution, a transpose, attention) of random
shape, fused with random elementwise ops. gc-runner compiles it, runs it on the
simulator, which fails a run in which accesses race or read what was never
written, and compares values. Every second graph is compiled with the sizes and
switches of a naive compiler, so that small shapes have many tiles and tails.

  npu_graphs.py FOLDER --count=500 [--seed=1] [--first=0] [--jobs=1]

What the compiler refuses is counted apart, with its reasons. Only reasons of the
list LIMITS are accepted, which are those of docs/poly-dialect.md ("What is refused"), and
of all graphs only --most-refused percent. Graphs that fail or are refused stay
in FOLDER. Prints a line for each, then reasons and sums.
"""

import argparse
import concurrent.futures
import math
import os
import random
import re
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(
    os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "bench"))

from npu_matrix_graphs import Function  # noqa: E402

LIMIT = 300  # Seconds for one graph.
# What may be refused: the limits that docs/poly-dialect.md lists, as they are reported.
LIMITS = [
    "reduces N elements, which have to be in one tile; the smallest one needs N "
    "bytes of UB, which has N, most of them for @",
    "does not fit UB: N bytes are needed at the same time, and there are N",
]
SWITCHES = ["auto-tiling=false", "promote=false", "double-buffer=false",
            "flags=false", "group-flags=false", "fuse=false"]


class Graph(Function):
    """A graph function whose values stay between about -4 and 4."""

    def __init__(self, rng):
        super().__init__()
        self.rng = rng

    def unary(self, x):
        kind = self.rng.choice(
            ["relu", "abs", "tanh", "sigmoid", "gelu", "square", "sqrt", "exp",
             "round", "reciprocal", "clamp", "leaky_relu", "scaled", "shifted"])
        if kind == "square":
            return self.scaled(self.op("square", [x]), 0.25)
        if kind == "sqrt":
            return self.op("sqrt", [self.shifted(self.op("abs", [x]), 0.25)])
        if kind == "exp":
            return self.op("exp", [self.op("minimum",
                                           [x, self.constant(1.0, x[1][1])])])
        if kind == "reciprocal":
            return self.op("reciprocal",
                           [self.shifted(self.op("abs", [x]), 0.5)])
        if kind == "clamp":
            return self.op("clamp", [x], attributes="min = -1.0 : f32, max = 1.5 : f32")
        if kind == "leaky_relu":
            return self.op("leaky_relu", [x], attributes="alpha = 0.25 : f32")
        if kind in ("scaled", "shifted"):
            return getattr(self, kind)(x, self.rng.choice([0.5, -0.75, 0.125]))
        return self.op(kind, [x])

    def binary(self, x, y):
        """y broadcasts to x."""
        kind = self.rng.choice(["add", "subtract", "multiply", "maximum",
                                "minimum", "divide", "select"])
        if kind == "divide":
            return self.op("divide", [x, self.shifted(self.op("abs", [y]), 1.0)])
        if kind == "select":
            bits = self.op("greater_equal", [x, y], x[1][0], "i1")
            return self.op("select", [bits, x, self.scaled(x, -0.5)], x[1][0],
                           x[1][1])
        result = self.op(kind, [x, y])
        return result if kind in ("maximum", "minimum") else \
            self.scaled(result, 0.5)

    def operand(self, x):
        """An input that broadcasts to x, in its element type."""
        shape, element = x[1]
        kind = self.rng.choice(["same", "row", "column", "last"])
        if kind == "row" and len(shape) > 1:
            shape = (*shape[:-1], 1)
        elif kind == "column" and len(shape) > 1:
            shape = (*[1] * (len(shape) - 1), shape[-1])
        elif kind == "last":
            shape = shape[-1:]
        return self.argument(shape, element)

    def chain(self, x, length):
        seen = [x]
        for _ in range(length):
            choice = self.rng.random()
            if choice < 0.5:
                x = self.unary(x)
            elif choice < 0.75:
                x = self.binary(x, self.operand(x))
            elif choice < 0.9:
                same = [v for v in seen if v[1] == x[1]]
                x = self.binary(x, self.rng.choice(same))
            else:
                x = self.cast(x, "f32" if x[1][1] == "f16" else "f16")
            seen.append(x)
        return x


def pick_shape(rng, most, rank=None):
    """Dimensions whose product is at most `most`; few are round."""
    rank = rank or rng.randint(1, 4)
    shape = []
    for number in range(rank):
        rest = rank - number - 1
        room = max(2, int((most / math.prod(shape)) ** (1 / (rest + 1)) * 1.6))
        room = min(room, most // math.prod(shape))
        size = rng.randint(1, max(1, room))
        if rng.random() < 0.3:
            size = max(16, size // 16 * 16)
        shape.append(size)
    rng.shuffle(shape)
    return tuple(shape)


def make_chain(f, rng):
    x = f.argument(pick_shape(rng, 60000), rng.choice(["f16", "f16", "f32"]))
    return [f.chain(x, rng.randint(1, 7))]


def make_rows(f, rng):
    shape = (*pick_shape(rng, 200, rng.randint(1, 2)), rng.randint(2, 400))
    axis = len(shape) - 1
    x = f.chain(f.argument(shape), rng.randint(0, 2))
    kind = rng.choice(["softmax", "max", "sum", "mean", "norm", "all"])
    if kind == "all":
        # One number of all elements, with or without what it came from.
        whole = f.reduce(rng.choice(["max", "sum", "mean"]), x,
                         list(range(len(shape))))
        if rng.random() < 0.5:
            return [whole]
        y = f.op("subtract", [x, f.scaled(whole, 0.125)])
    elif kind == "softmax":
        y = f.op("softmax", [x], attributes="axis = -1 : i64")
    elif kind == "norm":
        x = f.cast(x, "f32") if x[1][1] == "f16" else x
        centred = f.op("subtract", [x, f.reduce("mean", x, [axis])])
        variance = f.reduce("mean", f.op("square", [centred]), [axis])
        y = f.op("divide", [centred, f.op("sqrt", [f.shifted(variance, 0.01)])])
        y = f.cast(y, "f16")
    else:
        row = f.reduce(kind, x, [axis])
        if rng.random() < 0.3:
            return [row]
        row = f.scaled(row, 1 / shape[-1]) if kind == "sum" else row
        y = f.op("subtract", [x, row])
    return [f.chain(y, rng.randint(0, 3))]


def make_columns(f, rng):
    shape = pick_shape(rng, 40000, rng.randint(2, 4))
    x = f.chain(f.argument(shape), rng.randint(0, 2))
    axes = sorted(rng.sample(range(len(shape) - 1),
                             rng.randint(1, len(shape) - 1)))
    x = f.cast(x, "f32") if x[1][1] == "f16" and rng.random() < 0.7 else x
    results = [f.reduce(rng.choice(["sum", "max"]), x, axes,
                        rng.random() < 0.5)]
    if rng.random() < 0.4:
        results.append(f.reduce("sum", f.op("square", [x]), axes))
    return results


def make_results(f, rng):
    """Values of several shapes that read each other, and some of them returned, as
    in the derivatives of normalizations."""
    shape = pick_shape(rng, 8000, rng.randint(2, 4))
    element = rng.choice(["f16", "f32"])
    whole = [f.argument(shape, element) for _ in range(rng.randint(1, 2))]
    axes = list(range(len(shape) - 1)) if rng.random() < 0.5 else [len(shape) - 1]
    small = [f.reduce("max", whole[0], axes)]
    shape = small[0][1][0]
    small = [f.argument(shape, element) for _ in range(rng.randint(1, 3))] + \
        (small if rng.random() < 0.3 else [])
    computed = []
    for _ in range(rng.randint(3, 9)):
        kind = rng.choice(["small", "whole", "broadcast", "reduce"])
        x, y = rng.choice(whole), rng.choice(small)
        if kind == "small":
            small.append(f.binary(y, rng.choice(small))
                         if rng.random() < 0.7 else f.unary(y))
        elif kind == "reduce":
            row = f.reduce(rng.choice(["max", "sum"]), x, axes)
            small.append(f.scaled(row, 0.01))
        else:
            whole.append(f.binary(x, rng.choice(whole) if kind == "whole" else y))
        computed.append((whole if kind in ("whole", "broadcast") else small)[-1])
    chosen = rng.sample(computed, rng.randint(1, min(4, len(computed))))
    return chosen if computed[-1] in chosen else [*chosen, computed[-1]]


def prepare(f, rng, x):
    """A factor, often one that is computed."""
    if rng.random() < 0.5:
        return x
    y = f.chain(x, rng.randint(1, 3))
    return y if y[1] == x[1] else f.cast(y, x[1][1])


def make_product(f, rng):
    batch = () if rng.random() < 0.6 else (rng.randint(1, 4),)
    m, k, n = (rng.choice([rng.choice([1, rng.randint(1, 40)]),
                           rng.randint(40, 330),
                           16 * rng.randint(1, 18)]) for _ in range(3))
    flip_a, flip_b = rng.random() < 0.2, rng.random() < 0.3
    a = f.argument((*batch, k, m) if flip_a else (*batch, m, k))
    b = f.argument((*batch, n, k) if flip_b else (*batch, k, n))
    wide = rng.random() < 0.3
    y = f.op("matmul", [prepare(f, rng, a), prepare(f, rng, b)],
             (*batch, m, n), "f32" if wide else "f16", attributes=(
                 f"transpose_a = {str(flip_a).lower()}, "
                 f"transpose_b = {str(flip_b).lower()}"))
    if rng.random() < 0.5:
        y = f.op("add", [y, f.argument((n,), y[1][1])])
    return [f.chain(y, rng.randint(0, 4))]


def make_convolution(f, rng):
    channels = rng.choice([3, 16, 24, 32, 64])
    outputs = rng.choice([8, 16, 40, 64, 130])
    kernel = rng.choice([1, 3, 5])
    stride = rng.choice([1, 1, 2])
    pad = rng.choice([0, kernel // 2])
    height, width = (rng.randint(max(kernel + stride, 4), 22) for _ in range(2))
    batch = rng.randint(1, 5)
    x = f.argument((batch, height, width, channels))
    w = f.argument((kernel, kernel, channels, outputs), constant=True)
    x = prepare(f, rng, x)
    out = [(size + 2 * pad - kernel) // stride + 1 for size in (height, width)]
    pair = "array<i64: {0}, {0}>".format
    y = f.op("convolution", [x, w], (batch, *out, outputs), attributes=(
        f'strides = {pair(stride)}, pads_begin = {pair(pad)}, '
        f'pads_end = {pair(pad)}, dilations = {pair(1)}, '
        'data_format = "NXC", weights_format = "XIO"'))
    if rng.random() < 0.5:
        y = f.op("add", [y, f.argument((outputs,))])
    for _ in range(rng.randint(0, 3)):
        y = f.unary(y)
    return [y]


def make_transpose(f, rng):
    shape = pick_shape(rng, 30000, rng.randint(2, 4))
    order = list(range(len(shape)))
    rng.shuffle(order)
    x = f.argument(shape, rng.choice(["f16", "f16", "f32"]))
    # Something has to be computed: the transpose may be none.
    if rng.random() < 0.5 or order == sorted(order):
        x = f.unary(x)
    y = f.op("static_transpose", [x], [shape[i] for i in order],
             attributes=f"order = array<i64: {', '.join(map(str, order))}>")
    return [f.chain(y, rng.randint(0, 3))]


def make_attention(f, rng):
    heads, rows, columns = rng.randint(1, 3), rng.randint(1, 100), \
        rng.randint(2, 200)
    depth, width = rng.choice([16, 32, 40, 64]), rng.choice([16, 24, 64])
    q = f.argument((heads, rows, depth))
    k = f.argument((heads, columns, depth))
    v = f.argument((heads, columns, width))
    x = f.op("matmul", [q, k], (heads, rows, columns),
             attributes="transpose_b = true")
    x = f.scaled(x, rng.choice([0.125, 0.3])) if rng.random() < 0.7 else x
    if rng.random() < 0.4:
        x = f.op("add", [x, f.argument((heads, 1, columns))])
    x = f.op("softmax", [x], attributes="axis = -1 : i64")
    return [f.op("matmul", [x, v], (heads, rows, width))]


KINDS = [make_chain, make_rows, make_columns, make_results, make_product, make_product,
         make_convolution, make_transpose, make_attention]


def generate(seed, index):
    """(name of the kind, text of the module, options of gc-runner)."""
    rng = random.Random(seed * 1000003 + index)
    make = rng.choice(KINDS)
    f = Graph(rng)
    text = f.finish(*make(f, rng))
    options = []
    if rng.random() < 0.5:
        switches = rng.sample(SWITCHES, rng.randint(1, 3))
        if make in (make_product, make_convolution) and rng.random() < 0.7:
            switches = [s for s in switches if s != "fuse=false"]
            switches.append("producers=always")
        options = [f"--pipeline-options={' '.join(switches)}"]
    elif rng.random() < 0.2:
        options = [f"--cores={rng.randint(2, 4)}"]
    return make.__name__[len("make_"):], text, options


def check(runner, folder, seed, index):
    """(kind, what happened, message)."""
    kind, text, options = generate(seed, index)
    path = os.path.join(folder, f"seed{seed}-{index}.mlir")
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"// gc-runner --target=npu --check {' '.join(options)}\n")
        file.write(text)
    try:
        run = subprocess.run(
            [runner, "--target=npu", path, "--check", f"--seed={index}",
             *options], capture_output=True, text=True, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return kind, "endless", f"more than {LIMIT} seconds"
    lines = (run.stderr or run.stdout).strip().splitlines()
    message = next((line for line in lines if "error: " in line),
                   lines[-1] if lines else "")
    if run.returncode == 0:
        os.remove(path)
        return kind, "right", ""
    if run.returncode < 0:
        return kind, "crash", f"signal {-run.returncode}"
    compiled = subprocess.run(
        [runner, "--target=npu", path, "--emit=mlir", "-o", os.devnull,
         *options], capture_output=True, text=True)
    if compiled.returncode == 0:
        return kind, "wrong", message
    # Only one error is a refusal.
    if compiled.returncode != 2 or compiled.stderr.count("error: ") != 1:
        return kind, "wrong", f"not one error: {compiled.stderr}"
    return kind, "refused", message


def get_reason(message):
    """The message without places, names and numbers."""
    reason = re.sub(r".*'[a-z_]+\.[a-z_]+' op ", "", message)
    reason = re.sub(r"(.*error: )?\S+\.mlir(:\d+:\d+)?: ", "", reason)
    return re.sub(r"\d+", "N", reason)


def is_limit(reason):
    return any(limit in reason for limit in LIMITS)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", help="where graphs are written")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--runner", default="gc-runner")
    parser.add_argument("--most-refused", type=float, default=2, metavar="N",
                        help="percent of the graphs (default: 2)")
    arguments = parser.parse_args()
    os.makedirs(arguments.folder, exist_ok=True)
    indices = range(arguments.first, arguments.first + arguments.count)
    sums, kinds, reasons = {}, {}, {}
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        found = pool.map(lambda index: check(arguments.runner, arguments.folder,
                                             arguments.seed, index), indices)
        for index, (kind, status, message) in zip(indices, found):
            sums[status] = sums.get(status, 0) + 1
            kinds[kind] = kinds.get(kind, 0) + 1
            if status == "refused":
                reason = get_reason(message)
                reasons[reason] = reasons.get(reason, 0) + 1
            if status != "right":
                print(f"graph {index} ({kind}): {status}: {message}", flush=True)
    print(", ".join(f"{sums.get(status, 0)} {status}" for status in
                    ("right", "refused", "wrong", "crash", "endless")))
    print(", ".join(f"{kind} {count}" for kind, count in sorted(kinds.items())))
    for reason, count in sorted(reasons.items(), key=lambda r: (-r[1], r[0])):
        print(f"refused {count}: {reason}"
              + ("" if is_limit(reason) else " (not a limit that is documented)"))
    refused = sums.get("refused", 0)
    share = 100 * refused / max(1, len(indices))
    print(f"{share:.1f}% refused, at most {arguments.most_refused:g}%")
    is_fine = sums.get("right", 0) + refused == len(indices) and \
        all(map(is_limit, reasons)) and share <= arguments.most_refused
    return 0 if is_fine else 1


if __name__ == "__main__":
    sys.exit(main())
