# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Prints which digit a picture shows.

    PYTHONPATH=build/python read_digit.py [--model=digits.onnx] PICTURE...

A picture is a PGM or a PNG with 8 bits per channel, of any size, with a dark digit on
light paper or the reverse. The model that train_digits.py trained is compiled by GC.
"""

import argparse
import pathlib
import re
import struct
import sys
import zlib

import gc_compiler
import numpy as np

SIZE = 28


def read_pgm(data):
    header = re.match(rb"P([25])\s+(?:#.*\n\s*)*(\d+)\s+(\d+)\s+(\d+)\s", data)
    if not header:
        raise ValueError("is not a PGM of grey values")
    width, height, most = (int(header[i]) for i in (2, 3, 4))
    if not 0 < most < 256:
        raise ValueError("has more than 8 bits")
    body = data[header.end() :]
    if header[1] == b"2":
        values = np.array([int(text) for text in body.split()])
    else:
        values = np.frombuffer(body, np.uint8)
    if values.size < width * height:
        raise ValueError("ends early")
    return values[: width * height].reshape(height, width) / most


def read_png(data):
    """Grey values, without what is transparent."""
    chunks, at = {}, 8
    while at + 8 <= len(data):
        size, kind = struct.unpack(">I4s", data[at : at + 8])
        chunks[kind] = chunks.get(kind, b"") + data[at + 8 : at + 8 + size]
        at += 12 + size
    if len(chunks.get(b"IHDR", b"")) != 13 or b"IDAT" not in chunks:
        raise ValueError("is not a PNG")
    width, height, bits, colour, _, _, interlaced = struct.unpack(
        ">IIBBBBB", chunks[b"IHDR"]
    )
    channels = {0: 1, 2: 3, 4: 2, 6: 4}.get(colour)
    if bits != 8 or not channels or interlaced:
        raise ValueError("is a PNG of a kind that is not read here")
    stride = width * channels
    raw = zlib.decompress(chunks[b"IDAT"])
    if len(raw) != height * (stride + 1):
        raise ValueError("ends early")
    lines = np.frombuffer(raw, np.uint8).reshape(height, stride + 1)
    image = np.zeros((height, stride), np.int64)
    for row in range(height):
        above = image[row - 1] if row else np.zeros(stride, np.int64)
        undo_filter(lines[row, 0], lines[row, 1:], above, image[row], channels)
    image = image.reshape(height, width, channels) / 255
    grey = image[..., :3].mean(-1) if channels >= 3 else image[..., 0]
    if channels in (2, 4):
        grey = grey * image[..., -1] + 1 - image[..., -1]
    return grey


def undo_filter(kind, line, above, result, channels):
    for i, byte in enumerate(line.astype(np.int64)):
        left = result[i - channels] if i >= channels else 0
        corner = above[i - channels] if i >= channels else 0
        if kind == 4:  # the neighbour that is nearest to their plane
            plane = left + above[i] - corner
            predicted = min((left, above[i], corner), key=lambda x: abs(plane - x))
        else:
            predicted = (0, left, above[i], (left + above[i]) // 2)[kind]
        result[i] = (byte + predicted) % 256


def read_picture(path):
    """The picture as the model wants it: ink is 1, SIZE by SIZE pixels."""
    data = pathlib.Path(path).read_bytes()
    grey = read_png(data) if data.startswith(b"\x89PNG") else read_pgm(data)
    edge = np.concatenate([grey[0], grey[-1], grey[:, 0], grey[:, -1]])
    ink = 1 - grey if edge.mean() > 0.5 else grey
    # Each pixel of the result is the mean of what it covers.
    for axis in (0, 1):
        bounds = np.linspace(0, ink.shape[axis], SIZE + 1)
        positions = np.arange(ink.shape[axis] + 1)
        sums = np.cumsum(np.insert(ink, 0, 0, axis), axis)
        at = np.apply_along_axis(lambda s: np.interp(bounds, positions, s), axis, sums)
        ink = np.diff(at, axis=axis) / np.diff(bounds).reshape(
            (-1, 1) if axis == 0 else (1, -1)
        )
    return ink.astype(np.float32).reshape(1, 1, SIZE, SIZE)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("pictures", nargs="+")
    parser.add_argument(
        "--model", default=str(pathlib.Path(__file__).parent / "digits.onnx")
    )
    options = parser.parse_args()
    model = gc_compiler.compile(options.model)
    for path in options.pictures:
        try:
            picture = read_picture(path)
        except (OSError, ValueError, zlib.error) as error:
            sys.exit(f"{path}: {error}")
        scores = model(picture)[0]
        share = np.exp(scores - scores.max())
        best = int(np.argmax(scores))
        print(f"{path}: {best} ({share[best] / share.sum():.0%})")


main()
