#!/usr/bin/python3
# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a quantized form of an f32 ONNX model, in operators of the standard.

    quantize.py dynamic MODEL.onnx --output FILE [--weight-bits 7|8]
    quantize.py static MODEL.onnx --output FILE --inputs FOLDER [--run COMMAND]

Weights are s8 without zero points, with a scale for each column of a product or
channel of a convolution. `dynamic`: products of activations and weights become
DynamicQuantizeLinear and MatMulInteger; convolutions stay in f32. `static`: what
convolutions and products read, and what convolutions give, is quantized to u8 and
dequantized (QDQ); the ranges are those that the tensors have for the inputs
FOLDER/NAME.npy, as COMMAND computes them (default: gc-runner of the build; it
takes the arguments of bench/ort/run-model.js, which is another).

With 7 bits, weights are between -63 and 63: ONNX Runtime adds neighbouring
products in 16 bits on processors without VNNI, which can saturate otherwise.
"""

import argparse
import pathlib
import shlex
import subprocess
import tempfile

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

import files

ROOT = pathlib.Path(__file__).resolve().parents[2]
PRODUCTS = ("MatMul", "Gemm")
CLAMPS = ("Relu", "Clip")


class Graph:
    """A model's graph that is rewritten node by node."""

    def __init__(self, model):
        self.model, self.graph = model, model.graph
        self.constants = {tensor.name: tensor for tensor in self.graph.initializer}
        for node in self.graph.node:
            if node.op_type == "Constant" and node.attribute[0].name == "value":
                self.constants[node.output[0]] = node.attribute[0].t
        self.outputs = {output.name for output in self.graph.output}
        self.readers = {}
        for node in self.graph.node:
            for name in node.input:
                self.readers.setdefault(name, []).append(node)
        self.nodes, self.initializers = [], {}

    def get_constant(self, name):
        return numpy_helper.to_array(self.constants[name])

    def add_constant(self, name, array):
        if name not in self.initializers:
            self.initializers[name] = numpy_helper.from_array(array, name)
        return name

    def add(self, kind, inputs, outputs, **attributes):
        """Appends a node; returns the name of its first result."""
        outputs = [outputs] if isinstance(outputs, str) else outputs
        self.nodes.append(helper.make_node(kind, inputs, outputs, **attributes))
        return outputs[0]

    def finish(self):
        """The model with the nodes that were added, without unused constants."""
        del self.graph.node[:]
        self.graph.node.extend(self.nodes)
        used = {name for node in self.nodes for name in node.input} | self.outputs
        kept = [t for t in self.graph.initializer if t.name in used]
        del self.graph.initializer[:]
        self.graph.initializer.extend(kept)
        self.graph.initializer.extend(self.initializers.values())
        return self.model


def get_attribute(node, name, default):
    for attribute in node.attribute:
        if attribute.name == name:
            return helper.get_attribute_value(attribute)
    return default


def is_plain(node):
    """Whether a node multiplies as MatMul does, but for a transposed B."""
    return node.op_type == "MatMul" or (
        get_attribute(node, "alpha", 1.0) == 1
        and get_attribute(node, "beta", 1.0) == 1
        and not get_attribute(node, "transA", 0)
    )


def quantize_weights(weights, axis, bits):
    """s8 and the scale for each index of an axis, f32, so that weights are about
    integers times scales."""
    most = 2 ** (bits - 1) - 1
    others = tuple(i for i in range(weights.ndim) if i != axis)
    scales = np.abs(weights).max(axis=others) / most
    scales = np.where(scales > 0, scales, 1).astype(np.float32)
    shape = [-1 if i == axis else 1 for i in range(weights.ndim)]
    integers = np.rint(weights / scales.reshape(shape))
    return np.clip(integers, -most, most).astype(np.int8), scales


