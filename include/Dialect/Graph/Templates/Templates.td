// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The attributes of the dialect's templates, one file each.

#ifndef GC_DIALECT_GRAPH_TEMPLATES_TEMPLATES_TD
#define GC_DIALECT_GRAPH_TEMPLATES_TEMPLATES_TD

include "Dialect/Graph/Templates/Attention/AttentionTemplate.td"
include "Dialect/Graph/Templates/AttentionPanel/AttentionPanelTemplate.td"
include "Dialect/Graph/Templates/Gather/GatherTemplate.td"
include "Dialect/Graph/Templates/Matmul/MatmulTemplate.td"

#endif // GC_DIALECT_GRAPH_TEMPLATES_TEMPLATES_TD
