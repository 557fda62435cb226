/* Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* The graph interface: a program describes a graph of ops, asks how the library
 * divides it into partitions, compiles those and executes them on its tensors.
 * The functions, types and numbers are those of oneDNN's Graph API of version
 * 3.13, so that programs written for it need not change. docs/graph-api.md says
 * where this library differs.
 *
 * Every function returns a status and writes its results only on success. A
 * NULL handle or result pointer is dnnl_invalid_arguments, except where NULL is
 * allowed. The owner destroys each object; destroying NULL is fine. Different
 * threads may use different objects at the same time, and several threads may
 * execute one compiled partition. */

#ifndef ONEAPI_DNNL_DNNL_GRAPH_H
#define ONEAPI_DNNL_DNNL_GRAPH_H

#include "oneapi/dnnl/dnnl_common.h"
#include "oneapi/dnnl/dnnl_graph_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/*===-- Allocators and engines -------------------------------------------===*/

/* Callbacks for the memory of tensors and temporaries; the library's own if one
 * is NULL. */
dnnl_status_t DNNL_API dnnl_graph_allocator_create(
    dnnl_graph_allocator_t *allocator, dnnl_graph_host_allocate_f host_malloc,
    dnnl_graph_host_deallocate_f host_free);
/* NULL is not allowed. */
dnnl_status_t DNNL_API
dnnl_graph_allocator_destroy(dnnl_graph_allocator_t allocator);
/* The engine copies the callbacks; the allocator is not needed afterwards. */
dnnl_status_t DNNL_API dnnl_graph_make_engine_with_allocator(
    dnnl_engine_t *engine, dnnl_engine_kind_t kind, size_t index,
    const_dnnl_graph_allocator_t allocator);

/*===-- Logical tensors --------------------------------------------------===*/

/* ndims: DNNL_GRAPH_UNKNOWN_NDIMS or 0 to 12, the sizes unknown. Here and in
 * the next two functions a host scalar has 0 dimensions and is s32, f32 or s64.
 */
dnnl_status_t DNNL_API dnnl_graph_logical_tensor_init(
    dnnl_graph_logical_tensor_t *logical_tensor, size_t tid,
    dnnl_data_type_t dtype, int32_t ndims, dnnl_graph_layout_type_t ltype,
    dnnl_graph_tensor_property_t ptype);
/* The strides of a strided layout are row-major if all sizes are known. */
dnnl_status_t DNNL_API dnnl_graph_logical_tensor_init_with_dims(
    dnnl_graph_logical_tensor_t *logical_tensor, size_t tid,
    dnnl_data_type_t dtype, int32_t ndims, const dnnl_dims_t dims,
    dnnl_graph_layout_type_t ltype, dnnl_graph_tensor_property_t ptype);
dnnl_status_t DNNL_API dnnl_graph_logical_tensor_init_with_strides(
    dnnl_graph_logical_tensor_t *logical_tensor, size_t tid,
    dnnl_data_type_t dtype, int32_t ndims, const dnnl_dims_t dims,
    const dnnl_dims_t strides, dnnl_graph_tensor_property_t ptype);
/* Bytes from the first to the last element; SIZE_MAX while they are unknown. */
dnnl_status_t DNNL_API dnnl_graph_logical_tensor_get_mem_size(
    const dnnl_graph_logical_tensor_t *logical_tensor, size_t *size);
/* Whether id, type, sizes, property and layout are the same. */
dnnl_status_t DNNL_API dnnl_graph_logical_tensor_is_equal(
    const dnnl_graph_logical_tensor_t *lt1,
    const dnnl_graph_logical_tensor_t *lt2, uint8_t *is_equal);

/*===-- Tensors ----------------------------------------------------------===*/

/* handle: memory of the caller, DNNL_MEMORY_NONE, or DNNL_MEMORY_ALLOCATE for
 * memory of the engine's allocator that the tensor owns. */
dnnl_status_t DNNL_API
dnnl_graph_tensor_create(dnnl_graph_tensor_t *tensor,
                         const dnnl_graph_logical_tensor_t *logical_tensor,
                         dnnl_engine_t engine, void *handle);
