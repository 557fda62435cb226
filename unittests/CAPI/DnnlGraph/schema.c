/* Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* Which ops a graph takes: the types of their tensors, and tensors that may be
 * there or not. */

#include "Client.h"

static const dnnl_data_type_t f32 = dnnl_f32, bf16 = dnnl_bf16, f16 = dnnl_f16,
                              s32 = dnnl_s32, s8 = dnnl_s8, u8 = dnnl_u8;

static LT makeTyped(size_t id, dnnl_data_type_t type) {
  LT lt = makeUnknown(id);
  lt.data_type = type;
  return lt;
}

/* An op whose tensors have the types, inputs first, and unknown shapes. */
static dnnl_graph_op_t makeTypedOp(dnnl_graph_op_kind_t kind,
                                   const dnnl_data_type_t *types, int inputs,
                                   int outputs) {
  dnnl_graph_op_t op = makeOp(1, kind, NULL, NULL, NULL);
  for (int i = 0; i < inputs + outputs; ++i) {
    LT lt = makeTyped(i, types[i]);
    OK(i < inputs ? dnnl_graph_op_add_input(op, &lt)
                  : dnnl_graph_op_add_output(op, &lt));
  }
  return op;
}

/* Adds it to a graph. Whether it is supported there, if that succeeds. */
static int addTyped(dnnl_graph_op_t op, dnnl_status_t expected) {
  dnnl_graph_graph_t graph = NULL;
  dnnl_graph_partition_t partition = NULL;
  uint8_t supported = 0;
  OK(dnnl_graph_graph_create(&graph, dnnl_cpu));
  EXPECT(dnnl_graph_add_op(graph, op), expected);
  OK(dnnl_graph_op_destroy(op));
  if (expected == dnnl_success) {
    OK(dnnl_graph_graph_finalize(graph));
    OK(dnnl_graph_graph_filter(graph, dnnl_graph_partition_policy_fusion));
    OK(dnnl_graph_graph_get_partitions(graph, 1, &partition));
    OK(dnnl_graph_partition_is_supported(partition, &supported));
    OK(dnnl_graph_partition_destroy(partition));
  }
  OK(dnnl_graph_graph_destroy(graph));
  return supported;
}

static void takes(dnnl_graph_op_kind_t kind, dnnl_data_type_t a,
                  dnnl_data_type_t b, dnnl_data_type_t c) {
  dnnl_data_type_t types[] = {a, b, c};
  CHECK(addTyped(makeTypedOp(kind, types, 2, 1), dnnl_success));
}
static void refuses(dnnl_graph_op_kind_t kind, dnnl_data_type_t a,
                    dnnl_data_type_t b, dnnl_data_type_t c) {
  dnnl_data_type_t types[] = {a, b, c};
  addTyped(makeTypedOp(kind, types, 2, 1), dnnl_invalid_graph_op);
}

/* Types that an op has, but not together. */
static void testTypes(void) {
  const dnnl_data_type_t toNarrow[] = {f32, bf16}, toWide[] = {bf16, f32},
                         narrow[] = {f16, bf16};
  CHECK(addTyped(makeTypedOp(dnnl_graph_op_softmax, toNarrow, 1, 1),
                 dnnl_success));
  CHECK(
      addTyped(makeTypedOp(dnnl_graph_op_softmax, toWide, 1, 1), dnnl_success));
  addTyped(makeTypedOp(dnnl_graph_op_softmax, narrow, 1, 1),
           dnnl_invalid_graph_op);
  addTyped(makeTypedOp(dnnl_graph_op_relu, toNarrow, 1, 1),
           dnnl_invalid_graph_op);
  CHECK(
      strstr(gc_dnnl_last_reason(), "ReLU (id 1): src is f32 and dst is bf16"));
  CHECK(addTyped(makeTypedOp(dnnl_graph_op_type_cast, toNarrow, 1, 1),
                 dnnl_success));

  takes(dnnl_graph_op_add, f32, bf16, f32);
  takes(dnnl_graph_op_add, f16, f32, f32);
  takes(dnnl_graph_op_add, s32, s32, s32);
  refuses(dnnl_graph_op_add, f32, bf16, bf16);
  refuses(dnnl_graph_op_add, f16, bf16, f32);
  refuses(dnnl_graph_op_multiply, f16, f16, f32);
  refuses(dnnl_graph_op_add, f32, s32, f32);
  refuses(dnnl_graph_op_maximum, f32, bf16, f32);
  takes(dnnl_graph_op_matmul, bf16, bf16, f32);
  takes(dnnl_graph_op_matmul, f16, f16, f16);
  refuses(dnnl_graph_op_matmul, f32, bf16, f32);
  refuses(dnnl_graph_op_matmul, f32, f32, bf16);
  refuses(dnnl_graph_op_matmul, bf16, bf16, f16);
  refuses(dnnl_graph_op_bias_add, bf16, f32, bf16);
  refuses(dnnl_graph_op_greater_equal, f32, s32, dnnl_boolean);
  takes(dnnl_graph_op_greater_equal, s32, s32, dnnl_boolean);
  /* Types that there is no code for go around ops that have any. */
  const dnnl_data_type_t twice[] = {dnnl_f64, dnnl_f64};
  addTyped(makeTypedOp(dnnl_graph_op_reorder, twice, 1, 1),
           dnnl_invalid_graph_op);
  addTyped(makeTypedOp(dnnl_graph_op_reorder, toNarrow, 1, 1),
           dnnl_invalid_graph_op);
  CHECK(!addTyped(makeTypedOp(dnnl_graph_op_end, twice, 1, 0), dnnl_success));
  takes(dnnl_graph_op_dynamic_dequantize, s8, bf16, bf16);
  refuses(dnnl_graph_op_dynamic_dequantize, s8, bf16, f32);
  takes(dnnl_graph_op_rms_norm, bf16, f32, bf16);
  refuses(dnnl_graph_op_rms_norm, f32, bf16, f32);
  refuses(dnnl_graph_op_rms_norm, bf16, f32, f32);
  takes(dnnl_graph_op_rms_norm, f16, f16, f16);
  for (int i = 0; i < 4; ++i) {
    /* Parameters of other norms are f32, or bf16 with bf16. */
    const dnnl_data_type_t of[] = {f32, bf16, f16, f16};
    const dnnl_data_type_t by[] = {f32, bf16, f32, f16};
    const dnnl_data_type_t norm[] = {of[i], by[i], by[i], of[i]};
    uint8_t no = 0;
    dnnl_graph_op_t op = makeTypedOp(dnnl_graph_op_layer_norm, norm, 3, 1);
    OK(dnnl_graph_op_set_attr_bool(op, dnnl_graph_op_attr_keep_stats, &no, 1));
    CHECK(addTyped(op, i < 3 ? dnnl_success : dnnl_invalid_graph_op) ==
          (i < 3));
  }
}

