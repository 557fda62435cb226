#!/usr/bin/env python3
# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention of shapes that nothing was tuned for, in f32, bf16 and int8.

With 64 queries or more, the best fraction of peak is compared with that of the
shape of Table I that is nearest in |log2 S| + |log2 D|, measured in the same run;
with fewer, the time is compared with reading queries, keys and values once, at the
rate of read-bench or 50 GB/s, whichever is less, or with computing at the peak rate if
that takes longer. Scores that a causal mask or a window leaves out count as work, so such
fractions may exceed 1.

  /usr/bin/python3 bench/attention_shapes.py [--types=f32,bf16,int8] [--check]
"""

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile

import peers
import workloads

HERE = os.path.dirname(os.path.abspath(__file__))
# Sequences, heads of keys, queries that share one, queries, keys, size of a head,
# and what each query sees: all keys, those up to it, or a window of them.
SHAPES = (
    (16, 8, 4, 1, 4096, 128, "all"),
    (64, 12, 1, 1, 1024, 64, "all"),
    (4, 2, 16, 1, 8192, 128, "all"),
    (32, 16, 1, 4, 512, 80, "all"),
    (8, 8, 4, 8, 2048, 96, "all"),
    (16, 16, 1, 32, 1000, 64, "all"),
    (16, 16, 1, 77, 77, 64, "causal"),
    (32, 12, 1, 100, 100, 40, "all"),
    (8, 16, 1, 197, 197, 80, "all"),
    (4, 8, 4, 256, 256, 128, "causal"),
    (4, 16, 1, 384, 384, 256, "all"),
    (4, 4, 8, 512, 512, 64, "causal"),
    (2, 8, 1, 77, 4096, 40, "all"),
    (2, 8, 1, 777, 777, 160, "all"),
    (2, 12, 1, 1024, 1024, 64, "window"),
    (1, 16, 1, 1500, 1500, 64, "all"),
    (1, 4, 4, 2048, 2048, 128, "causal"),
    (1, 8, 1, 3000, 3000, 48, "window"),
    (1, 8, 1, 4096, 4096, 64, "all"),
    (1, 2, 2, 8192, 8192, 80, "causal"),
)
WINDOW = 256
# Sequence length and size of a head of mha1 to mha4.
TABLE1 = {name: sizes[1:] for name, sizes in workloads.MHAS.items()}
MANY_QUERIES = 64
FLOOR = 0.6
MOST_GBYTES = 50


def tensor(shape, element):
    return f"tensor<{'x'.join(map(str, shape))}x{element}>"


class Module:
    """A function as text, op by op."""

    def __init__(self):
        self.lines = []

    def op(self, name, operands, types, result, attributes=""):
        number = f"%{len(self.lines)}"
        braces = f" {{{attributes}}}" if attributes else ""
        self.lines.append(f"  {number} = graph.{name} {', '.join(operands)}{braces} : "
                          f"({', '.join(types)}) -> {result}")
        return number

    def constant(self, value, type):
        number = f"%{len(self.lines)}"
        self.lines.append(f"  {number} = graph.constant dense<{value}> : {type}")
        return number


def attention(shape, dtype):
    """The MLIR of a shape."""
    batch, heads, group, queries, keys, size, sees = shape
    q_shape = (batch, heads, group, queries, size)
    kv_shape = (batch, heads, 1, keys, size)
    s_shape = (batch, heads, group, queries, keys)
    inner = "f32" if dtype == "int8" else dtype
    port = {"int8": "ui8"}.get(dtype, dtype)
    m = Module()

    def dequantize(value, shape, scale, zp):
        if dtype != "int8":
            return value
        return m.op("dequantize", [value], [tensor(shape, port)], tensor(shape, inner),
                    f"scales = array<f32: {scale}>, zps = array<i64: {zp}>")

    def quantize(value, shape, scale, zp):
        if dtype != "int8":
            return value
        return m.op("quantize", [value], [tensor(shape, inner)], tensor(shape, port),
                    f"scales = array<f32: {scale}>, zps = array<i64: {zp}>")

    q_type, kv_type, s_type = (tensor(x, inner) for x in (q_shape, kv_shape, s_shape))
    q = dequantize("%q", q_shape, 0.015, 134)
    k = dequantize("%k", kv_shape, 0.015, 128)
    x = m.op("matmul", [q, k], [q_type, kv_type], s_type, "transpose_b = true")
    one = tensor((1,), inner)
    x = m.op("multiply", [x, m.constant(0.125, one)], [s_type, one], s_type)
    if sees != "all":
        indices, flags = tensor(s_shape, "si32"), tensor(s_shape, "i1")
        none = m.constant("0xFF80" + ("0000" if inner == "f32" else ""), one)
        row = m.op("gen_index", [x], [s_type], indices, "axis = 3")
        column = m.op("gen_index", [x], [s_type], indices, "axis = 4")

        def keep(later, earlier):
            seen = m.op("greater_equal", [later, earlier], [indices] * 2, flags)
            return m.op("select", [seen, x, none], [flags, s_type, one], s_type)

        x = keep(row, column)
        if sees == "window":
            width = tensor((1,), "si32")
            first = m.op("subtract", [row, m.constant(WINDOW, width)],
                         [indices, width], indices)
            x = keep(column, first)
    x = m.op("softmax", [x], [s_type], s_type, "axis = 4")
    x = dequantize(quantize(x, s_shape, 0.00392157, 0), s_shape, 0.00392157, 0)
    v = dequantize("%v", kv_shape, 0.02, 130)
    x = m.op("matmul", [x, v], [s_type, kv_type], q_type)
    x = quantize(x, q_shape, 0.01, 128)
    q_port, kv_port = tensor(q_shape, port), tensor(kv_shape, port)
    return "\n".join([f"func.func @main(%q: {q_port}, %k: {kv_port}, %v: {kv_port}) "
                      f"-> {q_port} {{", *m.lines, f"  return {x} : {q_port}", "}", ""])


def run(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stderr}")
    return done.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--types", default="f32,bf16,int8")
    parser.add_argument("--filter", default="", metavar="TEXT",
                        help="only shapes whose line has the text")
    parser.add_argument("--min-time", default="0.3", metavar="S")
    parser.add_argument("--build-dir", default=os.path.join(HERE, "..", "build"))
    parser.add_argument("--check", action="store_true",
                        help="compare with the reference instead of measuring")
    args = parser.parse_args()
    runner = os.path.join(args.build_dir, "bin", "gc-runner")
    read_peer = peers.Read(argparse.Namespace(
        build_dir=args.build_dir, install=True, threads=2))
    if not args.check:
        try:
            read_peer.prepare()
        except peers.SetupError as error:
            raise SystemExit(f"attention_shapes: {error}") from error
    below = []
    with tempfile.TemporaryDirectory() as folder:
        def measure(name, text):
            path = os.path.join(folder, name)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            if args.check:
                return run([runner, path, "--check"])
            return json.loads(run([runner, path, "--bench", "--json=-",
                                   f"--min-time={args.min_time}"]))

        for dtype in args.types.split(","):
            peaks = {}
            for name in TABLE1 if not args.check else ():
                graph = workloads.workload(f"{name}-{dtype}-b32")
                report = measure("table1.json", json.dumps(graph))
                peaks[name] = report["peak_fraction"]["best"]
            for shape in SHAPES:
                batch, heads, group, queries, keys, size, sees = shape
                what = (f"{dtype:5} b{batch} h{heads}x{group} {queries} queries, "
                        f"{keys} keys, d{size}, {sees}")
                if args.filter not in what:
                    continue
                report = measure("shape.mlir", attention(shape, dtype))
                if args.check:
                    print(what, report.strip().splitlines()[-1], flush=True)
                    continue
                if queries >= MANY_QUERIES:
                    nearest = min(TABLE1, key=lambda n: (
                        abs(math.log2(keys / TABLE1[n][0])) +
                        abs(math.log2(size / TABLE1[n][1]))))
                    best = report["peak_fraction"]["best"]
                    ratio = best / peaks[nearest]
                    text = (f"{best:.2f} of peak, {nearest} "
                            f"{peaks[nearest]:.2f}")
                else:
                    element = {"f32": 4, "bf16": 2, "int8": 1}[dtype]
                    moved = batch * heads * size * element * (
                        2 * group * queries + 2 * keys)
                    read = json.loads(run([read_peer.binary, f"--bytes={moved}",
                                           "--min-time=0.2"]))
                    rate = min(moved / read["run_ms"]["min"] / 1e6, MOST_GBYTES)
                    # Some 30 rows that share keys are bound by compute.
                    bound = max(moved / rate / 1e6,
                                report["flops"] / report["peak_gflops"] / 1e6)
                    ratio = bound / report["run_ms"]["min"]
                    text = (f"{report['run_ms']['min']:.3f} ms, bound {bound:.3f} "
                            f"(reads {rate:.1f} GB/s)")
                print(f"{what}: {text}, {ratio:.2f}", flush=True)
                if ratio < FLOOR:
                    below.append(what)
    if below:
        print(f"below {FLOOR}:", *below, sep="\n  ")
    return 1 if below else 0


if __name__ == "__main__":
    sys.exit(main())
