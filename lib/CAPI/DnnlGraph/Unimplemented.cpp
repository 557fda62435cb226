// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Functions of the primitive interface that programs of graphs refer to beside
// those of their own: programs that were compiled with oneDNN's headers find
// them, and learn that there are no such primitives. Our headers do not have
// them; whatever their arguments are, nothing is read or written.

#include "Status.h"

#define GC_UNIMPLEMENTED(name)                                                 \
  extern "C" DNNL_API dnnl_status_t name() {                                   \
    return gc::dnnlgraph::fail(dnnl_unimplemented,                             \
                               #name ": reorders are the only primitive");     \
  }

GC_UNIMPLEMENTED(dnnl_matmul_primitive_desc_create)
GC_UNIMPLEMENTED(dnnl_post_ops_append_binary)
GC_UNIMPLEMENTED(dnnl_post_ops_append_eltwise)
GC_UNIMPLEMENTED(dnnl_post_ops_append_sum)
GC_UNIMPLEMENTED(dnnl_post_ops_clone)
GC_UNIMPLEMENTED(dnnl_post_ops_create)
GC_UNIMPLEMENTED(dnnl_primitive_attr_get_post_ops)
GC_UNIMPLEMENTED(dnnl_primitive_attr_set_fpmath_mode)
GC_UNIMPLEMENTED(dnnl_primitive_attr_set_post_ops)
GC_UNIMPLEMENTED(dnnl_primitive_attr_set_scales_mask)
GC_UNIMPLEMENTED(dnnl_primitive_attr_set_scratchpad_mode)
GC_UNIMPLEMENTED(dnnl_primitive_desc_clone)
GC_UNIMPLEMENTED(dnnl_primitive_desc_next_impl)
GC_UNIMPLEMENTED(dnnl_primitive_desc_query)
GC_UNIMPLEMENTED(dnnl_primitive_get_primitive_desc)
GC_UNIMPLEMENTED(dnnl_softmax_forward_primitive_desc_create)

/// There is no such object.
extern "C" DNNL_API dnnl_status_t dnnl_post_ops_destroy() {
  return dnnl_success;
}

/// A description, of which there is none.
extern "C" DNNL_API const void *dnnl_primitive_desc_query_md() {
  return nullptr;
}
