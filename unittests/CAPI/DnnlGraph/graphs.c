/* Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* Ops, graphs and their partitions. */

#include "Client.h"

#include <stdint.h>

static void testOps(void) {
  LT a = makeTensor(1, 2, 2, 3), bad = a;
  bad.ndims = 40;
  dnnl_graph_op_t op = NULL;
  INVALID(dnnl_graph_op_create(NULL, 1, dnnl_graph_op_add, "a"));
  INVALID(dnnl_graph_op_create(&op, 1, dnnl_graph_op_add, NULL));
  OK(dnnl_graph_op_create(&op, 77, dnnl_graph_op_max_pool, "pool"));
  INVALID(dnnl_graph_op_add_input(NULL, &a));
  INVALID(dnnl_graph_op_add_input(op, NULL));
  INVALID(dnnl_graph_op_add_input(op, &bad));
  INVALID(dnnl_graph_op_add_output(NULL, &a));
  INVALID(dnnl_graph_op_add_output(op, NULL));
  size_t id = 0;
  dnnl_graph_op_kind_t kind = dnnl_graph_op_abs;
  INVALID(dnnl_graph_op_get_id(NULL, &id));
  INVALID(dnnl_graph_op_get_id(op, NULL));
  OK(dnnl_graph_op_get_id(op, &id));
  CHECK(id == 77);
  INVALID(dnnl_graph_op_get_kind(NULL, &kind));
  INVALID(dnnl_graph_op_get_kind(op, NULL));
  OK(dnnl_graph_op_get_kind(op, &kind));
  CHECK(kind == dnnl_graph_op_max_pool);

  float number = 1;
  int64_t list[] = {1, 1};
  uint8_t flag = 1;
  INVALID(
      dnnl_graph_op_set_attr_f32(NULL, dnnl_graph_op_attr_alpha, &number, 1));
  INVALID(dnnl_graph_op_set_attr_f32(op, dnnl_graph_op_attr_alpha, NULL, 1));
  /* The length of one number does not matter. */
  OK(dnnl_graph_op_set_attr_f32(op, dnnl_graph_op_attr_alpha, &number, 0));
  INVALID(dnnl_graph_op_set_attr_s64(op, dnnl_graph_op_attr_strides, NULL, 2));
  OK(dnnl_graph_op_set_attr_s64(op, dnnl_graph_op_attr_strides, list, 2));
  OK(dnnl_graph_op_set_attr_s64(op, dnnl_graph_op_attr_axis, list, 0));
  INVALID(dnnl_graph_op_set_attr_bool(op, dnnl_graph_op_attr_exclude_pad, &flag,
                                      0));
  INVALID(
      dnnl_graph_op_set_attr_bool(op, dnnl_graph_op_attr_exclude_pad, NULL, 1));
  OK(dnnl_graph_op_set_attr_bool(op, dnnl_graph_op_attr_exclude_pad, &flag, 1));
  INVALID(
      dnnl_graph_op_set_attr_str(op, dnnl_graph_op_attr_data_format, "NCX", 0));
  INVALID(
      dnnl_graph_op_set_attr_str(op, dnnl_graph_op_attr_data_format, NULL, 1));
  /* The string ends at its zero byte. */
  OK(dnnl_graph_op_set_attr_str(op, dnnl_graph_op_attr_data_format, "NCX", 1));
  OK(dnnl_graph_op_destroy(op));
  OK(dnnl_graph_op_destroy(NULL));
}

