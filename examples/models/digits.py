# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Pictures of digits, drawn with a pen that is not very steady."""

import numpy as np

SIZE = 28


def arc(x, y, width, height, begin, end):
    """Points of an ellipse around (x, y); angles in turns, clockwise from the right."""
    angle = np.linspace(begin, end, 13) * 2 * np.pi
    return np.stack([x + width * np.cos(angle), y + height * np.sin(angle)], axis=1)


# Strokes of each digit in a square from 0 to 1, y downwards.
STROKES = [
    [arc(0.5, 0.5, 0.27, 0.4, 0, 1)],
    [np.array([[0.35, 0.25], [0.55, 0.1], [0.55, 0.9]])],
    [
        arc(0.5, 0.32, 0.25, 0.22, 0.5, 1.1),
        np.array([[0.7, 0.45], [0.25, 0.9], [0.78, 0.9]]),
    ],
    [arc(0.45, 0.3, 0.25, 0.2, 0.6, 1.25), arc(0.45, 0.7, 0.28, 0.2, 0.75, 1.4)],
    [np.array([[0.65, 0.9], [0.65, 0.1], [0.2, 0.62], [0.82, 0.62]])],
    [
        np.array([[0.72, 0.1], [0.35, 0.1], [0.3, 0.45]]),
        arc(0.47, 0.65, 0.26, 0.24, 0.65, 1.4),
    ],
    [arc(0.75, 0.6, 0.5, 0.52, 0.5, 0.72), arc(0.5, 0.68, 0.25, 0.22, 0, 1)],
    [np.array([[0.25, 0.1], [0.78, 0.1], [0.42, 0.9]])],
    [arc(0.5, 0.3, 0.21, 0.19, 0, 1), arc(0.5, 0.7, 0.26, 0.21, 0, 1)],
    [arc(0.5, 0.32, 0.24, 0.22, 0, 1), arc(0.25, 0.4, 0.5, 0.52, 0, 0.22)],
]


def draw(digit, generator):
    """A picture of f32 numbers from 0 (paper) to 1 (ink), [SIZE, SIZE]."""
    turn = generator.uniform(-0.2, 0.2)
    shear = generator.uniform(-0.2, 0.2)
    scale = generator.uniform(0.65, 0.95, 2)
    matrix = np.diag(scale) @ np.array(
        [[np.cos(turn), -np.sin(turn) + shear], [np.sin(turn), np.cos(turn)]]
    )
    shift = generator.uniform(-0.06, 0.06, 2) + 0.5
    pen = generator.uniform(0.025, 0.055)
    rows, columns = np.mgrid[0:SIZE, 0:SIZE] / (SIZE - 1)
    pixels = np.stack([columns, rows], axis=-1)
    distance = np.full((SIZE, SIZE), np.inf)
    for stroke in STROKES[digit]:
        points = (stroke - 0.5 + generator.normal(0, 0.012, stroke.shape)) @ matrix.T
        points += shift
        for begin, end in zip(points, points[1:]):
            line = end - begin
            along = (pixels - begin) @ line / max(line @ line, 1e-9)
            nearest = begin + np.clip(along, 0, 1)[..., None] * line
            distance = np.minimum(
                distance, np.linalg.norm(pixels - nearest, axis=-1)
            )
    ink = np.clip((pen - distance) * SIZE + 0.5, 0, 1)
    ink += generator.normal(0, 0.06, ink.shape)
    return np.clip(ink, 0, 1).astype(np.float32)


def draw_many(count, seed):
    """Pictures [count, 1, SIZE, SIZE] and the digits that they are of."""
    generator = np.random.default_rng(seed)
    labels = generator.integers(0, 10, count)
    pictures = np.stack([draw(label, generator) for label in labels])
    return pictures[:, None], labels
