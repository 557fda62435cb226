# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A network over spectrograms (see networks.py)."""

import math

import torch
from torch import nn

import layers


def sinusoids(length, width):
    """[S, W]: sines, then cosines, of positions at W/2 rates from 1 to 1e-4."""
    half = width // 2
    rates = torch.exp(-math.log(10000) / (half - 1) * torch.arange(half))
    angles = torch.arange(length)[:, None] * rates[None]
    return torch.cat([angles.sin(), angles.cos()], dim=1)


class WhisperEncoder(nn.Module):
    """Mel spectrograms [B, bands, frames] to states [B, frames/2, W] (Radford et
    al., 2022)."""

    def __init__(self, bands, frames, width, depth, heads):
        super().__init__()
        self.shape = (bands, frames)
        self.first = nn.Conv1d(bands, width, 3, padding=1)
        self.second = nn.Conv1d(width, width, 3, stride=2, padding=1)
        self.register_buffer("places", sinusoids(frames // 2, width))
        self.blocks = nn.ModuleList(
            layers.PreNormBlock(width, heads, 4 * width, 1e-5, key_bias=False)
            for _ in range(depth)
        )
        self.norm = nn.LayerNorm(width)

    def inputs(self, batch):
        return {"mel": torch.randn(batch, *self.shape)}

    def outputs(self):
        return ["states"]

    def forward(self, mel):
        x = nn.functional.gelu(self.first(mel))
        x = nn.functional.gelu(self.second(x)).transpose(1, 2)
        x = x + self.places
        for block in self.blocks:
            x = block(x)
        return self.norm(x)