/* What the specification says of an op is checked when it is added. */
static void testSpecification(void) {
  LT a = makeTensor(1, 2, 2, 3), b = makeTensor(2, 2, 2, 3),
     c = makeTensor(3, 2, 2, 3), d = makeTensor(4, 2, 2, 3),
     i = makeTensor(5, 2, 2, 3), empty = a;
  i.data_type = dnnl_s32;
  empty.data_type = dnnl_data_type_undef;
  dnnl_graph_graph_t graph = NULL;
  OK(dnnl_graph_graph_create(&graph, dnnl_cpu));
  /* Counts and types. */
  addOp(graph, dnnl_invalid_graph_op, 1, dnnl_graph_op_add, &a, NULL, &c);
  CHECK(strstr(gc_dnnl_last_reason(), "Add"));
  CHECK(*gc_dnnl_last_reason() == 0);
  addOp(graph, dnnl_invalid_graph_op, 1, dnnl_graph_op_add, &a, &b, NULL);
  addOp(graph, dnnl_invalid_graph_op, 1, dnnl_graph_op_relu, &a, &b, &c);
  addOp(graph, dnnl_invalid_graph_op, 1, dnnl_graph_op_relu, &i, NULL, &c);
  addOp(graph, dnnl_invalid_graph_op, 1, dnnl_graph_op_relu, &empty, NULL, &c);
  addOp(graph, dnnl_invalid_graph_op, 1, dnnl_graph_op_end, &a, NULL, &c);
  addOp(graph, dnnl_invalid_graph_op, 1, dnnl_graph_op_end, NULL, NULL, NULL);
  /* Wildcards take anything. */
  addOp(graph, dnnl_success, 2, dnnl_graph_op_wildcard, NULL, NULL, NULL);
  addOp(graph, dnnl_success, 3, dnnl_graph_op_wildcard, &empty, &i, &d);
  /* Attributes: required, known, of the right type, valid. */
  addOp(graph, dnnl_invalid_graph_op, 4, dnnl_graph_op_elu, &a, NULL, &c);
  dnnl_graph_op_t op = makeOp(4, dnnl_graph_op_elu, &a, NULL, &c);
  float alpha = 1;
  int64_t axis = 1;
  OK(dnnl_graph_op_set_attr_s64(op, dnnl_graph_op_attr_alpha, &axis, 1));
  EXPECT(dnnl_graph_add_op(graph, op), dnnl_invalid_graph_op);
  OK(dnnl_graph_op_set_attr_f32(op, dnnl_graph_op_attr_alpha, &alpha, 1));
  OK(dnnl_graph_op_set_attr_s64(op, dnnl_graph_op_attr_axis, &axis, 1));
  EXPECT(dnnl_graph_add_op(graph, op), dnnl_invalid_graph_op);
  OK(dnnl_graph_op_destroy(op));
  op = makeOp(4, dnnl_graph_op_add, &a, &b, &c);
  OK(dnnl_graph_op_set_attr_str(op, dnnl_graph_op_attr_auto_broadcast, "some",
                                4));
  EXPECT(dnnl_graph_add_op(graph, op), dnnl_invalid_graph_op);
  OK(dnnl_graph_op_set_attr_str(op, dnnl_graph_op_attr_auto_broadcast, "none",
                                4));
  OK(dnnl_graph_op_set_attr_f32(op, (dnnl_graph_op_attr_t)0x1f, &alpha, 1));
  EXPECT(dnnl_graph_add_op(graph, op), dnnl_invalid_graph_op);
  OK(dnnl_graph_op_destroy(op));
  /* Softmax has one output or two, the second of f32. */
  LT stats = makeTensor(6, 2, 2, 1), narrow = stats;
  narrow.data_type = dnnl_bf16;
  op = makeOp(4, dnnl_graph_op_softmax, &a, NULL, &c);
  OK(dnnl_graph_op_add_output(op, &narrow));
  EXPECT(dnnl_graph_add_op(graph, op), dnnl_invalid_graph_op);
  OK(dnnl_graph_op_destroy(op));
  op = makeOp(4, dnnl_graph_op_softmax, &a, NULL, &c);
  OK(dnnl_graph_op_add_output(op, &stats));
  OK(dnnl_graph_op_add_output(op, &d));
  EXPECT(dnnl_graph_add_op(graph, op), dnnl_invalid_graph_op);
  OK(dnnl_graph_op_destroy(op));
  op = makeOp(4, dnnl_graph_op_softmax, &a, NULL, &c);
  OK(dnnl_graph_op_add_output(op, &stats));
  OK(dnnl_graph_add_op(graph, op));
  OK(dnnl_graph_op_destroy(op));
  /* Statistics are kept by default: there are three outputs. */
  op = makeOp(5, dnnl_graph_op_layer_norm, &a, NULL, &c);
  uint8_t no = 0;
  OK(dnnl_graph_op_set_attr_bool(op, dnnl_graph_op_attr_use_affine, &no, 1));
  EXPECT(dnnl_graph_add_op(graph, op), dnnl_invalid_graph_op);
  OK(dnnl_graph_op_set_attr_bool(op, dnnl_graph_op_attr_keep_stats, &no, 1));
  OK(dnnl_graph_add_op(graph, op));
  OK(dnnl_graph_op_destroy(op));
  OK(dnnl_graph_graph_destroy(graph));
}