class DynamicQuantizer(Graph):
    """Products of activations and constant matrices become those of integers."""

    def __init__(self, model, bits):
        super().__init__(model)
        self.bits, self.quantized = bits, {}

    def run(self):
        for node in self.graph.node:
            if node.op_type in PRODUCTS and self.has_weights(node):
                self.convert(node)
            else:
                self.nodes.append(node)
        return self.finish()

    def has_weights(self, node):
        weights = self.constants.get(node.input[1])
        return weights is not None and len(weights.dims) == 2 and is_plain(node)

    def quantize(self, name):
        """The names of the u8, scale and zero point of an activation."""
        if name not in self.quantized:
            parts = [f"{name}_{part}" for part in ("u8", "scale", "zero_point")]
            self.add("DynamicQuantizeLinear", [name], parts)
            self.quantized[name] = parts
        return self.quantized[name]

    def convert(self, node):
        weights, transposed = node.input[1], get_attribute(node, "transB", 0)
        matrix = self.get_constant(weights)
        integers, scales = quantize_weights(
            matrix.T if transposed else matrix, 1, self.bits
        )
        # Other nodes may read the same matrix the other way round.
        key = f"{weights}_t" if transposed else weights
        factor = self.add_constant(f"{key}_s8", np.ascontiguousarray(integers))
        factor_scales = self.add_constant(f"{key}_scales", scales)
        source, scale, zero_point = self.quantize(node.input[0])
        result = node.output[0]
        total = self.add(
            "MatMulInteger", [source, factor, zero_point], f"{result}_s32"
        )
        total = self.add("Cast", [total], f"{result}_f32", to=TensorProto.FLOAT)
        both = self.add("Mul", [scale, factor_scales], f"{result}_scales")
        has_bias = len(node.input) > 2
        name = f"{result}_product" if has_bias else result
        self.add("Mul", [total, both], name)
        if has_bias:
            self.add("Add", [name, node.input[2]], result)


class StaticQuantizer(Graph):
    """What products and convolutions read is dequantized from 8 bits."""

    def __init__(self, model, bits):
        super().__init__(model)
        self.bits = bits
        self.targets = [
            node
            for node in self.graph.node
            if node.op_type == "Conv"
            or (node.op_type in PRODUCTS and is_plain(node))
        ]
        self.chosen = self.choose()

    def choose(self):
        """The activations to be quantized, in the order they are read."""
        names = {}
        for node in self.targets:
            for name in node.input[:2]:
                if name not in self.constants:
                    names[name] = None
            if node.op_type == "Conv":
                names[self.follow(node.output[0])] = None
        return [name for name in names if name in self.readers]

    def follow(self, name):
        """What ReLU, or another clamp that alone reads a tensor, makes of it."""
        readers = self.readers.get(name, [])
        if len(readers) == 1 and readers[0].op_type in CLAMPS:
            return readers[0].output[0]
        return name

    def run(self, ranges):
        """`ranges`: the least and the largest element of each chosen tensor."""
        # What readers of a tensor get instead, the scales of those, and the
        # constants that are dequantized.
        self.read_as, self.scales, self.dequantized = {}, {}, set()
        ranges = dict(zip(self.chosen, ranges))
        targets = {id(node) for node in self.targets}
        for value in self.graph.input:
            self.quantize(value.name, ranges)
        for node in self.graph.node:
            inputs = [self.read_as.get(name, name) for name in node.input]
            if id(node) in targets:
                inputs = self.quantize_constants(node, inputs)
            del node.input[:]
            node.input.extend(inputs)
            self.nodes.append(node)
            for name in node.output:
                self.quantize(name, ranges)
        return self.finish()

    def quantize(self, name, ranges):
        """After a tensor is computed: what its readers get instead."""
        if name not in ranges:
            return
        least, most = (float(x) for x in ranges[name])
        least, most = min(least, 0.0), max(most, 0.0)
        scale = np.float32((most - least) / 255 or 1)
        zero_point = np.uint8(np.clip(np.rint(-least / scale), 0, 255))
        parameters = [
            self.add_constant(f"{name}_scale", np.array(scale)),
            self.add_constant(f"{name}_zero_point", np.array(zero_point)),
        ]
        narrow = self.add("QuantizeLinear", [name, *parameters], f"{name}_u8")
        self.read_as[name] = self.add(
            "DequantizeLinear", [narrow, *parameters], f"{name}_dequantized"
        )
        self.scales[self.read_as[name]] = scale

    def quantize_constants(self, node, inputs):
        """The inputs of a node with weights and bias from 8 and 32 bits."""
        if inputs[1] not in self.constants:
            return inputs
        channel = 0 if node.op_type == "Conv" else 1
        if get_attribute(node, "transB", 0):
            channel = 0
        integers, scales = quantize_weights(
            self.get_constant(inputs[1]), channel, self.bits
        )
        result = [inputs[0], self.dequantize(inputs[1], integers, scales, channel)]
        source = self.scales.get(inputs[0])
        for name in inputs[2:]:
            if name in self.constants and source is not None:
                bias, scale = self.get_constant(name), source * scales
                whole = np.clip(np.rint(bias / scale), -(2**31), 2**31 - 1)
                # A bias that several read has a scale for each.
                own = f"{node.output[0]}_{name}"
                name = self.dequantize(own, whole.astype(np.int32), scale, 0)
            result.append(name)
        return result

    def dequantize(self, name, integers, scales, axis):
        result = f"{name}_dequantized"
        if result not in self.dequantized:
            inputs = [
                self.add_constant(f"{name}_integers", integers),
                self.add_constant(f"{name}_scales", scales),
            ]
            self.add("DequantizeLinear", inputs, result, axis=axis)
            self.dequantized.add(result)
        return result


