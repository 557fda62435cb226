/* Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* A program of graphs in a process that also has libdnnl, of which the stand-in
 * takes the place.
 *
 *   client beside   engines, streams and memory must be the stand-in's
 *   client alone    the stand-in must not be called: its version is another
 */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "oneapi/dnnl/dnnl.h"
#include "oneapi/dnnl/dnnl_graph.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int stand_in_objects(void);
int stand_in_wrong(void);
int stand_in_graph_calls(void);
dnnl_status_t dnnl_post_ops_append_eltwise(void *, int, float, float);

#define CHECK(condition)                                                       \
  do {                                                                         \
    if (!(condition)) {                                                        \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);          \
      exit(1);                                                                 \
    }                                                                          \
  } while (0)
#define OK(call) CHECK((call) == dnnl_success)

static int allocations = 0, allocated = 0;

static void *allocate(size_t size, size_t alignment) {
  size_t unit = alignment > sizeof(void *) ? alignment : sizeof(void *);
  ++allocations;
  ++allocated;
  return aligned_alloc(unit, (size + unit - 1) / unit * unit);
}

static void deallocate(void *memory) {
  allocated -= memory != NULL;
  free(memory);
}

static dnnl_engine_t makeEngine(size_t index) {
  dnnl_graph_allocator_t allocator = NULL;
  dnnl_engine_t engine = NULL;
  OK(dnnl_graph_allocator_create(&allocator, allocate, deallocate));
  OK(dnnl_graph_make_engine_with_allocator(&engine, dnnl_cpu, index,
                                           allocator));
  OK(dnnl_graph_allocator_destroy(allocator));
  return engine;
}

/* softmax(x + x), whose temporaries come from the engine's allocator. */
static void runGraph(dnnl_engine_t engine, dnnl_stream_t stream,
                     dnnl_stream_t other) {
  dnnl_graph_logical_tensor_t x, y, z;
  dnnl_dims_t dims = {1, 2};
  dnnl_graph_logical_tensor_t *tensors[] = {&x, &y, &z};
  for (size_t i = 0; i < 3; ++i)
    OK(dnnl_graph_logical_tensor_init_with_dims(
        tensors[i], i, dnnl_f32, 2, dims, dnnl_graph_layout_type_strided,
        dnnl_graph_tensor_property_undef));
  dnnl_graph_op_t add = NULL, softmax = NULL;
  int64_t axis = 1;
  OK(dnnl_graph_op_create(&add, 0, dnnl_graph_op_add, "add"));
  OK(dnnl_graph_op_add_input(add, &x));
  OK(dnnl_graph_op_add_input(add, &x));
  OK(dnnl_graph_op_add_output(add, &y));
  OK(dnnl_graph_op_create(&softmax, 1, dnnl_graph_op_softmax, "softmax"));
  OK(dnnl_graph_op_add_input(softmax, &y));
  OK(dnnl_graph_op_add_output(softmax, &z));
  OK(dnnl_graph_op_set_attr_s64(softmax, dnnl_graph_op_attr_axis, &axis, 1));
  dnnl_graph_graph_t graph = NULL;
  OK(dnnl_graph_graph_create(&graph, dnnl_cpu));
  OK(dnnl_graph_add_op(graph, add));
  OK(dnnl_graph_add_op(graph, softmax));
  OK(dnnl_graph_graph_finalize(graph));
  OK(dnnl_graph_graph_filter(graph, dnnl_graph_partition_policy_fusion));
  dnnl_graph_partition_t partition = NULL;
  OK(dnnl_graph_graph_get_partitions(graph, 1, &partition));

  dnnl_graph_compiled_partition_t compiled = NULL;
  const dnnl_graph_logical_tensor_t *in[] = {&x}, *out[] = {&z};
  OK(dnnl_graph_compiled_partition_create(&compiled, partition));
  OK(dnnl_graph_partition_compile(partition, compiled, 1, in, 1, out, engine));
  float from[] = {0.0f, 10.0f}, to[] = {-1, -1};
  dnnl_graph_tensor_t input = NULL, output = NULL, owned = NULL;
  OK(dnnl_graph_tensor_create(&input, &x, engine, from));
  OK(dnnl_graph_tensor_create(&output, &z, engine, to));
  const_dnnl_graph_tensor_t inputs[] = {input}, outputs[] = {output};
  OK(dnnl_graph_compiled_partition_execute(compiled, stream, 1, inputs, 1,
                                           outputs));
  CHECK(to[0] < 1e-8f && to[1] > 0.999999f);
  CHECK(dnnl_graph_compiled_partition_execute(
            compiled, other, 1, inputs, 1, outputs) == dnnl_invalid_arguments);

  int before = allocations;
  OK(dnnl_graph_tensor_create(&owned, &x, engine, DNNL_MEMORY_ALLOCATE));
  CHECK(allocations == before + 1);
  OK(dnnl_graph_tensor_destroy(owned));
  CHECK(allocated == 0);
  OK(dnnl_graph_tensor_destroy(input));
  OK(dnnl_graph_tensor_destroy(output));
  OK(dnnl_graph_compiled_partition_destroy(compiled));
  OK(dnnl_graph_partition_destroy(partition));
  OK(dnnl_graph_graph_destroy(graph));
  OK(dnnl_graph_op_destroy(add));
  OK(dnnl_graph_op_destroy(softmax));
}