static void testBuilding(void) {
  dnnl_graph_graph_t graph = NULL;
  dnnl_fpmath_mode_t mode;
  int integers = 7;
  uint8_t finalized = 7;
  INVALID(dnnl_graph_graph_create(NULL, dnnl_cpu));
  INVALID(dnnl_graph_graph_create(&graph, dnnl_any_engine));
  INVALID(dnnl_graph_graph_create_with_fpmath_mode(NULL, dnnl_cpu,
                                                   dnnl_fpmath_mode_any));
  INVALID(dnnl_graph_graph_create_with_fpmath_mode(&graph, dnnl_cpu,
                                                   (dnnl_fpmath_mode_t)9));
  OK(dnnl_graph_graph_create_with_fpmath_mode(&graph, dnnl_cpu,
                                              dnnl_fpmath_mode_tf32));
  INVALID(dnnl_graph_graph_get_fpmath_mode(NULL, &mode, &integers));
  INVALID(dnnl_graph_graph_get_fpmath_mode(graph, NULL, &integers));
  INVALID(dnnl_graph_graph_get_fpmath_mode(graph, &mode, NULL));
  OK(dnnl_graph_graph_get_fpmath_mode(graph, &mode, &integers));
  CHECK(mode == dnnl_fpmath_mode_tf32 && integers == 0);
  INVALID(dnnl_graph_graph_set_fpmath_mode(NULL, dnnl_fpmath_mode_any, 0));
  INVALID(dnnl_graph_graph_set_fpmath_mode(graph, (dnnl_fpmath_mode_t)9, 0));
  OK(dnnl_graph_graph_set_fpmath_mode(graph, dnnl_fpmath_mode_any, 1));
  OK(dnnl_graph_graph_get_fpmath_mode(graph, &mode, &integers));
  CHECK(mode == dnnl_fpmath_mode_any && integers == 1);

  LT a = makeUnknown(1), b = makeUnknown(2), c = makeUnknown(3);
  dnnl_graph_op_t op = makeOp(9, dnnl_graph_op_exp, &a, NULL, &b);
  INVALID(dnnl_graph_add_op(NULL, op));
  INVALID(dnnl_graph_add_op(graph, NULL));
  OK(dnnl_graph_add_op(graph, op));
  OK(dnnl_graph_op_destroy(op));
  /* An id that is there already is ignored. */
  addOp(graph, dnnl_success, 9, dnnl_graph_op_log, &a, NULL, &c);

  INVALID(dnnl_graph_graph_is_finalized(NULL, &finalized));
  INVALID(dnnl_graph_graph_is_finalized(graph, NULL));
  OK(dnnl_graph_graph_is_finalized(graph, &finalized));
  CHECK(finalized == 0);
  size_t num = 9;
  EXPECT(dnnl_graph_graph_filter(graph, dnnl_graph_partition_policy_fusion),
         dnnl_invalid_graph);
  INVALID(dnnl_graph_graph_finalize(NULL));
  OK(dnnl_graph_graph_finalize(graph));
  OK(dnnl_graph_graph_finalize(graph));
  OK(dnnl_graph_graph_is_finalized(graph, &finalized));
  CHECK(finalized == 1);
  addOp(graph, dnnl_invalid_graph, 10, dnnl_graph_op_log, &b, NULL, &c);
  EXPECT(dnnl_graph_graph_set_fpmath_mode(graph, dnnl_fpmath_mode_any, 1),
         dnnl_invalid_graph);
  EXPECT(dnnl_graph_graph_get_fpmath_mode(graph, &mode, &integers),
         dnnl_invalid_graph);
  INVALID(dnnl_graph_graph_filter(NULL, dnnl_graph_partition_policy_fusion));
  INVALID(dnnl_graph_graph_filter(graph, (dnnl_graph_partition_policy_t)0));
  OK(dnnl_graph_graph_get_partition_num(graph, &num));
  CHECK(num == 0);
  OK(dnnl_graph_graph_destroy(graph));
  OK(dnnl_graph_graph_destroy(NULL));

  /* A cycle; two descriptions of a tensor; two producers of one. */
  OK(dnnl_graph_graph_create(&graph, dnnl_cpu));
  addOp(graph, dnnl_success, 1, dnnl_graph_op_add, &a, &b, &c);
  addOp(graph, dnnl_success, 2, dnnl_graph_op_exp, &c, NULL, &b);
  EXPECT(dnnl_graph_graph_finalize(graph), dnnl_invalid_graph);
  OK(dnnl_graph_graph_destroy(graph));
  LT other = makeTensor(2, 2, 3, 4);
  OK(dnnl_graph_graph_create(&graph, dnnl_cpu));
  addOp(graph, dnnl_success, 1, dnnl_graph_op_exp, &a, NULL, &b);
  addOp(graph, dnnl_success, 2, dnnl_graph_op_exp, &other, NULL, &c);
  EXPECT(dnnl_graph_graph_finalize(graph), dnnl_invalid_graph);
  OK(dnnl_graph_graph_destroy(graph));
  OK(dnnl_graph_graph_create(&graph, dnnl_cpu));
  addOp(graph, dnnl_success, 1, dnnl_graph_op_exp, &a, NULL, &b);
  addOp(graph, dnnl_success, 2, dnnl_graph_op_log, &a, NULL, &b);
  EXPECT(dnnl_graph_graph_finalize(graph), dnnl_invalid_graph);
  OK(dnnl_graph_graph_destroy(graph));

  /* No ops, no partitions. */
  OK(dnnl_graph_graph_create(&graph, dnnl_cpu));
  OK(dnnl_graph_graph_finalize(graph));
  OK(dnnl_graph_graph_filter(graph, dnnl_graph_partition_policy_fusion));
  OK(dnnl_graph_graph_get_partition_num(graph, &num));
  CHECK(num == 0);
  OK(dnnl_graph_graph_destroy(graph));
}

