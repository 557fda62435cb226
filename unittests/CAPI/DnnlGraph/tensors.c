/* Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* Logical tensors and tensors. */

#include "Client.h"

#include <stddef.h>
#include <stdint.h>

static size_t getSize(const LT *lt) {
  size_t size = 0;
  OK(dnnl_graph_logical_tensor_get_mem_size(lt, &size));
  return size;
}

static int isEqual(const LT *a, const LT *b) {
  uint8_t equal = 7;
  OK(dnnl_graph_logical_tensor_is_equal(a, b, &equal));
  return equal;
}

static void testLayout(void) {
  CHECK(sizeof(LT) == 224);
  CHECK(offsetof(LT, ndims) == 8 && offsetof(LT, dims) == 16);
  CHECK(offsetof(LT, data_type) == 112 && offsetof(LT, property) == 116);
  CHECK(offsetof(LT, layout_type) == 120 && offsetof(LT, layout) == 128);
  CHECK(dnnl_graph_op_last_symbol == 88 && dnnl_graph_op_dropout == 87);
  CHECK(dnnl_graph_op_attr_group_shape == 0x4e);
  CHECK(dnnl_graph_op_attr_accumulation_mode == 0x88);
}

static void testInit(void) {
  const dnnl_graph_layout_type_t strided = dnnl_graph_layout_type_strided;
  const dnnl_graph_tensor_property_t undef = dnnl_graph_tensor_property_undef;
  const dnnl_graph_tensor_property_t scalar =
      dnnl_graph_tensor_property_host_scalar;
  LT lt;
  INVALID(dnnl_graph_logical_tensor_init(NULL, 1, dnnl_f32, 2, strided, undef));
  INVALID(dnnl_graph_logical_tensor_init(&lt, 1, dnnl_f32, -2, strided, undef));
  INVALID(dnnl_graph_logical_tensor_init(&lt, 1, dnnl_f32, 13, strided, undef));
  INVALID(dnnl_graph_logical_tensor_init(&lt, 1, (dnnl_data_type_t)77, 2,
                                         strided, undef));
  OK(dnnl_graph_logical_tensor_init(&lt, 9, dnnl_s8, 2,
                                    dnnl_graph_layout_type_any,
                                    dnnl_graph_tensor_property_constant));
  CHECK(lt.id == 9 && lt.ndims == 2 && lt.data_type == dnnl_s8);
  CHECK(lt.dims[0] == INT64_MIN && lt.dims[1] == INT64_MIN);
  CHECK(lt.layout_type == dnnl_graph_layout_type_any);
  CHECK(lt.property == dnnl_graph_tensor_property_constant);
  CHECK(getSize(&lt) == SIZE_MAX);
  OK(dnnl_graph_logical_tensor_init(&lt, 9, dnnl_f32, -1, strided, undef));
  CHECK(lt.ndims == -1 && getSize(&lt) == SIZE_MAX);

  const dnnl_dims_t dims = {2, 0, 3}, unknown = {2, INT64_MIN};
  INVALID(dnnl_graph_logical_tensor_init_with_dims(&lt, 1, dnnl_f32, -1, dims,
                                                   strided, undef));
  INVALID(dnnl_graph_logical_tensor_init_with_dims(&lt, 1, dnnl_f32, 2, NULL,
                                                   strided, undef));
  /* A size of 0 counts as 1. */
  OK(dnnl_graph_logical_tensor_init_with_dims(&lt, 1, dnnl_f32, 3, dims,
                                              strided, undef));
  CHECK(lt.layout.strides[0] == 3 && lt.layout.strides[1] == 3);
  CHECK(lt.layout.strides[2] == 1 && getSize(&lt) == 0);
  OK(dnnl_graph_logical_tensor_init_with_dims(&lt, 1, dnnl_f32, 2, unknown,
                                              strided, undef));
  CHECK(lt.layout.strides[0] == INT64_MIN && getSize(&lt) == SIZE_MAX);
  OK(dnnl_graph_logical_tensor_init_with_dims(&lt, 1, dnnl_f32, 0, NULL,
                                              strided, undef));
  CHECK(lt.ndims == 0 && getSize(&lt) == 4);

  const dnnl_dims_t sizes = {2, 3}, strides = {8, 2};
  INVALID(dnnl_graph_logical_tensor_init_with_strides(&lt, 1, dnnl_f32, 2,
                                                      sizes, NULL, undef));
  OK(dnnl_graph_logical_tensor_init_with_strides(&lt, 1, dnnl_bf16, 2, sizes,
                                                 strides, undef));
  CHECK(lt.layout.strides[0] == 8 && lt.layout_type == strided);
  CHECK(getSize(&lt) == 32);
  /* A stride along one element does not matter, and halves round up. */
  const dnnl_dims_t row = {1, 5}, rowStrides = {100, 1};
  OK(dnnl_graph_logical_tensor_init_with_strides(&lt, 1, dnnl_u4, 2, row,
                                                 rowStrides, undef));
  CHECK(getSize(&lt) == 3);

  INVALID(dnnl_graph_logical_tensor_init(&lt, 1, dnnl_f32, 1, strided, scalar));
  INVALID(dnnl_graph_logical_tensor_init(&lt, 1, dnnl_f16, 0, strided, scalar));
  INVALID(dnnl_graph_logical_tensor_init_with_dims(&lt, 1, dnnl_f32, 2, sizes,
                                                   strided, scalar));
  INVALID(dnnl_graph_logical_tensor_init_with_strides(&lt, 1, dnnl_f32, 2,
                                                      sizes, strides, scalar));
  OK(dnnl_graph_logical_tensor_init(&lt, 1, dnnl_s64, 0, strided, scalar));
  CHECK(getSize(&lt) == 8);

  size_t size;
  INVALID(dnnl_graph_logical_tensor_get_mem_size(NULL, &size));
  INVALID(dnnl_graph_logical_tensor_get_mem_size(&lt, NULL));
}

