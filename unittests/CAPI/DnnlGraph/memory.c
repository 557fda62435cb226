/* Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* Memory with strides, and reorders from f32. */

#include "Client.h"

#include <stdint.h>

static void testDescriptions(void) {
  const dnnl_dims_t dims = {2, 3}, strides = {1, 2};
  dnnl_memory_desc_t plain = NULL, columns = NULL, copy = NULL;
  INVALID(dnnl_memory_desc_create_with_strides(NULL, 2, dims, dnnl_f32, NULL));
  INVALID(
      dnnl_memory_desc_create_with_strides(&plain, 13, dims, dnnl_f32, NULL));
  INVALID(
      dnnl_memory_desc_create_with_strides(&plain, 2, NULL, dnnl_f32, NULL));
  OK(dnnl_memory_desc_create_with_strides(&columns, 2, dims, dnnl_s8, strides));
  INVALID(
      dnnl_memory_desc_create_with_tag(&plain, 2, dims, dnnl_f32, dnnl_abc));
  INVALID(dnnl_memory_desc_create_with_tag(&plain, 2, dims, dnnl_f32,
                                           dnnl_format_tag_undef));
  EXPECT(dnnl_memory_desc_create_with_tag(&plain, 2, dims, dnnl_f32,
                                          dnnl_format_tag_any),
         dnnl_unimplemented);
  OK(dnnl_memory_desc_create_with_tag(&plain, 2, dims, dnnl_f32, dnnl_ab));
  CHECK(dnnl_memory_desc_get_size(plain) == 24);
  CHECK(dnnl_memory_desc_get_size_v2(columns, 0) == 6);
  CHECK(dnnl_memory_desc_get_size_v2(columns, 1) == 0);
  CHECK(dnnl_memory_desc_get_size(NULL) == 0);
  CHECK(dnnl_data_type_size(dnnl_bf16) == 2);
  INVALID(dnnl_memory_desc_clone(NULL, plain));
  INVALID(dnnl_memory_desc_clone(&copy, NULL));
  OK(dnnl_memory_desc_clone(&copy, plain));
  CHECK(dnnl_memory_desc_equal(copy, plain));
  CHECK(!dnnl_memory_desc_equal(copy, columns));

  int ndims = 0;
  const dnnl_dims_t *list = NULL;
  dnnl_data_type_t type = dnnl_data_type_undef;
  INVALID(dnnl_memory_desc_query_v2(NULL, dnnl_query_ndims_s32, 0, &ndims));
  INVALID(dnnl_memory_desc_query_v2(plain, dnnl_query_ndims_s32, 0, NULL));
  OK(dnnl_memory_desc_query(plain, dnnl_query_ndims_s32, &ndims));
  OK(dnnl_memory_desc_query(plain, dnnl_query_dims, &list));
  CHECK(ndims == 2 && (*list)[0] == 2 && (*list)[1] == 3);
  OK(dnnl_memory_desc_query_v2(columns, dnnl_query_strides, 0, &list));
  CHECK((*list)[0] == 1 && (*list)[1] == 2);
  OK(dnnl_memory_desc_query_v2(columns, dnnl_query_data_type, 0, &type));
  CHECK(type == dnnl_s8);
  EXPECT(dnnl_memory_desc_query(plain, dnnl_query_undef, &ndims),
         dnnl_unimplemented);
  OK(dnnl_memory_desc_destroy(plain));
  OK(dnnl_memory_desc_destroy(columns));
  OK(dnnl_memory_desc_destroy(copy));
  OK(dnnl_memory_desc_destroy(NULL));
}

