/* Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* What the library has besides oneDNN's interface. */

#ifndef GC_DNNL_GRAPH_H
#define GC_DNNL_GRAPH_H

#include "oneapi/dnnl/dnnl_common.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The reason that the last failing call of this thread gave: the op and what is
 * wrong with it. It is given once; empty if calls since then gave none. Valid
 * until the function is called again. */
const char DNNL_API *gc_dnnl_last_reason(void);

/* The version of the constant inputs that executions of this thread read, 0 at
 * first. Cached results of constants are found by the addresses of the inputs
 * and by this version: give another one when the content at an address has
 * changed. Several versions are kept, so that two sets may be used in turn.
 * dnnl_invalid_arguments if the version is negative. */
dnnl_status_t DNNL_API gc_dnnl_graph_set_constants_version(int32_t version);

#ifdef __cplusplus
}
#endif

#endif /* GC_DNNL_GRAPH_H */
