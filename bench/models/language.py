# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks over tokens. See networks.py for what their modules have in common."""

import torch
from torch import nn

import layers
from layers import random_ids


class Bert(nn.Module):
    """Tokens, segments and the mask of padding to the last hidden states
    [B, S, W] and the pooled first one [B, W] (Devlin et al., 2018)."""

    def __init__(self, vocabulary, length, positions, width, depth, heads, hidden):
        super().__init__()
        self.vocabulary, self.length = vocabulary, length
        self.tokens = nn.Embedding(vocabulary, width)
        self.positions = nn.Embedding(positions, width)
        self.segments = nn.Embedding(2, width)
        self.norm = nn.LayerNorm(width, 1e-12)
        self.blocks = nn.ModuleList(
            layers.PostNormBlock(width, heads, hidden, 1e-12) for _ in range(depth)
        )
        self.pooler = nn.Linear(width, width)

    def inputs(self, batch):
        mask = torch.ones(batch, self.length, dtype=torch.int64)
        mask[:, -(self.length // 4) :] = 0
        return {
            "input_ids": random_ids(self.vocabulary, batch, self.length),
            "token_type_ids": random_ids(2, batch, self.length),
            "attention_mask": mask,
        }

    def outputs(self):
        return ["last_hidden_state", "pooler_output"]

    def forward(self, input_ids, token_type_ids, attention_mask):
        places = torch.arange(self.length)[None]
        x = self.tokens(input_ids) + self.segments(token_type_ids)
        x = self.norm(x + self.positions(places))
        mask = (1.0 - attention_mask[:, None, None].to(x.dtype)) * torch.finfo(
            x.dtype
        ).min
        for block in self.blocks:
            x = block(x, mask)
        return x, torch.tanh(self.pooler(x[:, 0]))


class Gpt2Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.attention_norm = nn.LayerNorm(width)
        self.attention = layers.CachedAttention(width, heads)
        self.mlp_norm = nn.LayerNorm(width)
        self.mlp = layers.Mlp(width, 4 * width, layers.TanhGelu())

    def forward(self, x, mask=None, past=None):
        result, key, value = self.attention(self.attention_norm(x), mask, past)
        x = x + result
        return x + self.mlp(self.mlp_norm(x)), key, value


class Gpt2(nn.Module):
    """Tokens to logits [B, S, vocabulary] and the keys and values of all layers
    (Radford et al., 2019). With a past, `length` tokens follow `past` others
    whose keys and values are inputs."""

    def __init__(self, vocabulary, positions, width, depth, heads, length, past=0):
        super().__init__()
        self.vocabulary, self.length, self.past = vocabulary, length, past
        self.heads, self.size = heads, width // heads
        self.tokens = nn.Embedding(vocabulary, width)
        self.positions = nn.Embedding(positions, width)
        self.blocks = nn.ModuleList(Gpt2Block(width, heads) for _ in range(depth))
        self.norm = nn.LayerNorm(width)

    def inputs(self, batch):
        values = {"input_ids": random_ids(self.vocabulary, batch, self.length)}
        for layer in range(len(self.blocks) if self.past else 0):
            for part in ("key", "value"):
                values[f"past_{part}_{layer}"] = torch.randn(
                    batch, self.heads, self.past, self.size
                )
        return values

    def outputs(self):
        present = [
            f"present_{part}_{layer}"
            for layer in range(len(self.blocks))
            for part in ("key", "value")
        ]
        return ["logits", *present]

    def forward(self, input_ids, *past):
        places = torch.arange(self.past, self.past + self.length)[None]
        x = self.tokens(input_ids) + self.positions(places)
        mask = layers.causal_mask(self.length) if self.length > 1 else None
        present = []
        for i, block in enumerate(self.blocks):
            cached = past[2 * i : 2 * i + 2] if self.past else None
            x, key, value = block(x, mask, cached)
            present += [key, value]
        # The logits' weights are the embedding's.
        return self.norm(x) @ self.tokens.weight.T, *present


class LlamaBlock(nn.Module):
    """One decoder layer over [B, S, W] (Touvron et al., 2023; Dubey et al., 2024)."""

    def __init__(self, width, heads, kv_heads, hidden, length, rotary_base):
        super().__init__()
        self.shape = (length, width)
        self.attention_norm = layers.RmsNorm(width, 1e-5)
        self.attention = layers.GroupedAttention(
            width, heads, kv_heads, length, rotary_base
        )
        self.mlp_norm = layers.RmsNorm(width, 1e-5)
        self.mlp = layers.GatedMlp(width, hidden)

    def inputs(self, batch):
        return {"hidden_states": torch.randn(batch, *self.shape)}

    def outputs(self):
        return ["last_hidden_state"]

    def forward(self, hidden_states):
        mask = layers.causal_mask(self.shape[0])
        x = hidden_states
        x = x + self.attention(self.attention_norm(x), mask)
        return x + self.mlp(self.mlp_norm(x))
