# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Runs models in folders that bench/models/export.py has written, compares them
with the reference, and prints how far they are from what PyTorch computed.

    models.py MODEL.onnx... --bound X

The distance is the largest difference of a result over its largest element; one
larger than the bound is a failure.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile

import numpy as np


def run(model, folder):
    inputs = sorted((model.parent / "inputs").glob("*.npy"))
    subprocess.run(
        [
            "gc-runner",
            str(model),
            # Bounds of the error grow from layer to layer without end.
            "--check",
            "--rtol=1e-3",
            "--atol=1e-5",
            "--strict",
            "--threads=2",
            f"--output-dir={folder}",
            *[f"--input={file.stem}={file}" for file in inputs],
        ],
        check=True,
        stdout=subprocess.DEVNULL,
    )


def measure(model, folder):
    """The largest distance of any result."""
    distance = 0.0
    expected = list((model.parent / "outputs").glob("*.npy"))
    results = [folder / f"result{file.stem}.npy" for file in expected]
    assert len(list(folder.glob("*.npy"))) == len(expected) > 0
    for file, result in zip(expected, results):
        wanted, found = np.load(file), np.load(result)
        assert wanted.shape == found.shape, f"{model}: {found.shape}"
        difference = np.abs(found - wanted).max() / np.abs(wanted).max()
        assert np.isfinite(difference), f"{model}: not a number"
        distance = max(distance, float(difference))
    return distance


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("models", nargs="+", type=pathlib.Path)
    parser.add_argument("--bound", type=float, required=True)
    options = parser.parse_args()
    for model in options.models:
        with tempfile.TemporaryDirectory() as scratch:
            run(model, scratch)
            distance = measure(model, pathlib.Path(scratch))
        if distance > options.bound:
            sys.exit(f"{model}: {distance:.2e} is more than {options.bound:.0e}")
        print(f"{model.parent.name} {model.stem} agrees")


main()
