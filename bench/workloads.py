#!/usr/bin/python3
# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the workloads of the benchmark as oneDNN Graph JSON.

The families: the MLP and MHA subgraphs of Table I of the oneDNN Graph Compiler
paper, in f32, bf16 and int8; f32 MLPs and attention whose shapes nothing was
tuned for ("unseen"); attention over long sequences; a matrix times a vector; the
convolutions and residual blocks of ResNet-50, in f32 and int8 (conv_workloads.py);
and subgraphs of whole models from a folder of files, where there is one. A graph is a
plain dict; `workload(name)` makes one, `SETS` lists the names, and running this file
writes them to a directory.
"""

import argparse
import json
import math
import os
import sys

import conv_workloads
import op_workloads
from graph_builder import GraphBuilder, weight_scales

MLP_BATCHES = (32, 64, 128, 256, 512)
MHA_BATCHES = (32, 64, 128)
DTYPES = ("f32", "bf16", "int8")

# Table I: layer widths, and the activation after the last layer. MLP-1 and
# MLP-2 are the bottom and top MLPs of DLRM, whose click probability is a
# sigmoid.
MLPS = {
    "mlp1": ((13, 512, 256, 128), "ReLU"),
    "mlp2": ((479, 1024, 1024, 512, 256, 1), "Sigmoid"),
}
# Table I: heads, sequence length, size of a head.
MHAS = {
    "mha1": (8, 128, 96),
    "mha2": (12, 128, 64),
    "mha3": (8, 384, 128),
    "mha4": (16, 512, 64),
}

UNSEEN_COUNT = 40
UNSEEN_SEED = 20240607
# Attention that nothing was tuned for: sequence lengths off the blocks, with
# ordinary and odd sizes of a head; 16 heads, the batch that makes about 5
# GFLOP.
UNSEEN_MHA_SEQS = (33, 100, 197, 384, 1000)
UNSEEN_MHA_HEADS = (40, 64, 80, 128)
UNSEEN_MHA_FLOPS = 5e9
# Sequence length: heads; one row panel of scores no longer fits a cache.
LONG_MHAS = {4096: 8, 8192: 4}
# A matrix-vector product: K and N, which are equal, and by the type of the weights
# how many of them follow each other, so that they fit no cache.
MATVEC_SIZE = 4096
MATVECS = {"f32": 1, "bf16": 2, "s8": 4, "s4": 8}
# Weights of 4 bits that share a scale.
MATVEC_GROUP = 128

# Decoding one token of each sequence: sequences, heads of keys and
# values, queries that share one, keys, size of a head.
DECODE = (4, 8, 4, 4096, 128)
DECODE_TYPES = ("f32", "bf16", "int8", "int8-cache")

# Subgraphs of whole models, in the folder that $GC_ONEDNN_GRAPHS names, else in
# one next to the checkout; the set is empty where there is none.
GRAPH_FOLDER = os.environ.get("GC_ONEDNN_GRAPHS") or os.path.join(
    os.path.dirname(os.path.abspath(__file__)), "..", "..", "shared",
    "workloads", "onednn-graph", "complex_fusion")
GRAPH_FILES = {name: f"{folder}/{name}.json" for folder, name in (
    ("mha", "JAX-MHA-inf-fp32"), ("mha", "MHA-GPT-inf-fp32-bs1"),
    ("mha", "MHA-bert_large-inf-fp32-bs1"),
    ("mha", "MHA-distill_bert-inf-fp32-bs1"), ("mlp", "gated-mlp-f32"))}


def mlp(batch, widths, last, dtype="f32", separate_bias=False):
    """An f32 or bf16 MLP: matmul, bias, ReLU per layer; `last` is the kind of
    the activation after the last layer, or None."""
    b = GraphBuilder()
    x = b.tensor(dtype, (batch, widths[0]))
    for layer, (k, n) in enumerate(zip(widths, widths[1:])):
        w = b.tensor(dtype, (k, n), const=True)
        if separate_bias:
            x = b.matmul([x, w], dtype, (batch, n))
            bias = b.tensor(dtype, (n,), const=True)
            x = b.op("BiasAdd", [x, bias], dtype, (batch, n),
                     {"data_format": ("string", "NXC")})
        else:
            bias = b.tensor(dtype, (n,), const=True)
            x = b.matmul([x, w, bias], dtype, (batch, n))
        kind = "ReLU" if layer + 2 < len(widths) else last
        if kind:
            x = b.op(kind, [x], dtype, (batch, n))
    return b.graph()


def mlp_int8(batch, widths, last):
    """The same MLP quantised: u8 activations, s8 per-channel weights."""
    b = GraphBuilder()
    x = b.tensor("u8", (batch, widths[0]))
    zp = 128
    for layer, (k, n) in enumerate(zip(widths, widths[1:])):
        a = b.quantization("Dequantize", x, "f32", (batch, k), 0.02, zp)
        w = b.quantization("Dequantize",
                           lambda: b.tensor("s8", (k, n), const=True),
                           "f32", (k, n), weight_scales(k, n, layer == 0),
                           [0] * n)
        bias = b.tensor("f32", (n,), const=True)
        y = b.matmul([a, w, bias], "f32", (batch, n))
        kind = "ReLU" if layer + 2 < len(widths) else last
        y = b.op(kind, [y], "f32", (batch, n))
        scale, zp = (0.00392157, 0) if kind == "Sigmoid" else (0.02, 3)
        x = b.quantization("Quantize", y, "u8", (batch, n), scale, zp)
    return b.graph()


def mha(batch, heads, seq, head, dtype="f32"):
    """Scaled dot-product attention on views of [batch, seq, heads, head]."""
    b = GraphBuilder()
    quantised = dtype == "int8"
    port = "u8" if quantised else dtype
    inner = "f32" if quantised else dtype
    rows, step = seq * heads * head, heads * head
    view = (rows, head, step, 1)
    scores = (batch, heads, seq, seq)
    values = (batch, heads, seq, head)

    def dequantize(source, shape, scale, zp):
        if not quantised:
            return source
        return b.quantization("Dequantize", source, "f32", shape, scale, zp)

    q = dequantize(b.tensor(port, values, view), values, 0.015, 134)
    kt_shape = (batch, heads, head, seq)
    kt = dequantize(b.tensor(port, kt_shape, (rows, head, 1, step)), kt_shape,
                    0.015, 128)
    x = b.matmul([q, kt], inner, scores)
    numpy = {"auto_broadcast": ("string", "numpy")}
    x = b.op("Divide", [x, lambda: b.tensor(inner, (1,), const=True)], inner,
             scores, numpy)
    x = b.op("Add", [x, lambda: b.tensor(inner, (batch, 1, 1, seq),
                                         (seq, seq, seq, 1))],
             inner, scores, numpy)
    x = b.op("SoftMax", [x], inner, scores, {"axis": ("s64", 3)})
    if quantised:
        x = b.quantization("Quantize", x, "u8", scores, 0.00392157, 0)
        x = b.quantization("Dequantize", x, "f32", scores, 0.00392157, 0)
    v = dequantize(b.tensor(port, values, view), values, 0.02, 130)
    x = b.matmul([x, v], inner, values)
    back = (batch, seq, heads, head)
    x = b.op("StaticTranspose", [x], inner, back,
             {"order": ("s64[]", [0, 2, 1, 3])})
    if quantised:
        b.quantization("Quantize", x, "u8", back, 0.01, 128)
    return b.graph()


def decode(kind):
    """Attention of one query of each head; groups of heads share keys and
    values, which are not copied. With int8 both products are of integers, as
    in mha(); with int8-cache only keys and values are quantised."""
    b = GraphBuilder()
    batch, heads, group, keys, head = DECODE
    result, scores = (batch, heads, group, 1, head), (batch, heads, group, 1, keys)
    shared = (batch, heads, 1, keys, head)
    quantised = kind == "int8"
    dtype = "f32" if kind.startswith("int8") else kind

    def matmul(x, y, shape, transposed):
        return b.op("MatMul", [x, y], dtype, shape,
                    {"transpose_a": ("bool", 0), "transpose_b": ("bool", transposed)})

    def cache(scale):
        if dtype == kind:
            return b.tensor(dtype, shared)
        return b.quantization("Dequantize", b.tensor("s8", shared), dtype, shared,
                              scale, 0)

    q = b.tensor("u8" if quantised else dtype, result)
    if quantised:
        q = b.quantization("Dequantize", q, dtype, result, 0.015, 134)
    numpy = {"auto_broadcast": ("string", "numpy")}
    x = matmul(q, cache(0.015), scores, 1)
    x = b.op("Divide", [x, lambda: b.tensor(dtype, (1,), const=True)], dtype,
             scores, numpy)
    x = b.op("Add", [x, lambda: b.tensor(dtype, (batch, 1, 1, 1, keys))], dtype,
             scores, numpy)
    x = b.op("SoftMax", [x], dtype, scores, {"axis": ("s64", 4)})
    if quantised:
        x = b.quantization("Quantize", x, "u8", scores, 0.00392157, 0)
        x = b.quantization("Dequantize", x, dtype, scores, 0.00392157, 0)
    x = matmul(x, cache(0.02), result, 0)
    if quantised:
        b.quantization("Quantize", x, "u8", result, 0.01, 128)
    return b.graph()


class Random:
    """SplitMix64, written out so that the shapes never change."""

    def __init__(self, seed):
        self.state = seed

    def below(self, n):
        mask = (1 << 64) - 1
        self.state = (self.state + 0x9E3779B97F4A7C15) & mask
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
        return (z ^ (z >> 31)) * n >> 64

    def pick(self, values):
        return values[self.below(len(values))]


def is_prime(n):
    return n > 1 and all(n % d for d in range(2, math.isqrt(n) + 1))


def draw_size(rng, limit):
    """A size in [1, limit]: a third are one off a block, a quarter prime, the
    rest multiples of 16, tiny, or anything. Magnitudes are spread evenly on a
    log scale, else nearly every size would be large."""
    top = limit.bit_length() - 1
    kind = rng.below(12)
    if kind == 11:
        return 1 + rng.below(7)
    if kind == 10:
        return 1 + rng.below(limit)
    magnitude = 8 << rng.below(top - 2)
    if kind < 4:
        return min(2 * magnitude + rng.pick((-1, 1)), limit)
    size = min(magnitude + rng.below(magnitude), limit)
    if kind < 7:
        while not is_prime(size):
            size -= 1
        return size
    return max(16, size // 16 * 16)


def unseen_parameters(index):
    """(batch, widths, last activation, separate BiasAdd?) of one graph."""
    rng = Random(UNSEEN_SEED + 7919 * index)
    layers = 1 + rng.below(5)
    batch = draw_size(rng, 512)
    widths = tuple(draw_size(rng, 2048) for _ in range(layers + 1))
    last = rng.pick(("ReLU", "Sigmoid", None))
    return batch, widths, last, rng.below(4) == 0


def unseen_mha_batch(seq, head):
    """The batch that makes about UNSEEN_MHA_FLOPS with 16 heads."""
    return max(1, round(UNSEEN_MHA_FLOPS / (4 * 16 * seq * seq * head)))


def matvec(size, dtype="f32"):
    """One row times constant weights: as they are, or dequantized by scales for
    each column (s8) or for groups (s4)."""
    b = GraphBuilder()
    row = "bf16" if dtype == "bf16" else "f32"
    x = b.tensor(row, (1, size))
    for _ in range(MATVECS[dtype]):
        weights = b.tensor(dtype, (size, size), const=True)
        if dtype == "s8":
            scales = b.tensor("f32", (size,), const=True)
            weights = b.op("DynamicDequantize", [weights, scales], "f32",
                           (size, size), {"qtype": ("string", "per_channel"),
                                          "axis": ("s64", 1)})
        elif dtype == "s4":
            scales = b.tensor("f32", (size // MATVEC_GROUP, size), const=True)
            weights = b.op("DynamicDequantize", [weights, scales], "f32",
                           (size, size),
                           {"qtype": ("string", "per_group"),
                            "group_shape": ("s64[]", [MATVEC_GROUP, 1])})
        x = b.matmul([x, weights], row, (1, size))
    return b.graph()


SETS = {
    **{f"mlp-{d}": [f"{m}-{d}-b{b}" for m in MLPS for b in MLP_BATCHES]
       for d in DTYPES},
    **{f"mha-{d}": [f"{m}-{d}-b{b}" for m in MHAS for b in MHA_BATCHES]
       for d in DTYPES},
    "unseen": [f"unseen-{i:02}" for i in range(UNSEEN_COUNT)],
}
TABLE1 = list(SETS)[:-1]
SETS["table1"] = [n for s in TABLE1 for n in SETS[s]]
SETS["unseen-mha"] = [f"unseen-mha-s{s}-d{d}" for s in UNSEEN_MHA_SEQS
                      for d in UNSEEN_MHA_HEADS]
SETS["long-mha"] = [f"long-mha-s{s}" for s in LONG_MHAS]
SETS["matvec"] = [f"matvec-{d}-{MATVEC_SIZE}" for d in MATVECS]
SETS["decode"] = [f"decode-{d}" for d in DECODE_TYPES]
SETS.update(conv_workloads.SETS)
SETS.update(op_workloads.SETS)
SETS["onednn-graph"] = [n for n, file in GRAPH_FILES.items()
                        if os.path.exists(os.path.join(GRAPH_FOLDER, file))]
SETS["ops"] = [n for s in op_workloads.SETS for n in SETS[s]]
# What the sets above consist of; "all" is these.
BASE_SETS = [s for s in SETS if s not in ("table1", "ops")]
SETS["all"] = [n for s in BASE_SETS for n in SETS[s]]


def workload(name):
    """The graph of that name as a dict; KeyError if there is none."""
    if name not in SETS["all"]:
        raise KeyError(name)
    if name in GRAPH_FILES:
        path = os.path.join(GRAPH_FOLDER, GRAPH_FILES[name])
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    if name.startswith("unseen-mha-"):
        seq, head = (int(p[1:]) for p in name.split("-")[2:])
        return mha(unseen_mha_batch(seq, head), 16, seq, head)
    if name.startswith("long-mha-"):
        seq = int(name[len("long-mha-s"):])
        return mha(1, LONG_MHAS[seq], seq, 64)
    if name.startswith("matvec-"):
        _, dtype, size = name.split("-")
        return matvec(int(size), dtype)
    if name.startswith("decode-"):
        return decode(name[len("decode-"):])
    if name in SETS["ops"]:
        return op_workloads.workload(name)
    if any(name in names for names in conv_workloads.SETS.values()):
        return conv_workloads.workload(name)
    if name.startswith("unseen-"):
        batch, widths, last, separate = unseen_parameters(int(name[7:]))
        return mlp(batch, widths, last, separate_bias=separate)
    base, dtype, batch = name.split("-")
    batch = int(batch[1:])
    if base in MHAS:
        return mha(batch, *MHAS[base], dtype)
    widths, last = MLPS[base]
    if dtype == "int8":
        return mlp_int8(batch, widths, last)
    return mlp(batch, widths, last, dtype)


def describe(graph):
    """A short human-readable shape: `b32 479-1024-...` or `b32 h8 s128 d96`, of
    convolutions `b1 56x56x64 k1-3-1 -> 56x56x256`."""
    if not any(o["kind"] == "MatMul" or is_dense(o) for o in graph["graph"]):
        return op_workloads.describe(graph)
    kernels = [str(o["inputs"][1]["shape"][0]) for o in graph["graph"]
               if o["kind"] == "Convolution"]
    if kernels:
        batch, *image = graph["graph"][0]["inputs"][0]["shape"]
        result = graph["graph"][-1]["outputs"][0]["shape"][1:]
        return "b{} {} k{} -> {}".format(
            batch, "x".join(map(str, image)), "-".join(kernels),
            "x".join(map(str, result)))
    shapes = [(o["inputs"][0]["shape"], o["outputs"][0]["shape"])
              for o in graph["graph"] if o["kind"] == "MatMul"]
    first = shapes[0][0]
    if len(first) == 4:
        return "b{} h{} s{} d{}".format(*first)
    if len(first) == 5:
        return "b{} h{}x{} s{} d{}".format(*first[:3], shapes[0][1][-1],
                                           first[-1])
    return f"b{first[0]} " + "-".join(
        str(n) for n in [first[1]] + [out[1] for _, out in shapes])


def is_dense(op):
    """A convolution of all channels together."""
    return (op["kind"] == "Convolution" and
            op.get("attrs", {}).get("groups", {"value": 1})["value"] == 1)


# Operations that multiply elements of a tensor by those of weights: where the
# tensor is whose positions see all of a kernel, where the weights are, each an
# input or a result, and which of the last two dimensions of the weights (XIO)
# are this tensor's channels.
CONVOLUTIONS = {
    "Convolution": (("outputs", 0), ("inputs", 1), -1),
    "ConvolutionBackwardData": (("inputs", 0), ("inputs", 1), -1),
    "ConvolutionBackwardWeights": (("inputs", 1), ("outputs", 0), -1),
    "ConvTranspose": (("inputs", 0), ("inputs", 1), -2),
    "ConvTransposeBackwardData": (("outputs", 0), ("inputs", 1), -2),
    "ConvTransposeBackwardWeights": (("inputs", 0), ("outputs", 0), -2)}


def flops(graph):
    """2*M*N*K summed over the matmuls and convolutions, batch dimensions
    included; elements in the pads count as work."""
    total = 0
    for op in graph["graph"]:
        if op["kind"] in CONVOLUTIONS:
            (where, i), (kind, j), channels = CONVOLUTIONS[op["kind"]]
            weights = op[kind][j]["shape"]
            total += 2 * math.prod(op[where][i]["shape"]) * (
                math.prod(weights) // weights[channels])
        if op["kind"] == "MatMul":
            k = op["inputs"][0]["shape"][-1]
            total += 2 * k * math.prod(op["outputs"][0]["shape"])
    return total


ELEMENT_BYTES = {"f32": 4, "bf16": 2, "f16": 2, "s32": 4, "s4": 0.5, "u4": 0.5}


def tensor_bytes(tensor):
    """Bytes of a tensor's elements."""
    return math.ceil(math.prod(tensor["shape"]) *
                     ELEMENT_BYTES.get(tensor["dtype"], 1))


