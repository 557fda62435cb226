/* Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* Types of the part of the primitive interface that programs fill tensors with:
 * memory with strides, and reorders. */

#ifndef ONEAPI_DNNL_DNNL_TYPES_H
#define ONEAPI_DNNL_DNNL_TYPES_H

#include "oneapi/dnnl/dnnl_common_types.h"

#include <limits.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DNNL_RUNTIME_DIM_VAL INT64_MIN

#define DNNL_MEMORY_NONE (NULL)
#define DNNL_MEMORY_ALLOCATE ((void *)(size_t)-1)

typedef enum {
  dnnl_format_kind_undef = 0,
  dnnl_format_kind_any = 1,
  dnnl_blocked = 2 /* strided here */
} dnnl_format_kind_t;

/* Orders of dimensions, the outermost first; a is the first dimension. */
typedef enum {
  dnnl_format_tag_undef = 0,
  dnnl_format_tag_any = 1,
  dnnl_a = 2,
  dnnl_ab = 3,
  dnnl_abc = 4,
  dnnl_abcd = 5,
  dnnl_abcde = 6,
  dnnl_abcdef = 7,
  dnnl_abcdefg = 8,
  dnnl_abcdefgh = 9,
  dnnl_abcdefghi = 10,
  dnnl_abcdefghij = 11,
  dnnl_abcdefghijk = 12,
  dnnl_abcdefghijkl = 13,
  dnnl_x = dnnl_a,
  dnnl_nc = dnnl_ab,
  dnnl_ncw = dnnl_abc,
  dnnl_nchw = dnnl_abcd,
  dnnl_ncdhw = dnnl_abcde
} dnnl_format_tag_t;

struct dnnl_memory_desc;
typedef struct dnnl_memory_desc *dnnl_memory_desc_t;
typedef const struct dnnl_memory_desc *const_dnnl_memory_desc_t;
struct dnnl_memory;
typedef struct dnnl_memory *dnnl_memory_t;
typedef const struct dnnl_memory *const_dnnl_memory_t;
struct dnnl_primitive_desc;
typedef struct dnnl_primitive_desc *dnnl_primitive_desc_t;
typedef const struct dnnl_primitive_desc *const_dnnl_primitive_desc_t;
struct dnnl_primitive_attr;
typedef struct dnnl_primitive_attr *dnnl_primitive_attr_t;
typedef const struct dnnl_primitive_attr *const_dnnl_primitive_attr_t;
struct dnnl_primitive;
typedef struct dnnl_primitive *dnnl_primitive_t;
typedef const struct dnnl_primitive *const_dnnl_primitive_t;

/* What a primitive reads or writes, and as which argument. */
typedef struct {
  int arg;
  dnnl_memory_t memory;
} dnnl_exec_arg_t;

#define DNNL_ARG_SRC_0 1
#define DNNL_ARG_SRC DNNL_ARG_SRC_0
#define DNNL_ARG_FROM DNNL_ARG_SRC_0
#define DNNL_ARG_DST_0 17
#define DNNL_ARG_DST DNNL_ARG_DST_0
#define DNNL_ARG_TO DNNL_ARG_DST_0

/* What dnnl_memory_desc_query() can be asked, and the type of its answer. */
typedef enum {
  dnnl_query_undef = 0,
  dnnl_query_ndims_s32 = 256,            /* int */
  dnnl_query_dims = 257,                 /* const dnnl_dims_t * */
  dnnl_query_data_type = 258,            /* dnnl_data_type_t */
  dnnl_query_submemory_offset_s64 = 259, /* dnnl_dim_t */
  dnnl_query_padded_dims = 260,          /* const dnnl_dims_t * */
  dnnl_query_padded_offsets = 261,       /* const dnnl_dims_t * */
  dnnl_query_format_kind = 262,          /* dnnl_format_kind_t */
  dnnl_query_inner_nblks_s32 = 263,      /* int */
  dnnl_query_inner_blks = 264,           /* const dnnl_dims_t * */
  dnnl_query_inner_idxs = 265,           /* const dnnl_dims_t * */
  dnnl_query_strides = 14                /* const dnnl_dims_t * */
} dnnl_query_t;

/* Instruction sets, each with those it builds on. */
typedef enum {
  dnnl_cpu_isa_default = 0x0,
  dnnl_cpu_isa_sse41 = 0x1,
  dnnl_cpu_isa_avx = 0x3,
  dnnl_cpu_isa_avx2 = 0x7,
  dnnl_cpu_isa_avx2_vnni = 0xf,
  dnnl_cpu_isa_avx512_core = 0x27,
  dnnl_cpu_isa_avx512_core_vnni = 0x67,
  dnnl_cpu_isa_avx512_core_bf16 = 0xe7,
  dnnl_cpu_isa_avx512_core_fp16 = 0x1ef
} dnnl_cpu_isa_t;

#ifdef __cplusplus
}
#endif

#endif /* ONEAPI_DNNL_DNNL_TYPES_H */