/* add(x, x) -> wildcard -> multiply(with the sum) -> end; the ops are added in
 * reverse. */
static void testPartitions(void) {
  LT x = makeUnknown(1), sum = makeUnknown(2), wild = makeUnknown(3),
     product = makeUnknown(4);
  dnnl_graph_graph_t graph = NULL;
  OK(dnnl_graph_graph_create(&graph, dnnl_cpu));
  addOp(graph, dnnl_success, 40, dnnl_graph_op_end, &product, NULL, NULL);
  addOp(graph, dnnl_success, 30, dnnl_graph_op_multiply, &sum, &wild, &product);
  addOp(graph, dnnl_success, 20, dnnl_graph_op_wildcard, &sum, NULL, &wild);
  addOp(graph, dnnl_success, 10, dnnl_graph_op_add, &x, &x, &sum);
  OK(dnnl_graph_graph_finalize(graph));
  OK(dnnl_graph_graph_filter(graph, dnnl_graph_partition_policy_fusion));
  size_t num = 0;
  INVALID(dnnl_graph_graph_get_partition_num(NULL, &num));
  INVALID(dnnl_graph_graph_get_partition_num(graph, NULL));
  OK(dnnl_graph_graph_get_partition_num(graph, &num));
  CHECK(num == 4);
  dnnl_graph_partition_t partitions[4], again[4];
  INVALID(dnnl_graph_graph_get_partitions(NULL, num, partitions));
  INVALID(dnnl_graph_graph_get_partitions(graph, num, NULL));
  INVALID(dnnl_graph_graph_get_partitions(graph, 5, partitions));
  EXPECT(dnnl_graph_graph_get_partitions(graph, 0, partitions),
         dnnl_invalid_graph);
  if (num != 4)
    return;
  OK(dnnl_graph_graph_get_partitions(graph, num, partitions));
  OK(dnnl_graph_graph_get_partitions(graph, num, again));
  const size_t expected[] = {10, 20, 30, 40};
  const int supported[] = {1, 0, 1, 0};
  const size_t inputs[] = {2, 1, 2, 1}, outputs[] = {1, 1, 1, 0};
  dnnl_engine_kind_t kind = dnnl_any_engine;
  /* They outlive the graph. */
  OK(dnnl_graph_graph_destroy(graph));
  for (int i = 0; i < 4; ++i) {
    size_t ops[2] = {0, 0}, count = 0, id = 0, id2 = 1;
    uint8_t runs = 7;
    OK(dnnl_graph_partition_get_op_num(partitions[i], &count));
    CHECK(count == 1);
    INVALID(dnnl_graph_partition_get_ops(partitions[i], 2, ops));
    OK(dnnl_graph_partition_get_ops(partitions[i], 1, ops));
    CHECK(ops[0] == expected[i]);
    OK(dnnl_graph_partition_is_supported(partitions[i], &runs));
    CHECK(runs == supported[i]);
    OK(dnnl_graph_partition_get_id(partitions[i], &id));
    OK(dnnl_graph_partition_get_id(again[i], &id2));
    CHECK(id == id2);
    OK(dnnl_graph_partition_get_input_ports_num(partitions[i], &count));
    CHECK(count == inputs[i]);
    OK(dnnl_graph_partition_get_output_ports_num(partitions[i], &count));
    CHECK(count == outputs[i]);
    OK(dnnl_graph_partition_get_engine_kind(partitions[i], &kind));
    CHECK(kind == dnnl_cpu);
  }
  LT ports[2];
  INVALID(dnnl_graph_partition_get_input_ports(partitions[0], 1, ports));
  INVALID(dnnl_graph_partition_get_input_ports(partitions[0], 2, NULL));
  OK(dnnl_graph_partition_get_input_ports(partitions[0], 2, ports));
  CHECK(ports[0].id == 1 && ports[1].id == 1);
  INVALID(dnnl_graph_partition_get_output_ports(partitions[0], 2, ports));
  OK(dnnl_graph_partition_get_output_ports(partitions[0], 1, ports));
  CHECK(ports[0].id == 2);
  INVALID(dnnl_graph_partition_get_op_num(NULL, &num));
  INVALID(dnnl_graph_partition_get_op_num(partitions[0], NULL));
  INVALID(dnnl_graph_partition_get_ops(NULL, 1, &num));
  INVALID(dnnl_graph_partition_get_ops(partitions[0], 1, NULL));
  INVALID(dnnl_graph_partition_get_id(NULL, &num));
  INVALID(dnnl_graph_partition_get_id(partitions[0], NULL));
  INVALID(dnnl_graph_partition_is_supported(NULL, NULL));
  INVALID(dnnl_graph_partition_is_supported(partitions[0], NULL));
  INVALID(dnnl_graph_partition_get_input_ports_num(NULL, &num));
  INVALID(dnnl_graph_partition_get_input_ports_num(partitions[0], NULL));
  INVALID(dnnl_graph_partition_get_output_ports_num(NULL, &num));
  INVALID(dnnl_graph_partition_get_output_ports_num(partitions[0], NULL));
  INVALID(dnnl_graph_partition_get_input_ports(NULL, 2, ports));
  INVALID(dnnl_graph_partition_get_output_ports(NULL, 1, ports));
  INVALID(dnnl_graph_partition_get_engine_kind(NULL, &kind));
  INVALID(dnnl_graph_partition_get_engine_kind(partitions[0], NULL));
  for (int i = 0; i < 4; ++i) {
    OK(dnnl_graph_partition_destroy(partitions[i]));
    OK(dnnl_graph_partition_destroy(again[i]));
  }
  OK(dnnl_graph_partition_destroy(NULL));
}