static void testEqual(void) {
  LT a = makeTensor(1, 2, 2, 3), b = a;
  uint8_t equal;
  INVALID(dnnl_graph_logical_tensor_is_equal(NULL, &b, &equal));
  INVALID(dnnl_graph_logical_tensor_is_equal(&a, NULL, &equal));
  INVALID(dnnl_graph_logical_tensor_is_equal(&a, &b, NULL));
  CHECK(isEqual(&a, &b));
  /* What is beyond the rank does not count. */
  b.dims[5] = 7;
  CHECK(isEqual(&a, &b));
  b.id = 2;
  CHECK(!isEqual(&a, &b));
  b = a;
  b.data_type = dnnl_s32;
  CHECK(!isEqual(&a, &b));
  b = a;
  b.dims[1] = 4;
  CHECK(!isEqual(&a, &b));
  b = a;
  b.property = dnnl_graph_tensor_property_constant;
  CHECK(!isEqual(&a, &b));
  b = a;
  b.layout.strides[0] = 5;
  CHECK(!isEqual(&a, &b));
  b = a;
  b.layout_type = dnnl_graph_layout_type_any;
  CHECK(!isEqual(&a, &b));
}

static void testTensor(void) {
  dnnl_engine_t engine = NULL, got = NULL;
  OK(dnnl_engine_create(&engine, dnnl_cpu, 0));
  LT lt = makeTensor(4, 2, 2, 3), back;
  float data[6];
  void *handle = NULL;
  dnnl_graph_tensor_t tensor = NULL;
  INVALID(dnnl_graph_tensor_create(NULL, &lt, engine, data));
  INVALID(dnnl_graph_tensor_create(&tensor, NULL, engine, data));
  INVALID(dnnl_graph_tensor_create(&tensor, &lt, NULL, data));
  OK(dnnl_graph_tensor_create(&tensor, &lt, engine, data));
  INVALID(dnnl_graph_tensor_get_data_handle(NULL, &handle));
  INVALID(dnnl_graph_tensor_get_data_handle(tensor, NULL));
  OK(dnnl_graph_tensor_get_data_handle(tensor, &handle));
  CHECK(handle == data);
  INVALID(dnnl_graph_tensor_set_data_handle(NULL, data));
  OK(dnnl_graph_tensor_set_data_handle(tensor, data + 1));
  OK(dnnl_graph_tensor_get_data_handle(tensor, &handle));
  CHECK(handle == data + 1);
  INVALID(dnnl_graph_tensor_get_engine(NULL, &got));
  INVALID(dnnl_graph_tensor_get_engine(tensor, NULL));
  OK(dnnl_graph_tensor_get_engine(tensor, &got));
  CHECK(got == engine);
  INVALID(dnnl_graph_tensor_get_logical_tensor(NULL, &back));
  INVALID(dnnl_graph_tensor_get_logical_tensor(tensor, NULL));
  OK(dnnl_graph_tensor_get_logical_tensor(tensor, &back));
  CHECK(back.id == 4 && back.dims[1] == 3);
  OK(dnnl_graph_tensor_destroy(tensor));
  OK(dnnl_graph_tensor_destroy(NULL));

  OK(dnnl_graph_tensor_create(&tensor, &lt, engine, DNNL_MEMORY_NONE));
  OK(dnnl_graph_tensor_get_data_handle(tensor, &handle));
  CHECK(handle == NULL);
  OK(dnnl_graph_tensor_destroy(tensor));
  OK(dnnl_graph_tensor_create(&tensor, &lt, engine, DNNL_MEMORY_ALLOCATE));
  OK(dnnl_graph_tensor_get_data_handle(tensor, &handle));
  CHECK(handle && (uintptr_t)handle % 64 == 0);
  memset(handle, 1, sizeof(data));
  OK(dnnl_graph_tensor_destroy(tensor));
  LT unknown = makeUnknown(1);
  INVALID(dnnl_graph_tensor_create(&tensor, &unknown, engine,
                                   DNNL_MEMORY_ALLOCATE));

  LT scalar;
  int32_t value = 42;
  OK(dnnl_graph_logical_tensor_init(&scalar, 1, dnnl_s32, 0,
                                    dnnl_graph_layout_type_strided,
                                    dnnl_graph_tensor_property_host_scalar));
  INVALID(dnnl_graph_tensor_create(&tensor, &scalar, engine, &value));
  INVALID(dnnl_graph_tensor_create_scalar(NULL, &scalar, &value));
  INVALID(dnnl_graph_tensor_create_scalar(&tensor, NULL, &value));
  INVALID(dnnl_graph_tensor_create_scalar(&tensor, &scalar, NULL));
  INVALID(dnnl_graph_tensor_create_scalar(&tensor, &lt, &value));
  OK(dnnl_graph_tensor_create_scalar(&tensor, &scalar, &value));
  OK(dnnl_graph_tensor_get_data_handle(tensor, &handle));
  CHECK(handle == NULL);
  OK(dnnl_graph_tensor_get_engine(tensor, &got));
  CHECK(got == NULL);
  INVALID(dnnl_graph_tensor_set_data_handle(tensor, &value));
  OK(dnnl_graph_tensor_destroy(tensor));
  OK(dnnl_engine_destroy(engine));
}

void testTensors(void) {
  testLayout();
  testInit();
  testEqual();
  testTensor();
}
