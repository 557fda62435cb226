// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Settings of the process.

#ifndef GC_LIB_CAPI_DNNLGRAPH_SETTINGS_H
#define GC_LIB_CAPI_DNNLGRAPH_SETTINGS_H

#include "oneapi/dnnl/dnnl_graph.h"

namespace gc::dnnlgraph {

bool isValid(dnnl_fpmath_mode_t mode);

/// Whether graphs, or what is compiled, are written to files.
bool dumps(dnnl_graph_dump_mode_t what);

} // namespace gc::dnnlgraph

#endif // GC_LIB_CAPI_DNNLGRAPH_SETTINGS_H
