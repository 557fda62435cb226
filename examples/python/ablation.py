# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# %% [markdown]
# # What each optimisation brings
#
# An MLP and an attention, compiled once as they are and once without each of the
# optimisations that GC makes on whole graphs: what it costs in time and bytes.
# Run it as a program, or cell by cell in an editor that knows `# %%`.
#
#     PYTHONPATH=build/python python3 examples/python/ablation.py \
#         [--threads=2] [--seconds=2] [--tiny] [--output=ablation.png]

# %%
import argparse
import statistics
import time

import matplotlib
import numpy as np

import gc_compiler

matplotlib.use("Agg")
from matplotlib import pyplot

parser = argparse.ArgumentParser()
parser.add_argument("--threads", type=int, default=2)
parser.add_argument("--seconds", type=float, default=2, help="per graph")
parser.add_argument("--tiny", action="store_true", help="sizes of a test")
parser.add_argument("--output", default="ablation.png")
arguments, _ = parser.parse_known_args()

# %% [markdown]
# ## Two graphs
#
# Weights are `graph.const_arg`: they are packed at the first call. Queries, keys
# and values of the attention are views of [batch, sequence, heads, head size],
# read where they are.


# %%
def tensor(*shape, strides=None):
    layout = f", #graph.layout<strided, {list(strides)}>" if strides else ""
    return f"tensor<{'x'.join(map(str, shape))}xf32{layout}>"


def mlp(batch, widths):
    inputs = [f"%x: {tensor(batch, widths[0])}"]
    lines, last = [], "%x"
    for i, (k, n) in enumerate(zip(widths, widths[1:])):
        x, w, b, y = tensor(batch, k), tensor(k, n), tensor(n), tensor(batch, n)
        inputs += [f"%w{i}: {w} {{graph.const_arg}}"]
        inputs += [f"%b{i}: {b} {{graph.const_arg}}"]
        lines += [
            f"%m{i} = graph.matmul {last}, %w{i}, %b{i} : ({x}, {w}, {b}) -> {y}",
            f"%r{i} = graph.relu %m{i} : ({y}) -> {y}",
        ]
        last = f"%r{i}"
    body = "\n  ".join(lines)
    return f"""func.func @mlp({', '.join(inputs)}) -> {y} {{
  {body}
  return {last} : {y}
}}"""


def attention(batch, heads, rows, size):
    step = heads * size
    q = tensor(batch, heads, rows, size, strides=(rows * step, size, step, 1))
    k = tensor(batch, heads, size, rows, strides=(rows * step, size, 1, step))
    c, m = tensor(1), tensor(batch, 1, 1, rows)
    s, y = tensor(batch, heads, rows, rows), tensor(batch, heads, rows, size)
    return f"""func.func @attention(%q: {q}, %k: {k}, %v: {q}, %c: {c}, %m: {m}) -> {y} {{
  %0 = graph.matmul %q, %k : ({q}, {k}) -> {s}
  %1 = graph.divide %0, %c : ({s}, {c}) -> {s}
  %2 = graph.add %1, %m : ({s}, {m}) -> {s}
  %3 = graph.softmax %2 {{axis = -1 : i64}} : ({s}) -> {s}
  %4 = graph.matmul %3, %v : ({s}, {q}) -> {y}
  return %4 : {y}
}}"""


if arguments.tiny:
    graphs = {"MLP": mlp(8, (16, 32, 8)), "attention": attention(1, 2, 16, 8)}
else:
    graphs = {
        "MLP": mlp(512, (479, 1024, 1024, 512, 256, 16)),
        "attention": attention(16, 12, 128, 64),
    }

# %% [markdown]
# ## The same numbers every way
#
# Each variant is compiled from one `Graph`. Inputs are made for the layout of
# each input with `TensorInfo.empty`, so that nothing is copied.

# %%
variants = {
    "as it is": {},
    "loops not merged": {"coarse-grain": False},
    "ops not fused": {"fine-grain": False},
    "plain layouts": {"propagate-layout": False},
    "buffers not reused": {"buffer-reuse": False},
}


def make_inputs(compiled, rng):
    arrays = []
    for info in compiled.inputs:
        array = info.empty()
        array[...] = rng.standard_normal(info.shape)
        # Weights keep the variance; a divisor is far from zero.
        if len(info.shape) == 2 and info.constant:
            array /= np.sqrt(info.shape[0])
        if info.shape == (1,):
            array[...] = 8
        arrays.append(array)
    return arrays


compiled, inputs = {}, {}
for name, text in graphs.items():
    graph = gc_compiler.Graph(text)
    compiled[name] = {
        variant: graph.compile(options=options, threads=arguments.threads)
        for variant, options in variants.items()
    }
    inputs[name] = make_inputs(compiled[name]["as it is"], np.random.default_rng(1))
    results = {v: run(*inputs[name]) for v, run in compiled[name].items()}
    for variant, result in results.items():
        error = np.abs(result - results["as it is"]).max()
        assert error < 1e-4, f"{name}, {variant}: differs by {error}"

# %% [markdown]
# ## Time and bytes
#
# The variants alternate, so that a noisy moment of the machine affects all of
# them equally.


# %%
def measure(functions, arrays, seconds):
    """Milliseconds of each call, by function."""
    times = {name: [] for name in functions}
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(times[name]) < 3:
        for name, function in functions.items():
            start = time.perf_counter()
            function(*arrays)
            times[name].append((time.perf_counter() - start) * 1e3)
    return times


rows = []
for name in graphs:
    times = measure(compiled[name], inputs[name], arguments.seconds)
    base = min(times["as it is"])
    for variant, function in compiled[name].items():
        report = function.report
        rows.append(
            {
                "graph": name,
                "variant": variant,
                "best": min(times[variant]),
                "median": statistics.median(times[variant]),
                "slower": min(times[variant]) / base,
                "gflops": report["flops"] / min(times[variant]) / 1e6,
                "arena": report["arena_bytes"],
                "loops": report["parallel_regions"],
            }
        )

print("| graph | variant | best ms | median ms | times | GFLOP/s | arena KiB | loops |")
print("|---|---|---:|---:|---:|---:|---:|---:|")
for row in rows:
    print(
        f"| {row['graph']} | {row['variant']} | {row['best']:.4g} "
        f"| {row['median']:.4g} | {row['slower']:.2f} | {row['gflops']:.1f} "
        f"| {row['arena'] / 1024:.0f} | {row['loops']} |"
    )

# %% [markdown]
# What the compiler decided against, and why:

# %%
for name in graphs:
    for remark in compiled[name]["as it is"].remarks:
        if remark.kind == "missed":
            print(f"{name}: {remark}")

# %% [markdown]
# ## As a picture

# %%
figure, axes = pyplot.subplots(1, len(graphs), figsize=(6 * len(graphs), 3))
for axis, name in zip(axes, graphs):
    mine = [row for row in rows if row["graph"] == name][::-1]
    bars = axis.barh([r["variant"] for r in mine], [r["slower"] for r in mine])
    labels = [f"{r['best']:.3g} ms, {r['arena'] / 2**20:.1f} MiB" for r in mine]
    axis.bar_label(bars, labels, padding=3)
    axis.set_xlim(0, 1.5 * max(r["slower"] for r in mine))
    axis.axvline(1, color="black", linewidth=0.8)
    axis.set_title(f"{name}, {arguments.threads} threads")
    axis.set_xlabel("time, relative to all optimisations; bytes of temporaries")
figure.tight_layout()
figure.savefig(arguments.output, dpi=150)
print(f"\nwrote {arguments.output}")
