/* Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* Compiled partitions: compilation, execution, caches. */

#include "Client.h"

#include <stdint.h>
#include <stdlib.h>

static dnnl_engine_t engine = NULL;
static dnnl_stream_t stream = NULL;

/* The only partition of a graph of one or two ops. */
static dnnl_graph_partition_t getPartition(dnnl_graph_graph_t graph) {
  dnnl_graph_partition_t partition = NULL;
  OK(dnnl_graph_graph_finalize(graph));
  OK(dnnl_graph_graph_filter(graph, dnnl_graph_partition_policy_fusion));
  OK(dnnl_graph_graph_get_partitions(graph, 1, &partition));
  OK(dnnl_graph_graph_destroy(graph));
  return partition;
}

/* y = relu(x w) */
static dnnl_graph_partition_t makeLayer(int weightsAreConstant) {
  LT x = makeUnknown(1), w = makeUnknown(2), p = makeUnknown(3),
     y = makeUnknown(4);
  if (weightsAreConstant)
    w.property = dnnl_graph_tensor_property_constant;
  dnnl_graph_graph_t graph = NULL;
  OK(dnnl_graph_graph_create(&graph, dnnl_cpu));
  addOp(graph, dnnl_success, 10, dnnl_graph_op_matmul, &x, &w, &p);
  addOp(graph, dnnl_success, 11, dnnl_graph_op_relu, &p, NULL, &y);
  return getPartition(graph);
}

static dnnl_status_t run(dnnl_graph_compiled_partition_t compiled,
                         const LT *const *lts, float *const *data,
                         size_t inputs, size_t outputs) {
  dnnl_graph_tensor_t tensors[8] = {NULL};
  const_dnnl_graph_tensor_t arguments[8];
  for (size_t i = 0; i < inputs + outputs; ++i) {
    OK(dnnl_graph_tensor_create(&tensors[i], lts[i], engine, data[i]));
    arguments[i] = tensors[i];
  }
  dnnl_status_t status = dnnl_graph_compiled_partition_execute(
      compiled, stream, inputs, arguments, outputs, arguments + inputs);
  for (size_t i = 0; i < inputs + outputs; ++i)
    OK(dnnl_graph_tensor_destroy(tensors[i]));
  return status;
}

/* [[1 2 3] [4 5 6]] [[1 -1] [0 1] [2 -1]] = [[7 -2] [16 -5]] */
static float kX[] = {1, 2, 3, 4, 5, 6};
static float kW[] = {1, -1, 0, 1, 2, -1};
static const float kY[] = {7, 0, 16, 0};

static void testCompile(void) {
  dnnl_graph_partition_t partition = makeLayer(0);
  dnnl_graph_compiled_partition_t compiled = NULL;
  INVALID(dnnl_graph_compiled_partition_create(NULL, partition));
  INVALID(dnnl_graph_compiled_partition_create(&compiled, NULL));
  OK(dnnl_graph_compiled_partition_create(&compiled, partition));
  LT x = makeTensor(1, 2, 2, 3), w = makeTensor(2, 2, 3, 2), y = makeUnknown(4),
     other = makeTensor(9, 1, 5, 0), got;
  const LT *in[] = {&x, &w}, *out[] = {&y};
  INVALID(dnnl_graph_partition_compile(NULL, compiled, 2, in, 1, out, engine));
  INVALID(dnnl_graph_partition_compile(partition, NULL, 2, in, 1, out, engine));
  INVALID(
      dnnl_graph_partition_compile(partition, compiled, 2, in, 1, out, NULL));
  INVALID(dnnl_graph_partition_compile(partition, compiled, 2, NULL, 1, out,
                                       engine));
  /* A port is missing; an input is not complete. */
  INVALID(
      dnnl_graph_partition_compile(partition, compiled, 1, in, 1, out, engine));
  INVALID(
      dnnl_graph_partition_compile(partition, compiled, 2, in, 0, out, engine));
  LT unknown = makeUnknown(1), any = x, opaque = x, integers = x;
  any.layout_type = dnnl_graph_layout_type_any;
  opaque.layout_type = dnnl_graph_layout_type_opaque;
  opaque.layout.layout_id = 3;
  integers.data_type = dnnl_s32;
  const LT *wrong[] = {&unknown, &any, &opaque, &integers, NULL};
  for (int i = 0; i < 5; ++i) {
    in[0] = wrong[i];
    INVALID(dnnl_graph_partition_compile(partition, compiled, 2, in, 1, out,
                                         engine));
  }
  in[0] = &x;
  /* Shapes that contradict each other. */
  LT badWeights = makeTensor(2, 2, 4, 2), badResult = makeTensor(4, 2, 2, 3);
  in[1] = &badWeights;
  EXPECT(
      dnnl_graph_partition_compile(partition, compiled, 2, in, 1, out, engine),
      dnnl_invalid_shape);
  in[1] = &w;
  out[0] = &badResult;
  EXPECT(
      dnnl_graph_partition_compile(partition, compiled, 2, in, 1, out, engine),
      dnnl_invalid_shape);
  out[0] = &y;
  /* Not compiled yet. */
  INVALID(
      dnnl_graph_compiled_partition_query_logical_tensor(compiled, 4, &got));
  /* In any order, with others. */
  const LT *mixed[] = {&other, &w, &x};
  OK(dnnl_graph_partition_compile(partition, compiled, 3, mixed, 1, out,
                                  engine));
  OK(dnnl_graph_partition_destroy(partition));
  INVALID(dnnl_graph_compiled_partition_query_logical_tensor(NULL, 4, &got));
  INVALID(
      dnnl_graph_compiled_partition_query_logical_tensor(compiled, 4, NULL));
  OK(dnnl_graph_compiled_partition_query_logical_tensor(compiled, 4, &got));
  CHECK(got.id == 4 && got.ndims == 2 && got.dims[0] == 2 && got.dims[1] == 2);
  CHECK(got.layout_type == dnnl_graph_layout_type_strided);
  CHECK(got.layout.strides[0] == 2 && got.layout.strides[1] == 1);
  LT none;
  OK(dnnl_graph_compiled_partition_query_logical_tensor(compiled, 99, &none));
  CHECK(none.id == SIZE_MAX);

  float y4[4] = {-1, -1, -1, -1}, unused[5];
  const LT *lts[] = {&other, &w, &x, &got};
  float *data[] = {unused, kW, kX, y4};
  OK(run(compiled, lts, data, 3, 1));
  CHECK(memcmp(y4, kY, sizeof(kY)) == 0);
  /* As many tensors as compile was given, with memory. */
  INVALID(run(compiled, lts, data, 2, 1));
  data[2] = NULL;
  INVALID(run(compiled, lts, data, 3, 1));
  data[2] = (float *)((char *)kX + 1);
  INVALID(run(compiled, lts, data, 3, 1));
  OK(dnnl_graph_compiled_partition_destroy(compiled));
  OK(dnnl_graph_compiled_partition_destroy(NULL));
}

