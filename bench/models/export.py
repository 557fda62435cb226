#!/usr/bin/python3
# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes networks as ONNX models with random weights, the same in every run.

    export.py NAME... --out FOLDER [--batch N] [--scale small|full] [--external]

Each network becomes a folder FOLDER/NAME with model.onnx, inputs/INPUT.npy for
each input, and PyTorch's own results as outputs/0.npy, 1.npy and so on. With
--external, and where a file would be larger than 2 GiB, the weights are in
model.onnx.data. `all` stands for every network, --list prints their names. Needs
Debian's python3-torch and python3-onnx.
"""

import argparse
import math
import pathlib
import tempfile
import zlib

import onnx
import torch
from torch import nn

import files
from networks import NETWORKS

OPSET = 17  # The newest that torch 1.13 writes.


def randomize(module):
    """Draws weights that keep the size of what passes through them, and biases
    and norms that are not the identity, so that each of them matters."""
    for layer in module.modules():
        if isinstance(layer, (nn.Linear, nn.Conv1d, nn.Conv2d)):
            inputs = layer.weight[0].numel()
            nn.init.normal_(layer.weight, std=1 / math.sqrt(inputs))
            if layer.bias is not None:
                nn.init.normal_(layer.bias, std=0.1)
        elif isinstance(layer, nn.Embedding):
            nn.init.normal_(layer.weight)
        elif hasattr(layer, "weight"):
            nn.init.normal_(layer.weight, mean=1, std=0.1)
            if getattr(layer, "bias", None) is not None:
                nn.init.normal_(layer.bias, std=0.1)


def measure_statistics(module, inputs):
    """Sets the mean and variance of each batch norm to those of some inputs."""
    norms = [x for x in module.modules() if isinstance(x, nn.BatchNorm2d)]
    if not norms:
        return
    for norm in norms:
        norm.momentum = 1.0
    module.train()
    module(*inputs.values())


def build(name, scale, batch):
    """A network with its inputs and results, tensors by name."""
    torch.manual_seed(zlib.crc32(name.encode()))
    module = NETWORKS[name].build(scale)
    with torch.no_grad():
        randomize(module)
        measure_statistics(module, module.inputs(2))
        module.eval()
        inputs = module.inputs(batch)
        results = module(*inputs.values())
    results = results if isinstance(results, tuple) else (results,)
    return module, inputs, dict(zip(module.outputs(), results))


def to_onnx(module, inputs, names):
    """A module as an ONNX model; `names` are those of its results."""
    with tempfile.TemporaryDirectory() as scratch:
        # Beyond 2 GiB torch writes a file for each weight beside this one.
        path = f"{scratch}/model.onnx"
        torch.onnx.export(
            module,
            tuple(inputs.values()),
            path,
            input_names=list(inputs),
            output_names=names,
            opset_version=OPSET,
        )
        return onnx.load(path)


def export(name, folder, scale="full", batch=None, external=False):
    """Writes a network into a folder, which is made, and returns the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    batch = batch or NETWORKS[name].batch
    module, inputs, results = build(name, scale, batch)
    model = to_onnx(module, inputs, list(results))
    files.save_model(model, folder / "model.onnx", external)
    files.save_arrays(folder / "inputs", inputs)
    files.save_arrays(folder / "outputs", dict(enumerate(results.values())))
    return folder


def main():
    parser = argparse.ArgumentParser(
        description="Writes networks as ONNX models with random weights."
    )
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--out", type=pathlib.Path, help="where folders are made")
    parser.add_argument("--batch", type=int, help="default: each network's own")
    parser.add_argument("--scale", choices=("small", "full"), default="full")
    parser.add_argument(
        "--external", action="store_true", help="weights in a file of their own"
    )
    parser.add_argument("--list", action="store_true", help="print the names")
    options = parser.parse_args()
    if options.list:
        print("\n".join(NETWORKS))
        return
    names = list(NETWORKS) if options.names == ["all"] else options.names
    unknown = [name for name in names if name not in NETWORKS]
    if unknown or not names:
        parser.error(
            f"no network {', '.join(unknown)}; there are {', '.join(NETWORKS)}"
            if unknown
            else "name a network, or `all`"
        )
    if not options.out:
        parser.error("--out is missing")
    for name in names:
        folder = export(
            name,
            options.out / name,
            options.scale,
            options.batch,
            options.external,
        )
        print(folder / "model.onnx")


if __name__ == "__main__":
    main()