/* Copies the value of a host scalar. The tensor has no engine and no handle. */
dnnl_status_t DNNL_API dnnl_graph_tensor_create_scalar(
    dnnl_graph_tensor_t *tensor,
    const dnnl_graph_logical_tensor_t *logical_tensor, void *scalar);
dnnl_status_t DNNL_API dnnl_graph_tensor_destroy(dnnl_graph_tensor_t tensor);
dnnl_status_t DNNL_API dnnl_graph_tensor_get_data_handle(
    const_dnnl_graph_tensor_t tensor, void **handle);
dnnl_status_t DNNL_API
dnnl_graph_tensor_set_data_handle(dnnl_graph_tensor_t tensor, void *handle);
/* The engine is borrowed. */
dnnl_status_t DNNL_API dnnl_graph_tensor_get_engine(
    const_dnnl_graph_tensor_t tensor, dnnl_engine_t *engine);
dnnl_status_t DNNL_API dnnl_graph_tensor_get_logical_tensor(
    const_dnnl_graph_tensor_t tensor,
    dnnl_graph_logical_tensor_t *logical_tensor);

/*===-- Ops --------------------------------------------------------------===*/

/* An op is checked when it is added to a graph, not before. */
dnnl_status_t DNNL_API dnnl_graph_op_create(dnnl_graph_op_t *op, size_t id,
                                            dnnl_graph_op_kind_t kind,
                                            const char *verbose_name);
dnnl_status_t DNNL_API dnnl_graph_op_destroy(dnnl_graph_op_t op);
dnnl_status_t DNNL_API dnnl_graph_op_add_input(
    dnnl_graph_op_t op, const dnnl_graph_logical_tensor_t *input);
dnnl_status_t DNNL_API dnnl_graph_op_add_output(
    dnnl_graph_op_t op, const dnnl_graph_logical_tensor_t *output);
/* value: one number for attributes that are a single number, whatever value_len
 * says, else value_len numbers. */
dnnl_status_t DNNL_API dnnl_graph_op_set_attr_f32(dnnl_graph_op_t op,
                                                  dnnl_graph_op_attr_t name,
                                                  const float *value,
                                                  size_t value_len);
dnnl_status_t DNNL_API dnnl_graph_op_set_attr_s64(dnnl_graph_op_t op,
                                                  dnnl_graph_op_attr_t name,
                                                  const int64_t *value,
                                                  size_t value_len);
/* value_len: 1. */
dnnl_status_t DNNL_API dnnl_graph_op_set_attr_bool(dnnl_graph_op_t op,
                                                   dnnl_graph_op_attr_t name,
                                                   const uint8_t *value,
                                                   size_t value_len);
/* The string ends at its zero byte; value_len is not 0. */
dnnl_status_t DNNL_API dnnl_graph_op_set_attr_str(dnnl_graph_op_t op,
                                                  dnnl_graph_op_attr_t name,
                                                  const char *value,
                                                  size_t value_len);
dnnl_status_t DNNL_API dnnl_graph_op_get_id(const_dnnl_graph_op_t op,
                                            size_t *id);
dnnl_status_t DNNL_API dnnl_graph_op_get_kind(const_dnnl_graph_op_t op,
                                              dnnl_graph_op_kind_t *kind);

/*===-- Graphs -----------------------------------------------------------===*/

dnnl_status_t DNNL_API dnnl_graph_graph_create(dnnl_graph_graph_t *graph,
                                               dnnl_engine_kind_t engine_kind);
dnnl_status_t DNNL_API dnnl_graph_graph_create_with_fpmath_mode(
    dnnl_graph_graph_t *graph, dnnl_engine_kind_t engine_kind,
    dnnl_fpmath_mode_t mode);
/* Partitions of the graph stay usable. */
dnnl_status_t DNNL_API dnnl_graph_graph_destroy(dnnl_graph_graph_t graph);
/* apply_to_int: the mode holds for computations on integers too. */
dnnl_status_t DNNL_API dnnl_graph_graph_set_fpmath_mode(
    dnnl_graph_graph_t graph, dnnl_fpmath_mode_t mode, int apply_to_int);
