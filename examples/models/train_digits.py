# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Trains a small CNN on digits that digits.py draws and writes it as ONNX. Takes less
than a minute. Needs Debian's python3-torch.

    train_digits.py [--pictures=N] [--epochs=N] [--output=digits.onnx] [--sample=N.pgm]

The model takes pictures [1, 1, 28, 28] and gives a number for each digit; the largest
says which it is. --sample also writes a picture that it was not trained on.
"""

import argparse

import numpy as np
import torch
from torch import nn

import digits


def make_model():
    return nn.Sequential(
        nn.Conv2d(1, 8, 3, padding=1, bias=False),
        nn.BatchNorm2d(8),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(8, 16, 3, padding=1, bias=False),
        nn.BatchNorm2d(16),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(16 * 7 * 7, 32),
        nn.ReLU(),
        nn.Linear(32, 10),
    )


def train(model, pictures, labels, epochs):
    x, y = torch.from_numpy(pictures), torch.from_numpy(labels)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    for _ in range(epochs):
        for batch in torch.randperm(len(x)).split(64):
            loss = nn.functional.cross_entropy(model(x[batch]), y[batch])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--pictures", type=int, default=6000)
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--output", default="digits.onnx")
    parser.add_argument("--sample")
    options = parser.parse_args()
    torch.manual_seed(1)
    model = make_model()
    train(model, *digits.draw_many(options.pictures, seed=1), options.epochs)
    model.eval()
    pictures, labels = digits.draw_many(500, seed=2)
    with torch.no_grad():
        found = model(torch.from_numpy(pictures)).argmax(1).numpy()
    print(f"{np.mean(found == labels):.1%} of other pictures are read correctly")
    torch.onnx.export(
        model,
        torch.from_numpy(pictures[:1]),
        options.output,
        input_names=["picture"],
        output_names=["scores"],
        opset_version=13,
    )
    if options.sample:
        picture = np.rint(255 * (1 - pictures[0, 0])).astype(np.uint8)
        with open(options.sample, "wb") as file:
            file.write(b"P5 %d %d 255\n" % picture.shape[::-1] + picture.tobytes())


main()
