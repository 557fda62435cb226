/* Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* The Graph API from C: every function with what it computes, says and refuses.
 * Numbers are worked out by hand. */

#include "Client.h"

#include <stddef.h>
#include <stdlib.h>

int failures = 0;

LT makeTensor(size_t id, int ndims, int64_t rows, int64_t columns) {
  LT lt;
  dnnl_dims_t dims = {rows, columns};
  OK(dnnl_graph_logical_tensor_init_with_dims(
      &lt, id, dnnl_f32, ndims, dims, dnnl_graph_layout_type_strided,
      dnnl_graph_tensor_property_undef));
  return lt;
}

LT makeUnknown(size_t id) {
  LT lt;
  OK(dnnl_graph_logical_tensor_init(&lt, id, dnnl_f32, DNNL_GRAPH_UNKNOWN_NDIMS,
                                    dnnl_graph_layout_type_strided,
                                    dnnl_graph_tensor_property_undef));
  return lt;
}

dnnl_graph_op_t makeOp(size_t id, dnnl_graph_op_kind_t kind, const LT *a,
                       const LT *b, const LT *result) {
  dnnl_graph_op_t op = NULL;
  OK(dnnl_graph_op_create(&op, id, kind, "op"));
  if (a)
    OK(dnnl_graph_op_add_input(op, a));
  if (b)
    OK(dnnl_graph_op_add_input(op, b));
  if (result)
    OK(dnnl_graph_op_add_output(op, result));
  return op;
}

void addOp(dnnl_graph_graph_t graph, dnnl_status_t expected, size_t id,
           dnnl_graph_op_kind_t kind, const LT *a, const LT *b,
           const LT *result) {
  dnnl_graph_op_t op = makeOp(id, kind, a, b, result);
  EXPECT(dnnl_graph_add_op(graph, op), expected);
  OK(dnnl_graph_op_destroy(op));
}

static void testSettings(void) {
  const dnnl_version_t *version = dnnl_version();
  CHECK(version->major == 3 && version->minor == 13);
  CHECK(version->hash && version->cpu_runtime == DNNL_RUNTIME_OMP);
  CHECK(version->gpu_runtime == DNNL_RUNTIME_NONE);
  CHECK(strcmp(dnnl_status2str(dnnl_success), "success") == 0);
  CHECK(strcmp(dnnl_status2str(dnnl_invalid_graph_op), "invalid_graph_op") ==
        0);
  CHECK(strcmp(dnnl_status2str((dnnl_status_t)99), "unknown status") == 0);
  CHECK(strcmp(dnnl_dt2str(dnnl_bf16), "bf16") == 0);
  CHECK(strcmp(dnnl_dt2str(dnnl_s64), "s64") == 0);
  CHECK(strcmp(dnnl_engine_kind2str(dnnl_cpu), "cpu") == 0);
  CHECK(strcmp(dnnl_fpmath_mode2str(dnnl_fpmath_mode_any), "any") == 0);
  CHECK(dnnl_get_effective_cpu_isa() != dnnl_cpu_isa_default);

  dnnl_fpmath_mode_t mode;
  INVALID(dnnl_get_default_fpmath_mode(NULL));
  INVALID(dnnl_set_default_fpmath_mode((dnnl_fpmath_mode_t)7));
  OK(dnnl_get_default_fpmath_mode(&mode));
  CHECK(mode == dnnl_fpmath_mode_strict);
  OK(dnnl_set_default_fpmath_mode(dnnl_fpmath_mode_bf16));
  dnnl_graph_graph_t graph = NULL;
  int integers = 1;
  OK(dnnl_graph_graph_create(&graph, dnnl_cpu));
  OK(dnnl_graph_graph_get_fpmath_mode(graph, &mode, &integers));
  CHECK(mode == dnnl_fpmath_mode_bf16 && !integers);
  OK(dnnl_graph_graph_destroy(graph));
  OK(dnnl_set_default_fpmath_mode(dnnl_fpmath_mode_strict));

  INVALID(dnnl_set_verbose(-1));
  INVALID(dnnl_graph_set_dump_mode((dnnl_graph_dump_mode_t)8));
  OK(dnnl_graph_set_dump_mode(dnnl_graph_dump_mode_none));
}

static int allocations = 0;
static size_t lastAlignment = 0;
static void *allocate(size_t size, size_t alignment) {
  ++allocations;
  lastAlignment = alignment;
  size_t unit = alignment ? alignment : 64;
  return aligned_alloc(unit, (size + unit - 1) / unit * unit);
}
static void deallocate(void *memory) {
  --allocations;
  free(memory);
}
static void *refuse(size_t size, size_t alignment) {
  (void)size;
  (void)alignment;
  return NULL;
}