dnnl_status_t DNNL_API dnnl_graph_graph_get_fpmath_mode(
    dnnl_graph_graph_t graph, dnnl_fpmath_mode_t *mode, int *apply_to_int);
/* Copies the op. An op of the specification must have the inputs, outputs,
 * types and attributes that are given there, else dnnl_invalid_graph_op. An op
 * whose id is already in the graph is ignored. */
dnnl_status_t DNNL_API dnnl_graph_add_op(dnnl_graph_graph_t graph,
                                         dnnl_graph_op_t op);
/* dnnl_invalid_graph if descriptions of a tensor contradict each other, or ops
 * depend on each other in a cycle. No op can be added afterwards. */
dnnl_status_t DNNL_API dnnl_graph_graph_finalize(dnnl_graph_graph_t graph);
dnnl_status_t DNNL_API dnnl_graph_graph_is_finalized(dnnl_graph_graph_t graph,
                                                     uint8_t *finalized);
/* Divides a finalized graph into partitions, which replace those that an
 * earlier call made. */
dnnl_status_t DNNL_API dnnl_graph_graph_filter(
    dnnl_graph_graph_t graph, dnnl_graph_partition_policy_t policy);
dnnl_status_t DNNL_API
dnnl_graph_graph_get_partition_num(const_dnnl_graph_graph_t graph, size_t *num);
/* The first num partitions, in topological order; the caller destroys them. */
dnnl_status_t DNNL_API dnnl_graph_graph_get_partitions(
    dnnl_graph_graph_t graph, size_t num, dnnl_graph_partition_t *partitions);

/*===-- Partitions -------------------------------------------------------===*/

/* One op without a graph. */
dnnl_status_t DNNL_API dnnl_graph_partition_create_with_op(
    dnnl_graph_partition_t *partition, const_dnnl_graph_op_t op,
    dnnl_engine_kind_t ekind);
dnnl_status_t DNNL_API
dnnl_graph_partition_destroy(dnnl_graph_partition_t partition);
dnnl_status_t DNNL_API dnnl_graph_partition_get_op_num(
    const_dnnl_graph_partition_t partition, size_t *num);
/* num: the number of ops. In topological order. */
dnnl_status_t DNNL_API dnnl_graph_partition_get_ops(
    dnnl_graph_partition_t partition, size_t num, size_t *ids);
/* Unique in the process. */
dnnl_status_t DNNL_API
dnnl_graph_partition_get_id(const_dnnl_graph_partition_t partition, size_t *id);
/* Ports: the tensors that come in, one for each operand, and those that others
 * read. */
dnnl_status_t DNNL_API dnnl_graph_partition_get_input_ports_num(
    const_dnnl_graph_partition_t partition, size_t *num);
dnnl_status_t DNNL_API dnnl_graph_partition_get_input_ports(
    const_dnnl_graph_partition_t partition, size_t num,
    dnnl_graph_logical_tensor_t *inputs);
dnnl_status_t DNNL_API dnnl_graph_partition_get_output_ports_num(
    const_dnnl_graph_partition_t partition, size_t *num);
dnnl_status_t DNNL_API dnnl_graph_partition_get_output_ports(
    const_dnnl_graph_partition_t partition, size_t num,
    dnnl_graph_logical_tensor_t *outputs);
/* Whether it can be compiled. */
dnnl_status_t DNNL_API dnnl_graph_partition_is_supported(
    const_dnnl_graph_partition_t partition, uint8_t *is_supported);
dnnl_status_t DNNL_API dnnl_graph_partition_get_engine_kind(
    const_dnnl_graph_partition_t partition, dnnl_engine_kind_t *kind);

/*===-- Compiled partitions ----------------------------------------------===*/

/* To be filled by dnnl_graph_partition_compile(). */
dnnl_status_t DNNL_API dnnl_graph_compiled_partition_create(
    dnnl_graph_compiled_partition_t *compiled_partition,
    dnnl_graph_partition_t partition);
