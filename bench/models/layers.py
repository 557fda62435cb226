# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layers that the networks of this folder share, as modules of PyTorch.

They are written the way the published models' own code is, since that decides
which operators an exported file has. B is the batch, S the number of positions
of a sequence, W the width, H and D the number and the size of heads. Everything
is f32 unless it says otherwise.
"""

import math

import torch
from torch import nn


def random_ids(high, *shape):
    """Numbers from 0 up to high, without it, in int64, as tokens and rows are."""
    return torch.randint(0, high, shape, dtype=torch.int64)


def split_heads(x, heads):
    """[B, S, H*D] to [B, H, S, D]."""
    batch, length, width = x.shape
    return x.view(batch, length, heads, width // heads).transpose(1, 2)


def join_heads(x):
    """[B, H, S, D] to [B, S, H*D]."""
    batch, heads, length, size = x.shape
    return x.transpose(1, 2).reshape(batch, length, heads * size)


def attend(query, key, value, size, mask=None):
    """softmax(Q K^T / sqrt(D) + mask) V of [B, H, S, D] with D = size; the mask
    broadcasts to the scores [B, H, S, keys]."""
    scores = query @ key.transpose(-1, -2) / math.sqrt(size)
    if mask is not None:
        scores = scores + mask
    return torch.softmax(scores, dim=-1) @ value


def causal_mask(length):
    """[1, 1, S, S]: 0 for keys up to the query, the lowest number after it."""
    lowest = torch.full((length, length), torch.finfo(torch.float32).min)
    return torch.triu(lowest, diagonal=1)[None, None]


class Attention(nn.Module):
    """Self-attention over [B, S, W] with a projection for each of Q, K and V."""

    def __init__(self, width, heads, key_bias=True):
        super().__init__()
        self.heads, self.size = heads, width // heads
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width, bias=key_bias)
        self.value = nn.Linear(width, width)
        self.output = nn.Linear(width, width)

    def forward(self, x, mask=None):
        query, key, value = (
            split_heads(projection(x), self.heads)
            for projection in (self.query, self.key, self.value)
        )
        result = attend(query, key, value, self.size, mask)
        return self.output(join_heads(result))


class CachedAttention(nn.Module):
    """Causal self-attention with one projection for Q, K and V, as in GPT-2. A
    past is the keys and values [B, H, P, D] of earlier positions."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads, self.size = heads, width // heads
        self.projection = nn.Linear(width, 3 * width)
        self.output = nn.Linear(width, width)

    def forward(self, x, mask=None, past=None):
        """Returns the result and the keys and values with the past in front."""
        query, key, value = (
            split_heads(part, self.heads)
            for part in self.projection(x).chunk(3, dim=-1)
        )
        if past is not None:
            key = torch.cat([past[0], key], dim=2)
            value = torch.cat([past[1], value], dim=2)
        result = attend(query, key, value, self.size, mask)
        return self.output(join_heads(result)), key, value


def rotary_tables(length, size, base):
    """cos and sin [S, D] of the angles position / base^(2i/D); both halves of a
    row are equal (Su et al., RoFormer, section 3.4.2, in the halved form)."""
    rates = base ** (-torch.arange(0, size, 2, dtype=torch.float32) / size)
    angles = torch.arange(length, dtype=torch.float32)[:, None] * rates[None]
    angles = torch.cat([angles, angles], dim=-1)
    return angles.cos(), angles.sin()


def rotate(x, cosine, sine):
    """Turns pairs of elements (i, i + D/2) of [B, H, S, D] by their angles."""
    low, high = x.chunk(2, dim=-1)
    return x * cosine + torch.cat([-high, low], dim=-1) * sine