static void testExecute(void) {
  dnnl_graph_partition_t partition = makeLayer(0);
  dnnl_graph_compiled_partition_t compiled = NULL;
  OK(dnnl_graph_compiled_partition_create(&compiled, partition));
  LT x = makeTensor(1, 2, 2, 3), w = makeTensor(2, 2, 3, 2),
     y = makeTensor(4, 2, 2, 2), scratch;
  /* Columns of x, rows of y with a gap. */
  x.layout.strides[0] = 1;
  x.layout.strides[1] = 2;
  y.layout.strides[0] = 3;
  const LT *in[] = {&x, &w}, *out[] = {&y};
  OK(dnnl_graph_partition_compile(partition, compiled, 2, in, 1, out, engine));
  OK(dnnl_graph_partition_destroy(partition));
  float columns[] = {1, 4, 2, 5, 3, 6}, y6[] = {9, 9, 9, 9, 9, 9};
  const float expected[] = {7, 0, 9, 16, 0, 9};
  dnnl_graph_tensor_t tx, tw, ty, pad = NULL;
  OK(dnnl_graph_tensor_create(&tx, &x, engine, columns));
  OK(dnnl_graph_tensor_create(&tw, &w, engine, kW));
  OK(dnnl_graph_tensor_create(&ty, &y, engine, y6));
  const_dnnl_graph_tensor_t tin[] = {tx, tw}, tout[] = {ty},
                            broken[] = {tx, NULL};
  INVALID(dnnl_graph_compiled_partition_execute(NULL, stream, 2, tin, 1, tout));
  INVALID(
      dnnl_graph_compiled_partition_execute(compiled, NULL, 2, tin, 1, tout));
  INVALID(dnnl_graph_compiled_partition_execute(compiled, stream, 2, NULL, 1,
                                                tout));
  INVALID(dnnl_graph_compiled_partition_execute(compiled, stream, 2, broken, 1,
                                                tout));
  OK(dnnl_graph_compiled_partition_execute(compiled, stream, 2, tin, 1, tout));
  CHECK(memcmp(y6, expected, sizeof(expected)) == 0);

  INVALID(dnnl_graph_compiled_partition_get_scratchpad_logical_tensor(
      NULL, &scratch));
  INVALID(dnnl_graph_compiled_partition_get_scratchpad_logical_tensor(compiled,
                                                                      NULL));
  OK(dnnl_graph_compiled_partition_get_scratchpad_logical_tensor(compiled,
                                                                 &scratch));
  CHECK(scratch.data_type == dnnl_u8 && scratch.ndims == 1);
  OK(dnnl_graph_tensor_create(&pad, &scratch, engine, DNNL_MEMORY_ALLOCATE));
  memset(y6, 0, sizeof(y6));
  OK(dnnl_graph_compiled_partition_execute_v2(compiled, stream, 2, tin, 1, tout,
                                              pad));
  CHECK(y6[0] == 7 && y6[3] == 16 && y6[2] == 0);
  OK(dnnl_graph_tensor_destroy(pad));

  /* A stream of another engine must fail. */
  dnnl_engine_t engine2 = NULL;
  dnnl_stream_t stream2 = NULL;
  OK(dnnl_engine_create(&engine2, dnnl_cpu, 0));
  OK(dnnl_stream_create(&stream2, engine2, dnnl_stream_default_flags));
  INVALID(dnnl_graph_compiled_partition_execute(compiled, stream2, 2, tin, 1,
                                                tout));
  OK(dnnl_stream_destroy(stream2));
  OK(dnnl_engine_destroy(engine2));
  OK(dnnl_graph_tensor_destroy(tx));
  OK(dnnl_graph_tensor_destroy(tw));
  OK(dnnl_graph_tensor_destroy(ty));
  OK(dnnl_graph_compiled_partition_destroy(compiled));
}