def input_tensors(graph):
    """{tensor id: logical tensor} of what no operation produces."""
    produced = {t["id"] for op in graph["graph"] for t in op["outputs"]}
    return {t["id"]: t for op in graph["graph"] for t in op["inputs"]
            if t["id"] not in produced}


def input_bytes(graph):
    return sum(map(tensor_bytes, input_tensors(graph).values()))


def output_bytes(graph):
    consumed = {t["id"] for op in graph["graph"] for t in op["inputs"]}
    return sum(tensor_bytes(t) for op in graph["graph"] for t in op["outputs"]
               if t["id"] not in consumed)


def compulsory_bytes(graph):
    """(bytes that have to be read, bytes that have to be written): each input
    once, unless it only says a shape, and each result."""
    shapes = sum(tensor_bytes(op["inputs"][0]) for op in graph["graph"]
                 if op["kind"] in ("InterpolateBackward", "GenIndex"))
    return input_bytes(graph) - shapes, output_bytes(graph)


def largest_result(graph):
    """Bytes of the largest value that an operation produces."""
    return max(tensor_bytes(t) for op in graph["graph"] for t in op["outputs"])


def write(directory, name):
    """Writes NAME.json into the directory and returns its path."""
    os.makedirs(directory, exist_ok=True)
    path = os.path.join(directory, name + ".json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(workload(name), file, indent=1)
        file.write("\n")
    return path


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--set", default="all", choices=sorted(SETS))
    parser.add_argument("--out", metavar="DIR", help="write the files there")
    args = parser.parse_args()
    for name in SETS[args.set]:
        if args.out:
            write(args.out, name)
        graph = workload(name)
        print(f"{name:18} {flops(graph) / 1e9:9.4f} GFLOP  {describe(graph)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
