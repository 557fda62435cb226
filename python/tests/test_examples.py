# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The examples run, and print what they promise."""

import os
import pathlib
import re
import struct
import subprocess
import sys
import zlib

import gc_compiler
import numpy as np
import pytest

SOURCE = pathlib.Path(
    os.environ.get("GC_SOURCE_DIR", pathlib.Path(__file__).parents[2])
)


MODELS = SOURCE / "examples/models"


def read_digit(*arguments):
    return subprocess.run(
        [sys.executable, str(MODELS / "read_digit.py"), *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=300,
    )


def reads_onnx():
    try:
        gc_compiler.compile(str(MODELS / "digits.onnx"))
    except gc_compiler.Error as error:
        assert "not read by this build" in str(error)
        return False
    return True


def write_png(path, pixels):
    """Lines with all kinds of filters, RGB."""

    def chunk(kind, data):
        crc = zlib.crc32(kind + data)
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", crc)

    rgb = np.repeat(pixels[:, :, None], 3, 2).astype(np.int64)
    height, width = pixels.shape
    before = np.pad(rgb, ((1, 0), (1, 0), (0, 0)))
    left, above, corner = before[1:, :-1], before[:-1, 1:], before[:-1, :-1]
    plane = left + above - corner
    near = [abs(plane - x) for x in (left, above, corner)]
    paeth = np.where(
        (near[0] <= near[1]) & (near[0] <= near[2]),
        left,
        np.where(near[1] <= near[2], above, corner),
    )
    lines = b""
    for row in range(height):
        kind = row % 5
        guess = (0, left[row], above[row], (left + above)[row] // 2, paeth[row])[kind]
        line = ((rgb[row] - guess) % 256).astype(np.uint8)
        lines += bytes([kind]) + line.tobytes()
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    path.write_bytes(
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(lines))
        + chunk(b"IEND", b"")
    )


def test_read_digit(tmp_path):
    if not reads_onnx():
        pytest.skip("this build does not read ONNX")
    sys.path.insert(0, str(MODELS))
    import digits

    generator = np.random.default_rng(7)
    pictures = []
    for digit in range(10):
        ink = digits.draw(digit, generator)
        large = np.rint(255 * np.kron(ink, np.ones((3, 3)))).astype(np.uint8)
        path = tmp_path / f"{digit}.pgm"
        path.write_bytes(
            b"P5\n# ink on paper\n%d %d\n255\n" % large.shape + (255 - large).tobytes()
        )
        pictures.append(path)
        path = tmp_path / f"{digit}.png"
        write_png(path, large)
        pictures.append(path)
    run = read_digit(*pictures)
    assert run.returncode == 0, run.stderr
    found = re.findall(r"(\d)\.p[ng][gm]: (\d)", run.stdout)
    assert len(found) == 20 and all(a == b for a, b in found), run.stdout


def test_read_digit_errors(tmp_path):
    if not reads_onnx():
        pytest.skip("this build does not read ONNX")
    for name, data, message in (
        ("no.pgm", b"P6 1 1 255 abc", "is not a PGM of grey values"),
        ("wide.pgm", b"P5 1 1 65535 ab", "has more than 8 bits"),
        ("short.pgm", b"P5 9 9 255 a", "ends early"),
        ("no.png", b"\x89PNG\r\n\x1a\n", "is not a PNG"),
    ):
        path = tmp_path / name
        path.write_bytes(data)
        run = read_digit(path)
        assert run.returncode == 1 and f"{path}: {message}" in run.stderr
        assert "Traceback" not in run.stderr
    assert read_digit(tmp_path / "none.pgm").returncode == 1


def test_train_digits(tmp_path):
    pytest.importorskip("torch")
    if not reads_onnx():
        pytest.skip("this build does not read ONNX")
    model, sample = tmp_path / "digits.onnx", tmp_path / "sample.pgm"
    run = subprocess.run(
        [
            sys.executable,
            str(MODELS / "train_digits.py"),
            "--pictures=640",
            "--epochs=2",
            f"--output={model}",
            f"--sample={sample}",
        ],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert run.returncode == 0, run.stderr
    assert re.match(r"[\d.]+% of other pictures", run.stdout)
    run = read_digit(f"--model={model}", sample)
    assert run.returncode == 0 and str(sample) in run.stdout, run.stderr


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