/* An unsupported partition is not compiled; one op without a graph is. */
static void testSingleOp(void) {
  LT a = makeTensor(1, 2, 2, 2), b = makeTensor(2, 2, 2, 2),
     c = makeTensor(3, 2, 2, 2);
  dnnl_graph_op_t op = makeOp(1, dnnl_graph_op_wildcard, &a, NULL, &c);
  dnnl_graph_partition_t partition = NULL;
  dnnl_graph_compiled_partition_t compiled = NULL;
  const LT *in[] = {&a, &b}, *out[] = {&c};
  INVALID(dnnl_graph_partition_create_with_op(NULL, op, dnnl_cpu));
  INVALID(dnnl_graph_partition_create_with_op(&partition, NULL, dnnl_cpu));
  OK(dnnl_graph_partition_create_with_op(&partition, op, dnnl_cpu));
  OK(dnnl_graph_op_destroy(op));
  OK(dnnl_graph_compiled_partition_create(&compiled, partition));
  INVALID(
      dnnl_graph_partition_compile(partition, compiled, 1, in, 1, out, engine));
  OK(dnnl_graph_compiled_partition_destroy(compiled));
  OK(dnnl_graph_partition_destroy(partition));

  op = makeOp(1, dnnl_graph_op_relu, &a, &b, &c);
  EXPECT(dnnl_graph_partition_create_with_op(&partition, op, dnnl_cpu),
         dnnl_invalid_graph_op);
  OK(dnnl_graph_op_destroy(op));
  op = makeOp(1, dnnl_graph_op_add, &a, &b, &c);
  OK(dnnl_graph_partition_create_with_op(&partition, op, dnnl_cpu));
  OK(dnnl_graph_op_destroy(op));
  OK(dnnl_graph_compiled_partition_create(&compiled, partition));
  OK(dnnl_graph_partition_compile(partition, compiled, 2, in, 1, out, engine));
  /* The sum may be where a summand is. */
  size_t num = 0;
  const dnnl_graph_inplace_pair_t *pairs = NULL;
  INVALID(dnnl_graph_compiled_partition_get_inplace_ports(NULL, &num, &pairs));
  INVALID(
      dnnl_graph_compiled_partition_get_inplace_ports(compiled, NULL, &pairs));
  INVALID(
      dnnl_graph_compiled_partition_get_inplace_ports(compiled, &num, NULL));
  OK(dnnl_graph_compiled_partition_get_inplace_ports(compiled, &num, &pairs));
  CHECK(num == 1 && pairs[0].output_id == 3 && pairs[0].input_id == 1);
  float va[] = {1, 2, 3, 4}, vb[] = {10, 20, 30, 40};
  const LT *lts[] = {&a, &b, &c};
  float *data[] = {va, vb, va};
  OK(run(compiled, lts, data, 2, 1));
  CHECK(va[0] == 11 && va[3] == 44 && vb[0] == 10);
  OK(dnnl_graph_compiled_partition_destroy(compiled));
  OK(dnnl_graph_partition_destroy(partition));
}

static void compileLayer(dnnl_graph_partition_t partition,
                         dnnl_graph_compiled_partition_t *compiled) {
  LT x = makeTensor(1, 2, 2, 3), w = makeTensor(2, 2, 3, 2), y = makeUnknown(4);
  w.property = dnnl_graph_tensor_property_constant;
  const LT *in[] = {&x, &w}, *out[] = {&y};
  OK(dnnl_graph_compiled_partition_create(compiled, partition));
  OK(dnnl_graph_partition_compile(partition, *compiled, 2, in, 1, out, engine));
}

