# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Runs the node tests of the ONNX project and prints a table of the outcome.

    node-tests.py FOLDER [--filter=RE] [--target=NAME] [--verbose]

FOLDER is data/node of the package libonnx-testdata. Every test is imported, run by
gc-runner, and compared with the outputs beside it. Operands of int64 (shapes, axes)
and those in KNOWN, which the importer has to know, become initializers. A test is
refused if the importer or the compiler says that it does not support it, and failed
if values differ or a tool crashes; then the exit code is 1.
"""

import argparse
import collections
import concurrent.futures
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np
import onnx
from onnx import TensorProto, numpy_helper

KNOWN = {
    ("ConvInteger", 2),
    ("CumSum", 1),
    ("Dropout", 1),
    ("LSTM", 4),
    ("Dropout", 2),
    ("Pad", 2),
    ("OneHot", 1),
    ("Pow", 1),
    ("Range", 0),
    ("Range", 1),
    ("Range", 2),
    ("Resize", 1),
    ("Resize", 2),
    ("Upsample", 1),
}

# Tests whose values are not those of the specification.
DIFFERENT = {
    # Truncated instead of rounded.
    "test_cast_FLOAT_to_BFLOAT16",
    "test_castlike_FLOAT_to_BFLOAT16",
    "test_castlike_FLOAT_to_BFLOAT16_expanded",
    # Positions from the size of the result before it is rounded down.
    "test_resize_downsample_scales_cubic_align_corners",
    "test_resize_downsample_scales_linear_align_corners",
}


def read(path):
    tensor = TensorProto()
    tensor.ParseFromString(path.read_bytes())
    return tensor


def run_test(folder, target):
    """The op, "passed", "refused" or "failed", and why."""
    model = onnx.load(str(folder / "model.onnx"))
    op = model.graph.node[0].op_type
    known = {
        name
        for node in model.graph.node
        for i, name in enumerate(node.input)
        if (node.op_type, i) in KNOWN
    }
    data = folder / "test_data_set_0"
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        arguments = []
        for i, value in enumerate(list(model.graph.input)):
            try:
                tensor = read(data / f"input_{i}.pb")
                array = numpy_helper.to_array(tensor)
            except Exception:  # sequences and optional values
                return op, "refused", "not a tensor"
            if tensor.data_type == TensorProto.BFLOAT16:
                array = (array.view(np.uint32) >> 16).astype(np.uint16).view("V2")
            if tensor.data_type == TensorProto.INT64 or value.name in known:
                tensor.name = value.name
                model.graph.initializer.append(tensor)
            else:
                np.save(work / f"{i}.npy", array)
                arguments.append(f"--input={value.name}={work / f'{i}.npy'}")
        path = work / "model.onnx"
        path.write_bytes(model.SerializeToString())
        result = subprocess.run(
            ["gc-runner", path, *arguments, f"--target={target}", "--threads=1",
             f"--output-dir={work / 'out'}"],
            capture_output=True, text=True, timeout=120, check=False,
        )
        if result.returncode == 2:
            reason = result.stderr.strip().splitlines()[-1]
            return op, "refused", reason.replace(str(path), "model")
        if result.returncode != 0:
            return op, "failed", f"exit code {result.returncode}: {result.stderr}"
        outputs = sorted(
            (work / "out").glob("*.npy"),
            key=lambda path: [
                int(part) if part.isdigit() else part
                for part in re.split(r"(\d+)", path.stem)
            ],
        )
        for i, output in enumerate(outputs):
            try:
                expected = numpy_helper.to_array(read(data / f"output_{i}.pb"))
            except Exception:  # sequences and optional values
                return op, "refused", "not a tensor"
            found = np.load(output)
            rtol = 1e-3
            if found.dtype.kind == "V":  # bf16
                bits = found.view(np.uint16).astype(np.uint32) << 16
                found = bits.view(np.float32)
                rtol = 1e-2
            if expected.dtype == object or expected.dtype.kind in "SU":
                return op, "refused", "strings"
            if found.shape != expected.shape:
                return op, "failed", f"shape {found.shape}, not {expected.shape}"
            if not np.allclose(
                found.astype(np.float64), expected.astype(np.float64),
                rtol=rtol, atol=1e-6, equal_nan=True,
            ):
                if folder.name in DIFFERENT:
                    return op, "refused", "the test has other values"
                return op, "failed", "values differ"
    return op, "passed", ""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--filter", default="")
    parser.add_argument("--target", default="cpu")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    tests = [
        path.parent
        for path in sorted(options.folder.glob("*/model.onnx"))
        if re.search(options.filter, path.parent.name)
    ]
    table = collections.defaultdict(collections.Counter)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        outcomes = pool.map(lambda test: run_test(test, options.target), tests)
        for test, (op, outcome, reason) in zip(tests, outcomes):
            table[op][outcome] += 1
            if outcome == "failed" or options.verbose:
                print(f"{test.name}: {outcome}: {reason}")
    total = collections.Counter()
    for op, counts in sorted(table.items()):
        total.update(counts)
        print(f"{op}: {counts['passed']} passed, {counts['refused']} refused, "
              f"{counts['failed']} failed")
    print(f"all: {total['passed']} passed, {total['refused']} refused, "
          f"{total['failed']} failed")
    sys.exit(1 if total["failed"] else 0)


main()
