/* Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* What the parts of the C client share. */

#ifndef GC_UNITTESTS_CAPI_DNNLGRAPH_CLIENT_H
#define GC_UNITTESTS_CAPI_DNNLGRAPH_CLIENT_H

#include "gc_dnnl_graph.h"
#include "oneapi/dnnl/dnnl.h"
#include "oneapi/dnnl/dnnl_debug.h"
#include "oneapi/dnnl/dnnl_graph.h"
#include "oneapi/dnnl/dnnl_threadpool.h"

#include <stdio.h>
#include <string.h>

extern int failures;

#define CHECK(condition)                                                       \
  do {                                                                         \
    if (!(condition)) {                                                        \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);          \
      ++failures;                                                              \
    }                                                                          \
  } while (0)

#define EXPECT(call, expected)                                                 \
  do {                                                                         \
    dnnl_status_t expectStatus = (call);                                       \
    if (expectStatus != (expected)) {                                          \
      fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call,            \
              dnnl_status2str(expectStatus));                                  \
      ++failures;                                                              \
    }                                                                          \
  } while (0)

#define OK(call) EXPECT(call, dnnl_success)
#define INVALID(call) EXPECT(call, dnnl_invalid_arguments)

typedef dnnl_graph_logical_tensor_t LT;

/* A strided f32 tensor of up to two dimensions. */
LT makeTensor(size_t id, int ndims, int64_t rows, int64_t columns);
/* One whose shape is not known. */
LT makeUnknown(size_t id);
/* An op with up to two inputs (NULL: none) and an output. */
dnnl_graph_op_t makeOp(size_t id, dnnl_graph_op_kind_t kind, const LT *a,
                       const LT *b, const LT *result);
/* Adds an op that makeOp() makes. */
void addOp(dnnl_graph_graph_t graph, dnnl_status_t expected, size_t id,
           dnnl_graph_op_kind_t kind, const LT *a, const LT *b,
           const LT *result);

void testTensors(void);
void testSchema(void);
void testGraphs(void);
void testCompiled(void);
void testMemory(void);

#endif