/* Fills `result` with f32 numbers as elements of a type, column by column. */
static void reorder(dnnl_engine_t engine, dnnl_stream_t stream, float *from,
                    dnnl_data_type_t type, void *result) {
  const dnnl_dims_t dims = {2, 2}, strides = {1, 2};
  dnnl_memory_desc_t fromDesc = NULL, toDesc = NULL;
  dnnl_memory_t source = NULL, target = NULL;
  dnnl_primitive_attr_t attr = NULL;
  dnnl_primitive_desc_t desc = NULL;
  dnnl_primitive_t primitive = NULL;
  void *handle = NULL;
  OK(dnnl_memory_desc_create_with_strides(&fromDesc, 2, dims, dnnl_f32, NULL));
  OK(dnnl_memory_desc_create_with_strides(&toDesc, 2, dims, type, strides));
  INVALID(dnnl_memory_create(&source, fromDesc, NULL, from));
  OK(dnnl_memory_create(&source, fromDesc, engine, from));
  INVALID(dnnl_memory_create_v2(&target, toDesc, engine, 2, &result));
  OK(dnnl_memory_create_v2(&target, toDesc, engine, 1, &result));
  OK(dnnl_memory_get_data_handle(target, &handle));
  CHECK(handle == result);
  INVALID(dnnl_memory_get_data_handle_v2(target, &handle, 1));
  OK(dnnl_memory_get_data_handle_v2(target, &handle, 0));
  CHECK(handle == result);
  OK(dnnl_memory_set_data_handle(target, NULL));
  OK(dnnl_memory_set_data_handle_v2(target, result, 0));
  OK(dnnl_memory_map_data(target, &handle));
  CHECK(handle == result);
  OK(dnnl_memory_unmap_data(target, handle));
  dnnl_engine_t got = NULL;
  OK(dnnl_memory_get_engine(target, &got));
  CHECK(got == engine);
  const_dnnl_memory_desc_t borrowed = NULL;
  OK(dnnl_memory_get_memory_desc(target, &borrowed));
  CHECK(dnnl_memory_desc_equal(borrowed, toDesc));

  OK(dnnl_primitive_attr_create(&attr));
  INVALID(dnnl_reorder_primitive_desc_create(NULL, fromDesc, engine, toDesc,
                                             engine, attr));
  OK(dnnl_reorder_primitive_desc_create(&desc, fromDesc, engine, toDesc, engine,
                                        attr));
  OK(dnnl_primitive_create(&primitive, desc));
  OK(dnnl_primitive_desc_destroy(desc));
  dnnl_exec_arg_t args[] = {{DNNL_ARG_FROM, source}, {DNNL_ARG_TO, target}};
  INVALID(dnnl_primitive_execute(primitive, stream, 1, args));
  INVALID(dnnl_primitive_execute(NULL, stream, 2, args));
  INVALID(dnnl_primitive_execute(primitive, NULL, 2, args));
  OK(dnnl_primitive_execute(primitive, stream, 2, args));
  OK(dnnl_primitive_destroy(primitive));
  OK(dnnl_primitive_attr_destroy(attr));
  OK(dnnl_memory_destroy(source));
  OK(dnnl_memory_destroy(target));
  OK(dnnl_memory_desc_destroy(fromDesc));
  OK(dnnl_memory_desc_destroy(toDesc));
}

static void testReorders(void) {
  dnnl_engine_t engine = NULL;
  dnnl_stream_t stream = NULL;
  OK(dnnl_engine_create(&engine, dnnl_cpu, 0));
  OK(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags));
  float from[] = {1.5f, -2.5f, 300, -1};
  float f32[4];
  reorder(engine, stream, from, dnnl_f32, f32);
  CHECK(f32[0] == 1.5f && f32[1] == 300 && f32[2] == -2.5f && f32[3] == -1);
  /* Halves to even, saturated. */
  int8_t s8[4];
  reorder(engine, stream, from, dnnl_s8, s8);
  CHECK(s8[0] == 2 && s8[1] == 127 && s8[2] == -2 && s8[3] == -1);
  uint8_t u8[4], u4[2];
  reorder(engine, stream, from, dnnl_u8, u8);
  CHECK(u8[0] == 2 && u8[1] == 255 && u8[2] == 0 && u8[3] == 0);
  /* Two to a byte, the low half first. */
  reorder(engine, stream, from, dnnl_u4, u4);
  CHECK(u4[0] == (2 | 15 << 4) && u4[1] == 0);
  reorder(engine, stream, from, dnnl_s4, u4);
  CHECK(u4[0] == (2 | 7 << 4) && u4[1] == (14 | 15 << 4));
  uint16_t bf16[4];
  reorder(engine, stream, from, dnnl_bf16, bf16);
  CHECK(bf16[0] == 0x3fc0 && bf16[1] == 0x4396 && bf16[3] == 0xbf80);
  int64_t s64[4];
  reorder(engine, stream, from, dnnl_s64, s64);
  CHECK(s64[1] == 300 && s64[2] == -2);
  OK(dnnl_stream_destroy(stream));
  OK(dnnl_engine_destroy(engine));
}

void testMemory(void) {
  testDescriptions();
  testReorders();
}
