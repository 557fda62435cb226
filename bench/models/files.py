# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models and arrays in files."""

import numpy as np
import onnx

LARGEST_FILE = 2**31  # Bytes that a protobuf message may have.


def save_model(model, path, external=False):
    """Writes an ONNX model. Its weights go to `path` with .data appended if that
    is wanted or the file would be too large."""
    data = path.with_name(path.name + ".data")
    data.unlink(missing_ok=True)
    options = {}
    if external or model.ByteSize() >= LARGEST_FILE:
        options = dict(save_as_external_data=True, location=data.name)
    onnx.save_model(model, str(path), **options)


def save_arrays(folder, arrays):
    """Writes FOLDER/NAME.npy for each array by name."""
    folder.mkdir(exist_ok=True)
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", array)


def input_options(folder):
    """The options that name the arrays of a folder as inputs, for gc-runner and
    bench/ort/run-model.js."""
    return [f"--input={file.stem}={file}" for file in sorted(folder.glob("*.npy"))]
