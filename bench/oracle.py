# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inputs and expected results of a workload, in plain numpy.

The inputs are a function of the tensor's id and the position in its buffer
(bench/onednn/Graph.h says which), so every peer computes on the same numbers
without files. `evaluate` is the judge of `bench.py --check`: one line of numpy
per operation, in float64.
"""

import numpy as np

import workloads

TYPES = {"f32": np.float32, "u8": np.uint8, "s8": np.int8, "bf16": np.uint16,
         "boolean": np.bool_}


def hash_elements(tensor_id, count):
    """One uint32 for each position of a tensor's buffer."""
    with np.errstate(over="ignore"):
        x = np.arange(count, dtype=np.uint32) * np.uint32(0x9E3779B1)
        x += np.uint32(tensor_id * 0x85EBCA77 & 0xFFFFFFFF)
        x = (x ^ (x >> np.uint32(16))) * np.uint32(0x7FEB352D)
        x = (x ^ (x >> np.uint32(15))) * np.uint32(0x846CA68B)
        return x ^ (x >> np.uint32(16))


def to_bf16(values):
    """The bits of the nearest bfloat16 (ties to even) of finite values."""
    bits = np.asarray(values, np.float32).view(np.uint32)
    bits = bits + (((bits >> 16) & 1) + np.uint32(0x7FFF)).astype(np.uint32)
    return (bits >> 16).astype(np.uint16)


def from_bf16(bits):
    return (bits.astype(np.uint32) << 16).view(np.float32)


def input_buffer(tensor):
    """The elements of an input in the order of its buffer."""
    shape, stride = tensor["shape"], tensor["stride"]
    count = 1 + sum((n - 1) * s for n, s in zip(shape, stride))
    h = hash_elements(tensor["id"], count)
    if tensor["dtype"] in ("u8", "s8"):
        return h.astype(np.uint8).view(TYPES[tensor["dtype"]])
    if tensor["dtype"] == "boolean":
        return (h & np.uint32(1)).astype(np.bool_)
    unit = (h >> np.uint32(8)) * 2.0 ** -24
    constant = tensor["property_type"] == "constant"
    if count == 1:
        values = 1.0 + unit
    else:
        scale = np.sqrt(3.0 / shape[-2]) if constant and len(shape) > 1 else 1.0
        values = (2.0 * unit - 1.0) * scale
    values = values.astype(np.float32)
    return to_bf16(values) if tensor["dtype"] == "bf16" else values


def input_array(tensor):
    """An input with its logical shape, a view of the buffer."""
    buffer = input_buffer(tensor)
    return np.lib.stride_tricks.as_strided(
        buffer, tensor["shape"], [s * buffer.itemsize for s in tensor["stride"]])


def graph_output(graph):
    """The logical tensor of the (first) result."""
    consumed = {t["id"] for op in graph["graph"] for t in op["inputs"]}
    return next(t for op in graph["graph"] for t in op["outputs"]
                if t["id"] not in consumed)


def softmax(x, axis):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def quantization(op, rank):
    """Scales and zero points, shaped to broadcast along the op's axis."""
    attrs = op["attrs"]
    scales = np.array(attrs["scales"]["value"], np.float32).astype(np.float64)
    zps = np.array(attrs["zps"]["value"], np.float64)
    shape = [1] * rank
    if attrs["qtype"]["value"] == "per_channel":
        shape[attrs["axis"]["value"]] = -1
    return scales.reshape(shape), zps.reshape(shape)


def convolution(op, x, weights, bias=0.0):
    """Channels last, and the weights' output channels last."""
    attrs = {k: v["value"] for k, v in op["attrs"].items()}
    if (attrs.get("data_format"), attrs.get("weights_format"),
            attrs.get("groups", 1)) != ("NXC", "XIO", 1):
        raise ValueError(f"op {op['id']}: such a convolution is not in the "
                         "oracle")
    pads = zip(attrs["pads_begin"], attrs["pads_end"])
    x = np.pad(x, [(0, 0), *pads, (0, 0)])
    shape = op["outputs"][0]["shape"]
    result = np.zeros(shape) + bias
    for tap in np.ndindex(weights.shape[:-2]):
        pixels = tuple(
            slice(i * dilation, i * dilation + (n - 1) * stride + 1, stride)
            for i, dilation, n, stride in zip(
                tap, attrs["dilations"], shape[1:-1], attrs["strides"]))
        result += x[(slice(None), *pixels)] @ weights[tap]
    return result


