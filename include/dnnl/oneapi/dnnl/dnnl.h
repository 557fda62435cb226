/* Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* The part of the primitive interface that graph programs use: memory with
 * strides and reorders, which convert and copy elements. Descriptions of other
 * primitives are not included. Graphs have their own header. */

#ifndef ONEAPI_DNNL_DNNL_H
#define ONEAPI_DNNL_DNNL_H

#include "oneapi/dnnl/dnnl_common.h"
#include "oneapi/dnnl/dnnl_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/*===-- Descriptions of memory -------------------------------------------===*/

/* strides NULL: row-major. */
dnnl_status_t DNNL_API dnnl_memory_desc_create_with_strides(
    dnnl_memory_desc_t *memory_desc, int ndims, const dnnl_dims_t dims,
    dnnl_data_type_t data_type, const dnnl_dims_t strides);
/* Row-major tags only; others are dnnl_unimplemented. */
dnnl_status_t DNNL_API dnnl_memory_desc_create_with_tag(
    dnnl_memory_desc_t *memory_desc, int ndims, const dnnl_dims_t dims,
    dnnl_data_type_t data_type, dnnl_format_tag_t tag);
dnnl_status_t DNNL_API
dnnl_memory_desc_clone(dnnl_memory_desc_t *memory_desc,
                       const_dnnl_memory_desc_t existing_memory_desc);
dnnl_status_t DNNL_API dnnl_memory_desc_destroy(dnnl_memory_desc_t memory_desc);
int DNNL_API dnnl_memory_desc_equal(const_dnnl_memory_desc_t lhs,
                                    const_dnnl_memory_desc_t rhs);
/* Bytes from the first to the last element; 0 without a description, and for an
 * index other than 0. */
size_t DNNL_API dnnl_memory_desc_get_size(const_dnnl_memory_desc_t memory_desc);
size_t DNNL_API
dnnl_memory_desc_get_size_v2(const_dnnl_memory_desc_t memory_desc, int index);
size_t DNNL_API dnnl_data_type_size(dnnl_data_type_t data_type);
/* Pointers in the result are valid as long as the description exists. */
dnnl_status_t DNNL_API dnnl_memory_desc_query(
    const_dnnl_memory_desc_t memory_desc, dnnl_query_t what, void *result);
dnnl_status_t DNNL_API
dnnl_memory_desc_query_v2(const_dnnl_memory_desc_t memory_desc,
                          dnnl_query_t what, int index, void *result);

/*===-- Memory -----------------------------------------------------------===*/

/* handle: memory of the caller, DNNL_MEMORY_NONE or DNNL_MEMORY_ALLOCATE. */
dnnl_status_t DNNL_API dnnl_memory_create(dnnl_memory_t *memory,
                                          const_dnnl_memory_desc_t memory_desc,
                                          dnnl_engine_t engine, void *handle);
/* nhandles: 1. */
dnnl_status_t DNNL_API dnnl_memory_create_v2(
    dnnl_memory_t *memory, const_dnnl_memory_desc_t memory_desc,
    dnnl_engine_t engine, int nhandles, void **handles);
/* The description belongs to the memory. */
dnnl_status_t DNNL_API dnnl_memory_get_memory_desc(
    const_dnnl_memory_t memory, const_dnnl_memory_desc_t *memory_desc);
dnnl_status_t DNNL_API dnnl_memory_get_engine(const_dnnl_memory_t memory,
                                              dnnl_engine_t *engine);
dnnl_status_t DNNL_API dnnl_memory_get_data_handle(const_dnnl_memory_t memory,
                                                   void **handle);
dnnl_status_t DNNL_API dnnl_memory_get_data_handle_v2(
    const_dnnl_memory_t memory, void **handle, int index);
dnnl_status_t DNNL_API dnnl_memory_set_data_handle(dnnl_memory_t memory,
                                                   void *handle);
dnnl_status_t DNNL_API dnnl_memory_set_data_handle_v2(dnnl_memory_t memory,
                                                      void *handle, int index);
/* Memory of the host is always mapped. */
dnnl_status_t DNNL_API dnnl_memory_map_data(const_dnnl_memory_t memory,
                                            void **mapped_ptr);
dnnl_status_t DNNL_API dnnl_memory_unmap_data(const_dnnl_memory_t memory,
                                              void *mapped_ptr);
dnnl_status_t DNNL_API dnnl_memory_destroy(dnnl_memory_t memory);

/*===-- Reorders ---------------------------------------------------------===*/

/* Attributes have no settings, so NULL can be passed instead. */
dnnl_status_t DNNL_API dnnl_primitive_attr_create(dnnl_primitive_attr_t *attr);
dnnl_status_t DNNL_API dnnl_primitive_attr_destroy(dnnl_primitive_attr_t attr);

/* The shapes are the same. */
dnnl_status_t DNNL_API dnnl_reorder_primitive_desc_create(
    dnnl_primitive_desc_t *reorder_primitive_desc,
    const_dnnl_memory_desc_t src_desc, dnnl_engine_t src_engine,
    const_dnnl_memory_desc_t dst_desc, dnnl_engine_t dst_engine,
    const_dnnl_primitive_attr_t attr);
dnnl_status_t DNNL_API
dnnl_primitive_desc_destroy(dnnl_primitive_desc_t primitive_desc);
dnnl_status_t DNNL_API dnnl_primitive_create(
    dnnl_primitive_t *primitive, const_dnnl_primitive_desc_t primitive_desc);
/* args: DNNL_ARG_FROM and DNNL_ARG_TO. */
dnnl_status_t DNNL_API dnnl_primitive_execute(const_dnnl_primitive_t primitive,
                                              dnnl_stream_t stream, int nargs,
                                              const dnnl_exec_arg_t *args);
dnnl_status_t DNNL_API dnnl_primitive_destroy(dnnl_primitive_t primitive);

/* The best instruction set that the compiler uses on this machine. */
dnnl_cpu_isa_t DNNL_API dnnl_get_effective_cpu_isa(void);

#ifdef __cplusplus
}
#endif

#endif /* ONEAPI_DNNL_DNNL_H */