static void testEngines(void) {
  CHECK(dnnl_engine_get_count(dnnl_cpu) == 1);
  CHECK(dnnl_engine_get_count(dnnl_gpu) == 0);
  dnnl_engine_t engine = NULL, other = NULL;
  dnnl_engine_kind_t kind;
  INVALID(dnnl_engine_create(NULL, dnnl_cpu, 0));
  INVALID(dnnl_engine_create(&engine, dnnl_cpu, 1));
  INVALID(dnnl_engine_create(&engine, dnnl_gpu, 0));
  OK(dnnl_engine_create(&engine, dnnl_cpu, 0));
  INVALID(dnnl_engine_get_kind(NULL, &kind));
  INVALID(dnnl_engine_get_kind(engine, NULL));
  OK(dnnl_engine_get_kind(engine, &kind));
  CHECK(kind == dnnl_cpu);

  dnnl_stream_t stream = NULL;
  INVALID(dnnl_stream_create(NULL, engine, dnnl_stream_default_flags));
  INVALID(dnnl_stream_create(&stream, NULL, dnnl_stream_default_flags));
  INVALID(dnnl_stream_create(&stream, engine, 0));
  INVALID(dnnl_stream_create(&stream, engine, 3));
  OK(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags));
  OK(dnnl_engine_destroy(engine));
  /* The stream keeps its engine. */
  INVALID(dnnl_stream_get_engine(NULL, &other));
  INVALID(dnnl_stream_get_engine(stream, NULL));
  OK(dnnl_stream_get_engine(stream, &other));
  CHECK(other == engine);
  INVALID(dnnl_stream_wait(NULL));
  OK(dnnl_stream_wait(stream));
  OK(dnnl_stream_destroy(stream));
  OK(dnnl_stream_destroy(NULL));
  OK(dnnl_engine_destroy(NULL));

  dnnl_graph_allocator_t allocator = NULL;
  INVALID(dnnl_graph_allocator_create(NULL, allocate, deallocate));
  INVALID(dnnl_graph_allocator_destroy(NULL));
  OK(dnnl_graph_allocator_create(&allocator, allocate, deallocate));
  INVALID(dnnl_graph_make_engine_with_allocator(NULL, dnnl_cpu, 0, allocator));
  INVALID(dnnl_graph_make_engine_with_allocator(&engine, dnnl_cpu, 0, NULL));
  INVALID(
      dnnl_graph_make_engine_with_allocator(&engine, dnnl_cpu, 1, allocator));
  OK(dnnl_graph_make_engine_with_allocator(&engine, dnnl_cpu, 0, allocator));
  OK(dnnl_graph_allocator_destroy(allocator));

  /* Memory of tensors comes from the callbacks and goes back to them. */
  LT lt = makeTensor(1, 2, 2, 3);
  dnnl_graph_tensor_t tensor = NULL;
  OK(dnnl_graph_tensor_create(&tensor, &lt, engine, DNNL_MEMORY_ALLOCATE));
  CHECK(allocations == 1 && lastAlignment == 64);
  /* The tensor keeps its engine. */
  OK(dnnl_engine_destroy(engine));
  OK(dnnl_graph_tensor_get_engine(tensor, &other));
  CHECK(other == engine);
  OK(dnnl_graph_tensor_destroy(tensor));
  CHECK(allocations == 0);

  OK(dnnl_graph_allocator_create(&allocator, refuse, deallocate));
  OK(dnnl_graph_make_engine_with_allocator(&engine, dnnl_cpu, 0, allocator));
  EXPECT(dnnl_graph_tensor_create(&tensor, &lt, engine, DNNL_MEMORY_ALLOCATE),
         dnnl_out_of_memory);
  OK(dnnl_graph_allocator_destroy(allocator));
  OK(dnnl_engine_destroy(engine));
  /* Without one of the callbacks the library's own are used. */
  OK(dnnl_graph_allocator_create(&allocator, NULL, deallocate));
  OK(dnnl_graph_make_engine_with_allocator(&engine, dnnl_cpu, 0, allocator));
  OK(dnnl_graph_tensor_create(&tensor, &lt, engine, DNNL_MEMORY_ALLOCATE));
  OK(dnnl_graph_tensor_destroy(tensor));
  OK(dnnl_graph_allocator_destroy(allocator));
  OK(dnnl_engine_destroy(engine));
}

/* Pools are C++ objects; from C there are streams of the calling thread. */
static void testThreadpools(void) {
  dnnl_engine_t engine = NULL;
  dnnl_stream_t stream = NULL;
  int concurrency = 0;
  void *pool = &engine;
  OK(dnnl_engine_create(&engine, dnnl_cpu, 0));
  INVALID(dnnl_threadpool_interop_stream_create(NULL, engine, NULL));
  INVALID(dnnl_threadpool_interop_stream_create(&stream, NULL, NULL));
  OK(dnnl_threadpool_interop_stream_create(&stream, engine, NULL));
  INVALID(dnnl_threadpool_interop_stream_get_threadpool(stream, NULL));
  INVALID(dnnl_threadpool_interop_stream_get_threadpool(NULL, &pool));
  OK(dnnl_threadpool_interop_stream_get_threadpool(stream, &pool));
  CHECK(!pool);
  OK(dnnl_stream_wait(stream));
  OK(dnnl_stream_destroy(stream));
  OK(dnnl_engine_destroy(engine));
  INVALID(dnnl_threadpool_interop_get_max_concurrency(NULL));
  OK(dnnl_threadpool_interop_get_max_concurrency(&concurrency));
  CHECK(concurrency > 0);
  INVALID(dnnl_threadpool_interop_set_max_concurrency(0));
  OK(dnnl_threadpool_interop_set_max_concurrency(concurrency + 1));
  OK(dnnl_threadpool_interop_get_max_concurrency(&concurrency));
  CHECK(concurrency > 1);
}

int main(void) {
  testSettings();
  testEngines();
  testThreadpools();
  testTensors();
  testGraphs();
  testCompiled();
  testMemory();
  if (failures)
    fprintf(stderr, "%d checks failed\n", failures);
  return failures != 0;
}