def apply(op, args):
    kind = op["kind"].lower()
    if kind == "matmul":
        attrs = op.get("attrs", {})
        x, y = (a.swapaxes(-1, -2)
                if attrs.get(name, {"value": 0})["value"] else a
                for a, name in zip(args, ("transpose_a", "transpose_b")))
        product = x @ y
        return product + args[2] if len(args) > 2 else product
    if kind == "convolution":
        return convolution(op, *args)
    if kind in ("add", "biasadd"):
        return args[0] + args[1]
    if kind == "subtract":
        return args[0] - args[1]
    if kind == "multiply":
        return args[0] * args[1]
    if kind == "divide":
        return args[0] / args[1]
    if kind == "select":
        return np.where(args[0], args[1], args[2])
    if kind in ("reorder", "typecast"):
        return args[0]
    if kind == "staticreshape":
        return args[0].reshape(op["attrs"]["shape"]["value"])
    if kind == "relu":
        return np.maximum(args[0], 0.0)
    if kind == "sigmoid":
        return 1.0 / (1.0 + np.exp(-args[0]))
    if kind == "softmax":
        return softmax(args[0], op["attrs"]["axis"]["value"])
    if kind == "statictranspose":
        return np.transpose(args[0], op["attrs"]["order"]["value"])
    if kind == "dequantize":
        scales, zps = quantization(op, args[0].ndim)
        return (args[0] - zps) * scales
    if kind == "quantize":
        scales, zps = quantization(op, args[0].ndim)
        info = np.iinfo(TYPES[op["outputs"][0]["dtype"]])
        return np.clip(np.rint(args[0] / scales) + zps, info.min, info.max)
    raise ValueError(f"op {op['id']}: kind {op['kind']} is not in the oracle")


def slices(graph):
    """How many equal slices of the leading dimension the graph can be computed
    in, each on its own; 1 unless every operation keeps that dimension separate."""
    rank = len(graph_output(graph)["shape"])
    batch = graph_output(graph)["shape"][0]
    for op in graph["graph"]:
        attrs = {k: v["value"] for k, v in op.get("attrs", {}).items()}
        shape = op["outputs"][0]["shape"]
        apart = len(shape) == rank and shape[0] == batch and (
            attrs.get("order", [0])[0] == 0 and
            attrs.get("axis", 1) % rank != 0 and rank > 2 and
            all(len(t["shape"]) in (0, 1, rank) for t in op["inputs"]))
        if not apart:
            return 1
    return batch


def evaluate_slice(graph, inputs):
    values = {t: a.astype(np.bool_ if a.dtype == np.bool_ else np.float64)
              for t, a in inputs.items()}
    last_use = {t["id"]: op["id"] for op in graph["graph"]
                for t in op["inputs"]}
    for op in graph["graph"]:
        result = apply(op, [values[t["id"]] for t in op["inputs"]])
        if op["outputs"][0]["dtype"] == "bf16":
            result = from_bf16(to_bf16(result)).astype(np.float64)
        values[op["outputs"][0]["id"]] = result
        for tensor in op["inputs"]:
            if last_use[tensor["id"]] == op["id"]:
                values.pop(tensor["id"], None)
    return values[graph_output(graph)["id"]]


def evaluate(graph):
    """The (first) result as float64. Results of bf16 operations are rounded.

    Attention goes through in slices of its batch: its scores in float64 would
    be twice the memory of everything a peer needs.
    """
    inputs = {}
    for tid, tensor in workloads.input_tensors(graph).items():
        array = input_array(tensor)
        if tensor["dtype"] == "bf16":
            array = from_bf16(np.ascontiguousarray(array))
        inputs[tid] = array
    count = slices(graph)
    if count == 1:
        return evaluate_slice(graph, inputs)
    rank = len(graph_output(graph)["shape"])
    parts = []
    for i in range(count):
        part = {t: a[i:i + 1] if a.ndim == rank and a.shape[0] == count else a
                for t, a in inputs.items()}
        # A reshape names whole sizes.
        ops = [op if op["kind"] != "StaticReshape" else dict(op, attrs={
            "shape": {"value": [1] + op["attrs"]["shape"]["value"][1:]}})
            for op in graph["graph"]]
        parts.append(evaluate_slice(dict(graph, graph=ops), part))
    return np.concatenate(parts)


def compare(graph, actual, expected):
    """None when a peer's result is right, else a sentence.

    `actual` has the result's own type, bf16 as its bits. Floats may differ by a
    rounding error relative to the largest result; quantised values by one step,
    and only one in twenty (a step in one layer carries on into the next).
    """
    dtype = graph_output(graph)["dtype"]
    actual = actual.reshape(expected.shape)
    if dtype == "bf16":
        actual = from_bf16(actual)
    error = np.abs(actual.astype(np.float64) - expected)
    if not np.isfinite(error).all():
        return "the result has values that are not finite"
    if expected.size > 1 and np.ptp(expected) == 0:
        return "the expected result is constant, so it proves nothing"
    if dtype in ("u8", "s8"):
        off = np.count_nonzero(error) / error.size
        if error.max() > 1 or off > 0.05:
            return f"quantised result off by up to {error.max():g}, {off:.2%} differ"
        return None
    limit = (1e-4 if dtype == "f32" else 3e-2) * np.abs(expected).max()
    if error.max() > limit:
        return f"off by {error.max():.3g}, where {limit:.3g} is allowed"
    return None
