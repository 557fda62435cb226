# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks over images. See networks.py for what their modules have in common."""

import torch
from torch import nn

import layers


class Vit(nn.Module):
    """Images [B, 3, size, size] to scores of classes (Dosovitskiy et al., 2020)."""

    def __init__(self, size, patch, width, depth, heads, hidden, classes):
        super().__init__()
        self.size = size
        self.patches = nn.Conv2d(3, width, patch, stride=patch)
        self.first = nn.Parameter(torch.randn(1, 1, width))
        self.places = nn.Parameter(torch.randn(1, 1 + (size // patch) ** 2, width))
        self.blocks = nn.ModuleList(
            layers.PreNormBlock(width, heads, hidden, 1e-6) for _ in range(depth)
        )
        self.norm = nn.LayerNorm(width, 1e-6)
        self.head = nn.Linear(width, classes)

    def inputs(self, batch):
        return {"image": torch.randn(batch, 3, self.size, self.size)}

    def outputs(self):
        return ["scores"]

    def forward(self, image):
        x = self.patches(image).flatten(2).transpose(1, 2)
        x = torch.cat([self.first.expand(x.shape[0], -1, -1), x], dim=1)
        x = x + self.places
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x)[:, 0])


class Bottleneck(nn.Module):
    """Convolutions 1x1, 3x3 (with the stride) and 1x1 beside a shortcut."""

    def __init__(self, inputs, width, stride):
        super().__init__()
        outputs = 4 * width
        self.convolutions = nn.Sequential(
            layers.ConvNorm(inputs, width, 1),
            layers.ConvNorm(width, width, 3, stride),
            layers.ConvNorm(width, outputs, 1, activation=None),
        )
        self.shortcut = nn.Identity()
        if stride != 1 or inputs != outputs:
            self.shortcut = layers.ConvNorm(
                inputs, outputs, 1, stride, activation=None
            )

    def forward(self, x):
        return torch.relu(self.convolutions(x) + self.shortcut(x))


class ResNet(nn.Module):
    """Images to scores of classes (He et al., 2015, with the stride on the 3x3
    convolution as in torchvision)."""

    def __init__(self, size, width, depths, classes):
        super().__init__()
        self.size = size
        self.stem = nn.Sequential(
            layers.ConvNorm(3, width, 7, 2), nn.MaxPool2d(3, 2, padding=1)
        )
        blocks, channels = [], width
        for stage, depth in enumerate(depths):
            for i in range(depth):
                stride = 2 if stage and i == 0 else 1
                blocks.append(Bottleneck(channels, width << stage, stride))
                channels = 4 * (width << stage)
        self.blocks = nn.Sequential(*blocks)
        self.head = nn.Linear(channels, classes)

    def inputs(self, batch):
        return {"image": torch.randn(batch, 3, self.size, self.size)}

    def outputs(self):
        return ["scores"]

    def forward(self, image):
        x = self.blocks(self.stem(image))
        x = nn.functional.adaptive_avg_pool2d(x, 1).flatten(1)
        return self.head(x)


class InvertedResidual(nn.Module):
    """Expansion by 1x1, depthwise 3x3, projection by 1x1; a sum if shapes allow."""

    def __init__(self, inputs, outputs, stride, expansion):
        super().__init__()
        inner = inputs * expansion
        expand = [layers.ConvNorm(inputs, inner, 1, activation=nn.ReLU6)]
        self.convolutions = nn.Sequential(
            *(expand if expansion != 1 else []),
            layers.ConvNorm(
                inner, inner, 3, stride, groups=inner, activation=nn.ReLU6
            ),
            layers.ConvNorm(inner, outputs, 1, activation=None),
        )
        self.adds = stride == 1 and inputs == outputs

    def forward(self, x):
        result = self.convolutions(x)
        return x + result if self.adds else result


class MobileNetV2(nn.Module):
    """Images to scores of classes (Sandler et al., 2018). `stages` are rows of the
    paper's table 2: expansion, channels, number of blocks, stride of the first."""

    def __init__(self, size, first, stages, last, classes):
        super().__init__()
        self.size = size
        blocks, channels = [layers.ConvNorm(3, first, 3, 2, 1, nn.ReLU6)], first
        for expansion, outputs, count, stride in stages:
            for i in range(count):
                blocks.append(
                    InvertedResidual(
                        channels, outputs, stride if i == 0 else 1, expansion
                    )
                )
                channels = outputs
        blocks.append(layers.ConvNorm(channels, last, 1, activation=nn.ReLU6))
        self.blocks = nn.Sequential(*blocks)
        self.head = nn.Linear(last, classes)

    def inputs(self, batch):
        return {"image": torch.randn(batch, 3, self.size, self.size)}

    def outputs(self):
        return ["scores"]

    def forward(self, image):
        x = self.blocks(image)
        x = nn.functional.adaptive_avg_pool2d(x, (1, 1)).flatten(1)
        return self.head(x)
