# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Operators that Debian's tests of ONNX do not have: those of operator sets 18 to 24
and of com.microsoft. Each model is run by gc-runner, and compared with numpy.

    newer-ops.py [--target=NAME] [--filter=RE]
"""

import argparse
import math
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np
import onnx
from onnx import helper, numpy_helper

MS = "com.microsoft"
random = np.random.default_rng(3)
cases = []


def draw(*shape):
    return random.standard_normal(shape).astype(np.float32)


def case(name, op, inputs, expected, known=(), domain="", opset=23, **attrs):
    """`inputs` are arrays or None; those whose numbers are in `known` become
    initializers. `expected` are arrays, or None for results left out."""
    cases.append((name, op, inputs, expected, known, domain, opset, attrs))


def softmax(x):
    with np.errstate(invalid="ignore"):
        e = np.exp(x - x.max(-1, keepdims=True))
        return np.nan_to_num(e / e.sum(-1, keepdims=True))


def split(x, heads):
    b, s, h = x.shape
    return x.reshape(b, s, heads, h // heads).transpose(0, 2, 1, 3)


def join(x):
    b, n, s, d = x.shape
    return x.transpose(0, 2, 1, 3).reshape(b, s, n * d)


def attend(q, k, v, bias=0.0, mask=True, scale=None, softcap=0.0):
    groups = q.shape[1] // k.shape[1]
    k, v = np.repeat(k, groups, 1), np.repeat(v, groups, 1)
    scores = q @ k.swapaxes(-1, -2) * (scale or 1 / math.sqrt(q.shape[-1]))
    if softcap:
        scores = softcap * np.tanh(scores / softcap)
    return softmax(np.where(mask, scores + bias, -np.inf)) @ v


def causal(rows, columns):
    return np.tril(np.ones((rows, columns), bool), columns - rows)


def rotate(x, cos, sin, interleaved=False):
    half = cos.shape[-1]
    a, b = (x[..., 0 : 2 * half : 2], x[..., 1 : 2 * half : 2]) if interleaved else (
        x[..., :half], x[..., half : 2 * half])
    first, second = a * cos - b * sin, a * sin + b * cos
    pairs = (
        np.stack([first, second], -1).reshape(*x.shape[:-1], 2 * half)
        if interleaved else np.concatenate([first, second], -1)
    )
    return np.concatenate([pairs, x[..., 2 * half :]], -1)


# Attention.
q, k, v = draw(2, 4, 5, 8), draw(2, 4, 6, 8), draw(2, 4, 6, 7)
mask = random.random((5, 6)) > 0.3
mask[2] = False
bias = draw(2, 1, 5, 6)
case("attention", "Attention", [q, k, v], [attend(q, k, v)])
case("attention_mask", "Attention", [q, k, v, mask], [attend(q, k, v, mask=mask)])
case("attention_bias", "Attention", [q, k, v, bias], [attend(q, k, v, bias)], scale=0.5)
cases[-1] = (*cases[-1][:3], [attend(q, k, v, bias, scale=0.5)], *cases[-1][4:])
k5, v5, past_k, past_v = draw(2, 2, 5, 8), draw(2, 2, 5, 8), draw(2, 2, 3, 8), draw(2, 2, 3, 8)
all_k, all_v = np.concatenate([past_k, k5], 2), np.concatenate([past_v, v5], 2)
case("attention_past", "Attention", [q, k5, v5, None, past_k, past_v],
     [attend(q, all_k, all_v, mask=causal(5, 8)), all_k, all_v], is_causal=1)
case("attention_softcap", "Attention", [q, k5, v5], [attend(q, k5, v5, softcap=2.0)], softcap=2.0)
case("attention_3d", "Attention", [join(q), join(k5), join(v5)],
     [join(attend(q, k5, v5, mask=causal(5, 5)))], q_num_heads=4, kv_num_heads=2, is_causal=1)
case("attention_causal_keys", "Attention", [q, k, v],
     [attend(q, k, v, mask=np.tril(np.ones((5, 6), bool)))], is_causal=1)
case("attention_causal_rows", "Attention", [q, k5[:, :, :3], v5[:, :, :3]],
     [attend(q, k5[:, :, :3], v5[:, :, :3], mask=np.tril(np.ones((5, 3), bool)))], is_causal=1)

# Scales for each row of the first factor and column of the second.
a8, b8 = random.integers(0, 255, (3, 4)).astype(np.uint8), random.integers(0, 255, (4, 3)).astype(np.uint8)
a_scale, b_scale = np.float32([0.01, 0.1, 0.03]), np.float32([0.02, 0.01, 0.05])
a_zp, b_zp = np.uint8([100, 7, 128]), np.uint8([3, 128, 90])
exact = ((a8 - a_zp[:, None].astype(int)) * a_scale[:, None].astype(float)) @ (
    (b8 - b_zp.astype(int)) * b_scale.astype(float))
case("qlinear_matmul", "QLinearMatMul",
     [a8, a_scale, a_zp, b8, b_scale, b_zp, np.float32(0.4), np.uint8(113)],
     [np.clip(np.rint(exact / np.float32(0.4)) + 113, 0, 255).astype(np.uint8)],
     known=[1, 2, 4, 5, 6, 7])

# Rotary embedding.
x = draw(2, 3, 5, 8)
angles = draw(16, 4)
cos, sin = np.cos(angles), np.sin(angles)
positions = random.integers(0, 16, (2, 5))
c, s = cos[positions][:, None], sin[positions][:, None]
case("rotary", "RotaryEmbedding", [x, cos, sin, positions], [rotate(x, c, s)], known=[3])
case("rotary_positions", "RotaryEmbedding", [x, cos, sin, positions.astype(np.int32)],
     [rotate(x, c, s)])
case("rotary_interleaved", "RotaryEmbedding", [x, c[:, 0], s[:, 0]],
     [rotate(x, c, s, True)], interleaved=1)
case("rotary_partial", "RotaryEmbedding",
     [join(x), cos[:, :2].copy(), sin[:, :2].copy(), positions],
     [join(rotate(x, c[..., :2], s[..., :2]))], known=[3], num_heads=3, rotary_embedding_dim=4)
case("ms_rotary", "RotaryEmbedding", [x, np.array([2]), cos, sin],
     [rotate(x, cos[2:7], sin[2:7])], known=[1], domain=MS)
case("ms_rotary_3d", "RotaryEmbedding", [join(x), positions, cos, sin],
     [join(rotate(x, c, s))], known=[1], domain=MS)
case("ms_rotary_interleaved", "RotaryEmbedding", [x, positions, cos, sin],
     [rotate(x, c, s, True)], known=[1], domain=MS, interleaved=1)

# Attention of com.microsoft.
bias3 = draw(96)
parts = [join(q[:, :, :5]) + bias3[:32], join(k[:, :, :5]) + bias3[32:64],
         join(np.concatenate([v, v[..., :1]], -1)[:, :, :5]) + bias3[64:]]
q3, k3, v3 = (part - bias3[i * 32 : i * 32 + 32] for i, part in enumerate(parts))
heads = [split(part, 4) for part in parts]
case("mha", "MultiHeadAttention", [q3, k3, v3, bias3], [join(attend(*heads))], domain=MS,
     num_heads=4)
padding = np.array([[1, 1, 1, 1, 0], [1, 1, 0, 0, 0]], np.int32)
case("mha_padding", "MultiHeadAttention", [q3, k3, v3, bias3, padding],
     [join(attend(*heads, bias=np.where(padding, 0, -10000.0)[:, None, None]))], domain=MS,
     num_heads=4)
case("mha_causal", "MultiHeadAttention", [q3, k3, v3, bias3, None, draw(1, 4, 5, 5)], [None],
     domain=MS, num_heads=4, unidirectional=1)
cases[-1] = (*cases[-1][:3],
             [join(attend(*heads, bias=cases[-1][2][5], mask=causal(5, 5)))], *cases[-1][4:])
lengths, total = np.array([4, 4], np.int32), np.array(5, np.int32)
case("gqa", "GroupQueryAttention",
     [join(q), join(k5), join(v5), None, None, lengths, total],
     [join(attend(q, k5, v5, mask=causal(5, 5))), k5, v5], domain=MS, num_heads=4, kv_num_heads=2)
case("gqa_window", "GroupQueryAttention",
     [join(q), join(k5), join(v5), None, None, lengths, total],
     [join(attend(q, k5, v5, mask=causal(5, 5) & ~np.tri(5, k=-3, dtype=bool))), k5, v5],
     domain=MS, num_heads=4, kv_num_heads=2, local_window_size=2)
turned = [rotate(t, cos[:5], sin[:5]) for t in (q, k5)]
case("gqa_rotary", "GroupQueryAttention",
     [np.concatenate([join(q), join(k5), join(v5)], -1), None, None, None, None, lengths, total,
      cos, sin],
     [join(attend(*turned, v5, mask=causal(5, 5)))], domain=MS, num_heads=4, kv_num_heads=2,
     do_rotary=1)
turned = [rotate(t, cos[3:8], sin[3:8]) for t in (q, k5)]
all_k = np.concatenate([past_k, turned[1]], 2)
case("gqa_past", "GroupQueryAttention",
     [join(q), join(k5), join(v5), past_k, past_v, lengths + 3, np.array(8, np.int32), cos, sin],
     [join(attend(turned[0], all_k, all_v, mask=causal(5, 8))), all_k, all_v], known=[5],
     domain=MS, num_heads=4, kv_num_heads=2, do_rotary=1)

# Norms.
x, skip, gamma, beta = draw(2, 3, 16), draw(2, 3, 16), draw(16), draw(16)


def layer_norm(x, epsilon):
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + epsilon)


def rms_norm(x, epsilon):
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + epsilon)


case("rms", "RMSNormalization", [x, gamma], [rms_norm(x, 1e-5) * gamma])
case("skip_layer_norm", "SkipLayerNormalization", [x, skip, gamma, beta],
     [layer_norm(x + skip, 1e-12) * gamma + beta], domain=MS)
case("skip_layer_norm_sum", "SkipLayerNormalization", [x, skip, gamma, beta, beta],
     [layer_norm(x + skip + beta, 1e-3) * gamma + beta, None, None, x + skip + beta], domain=MS,
     epsilon=1e-3)
case("skip_rms_norm", "SkipSimplifiedLayerNormalization", [x, skip, gamma],
     [rms_norm(x + skip, 1e-6) * gamma, None, None, x + skip], domain=MS, epsilon=1e-6)
image = draw(2, 6, 4, 5)
grouped = image.reshape(2, 3, -1)
grouped = layer_norm(grouped, 1e-5).reshape(image.shape)
scale3, bias6 = draw(3), draw(6)
case("group_norm_18", "GroupNormalization", [image, scale3, scale3],
     [grouped * np.repeat(scale3, 2)[:, None, None] + np.repeat(scale3, 2)[:, None, None]],
     opset=18, num_groups=3)
case("group_norm_21", "GroupNormalization", [image, bias6, bias6],
     [grouped * bias6[:, None, None] + bias6[:, None, None]], opset=21, num_groups=3)

# Activations and products.
erf = np.vectorize(math.erf, otypes=[np.float32])


def gelu_tanh(x):
    return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


case("gelu", "Gelu", [x], [0.5 * x * (1 + erf(x / math.sqrt(2)))])
case("gelu_tanh", "Gelu", [x], [gelu_tanh(x)], approximate="tanh")
case("mish", "Mish", [x], [x * np.tanh(np.log1p(np.exp(x)))])
case("fast_gelu", "FastGelu", [x, gamma], [gelu_tanh(x + gamma)], domain=MS)
case("bias_gelu", "BiasGelu", [x, gamma],
     [0.5 * (x + gamma) * (1 + erf((x + gamma) / math.sqrt(2)))], domain=MS)
case("quick_gelu", "QuickGelu", [x], [x / (1 + np.exp(-1.702 * x))], domain=MS)
case("fused_matmul", "FusedMatMul", [x, skip], [0.25 * (x @ skip.swapaxes(1, 2))], domain=MS,
     transB=1, alpha=0.25)


def quantized(n, size, block, zero_points, bits=4):
    values = random.integers(0, 1 << bits, (n, size))
    scales = (random.random((n, size // block)) + 0.5).astype(np.float32)
    zps = random.integers(0, 1 << bits, scales.shape)

    def pack(t):
        if bits == 8:
            return t.astype(np.uint8)
        t = np.pad(t, ((0, 0), (0, t.shape[1] % 2)))
        return (t[:, ::2] | t[:, 1::2] << 4).astype(np.uint8)

    shift = zps if zero_points else np.full_like(zps, 1 << (bits - 1))
    weights = (values - np.repeat(shift, block, 1)) * np.repeat(scales, block, 1)
    inputs = [pack(values).reshape(n, size // block, -1), scales]
    return inputs + ([pack(zps)] if zero_points else []), weights.astype(np.float32)


a = draw(3, 64)
for name, block, zero_points, bits in [
    ("nbits", 16, False, 4), ("nbits_zp", 32, True, 4), ("nbits_8", 16, True, 8),
    ("nbits_odd", 64, True, 4),
]:
    inputs, weights = quantized(24, 64, block, zero_points, bits)
    case(name, "MatMulNBits", [a, *inputs], [a @ weights.T], known=[1, 2, 3], domain=MS, K=64,
         N=24, bits=bits, block_size=block)

# Operands that were attributes.
case("reduce_max", "ReduceMax", [image, np.array([1, -1])], [image.max((1, 3))], known=[1],
     keepdims=0)
case("reduce_sum_noop", "ReduceSum", [image], [image], noop_with_empty_axes=1)
case("split_outputs", "Split", [image], [image[:, :, :, :2], image[:, :, :, 2:4], image[:, :, :, 4:]],
     opset=18, axis=3, num_outputs=3)
case("pad_axes", "Pad", [image, np.array([1, 2]), np.float32(3), np.array([2])],
     [np.pad(image, ((0, 0), (0, 0), (1, 2), (0, 0)), constant_values=3)], known=[1, 2, 3])
case("pad_wrap", "Pad", [image, np.array([0, 0, 1, 2, 0, 0, 2, 1])],
     [np.pad(image, ((0, 0), (0, 0), (1, 2), (2, 1)), "wrap")], known=[1], mode="wrap")
case("resize_axes", "Resize", [image, None, None, np.array([8, 10])],
     [image.repeat(2, 2).repeat(2, 3)], known=[3], axes=[2, 3], mode="nearest")
case("dequantize_channels", "DequantizeLinear",
     [random.integers(-128, 128, (2, 6)).astype(np.int8), np.abs(bias6) + 1,
      np.arange(6).astype(np.int8)], [None], known=[1, 2], axis=1)
y = cases[-1][2]
cases[-1] = (*cases[-1][:3], [(y[0].astype(np.float32) - y[2]) * y[1]], *cases[-1][4:])


def run(options, name, op, inputs, expected, known, domain, opset, attrs):
    names = ["" if value is None else f"i{i}" for i, value in enumerate(inputs)]
    outputs = ["" if value is None else f"o{i}" for i, value in enumerate(expected)]
    infos, constants, arguments = [], [], []
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        for i, value in enumerate(inputs):
            if value is None:
                continue
            value = np.asarray(value)
            if i in known:
                constants.append(numpy_helper.from_array(value, names[i]))
                continue
            element = onnx.mapping.NP_TYPE_TO_TENSOR_TYPE[value.dtype]
            infos.append(helper.make_tensor_value_info(names[i], element, value.shape))
            np.save(work / f"{i}.npy", value)
            arguments.append(f"--input={names[i]}={work / f'{i}.npy'}")
        results = [helper.make_tensor_value_info(o, 1, None) for o in outputs if o]
        node = helper.make_node(op, names, outputs, domain=domain, **attrs)
        graph = helper.make_graph([node], name, infos, results, constants)
        opsets = [helper.make_opsetid("", opset), helper.make_opsetid(MS, 1)]
        model = helper.make_model(graph, opset_imports=opsets)
        path = work / "model.onnx"
        path.write_bytes(model.SerializeToString())
        result = subprocess.run(
            ["gc-runner", path, *arguments, f"--target={options.target}", "--threads=1",
             f"--output-dir={work / 'out'}"],
            capture_output=True, text=True, timeout=120, check=False,
        )
        if result.returncode != 0:
            return f"exit code {result.returncode}: {result.stderr.strip()}"
        values = [value for value in expected if value is not None]
        files = sorted((work / "out").glob("*.npy"))
        for file, value in zip(files, values, strict=True):
            found = np.load(file)
            if found.shape != value.shape:
                return f"shape {found.shape}, not {value.shape}"
            error = np.abs(found - value).max() / max(np.abs(value).max(), 1e-9)
            if not error < 1e-5:
                return f"an error of {error}"
    return None


parser = argparse.ArgumentParser()
parser.add_argument("--target", default="cpu")
parser.add_argument("--filter", default="")
options = parser.parse_args()
failures = 0
chosen = [entry for entry in cases if re.search(options.filter, entry[0])]
for entry in chosen:
    problem = run(options, *entry)
    if problem:
        failures += 1
        print(f"{entry[0]}: {problem}")
print(f"models: {len(chosen)}, failed: {failures}")
sys.exit(1 if failures else 0)