/* What may be an input instead of an attribute is taken. What is computed would
 * depend on its content, so that no partition with such an op is supported. */
static void testExtraTensors(void) {
  const dnnl_data_type_t types[] = {f32, s32, f32}, wrong[] = {f32, s8, f32};
  CHECK(!addTyped(makeTypedOp(dnnl_graph_op_reduce_sum, types, 2, 1),
                  dnnl_success));
  addTyped(makeTypedOp(dnnl_graph_op_reduce_sum, wrong, 2, 1),
           dnnl_invalid_graph_op);
  CHECK(strstr(gc_dnnl_last_reason(), "axes is a tensor of s32"));
  dnnl_graph_op_t op = makeTypedOp(dnnl_graph_op_interpolate, types, 2, 1);
  OK(dnnl_graph_op_set_attr_str(op, dnnl_graph_op_attr_mode, "nearest", 7));
  CHECK(!addTyped(op, dnnl_success));

  const dnnl_data_type_t mask[] = {f32, dnnl_s64, dnnl_s64, f32, f32, u8};
  CHECK(addTyped(makeTypedOp(dnnl_graph_op_dropout, mask, 4, 1), dnnl_success));
  CHECK(
      !addTyped(makeTypedOp(dnnl_graph_op_dropout, mask, 4, 2), dnnl_success));

  /* The attribute is required where the input is missing. */
  const int64_t one[] = {1, 1}, zero[] = {0, 0};
  for (int inputs = 1; inputs <= 2; ++inputs) {
    const dnnl_data_type_t pool[] = {f32, inputs == 2 ? s32 : f32, f32};
    uint8_t no = 0;
    op = makeTypedOp(dnnl_graph_op_avg_pool_backward, pool, inputs, 1);
    OK(dnnl_graph_op_set_attr_s64(op, dnnl_graph_op_attr_strides, one, 2));
    OK(dnnl_graph_op_set_attr_s64(op, dnnl_graph_op_attr_kernel, one, 2));
    OK(dnnl_graph_op_set_attr_s64(op, dnnl_graph_op_attr_pads_begin, zero, 2));
    OK(dnnl_graph_op_set_attr_s64(op, dnnl_graph_op_attr_pads_end, zero, 2));
    OK(dnnl_graph_op_set_attr_bool(op, dnnl_graph_op_attr_exclude_pad, &no, 1));
    addTyped(op, inputs == 2 ? dnnl_success : dnnl_invalid_graph_op);
  }
}

/* The gradients of what a norm scales and shifts by come together. */
static void testGradients(void) {
  const dnnl_data_type_t types[] = {f32, f32, f32, f32, f32, f32, f32, f32};
  const float epsilon = 1e-5f;
  for (int outputs = 1; outputs <= 3; ++outputs) {
    dnnl_graph_op_t op =
        makeTypedOp(dnnl_graph_op_batch_norm_backward, types, 5, outputs);
    OK(dnnl_graph_op_set_attr_f32(op, dnnl_graph_op_attr_epsilon, &epsilon, 1));
    addTyped(op, outputs == 2 ? dnnl_invalid_graph_op : dnnl_success);
  }
}

/* Nothing is checked before an op is added, not even its kind. */
static void testKinds(void) {
  const dnnl_data_type_t types[] = {f32, f32};
  addTyped(makeTypedOp((dnnl_graph_op_kind_t)500, types, 1, 1),
           dnnl_invalid_graph_op);
  addTyped(makeTypedOp(dnnl_graph_op_last_symbol, types, 1, 1),
           dnnl_invalid_graph_op);
  dnnl_graph_partition_t partition = NULL;
  dnnl_graph_op_t op = makeTypedOp(dnnl_graph_op_last_symbol, types, 1, 1);
  EXPECT(dnnl_graph_partition_create_with_op(&partition, op, dnnl_cpu),
         dnnl_invalid_graph_op);
  OK(dnnl_graph_op_destroy(op));
}

void testSchema(void) {
  testTypes();
  testExtraTensors();
  testGradients();
  testKinds();
}