dnnl_status_t DNNL_API dnnl_graph_compiled_partition_destroy(
    dnnl_graph_compiled_partition_t compiled_partition);
/* inputs: complete. outputs: sizes and strides may be unknown, the layout may
 * be the library's choice. They belong to the ports of the same id; there may
 * be others too. Sizes that contradict those that follow from the inputs are
 * dnnl_invalid_shape. */
dnnl_status_t DNNL_API dnnl_graph_partition_compile(
    dnnl_graph_partition_t partition,
    dnnl_graph_compiled_partition_t compiled_partition, size_t in_num,
    const dnnl_graph_logical_tensor_t **inputs, size_t out_num,
    const dnnl_graph_logical_tensor_t **outputs, dnnl_engine_t engine);
/* The tensor as it was compiled. Its id is SIZE_MAX if there is no tensor with
 * this id. */
dnnl_status_t DNNL_API dnnl_graph_compiled_partition_query_logical_tensor(
    const_dnnl_graph_compiled_partition_t compiled_partition, size_t tid,
    dnnl_graph_logical_tensor_t *lt);
/* Outputs that may be executed in the memory of an input. The array belongs to
 * the compiled partition. */
dnnl_status_t DNNL_API dnnl_graph_compiled_partition_get_inplace_ports(
    const_dnnl_graph_compiled_partition_t compiled_partition,
    size_t *num_inplace_pairs, const dnnl_graph_inplace_pair_t **inplace_pairs);
/* Temporary memory of an execution: bytes in one dimension, 0 if there is none.
 */
dnnl_status_t DNNL_API
dnnl_graph_compiled_partition_get_scratchpad_logical_tensor(
    const_dnnl_graph_compiled_partition_t compiled_partition,
    dnnl_graph_logical_tensor_t *lt);
/* Tensors in the order of dnnl_graph_partition_compile(). The stream is on the
 * engine that it was compiled for. */
dnnl_status_t DNNL_API dnnl_graph_compiled_partition_execute(
    const_dnnl_graph_compiled_partition_t compiled_partition,
    dnnl_stream_t stream, size_t num_inputs, const_dnnl_graph_tensor_t *inputs,
    size_t num_outputs, const_dnnl_graph_tensor_t *outputs);
/* scratchpad NULL: the memory comes from the engine's allocator. */
dnnl_status_t DNNL_API dnnl_graph_compiled_partition_execute_v2(
    const_dnnl_graph_compiled_partition_t compiled_partition,
    dnnl_stream_t stream, size_t num_inputs, const_dnnl_graph_tensor_t *inputs,
    size_t num_outputs, const_dnnl_graph_tensor_t *outputs,
    const_dnnl_graph_tensor_t scratchpad);

/*===-- Caches and settings ----------------------------------------------===*/

/* Number of compiled partitions that are kept in case the same partition is
 * compiled again; 0: none. */
dnnl_status_t DNNL_API
dnnl_graph_get_compiled_partition_cache_capacity(int *capacity);
dnnl_status_t DNNL_API
dnnl_graph_set_compiled_partition_cache_capacity(int capacity);
/* MiB of values computed from constant inputs that are kept for the next
 * execution; 0, the default: they are computed in each. Setting it drops what
 * is kept. */
dnnl_status_t DNNL_API dnnl_graph_set_constant_tensor_cache_capacity(
    dnnl_engine_kind_t eng_kind, size_t size);
dnnl_status_t DNNL_API dnnl_graph_get_constant_tensor_cache_capacity(
    dnnl_engine_kind_t eng_kind, size_t *size);
/* Older forms of the same: a positive number stands for any number of MiB. */
dnnl_status_t DNNL_API dnnl_graph_set_constant_tensor_cache(int flag);
dnnl_status_t DNNL_API dnnl_graph_get_constant_tensor_cache(int *flag);
/* Which graphs are written to files in the working directory. */
dnnl_status_t DNNL_API dnnl_graph_set_dump_mode(dnnl_graph_dump_mode_t modes);

#ifdef __cplusplus
}
#endif

#endif /* ONEAPI_DNNL_DNNL_GRAPH_H */
