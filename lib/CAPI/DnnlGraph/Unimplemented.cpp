// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Functions of the primitive interface that programs of graphs refer to beside
// those of their own: programs that were compiled with oneDNN's headers find
// them, and learn that there are no such primitives, or reach the next library.
// Our headers do not have them, so enumerations are plain numbers here and
// unknown objects have no type; of them, nothing is read or written.

#include "Next.h"
#include "Status.h"
#include "oneapi/dnnl/dnnl_types.h"

/// parameters, arguments: in parentheses.
#define GC_UNIMPLEMENTED(name, parameters, arguments)                          \
  extern "C" DNNL_API dnnl_status_t name parameters {                          \
    GC_CALL_NEXT(name, GC_UNWRAP arguments);                                   \
    return gc::dnnlgraph::fail(dnnl_unimplemented,                             \
                               #name ": reorders are the only primitive");     \
  }
#define GC_UNWRAP(...) __VA_ARGS__
/// Expands the arguments before they are counted.
#define GC_CALL_NEXT(...) GC_FORWARD(__VA_ARGS__)

using Desc = const_dnnl_memory_desc_t;
using Attr = const_dnnl_primitive_attr_t;
using PrimitiveDesc = dnnl_primitive_desc_t;

GC_UNIMPLEMENTED(dnnl_matmul_primitive_desc_create,
                 (PrimitiveDesc * result, dnnl_engine_t engine, Desc src,
                  Desc weights, Desc bias, Desc dst, Attr attr),
                 (result, engine, src, weights, bias, dst, attr))
GC_UNIMPLEMENTED(dnnl_softmax_forward_primitive_desc_create,
                 (PrimitiveDesc * result, dnnl_engine_t engine, int propagation,
                  int algorithm, Desc src, Desc dst, int axis, Attr attr),
                 (result, engine, propagation, algorithm, src, dst, axis, attr))
GC_UNIMPLEMENTED(dnnl_post_ops_append_binary,
                 (void *postOps, int algorithm, Desc src),
                 (postOps, algorithm, src))
GC_UNIMPLEMENTED(dnnl_post_ops_append_eltwise,
                 (void *postOps, int algorithm, float alpha, float beta),
                 (postOps, algorithm, alpha, beta))
GC_UNIMPLEMENTED(dnnl_post_ops_append_sum,
                 (void *postOps, float scale, int32_t zeroPoint,
                  dnnl_data_type_t type),
                 (postOps, scale, zeroPoint, type))
GC_UNIMPLEMENTED(dnnl_post_ops_clone, (void **result, const void *postOps),
                 (result, postOps))
GC_UNIMPLEMENTED(dnnl_post_ops_create, (void **result), (result))
GC_UNIMPLEMENTED(dnnl_primitive_attr_get_post_ops,
                 (Attr attr, const void **result), (attr, result))
GC_UNIMPLEMENTED(dnnl_primitive_attr_set_fpmath_mode,
                 (dnnl_primitive_attr_t attr, dnnl_fpmath_mode_t mode),
                 (attr, mode))
GC_UNIMPLEMENTED(dnnl_primitive_attr_set_post_ops,
                 (dnnl_primitive_attr_t attr, const void *postOps),
                 (attr, postOps))
GC_UNIMPLEMENTED(dnnl_primitive_attr_set_scales_mask,
                 (dnnl_primitive_attr_t attr, int argument, int mask),
                 (attr, argument, mask))
GC_UNIMPLEMENTED(dnnl_primitive_attr_set_scratchpad_mode,
                 (dnnl_primitive_attr_t attr, int mode), (attr, mode))
GC_UNIMPLEMENTED(dnnl_primitive_desc_clone,
                 (PrimitiveDesc * result, const_dnnl_primitive_desc_t desc),
                 (result, desc))
GC_UNIMPLEMENTED(dnnl_primitive_desc_next_impl, (PrimitiveDesc desc), (desc))
GC_UNIMPLEMENTED(dnnl_primitive_desc_query,
                 (const_dnnl_primitive_desc_t desc, dnnl_query_t what,
                  int index, void *result),
                 (desc, what, index, result))
GC_UNIMPLEMENTED(dnnl_primitive_get_primitive_desc,
                 (const_dnnl_primitive_t primitive,
                  const_dnnl_primitive_desc_t *result),
                 (primitive, result))

/// There is no such object.
extern "C" DNNL_API dnnl_status_t dnnl_post_ops_destroy(void *postOps) {
  GC_FORWARD(dnnl_post_ops_destroy, postOps);
  return dnnl_success;
}

/// A description, of which there is none.
extern "C" DNNL_API Desc dnnl_primitive_desc_query_md(
    const_dnnl_primitive_desc_t desc, dnnl_query_t what, int index) {
  GC_FORWARD_OR(nullptr, dnnl_primitive_desc_query_md, desc, what, index);
  return nullptr;
}