static float runLayer(dnnl_graph_compiled_partition_t compiled, float *w) {
  LT x = makeTensor(1, 2, 2, 3), lw = makeTensor(2, 2, 3, 2),
     y = makeTensor(4, 2, 2, 2);
  float result[4] = {0};
  const LT *lts[] = {&x, &lw, &y};
  float *data[] = {kX, w, result};
  OK(run(compiled, lts, data, 2, 1));
  return result[0];
}

static void testConstantCache(void) {
  size_t capacity = 1;
  int flag = 7;
  INVALID(dnnl_graph_get_constant_tensor_cache_capacity(dnnl_cpu, NULL));
  INVALID(dnnl_graph_get_constant_tensor_cache_capacity(dnnl_any_engine,
                                                        &capacity));
  INVALID(dnnl_graph_set_constant_tensor_cache_capacity(dnnl_any_engine, 1));
  OK(dnnl_graph_get_constant_tensor_cache_capacity(dnnl_cpu, &capacity));
  CHECK(capacity == 0);
  INVALID(dnnl_graph_set_constant_tensor_cache(-1));
  INVALID(dnnl_graph_get_constant_tensor_cache(NULL));
  OK(dnnl_graph_set_constant_tensor_cache(1));
  OK(dnnl_graph_get_constant_tensor_cache(&flag));
  CHECK(flag == 1);
  OK(dnnl_graph_get_constant_tensor_cache_capacity(dnnl_cpu, &capacity));
  CHECK(capacity == SIZE_MAX >> 20);
  OK(dnnl_graph_set_constant_tensor_cache_capacity(dnnl_cpu, SIZE_MAX));
  OK(dnnl_graph_get_constant_tensor_cache_capacity(dnnl_cpu, &capacity));
  CHECK(capacity == SIZE_MAX >> 20);
  OK(dnnl_graph_set_constant_tensor_cache_capacity(dnnl_gpu, 5));
  OK(dnnl_graph_set_constant_tensor_cache(0));
  OK(dnnl_graph_get_constant_tensor_cache(&flag));
  CHECK(flag == 0);

  /* Without a cache new content is seen, with one it is not until the cache is
   * flushed. */
  dnnl_graph_partition_t partition = makeLayer(1);
  dnnl_graph_compiled_partition_t compiled = NULL;
  compileLayer(partition, &compiled);
  float w[6];
  memcpy(w, kW, sizeof(w));
  CHECK(runLayer(compiled, w) == 7);
  w[0] = 3;
  CHECK(runLayer(compiled, w) == 9);
  OK(dnnl_graph_set_constant_tensor_cache_capacity(dnnl_cpu, 64));
  CHECK(runLayer(compiled, w) == 9);
  OK(dnnl_graph_set_constant_tensor_cache_capacity(dnnl_cpu, 64));
  w[0] = 5;
  CHECK(runLayer(compiled, w) == 11);
  OK(dnnl_graph_set_constant_tensor_cache_capacity(dnnl_cpu, 0));
  OK(dnnl_graph_compiled_partition_destroy(compiled));
  OK(dnnl_graph_partition_destroy(partition));
}

static void testPartitionCache(void) {
  int capacity = -1;
  INVALID(dnnl_graph_get_compiled_partition_cache_capacity(NULL));
  INVALID(dnnl_graph_set_compiled_partition_cache_capacity(-1));
  OK(dnnl_graph_get_compiled_partition_cache_capacity(&capacity));
  CHECK(capacity == 1024);
  /* With and without a cache, of the same and of another graph. */
  for (int entries = 0; entries < 3; ++entries) {
    OK(dnnl_graph_set_compiled_partition_cache_capacity(entries));
    OK(dnnl_graph_get_compiled_partition_cache_capacity(&capacity));
    CHECK(capacity == entries);
    for (int i = 0; i < 2; ++i) {
      dnnl_graph_partition_t partition = makeLayer(1);
      dnnl_graph_compiled_partition_t first = NULL, second = NULL;
      compileLayer(partition, &first);
      compileLayer(partition, &second);
      CHECK(runLayer(first, kW) == 7 && runLayer(second, kW) == 7);
      OK(dnnl_graph_compiled_partition_destroy(first));
      CHECK(runLayer(second, kW) == 7);
      OK(dnnl_graph_compiled_partition_destroy(second));
      OK(dnnl_graph_partition_destroy(partition));
    }
  }
  OK(dnnl_graph_set_compiled_partition_cache_capacity(1024));
}

void testCompiled(void) {
  OK(dnnl_engine_create(&engine, dnnl_cpu, 0));
  OK(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags));
  testCompile();
  testExecute();
  testSingleOp();
  testConstantCache();
  testPartitionCache();
  OK(dnnl_stream_destroy(stream));
  OK(dnnl_engine_destroy(engine));
}