class GroupedAttention(nn.Module):
    """Causal self-attention whose keys and values are shared by groups of query
    heads (GQA), with rotary embedding, as in Llama."""

    def __init__(self, width, heads, kv_heads, length, rotary_base):
        super().__init__()
        self.heads, self.kv_heads = heads, kv_heads
        self.size = size = width // heads
        self.query = nn.Linear(width, width, bias=False)
        self.key = nn.Linear(width, kv_heads * size, bias=False)
        self.value = nn.Linear(width, kv_heads * size, bias=False)
        self.output = nn.Linear(width, width, bias=False)
        cosine, sine = rotary_tables(length, size, rotary_base)
        self.register_buffer("cosine", cosine)
        self.register_buffer("sine", sine)

    def repeat(self, x):
        """[B, KV, S, D] to [B, H, S, D]: each head as often as a group is large."""
        batch, kv_heads, length, size = x.shape
        group = self.heads // kv_heads
        x = x[:, :, None].expand(batch, kv_heads, group, length, size)
        return x.reshape(batch, self.heads, length, size)

    def forward(self, x, mask):
        query = split_heads(self.query(x), self.heads)
        key = split_heads(self.key(x), self.kv_heads)
        value = split_heads(self.value(x), self.kv_heads)
        query = rotate(query, self.cosine, self.sine)
        key = rotate(key, self.cosine, self.sine)
        result = attend(
            query, self.repeat(key), self.repeat(value), self.size, mask
        )
        return self.output(join_heads(result))


class RmsNorm(nn.Module):
    """x / sqrt(mean(x^2) + epsilon), times a weight for each of W elements."""

    def __init__(self, width, epsilon):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.epsilon = epsilon

    def forward(self, x):
        variance = x.pow(2).mean(-1, keepdim=True)
        return self.weight * (x * torch.rsqrt(variance + self.epsilon))


class TanhGelu(nn.Module):
    """GELU by its approximation with tanh, as GPT-2 computes it."""

    def forward(self, x):
        inner = math.sqrt(2 / math.pi) * (x + 0.044715 * torch.pow(x, 3.0))
        return 0.5 * x * (1.0 + torch.tanh(inner))


class Mlp(nn.Sequential):
    """Two layers of [B, S, W] with an activation between them."""

    def __init__(self, width, hidden, activation):
        super().__init__(
            nn.Linear(width, hidden), activation, nn.Linear(hidden, width)
        )


class GatedMlp(nn.Module):
    """down(silu(gate(x)) * up(x)), as in Llama (SwiGLU)."""

    def __init__(self, width, hidden):
        super().__init__()
        self.gate = nn.Linear(width, hidden, bias=False)
        self.up = nn.Linear(width, hidden, bias=False)
        self.down = nn.Linear(hidden, width, bias=False)

    def forward(self, x):
        return self.down(nn.functional.silu(self.gate(x)) * self.up(x))


class PreNormBlock(nn.Module):
    """An encoder layer whose norms come before attention and MLP (ViT, Whisper)."""

    def __init__(self, width, heads, hidden, epsilon, key_bias=True):
        super().__init__()
        self.attention_norm = nn.LayerNorm(width, epsilon)
        self.attention = Attention(width, heads, key_bias)
        self.mlp_norm = nn.LayerNorm(width, epsilon)
        self.mlp = Mlp(width, hidden, nn.GELU())

    def forward(self, x):
        x = x + self.attention(self.attention_norm(x))
        return x + self.mlp(self.mlp_norm(x))


class PostNormBlock(nn.Module):
    """An encoder layer whose norms come after the sums (BERT)."""

    def __init__(self, width, heads, hidden, epsilon):
        super().__init__()
        self.attention = Attention(width, heads)
        self.attention_norm = nn.LayerNorm(width, epsilon)
        self.mlp = Mlp(width, hidden, nn.GELU())
        self.mlp_norm = nn.LayerNorm(width, epsilon)

    def forward(self, x, mask):
        x = self.attention_norm(x + self.attention(x, mask))
        return self.mlp_norm(x + self.mlp(x))


class ConvNorm(nn.Sequential):
    """A convolution without bias, batch norm and, unless None, an activation."""

    def __init__(
        self, inputs, outputs, kernel, stride=1, groups=1, activation=nn.ReLU
    ):
        layers = [
            nn.Conv2d(
                inputs,
                outputs,
                kernel,
                stride,
                padding=kernel // 2,
                groups=groups,
                bias=False,
            ),
            nn.BatchNorm2d(outputs),
        ]
        super().__init__(*layers, *([activation()] if activation else []))
