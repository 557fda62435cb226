# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Exports graphs, imports what comes out, and compares the results of both.

    export-all.py [--ort=FOLDER] [--filter=RE] [--max-bytes=N] [--verbose] PATH...

Every oneDNN Graph JSON and every function of an .mlir file below the paths that can be
read is exported. One is refused if the exporter says that it does not support it, and
failed if results differ by more than 1e-4 of the largest one (bf16 and f16: 2e-2;
integers: one, in one element of a thousand) or a tool crashes. With --ort, the folder
node_modules that has onnxruntime-node, exported models run there as well; those with
types that it does not implement are counted. The exit code is 1 if something failed.
"""

import argparse
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np
import onnx
from onnx import TensorProto

BENCH = pathlib.Path(__file__).resolve().parents[4] / "bench"
NUMPY = {
    TensorProto.FLOAT: np.float32,
    TensorProto.FLOAT16: np.float16,
    TensorProto.INT32: np.int32,
    TensorProto.INT8: np.int8,
    TensorProto.UINT8: np.uint8,
    TensorProto.BOOL: np.bool_,
}


# Graphs that cannot be compared this way: elements of an input overlap.
OVERLAPPING = {("matmul_select.json", "main"), ("matmul-operands.mlir", "main")}


class Skip(Exception):
    """What the file is counted as, and why."""


def run(command, **kwargs):
    return subprocess.run(command, capture_output=True, check=False, **kwargs)


def last_line(text):
    lines = text.decode(errors="replace").strip().splitlines()
    return lines[-1] if lines else ""


def make_input(generator, dtype, shape):
    # Lists may be variances, and products in half precision must stay moderate.
    low, high = (0.1, 1) if len(shape) < 2 or np.prod(shape) == 1 else (-1, 1)
    if dtype == TensorProto.BFLOAT16:
        values = np.asarray(generator.uniform(low, high, shape), np.float32)
        return (values.view(np.uint32) >> 16).astype(np.uint16).view("V2")
    dtype = np.dtype(NUMPY[dtype])
    if dtype == np.float16 and low < 0:
        low, high = -0.125, 0.125
    if dtype.kind == "f":
        return np.asarray(generator.uniform(low, high, shape), dtype)
    low, high = {"b": (0, 2), "u": (0, 256)}.get(
        dtype.kind, (-128, 128) if dtype.itemsize == 1 else (-1000, 1001)
    )
    return generator.integers(low, high, shape).astype(dtype)


def load(folder):
    def number(path):
        return [int(p) if p.isdigit() else p for p in re.split(r"(\d+)", path.stem)]

    arrays = []
    for path in sorted(pathlib.Path(folder).glob("*.npy"), key=number):
        array = np.load(path)
        if array.dtype.kind == "V":  # bf16
            bits = array.view(np.uint16).astype(np.uint32) << 16
            array = bits.view(np.float32).reshape(array.shape)
        arrays.append(array)
    return arrays


def compare(found, expected, tolerance):
    if len(found) != len(expected):
        return f"{len(found)} results, not {len(expected)}"
    for i, (a, b) in enumerate(zip(found, expected)):
        if a.shape != b.shape or a.dtype.kind != b.dtype.kind:
            return f"result {i} is {a.dtype} {a.shape}, not {b.dtype} {b.shape}"
        if b.dtype.kind != "f":
            difference = np.abs(a.astype(np.int64) - b.astype(np.int64))
            if difference.size and (
                difference.max() > 1 or np.count_nonzero(difference) > b.size / 1000 + 1
            ):
                return f"result {i} differs by up to {difference.max()}"
            continue
        a, b = a.astype(np.float64), b.astype(np.float64)
        finite = np.isfinite(b)
        largest = np.abs(b[finite]).max(initial=1e-30)
        same = np.isclose(a, b, rtol=tolerance, atol=tolerance * largest, equal_nan=True)
        if not same.all():
            return f"result {i} differs: {a[~same][0]}, not {b[~same][0]}"
    return None


def evaluate(path, inputs, folder):
    folder.mkdir()
    result = run(["gc-runner", path, *inputs, "--threads=2", f"--output-dir={folder}"])
    if result.returncode == 2:
        raise Skip("not compiled", last_line(result.stderr))
    if result.returncode:
        raise Skip("failed", f"exit code {result.returncode}: {last_line(result.stderr)}")
    return load(folder)


def read_graphs(path):
    """The functions of a file by their names, as modules."""
    if path.suffix == ".json":
        read = run(["gc-translate", "--import-onednn-graph", path])
    else:
        read = run(["gc-opt", path])
    if read.returncode:
        return {"": None}
    text = read.stdout.decode()
    functions = re.findall(r"^  func\.func @.*?^  }$", text, re.M | re.S)
    return {re.search(r"@(\w+)", f)[1]: f"module {{\n{f}\n}}\n" for f in functions}


def check(path, name, text, work, options):
    """Returns how the exported model fares in ONNX Runtime."""
    if text is None:
        raise Skip("not read", "")
    source = work / "graph.mlir"
    source.write_text(text)
    model_path = work / "model.onnx"
    exported = run(["gc-translate", "--export-onnx", source, "-o", model_path])
    if exported.returncode:
        message = exported.stderr.decode()
        error = re.search(r"error: (.*)", message)
        known = error and exported.returncode == 1
        raise Skip("refused" if known else "failed", error[1] if known else message)
    if (path.name, name) in OVERLAPPING:
        raise Skip("not comparable", "elements of an input overlap")
    model = onnx.load(str(model_path))
    onnx.checker.check_model(model, full_check=True)
    generator = np.random.default_rng(1)
    inputs, size = [], 0
    is_narrow = re.search(r"b?f16[>,]", text) is not None
    for i, value in enumerate(model.graph.input):
        tensor = value.type.tensor_type
        shape = [dim.dim_value for dim in tensor.shape.dim]
        size += int(np.prod(shape)) * 4
        if size > options.max_bytes:
            raise Skip("too large", "")
        np.save(work / f"{i}.npy", make_input(generator, tensor.elem_type, shape))
        inputs.append(f"--input={value.name}={work / f'{i}.npy'}")
    expected = evaluate(source, inputs, work / "before")
    tolerance = 2e-2 if is_narrow else 1e-4
    error = compare(evaluate(model_path, inputs, work / "after"), expected, tolerance)
    if error:
        raise Skip("failed", error)
    if not options.ort:
        return ""
    # The runtime's CPU provider has no bf16.
    if "bf16" in text:
        return "not implemented"
    folder = work / "ort"
    folder.mkdir()
    done = run(
        ["node", BENCH / "ort" / "run-model.js", model_path, *inputs,
         f"--output-dir={folder}"],
        env=dict(os.environ, NODE_PATH=options.ort),
    )
    try:
        report = json.loads(done.stdout)
    except ValueError:
        raise Skip("failed", "ONNX Runtime: " + last_line(done.stderr))
    if report["status"] != "ok":
        if "Could not find an implementation" in report["error"]:
            return "not implemented"
        raise Skip("failed", "ONNX Runtime: " + report["error"])
    error = compare(load(folder), expected, tolerance)
    if error:
        raise Skip("failed", "ONNX Runtime: " + error)
    return "same"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("paths", nargs="+", type=pathlib.Path)
    parser.add_argument("--ort")
    parser.add_argument("--filter", default="")
    parser.add_argument("--max-bytes", type=int, default=1 << 28)
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    files = [
        file
        for path in options.paths
        for file in (sorted(path.rglob("*")) if path.is_dir() else [path])
        if file.suffix in (".json", ".mlir") and re.search(options.filter, str(file))
    ]
    counts = collections.Counter()
    graphs = (
        (file, name, text)
        for file in files
        for name, text in read_graphs(file).items()
    )
    for file, name, text in graphs:
        with tempfile.TemporaryDirectory() as work:
            try:
                reason = check(file, name, text, pathlib.Path(work), options)
                outcome = "same"
                if reason:
                    counts["ONNX Runtime: " + reason] += 1
            except Skip as skip:
                outcome, reason = skip.args
            except Exception as error:  # the checker's
                outcome, reason = "failed", str(error).strip().splitlines()[0]
        counts[outcome] += 1
        if outcome == "failed" or options.verbose:
            print(f"{file.name} {name}: {outcome}: {reason}", flush=True)
    for outcome, count in sorted(counts.items()):
        print(f"{outcome}: {count}")
    sys.exit(1 if counts["failed"] else 0)


main()
