# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The examples run, and print what they promise."""

import os
import pathlib
import re
import subprocess
import sys

import pytest

SOURCE = pathlib.Path(
    os.environ.get("GC_SOURCE_DIR", pathlib.Path(__file__).parents[2])
)


def test_ablation(tmp_path):
    pytest.importorskip("matplotlib")
    picture = tmp_path / "ablation.png"
    run = subprocess.run(
        [
            sys.executable,
            str(SOURCE / "examples/python/ablation.py"),
            "--tiny",
            "--seconds=0.01",
            f"--output={picture}",
        ],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert run.returncode == 0, run.stderr
    table = re.findall(r"^\| (MLP|attention) \| ([^|]+) \|", run.stdout, re.M)
    assert len(table) == 10 and len(set(table)) == 10
    assert picture.read_bytes().startswith(b"\x89PNG")
