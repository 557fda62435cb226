# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes graphs in the form of oneDNN Graph JSON."""

import math


def dense_strides(shape):
    strides = []
    step = 1
    for size in reversed(shape):
        strides.insert(0, step)
        step *= size
    return strides


def weight_scales(k, n, first):
    """Per-channel scales that keep the variance of uniform s8 weights near
    1/K, different in neighbouring channels so that no one can fold them."""
    unit = round(1.0 / ((72.914664 if first else 73.9) * math.sqrt(k)), 9)
    return [round(unit * (0.9 + 0.03 * (i % 7)), 9) for i in range(n)]


class GraphBuilder:
    """Collects ops and numbers their tensors in the order of first use."""

    def __init__(self):
        self.ops = []
        self.next_tensor = 0

    def tensor(self, dtype, shape, stride=None, const=False):
        tid = self.next_tensor
        self.next_tensor += 1
        return {
            "id": tid,
            "dtype": dtype,
            "shape": list(shape),
            "stride": list(stride or dense_strides(shape)),
            "layout_type": "strided",
            "property_type": "constant" if const else "variable",
        }

    def op(self, kind, inputs, dtype, shape, attrs=None):
        """Appends an op; `inputs` are tensors, or functions that make one.

        Returns the output tensor (dense, of the given dtype and shape).
        """
        number = 1000 + len(self.ops)
        inputs = [i() if callable(i) else i for i in inputs]
        output = self.tensor(dtype, shape)
        self.ops.append({
            "id": number,
            "name": f"{kind}_{number}",
            "kind": kind,
            "attrs": {k: {"type": t, "value": v}
                      for k, (t, v) in (attrs or {}).items()},
            "inputs": inputs,
            "outputs": [output],
        })
        return output

    def matmul(self, inputs, dtype, shape):
        return self.op("MatMul", inputs, dtype, shape,
                       {"transpose_a": ("bool", 0), "transpose_b": ("bool", 0)})

    def convolution(self, source, kernel, stride, outputs, relu=True,
                    weights=None):
        """A convolution with bias, channels last, pads of half the kernel;
        `weights` makes those of a shape, f32 constants unless it is given."""
        batch, size, _, inputs = source["shape"]
        pad = kernel // 2
        size = (size + 2 * pad - kernel) // stride + 1
        shape = (batch, size, size, outputs)
        given = (kernel, kernel, inputs, outputs)
        weights = (weights(given) if weights else
                   self.tensor("f32", given, const=True))
        bias = self.tensor("f32", (outputs,), const=True)
        x = self.op("Convolution", [source, weights, bias], "f32", shape, {
            "strides": ("s64[]", [stride] * 2),
            "pads_begin": ("s64[]", [pad] * 2),
            "pads_end": ("s64[]", [pad] * 2),
            "dilations": ("s64[]", [1, 1]), "groups": ("s64", 1),
            "data_format": ("string", "NXC"),
            "weights_format": ("string", "XIO")})
        return self.op("ReLU", [x], "f32", shape) if relu else x

    def quantization(self, kind, source, dtype, shape, scales, zps, axis=1):
        qtype = "per_tensor" if isinstance(scales, float) else "per_channel"
        if qtype == "per_tensor":
            scales, zps = [scales], [zps]
        return self.op(kind, [source], dtype, shape, {
            "qtype": ("string", qtype), "axis": ("s64", axis),
            "scales": ("f32[]", scales), "zps": ("s64[]", zps)})

    def graph(self):
        produced = {t["id"] for o in self.ops for t in o["outputs"]}
        consumed = {t["id"] for o in self.ops for t in o["inputs"]}
        return {
            "version": "3.7.0",
            "engine_kind": "cpu",
            "fpmath_mode": "strict",
            "input_ports": sorted(consumed - produced),
            "output_ports": sorted(produced - consumed),
            "graph": self.ops,
        }