def observe(model, names):
    """A model whose only result has the least and the largest element of each
    tensor, one after the other."""
    observer = onnx.ModelProto()
    observer.CopyFrom(model)
    graph, parts = observer.graph, []
    for i, name in enumerate(names):
        for kind in ("ReduceMin", "ReduceMax"):
            part = f"observed_{i}_{kind}"
            graph.node.append(helper.make_node(kind, [name], [part], keepdims=0))
            parts.append(part)
    axis = numpy_helper.from_array(np.array([0], np.int64), "observed_axis")
    graph.initializer.append(axis)
    for part in parts:
        graph.node.append(
            helper.make_node("Unsqueeze", [part, axis.name], [f"{part}_1"])
        )
    graph.node.append(
        helper.make_node("Concat", [f"{part}_1" for part in parts], ["ranges"], axis=0)
    )
    del graph.output[:]
    graph.output.append(
        helper.make_tensor_value_info("ranges", TensorProto.FLOAT, [len(parts)])
    )
    return observer


def calibrate(model, names, inputs, command):
    """The ranges [len(names), 2] that tensors have for the inputs of a folder."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        files.save_model(observe(model, names), folder / "model.onnx")
        (folder / "outputs").mkdir()
        subprocess.run(
            [
                *shlex.split(command),
                str(folder / "model.onnx"),
                f"--output-dir={folder / 'outputs'}",
                *files.input_options(inputs),
            ],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        (result,) = (folder / "outputs").glob("*.npy")
        return np.load(result).reshape(len(names), 2)


def quantize_dynamic(model, bits=8):
    return DynamicQuantizer(model, bits).run()


def quantize_static(model, inputs, command, bits=8):
    quantizer = StaticQuantizer(model, bits)
    return quantizer.run(calibrate(model, quantizer.chosen, inputs, command))


def main():
    parser = argparse.ArgumentParser(
        description="Writes a quantized form of an f32 ONNX model."
    )
    parser.add_argument("form", choices=("dynamic", "static"))
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("--output", type=pathlib.Path, required=True)
    parser.add_argument("--inputs", type=pathlib.Path)
    parser.add_argument("--run", default=str(ROOT / "build/bin/gc-runner"))
    parser.add_argument("--weight-bits", type=int, choices=(7, 8), default=8)
    options = parser.parse_args()
    model = onnx.load(str(options.model))
    if options.form == "dynamic":
        model = quantize_dynamic(model, options.weight_bits)
    elif options.inputs:
        model = quantize_static(
            model, options.inputs, options.run, options.weight_bits
        )
    else:
        parser.error("static quantization needs --inputs")
    files.save_model(model, options.output)


if __name__ == "__main__":
    main()
