/* Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* Graph functions of the stand-in, so that the client can be linked with it
 * alone. None of them must be reached. */

static int calls = 0;

int stand_in_graph_calls(void) { return calls; }

#define GC_NOT_REACHED(name)                                                   \
  int name(void) {                                                             \
    ++calls;                                                                   \
    return 5; /* runtime_error */                                              \
  }

GC_NOT_REACHED(dnnl_graph_add_op)
GC_NOT_REACHED(dnnl_graph_allocator_create)
GC_NOT_REACHED(dnnl_graph_allocator_destroy)
GC_NOT_REACHED(dnnl_graph_compiled_partition_create)
GC_NOT_REACHED(dnnl_graph_compiled_partition_destroy)
GC_NOT_REACHED(dnnl_graph_compiled_partition_execute)
GC_NOT_REACHED(dnnl_graph_graph_create)
GC_NOT_REACHED(dnnl_graph_graph_destroy)
GC_NOT_REACHED(dnnl_graph_graph_filter)
GC_NOT_REACHED(dnnl_graph_graph_finalize)
GC_NOT_REACHED(dnnl_graph_graph_get_partitions)
GC_NOT_REACHED(dnnl_graph_logical_tensor_init_with_dims)
GC_NOT_REACHED(dnnl_graph_make_engine_with_allocator)
GC_NOT_REACHED(dnnl_graph_op_add_input)
GC_NOT_REACHED(dnnl_graph_op_add_output)
GC_NOT_REACHED(dnnl_graph_op_create)
GC_NOT_REACHED(dnnl_graph_op_destroy)
GC_NOT_REACHED(dnnl_graph_op_set_attr_s64)
GC_NOT_REACHED(dnnl_graph_partition_compile)
GC_NOT_REACHED(dnnl_graph_partition_destroy)
GC_NOT_REACHED(dnnl_graph_tensor_create)
GC_NOT_REACHED(dnnl_graph_tensor_destroy)
