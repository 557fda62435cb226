# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A network over numbers and categories (see networks.py)."""

import torch
from torch import nn

from layers import random_ids


def dense_layers(widths, last):
    """Layers with ReLU between them and `last` at the end."""
    result = []
    for inputs, outputs in zip(widths, widths[1:]):
        result += [nn.Linear(inputs, outputs), nn.ReLU()]
    return nn.Sequential(*result[:-1], last)


class Dlrm(nn.Module):
    """Numbers [B, F] and one category of each table [B, T] to the probability of
    a click [B, 1] (Naumov et al., 2019): the products of all pairs of embeddings
    and the bottom MLP's result join that result before the top MLP."""

    def __init__(self, numbers, bottom, tables, size, top):
        super().__init__()
        self.numbers, self.rows = numbers, tables
        self.bottom = dense_layers([numbers, *bottom, size], nn.ReLU())
        self.tables = nn.ModuleList(nn.Embedding(rows, size) for rows in tables)
        vectors = 1 + len(tables)
        pairs = torch.tril_indices(vectors, vectors, offset=-1)
        self.register_buffer("pairs", pairs[0] * vectors + pairs[1])
        self.top = dense_layers([size + pairs.shape[1], *top, 1], nn.Sigmoid())

    def inputs(self, batch):
        columns = [random_ids(rows, batch) for rows in self.rows]
        return {
            "dense": torch.rand(batch, self.numbers),
            "categories": torch.stack(columns, dim=1),
        }

    def outputs(self):
        return ["probability"]

    def forward(self, dense, categories):
        x = self.bottom(dense)
        vectors = [x] + [
            table(categories[:, i]) for i, table in enumerate(self.tables)
        ]
        stacked = torch.stack(vectors, dim=1)
        products = (stacked @ stacked.transpose(1, 2)).flatten(1)
        chosen = torch.index_select(products, 1, self.pairs)
        return self.top(torch.cat([x, chosen], dim=1))