/* A filter with another policy replaces the partitions. */
static void testPolicies(void) {
  LT a = makeUnknown(1), b = makeUnknown(2), c = makeUnknown(3);
  dnnl_graph_graph_t graph = NULL;
  size_t num = 0;
  OK(dnnl_graph_graph_create(&graph, dnnl_cpu));
  addOp(graph, dnnl_success, 1, dnnl_graph_op_exp, &a, NULL, &b);
  addOp(graph, dnnl_success, 2, dnnl_graph_op_relu, &b, NULL, &c);
  OK(dnnl_graph_graph_finalize(graph));
  OK(dnnl_graph_graph_filter(graph, dnnl_graph_partition_policy_debug));
  OK(dnnl_graph_graph_get_partition_num(graph, &num));
  CHECK(num == 2);
  OK(dnnl_graph_graph_filter(graph, dnnl_graph_partition_policy_fusion));
  OK(dnnl_graph_graph_get_partition_num(graph, &num));
  CHECK(num == 1);
  OK(dnnl_graph_graph_destroy(graph));
  /* A graph for an engine that is not there has nothing that is supported. */
  OK(dnnl_graph_graph_create(&graph, dnnl_gpu));
  addOp(graph, dnnl_success, 1, dnnl_graph_op_exp, &a, NULL, &b);
  OK(dnnl_graph_graph_finalize(graph));
  OK(dnnl_graph_graph_filter(graph, dnnl_graph_partition_policy_fusion));
  dnnl_graph_partition_t partition = NULL;
  uint8_t supported = 1;
  OK(dnnl_graph_graph_get_partitions(graph, 1, &partition));
  OK(dnnl_graph_partition_is_supported(partition, &supported));
  CHECK(!supported);
  OK(dnnl_graph_partition_destroy(partition));
  OK(dnnl_graph_graph_destroy(graph));
}

void testGraphs(void) {
  testOps();
  testSpecification();
  testSchema();
  testBuilding();
  testPartitions();
  testPolicies();
}