int main(int argc, char **argv) {
  CHECK(argc == 2);
  int beside = strcmp(argv[1], "beside") == 0;
  const dnnl_version_t *version = dnnl_version();
  CHECK(version->major == 3);
  CHECK(strcmp(version->hash, beside ? "GC beside stand-in" : "GC") == 0);
  CHECK(dnnl_engine_get_count(dnnl_cpu) == (beside ? 3 : 1));

  dnnl_engine_t engine = makeEngine(0), plain = NULL;
  OK(dnnl_engine_create(&plain, dnnl_cpu, beside ? 2 : 0));
  dnnl_stream_t stream = NULL, other = NULL;
  OK(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags));
  OK(dnnl_stream_create(&other, plain, dnnl_stream_default_flags));
  CHECK(stand_in_objects() == (beside ? 4 : 0));

  runGraph(engine, stream, other);
  OK(dnnl_stream_wait(stream));

  /* Callbacks are an engine's own. */
  dnnl_graph_logical_tensor_t lt;
  dnnl_dims_t dims = {4};
  dnnl_graph_tensor_t tensor = NULL;
  OK(dnnl_graph_logical_tensor_init_with_dims(
      &lt, 0, dnnl_f32, 1, dims, dnnl_graph_layout_type_strided,
      dnnl_graph_tensor_property_undef));
  int before = allocations;
  OK(dnnl_graph_tensor_create(&tensor, &lt, plain, DNNL_MEMORY_ALLOCATE));
  CHECK(allocations == before);
  OK(dnnl_graph_tensor_destroy(tensor));

  if (beside) {
    dnnl_memory_t memory = NULL;
    void *handle = NULL;
    OK(dnnl_memory_create(&memory, NULL, engine, &lt));
    OK(dnnl_memory_get_data_handle(memory, &handle));
    CHECK(handle == &lt);
    OK(dnnl_memory_destroy(memory));
    OK(dnnl_post_ops_append_eltwise(&lt, 3, 1.5f, -2.0f));
    /* What the stand-in does not have is not made up. */
    dnnl_memory_desc_t desc = NULL;
    dnnl_status_t (*create)(dnnl_memory_desc_t *, int, const dnnl_dims_t,
                            dnnl_data_type_t, const dnnl_dims_t);
    *(void **)&create =
        dlsym(RTLD_DEFAULT, "dnnl_memory_desc_create_with_strides");
    CHECK(create &&
          create(&desc, 1, dims, dnnl_f32, NULL) == dnnl_unimplemented);
    size_t (*getSize)(const_dnnl_memory_desc_t);
    *(void **)&getSize = dlsym(RTLD_DEFAULT, "dnnl_memory_desc_get_size");
    CHECK(getSize && getSize(NULL) == 0);
  } else {
    CHECK(dnnl_post_ops_append_eltwise(&lt, 3, 1.5f, -2.0f) ==
          dnnl_unimplemented);
  }

  OK(dnnl_stream_destroy(stream));
  OK(dnnl_stream_destroy(other));
  OK(dnnl_engine_destroy(plain));
  OK(dnnl_engine_destroy(engine));
  CHECK(stand_in_objects() == 0);
  CHECK(stand_in_wrong() == 0);
  CHECK(stand_in_graph_calls() == 0);
  return 0;
}
