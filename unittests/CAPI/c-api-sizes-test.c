/* Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* Graphs of sizes that vary through the C interface. Expected values are those
 * of graphs of fixed sizes, bit for bit. */

#include "check.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void expectError(gc_error *error, const char *text, int line) {
  if (!error || gc_error_status(error) != GC_INVALID_ARGUMENT ||
      !strstr(gc_error_message(error), text)) {
    fprintf(stderr, "%s:%d: expected '%s', got '%s' (%d)\n", __FILE__, line,
            text, error ? gc_error_message(error) : "no error",
            error ? gc_error_status(error) : GC_OK);
    ++failures;
  }
  gc_error_destroy(error);
}
#define EXPECT_ERROR(call, text) expectError((call), (text), __LINE__)

enum { kColumns = 24, kResults = 40, kMost = 64 };

/* y = x w for any batch, or for one; %s: the batch, attributes. */
static const char kText[] =
    "func.func @f(%%x: tensor<%sx24xf32> {graph.name = \"x\"%s},\n"
    "    %%w: tensor<24x40xf32> {graph.const_arg, graph.name = \"w\"})\n"
    "    -> (tensor<%sx40xf32> {graph.name = \"y\"}) %s {\n"
    "  %%0 = graph.matmul %%x, %%w : (tensor<%sx24xf32>, tensor<24x40xf32>) "
    "-> tensor<%sx40xf32>\n"
    "  return %%0 : tensor<%sx40xf32>\n"
    "}\n";

static gc_error *compileText(const char *batch, const char *dims,
                             const char *bounds, gc_compiled **compiled) {
  char text[2048];
  gc_graph *graph = NULL;
  gc_error *error;
  gc_compile_options options = GC_COMPILE_OPTIONS_INIT;
  options.threads = 2;
  snprintf(text, sizeof(text), kText, batch, dims, batch, bounds, batch, batch,
           batch);
  error =
      gc_graph_read_text(text, strlen(text), GC_FORMAT_MLIR, "f.mlir", &graph);
  if (!error)
    error = gc_graph_compile(graph, &options, compiled);
  /* What was compiled is compiled further without it. */
  gc_graph_destroy(graph);
  return error;
}

static gc_error *compileAny(gc_compiled **compiled) {
  return compileText("?", ", graph.dims = [\"batch\", \"\"]",
                     "attributes {graph.dim_bounds = {batch = [1, 64]}}",
                     compiled);
}

static float x[kMost * kColumns], w[kColumns * kResults];

static void fill(float *values, size_t count, unsigned seed) {
  for (size_t i = 0; i < count; ++i) {
    seed = seed * 1664525u + 1013904223u;
    values[i] = (float)(seed >> 8) / (1 << 24) - 0.5f;
  }
}

/* Results of the graph of this batch alone. */
static void computeAlone(int64_t batch, float *y) {
  char text[8];
  gc_compiled *alone = NULL;
  void *inputs[] = {x, w}, *outputs[] = {y};
  snprintf(text, sizeof(text), "%d", (int)batch);
  REQUIRE(compileText(text, "", "", &alone));
  CHECK(gc_compiled_num_dims(alone) == 0);
  /* A graph of fixed sizes takes none. */
  REQUIRE(gc_compiled_execute_sizes(alone, NULL, 0, inputs, 2, outputs, 1, NULL,
                                    0, 0));
  gc_compiled_destroy(alone);
}

static void testSizes(void) {
  static const int64_t batches[] = {1, 7, 64, 7};
  gc_compiled *any = NULL;
  gc_dim_info dim;
  gc_tensor_info info;
  gc_buffer *report = NULL;
  REQUIRE(compileAny(&any));
  CHECK(gc_compiled_num_dims(any) == 1);
  dim.struct_size = sizeof(dim);
  REQUIRE(gc_compiled_dim(any, 0, &dim));
  CHECK(strcmp(dim.name, "batch") == 0 && dim.min == 1 && dim.max == 64);
  info.struct_size = sizeof(info);
  REQUIRE(gc_compiled_input(any, 0, &info));
  CHECK(info.rank == 2 && info.shape[0] == GC_SIZE_VARIES &&
        info.shape[1] == kColumns && info.strides[0] == kColumns &&
        info.bytes == 0);
  REQUIRE(gc_compiled_output(any, 0, &info));
  CHECK(info.shape[0] == GC_SIZE_VARIES && info.shape[1] == kResults);
  CHECK(gc_compiled_num_remarks(any) == 0);

  for (size_t i = 0; i < sizeof(batches) / sizeof(*batches); ++i) {
    static float y[kMost * kResults], alone[kMost * kResults];
    int64_t xShape[] = {batches[i], kColumns}, wShape[] = {kColumns, kResults};
    const int64_t *shapes[] = {xShape, wShape};
    int64_t size = 0, shape[2];
    void *inputs[] = {x, w}, *outputs[] = {y};
    REQUIRE(gc_compiled_sizes(any, shapes, NULL, 2, &size, 1));
    CHECK(size == batches[i]);
    REQUIRE(gc_compiled_output_shape(any, &size, 1, 0, shape, 2));
    CHECK(shape[0] == batches[i] && shape[1] == kResults);
    REQUIRE(gc_compiled_input_shape(any, &size, 1, 1, shape, 2));
    CHECK(shape[0] == kColumns && shape[1] == kResults);
    if (i == 0)
      REQUIRE(gc_compiled_prepare(any, &size, 1));
    REQUIRE(gc_compiled_execute_sizes(any, &size, 1, inputs, 2, outputs, 1,
                                      NULL, 0, 0));
    computeAlone(size, alone);
    CHECK(memcmp(y, alone, size * kResults * sizeof(float)) == 0);
  }
  REQUIRE(gc_compiled_report(any, &report));
  CHECK(strstr(gc_buffer_data(report), "\"compilations\":3"));
  CHECK(strstr(gc_buffer_data(report), "\"sizes\":3"));
  gc_buffer_destroy(report);
  REQUIRE(gc_compiled_set_size_capacity(any, 1));
  report = NULL;
  REQUIRE(gc_compiled_report(any, &report));
  CHECK(strstr(gc_buffer_data(report), "\"sizes\":1"));
  gc_buffer_destroy(report);
  gc_compiled_destroy(any);
}

static void testErrors(void) {
  static float y[kMost * kResults];
  gc_compiled *any = NULL, *none = NULL;
  void *inputs[] = {x, w}, *outputs[] = {y}, *missing[] = {NULL, w};
  int64_t size = 65, xShape[] = {7, kColumns}, wShape[] = {kColumns, 41};
  int64_t shape[2];
  const int64_t *shapes[] = {xShape, wShape};
  size_t ranks[] = {1, 2};
  gc_dim_info dim;
  REQUIRE(compileAny(&any));
  EXPECT_ERROR(gc_compiled_execute(any, inputs, 2, outputs, 1, NULL, 0),
               "gc_compiled_execute_sizes");
  EXPECT_ERROR(gc_compiled_execute_sizes(any, &size, 1, inputs, 2, outputs, 1,
                                         NULL, 0, 0),
               "size 65 of 'batch' is not from 1 to 64");
  EXPECT_ERROR(gc_compiled_prepare(any, &size, 1), "is not from 1 to 64");
  for (size = -1; size < 1; ++size) {
    char message[64];
    snprintf(message, sizeof(message), "size %d of 'batch' is not from 1 to 64",
             (int)size);
    EXPECT_ERROR(gc_compiled_execute_sizes(any, &size, 1, inputs, 2, outputs, 1,
                                           NULL, 0, 0),
                 message);
    EXPECT_ERROR(gc_compiled_prepare(any, &size, 1), message);
    EXPECT_ERROR(gc_compiled_input_shape(any, &size, 1, 0, shape, 2), message);
    EXPECT_ERROR(gc_compiled_output_shape(any, &size, 1, 0, shape, 2), message);
  }
  size = INT64_MIN;
  EXPECT_ERROR(gc_compiled_prepare(any, &size, 1), "is not from 1 to 64");
  xShape[0] = 0;
  wShape[1] = kResults;
  EXPECT_ERROR(gc_compiled_sizes(any, shapes, NULL, 2, &size, 1),
               "size 0 of 'batch' is not from 1 to 64");
  xShape[0] = 65;
  EXPECT_ERROR(gc_compiled_sizes(any, shapes, NULL, 2, &size, 1),
               "size 65 of 'batch' is not from 1 to 64");
  xShape[0] = -1;
  EXPECT_ERROR(gc_compiled_sizes(any, shapes, NULL, 2, &size, 1),
               "input 0 'x' has size -1 in dimension 0, which is not 'batch'");
  xShape[0] = 7;
  wShape[1] = 41;
  EXPECT_ERROR(gc_compiled_execute_sizes(any, NULL, 0, inputs, 2, outputs, 1,
                                         NULL, 0, 0),
               "the graph has 1 sizes that vary, not 0");
  EXPECT_ERROR(gc_compiled_execute_sizes(any, NULL, 1, inputs, 2, outputs, 1,
                                         NULL, 0, 0),
               "NULL");
  size = 2;
  EXPECT_ERROR(gc_compiled_execute_sizes(any, &size, 1, missing, 2, outputs, 1,
                                         NULL, 0, 0),
               "input 0 'x' is NULL");
  EXPECT_ERROR(gc_compiled_sizes(any, shapes, NULL, 2, &size, 1),
               "input 1 'w' has size 41 in dimension 1 instead of 40");
  EXPECT_ERROR(gc_compiled_sizes(any, shapes, ranks, 2, &size, 1),
               "input 0 'x' has 1 dimensions instead of 2");
  EXPECT_ERROR(gc_compiled_sizes(any, shapes, NULL, 1, &size, 1),
               "the graph has 2 inputs, not 1");
  EXPECT_ERROR(gc_compiled_sizes(any, shapes, NULL, 2, &size, (size_t)-1),
               "the graph has 1 sizes that vary, not 18446744073709551615");
  EXPECT_ERROR(gc_compiled_output_shape(any, &size, 1, 0, NULL, 2),
               "shape is NULL");
  EXPECT_ERROR(gc_compiled_output_shape(any, &size, 1, 1, xShape, 2),
               "out of range");
  EXPECT_ERROR(gc_compiled_output_shape(any, &size, 1, 0, xShape, 3),
               "output 0 'y' has 2 dimensions, not 3");
  EXPECT_ERROR(gc_compiled_set_size_capacity(any, 0), "less than 1 size");
  dim.struct_size = 0;
  EXPECT_ERROR(gc_compiled_dim(any, 0, &dim), "struct_size");
  dim.struct_size = sizeof(dim);
  EXPECT_ERROR(gc_compiled_dim(any, 1, &dim), "out of range");
  EXPECT_ERROR(gc_compiled_prepare(NULL, &size, 1), "NULL");
  gc_compiled_destroy(any);
  EXPECT_ERROR(compileText("?", "", "", &none), "needs a name and bounds");
  EXPECT_ERROR(compileText("?", ", graph.dims = [\"batch\", \"\"]", "", &none),
               "needs 'graph.dim_bounds'");
}

typedef struct Worker {
  gc_compiled *any;
  int64_t size;
  const float *expected;
  int wrong;
} Worker;

/* A size of 0 is none, also where another input has the same name. */
static void testShapesWithoutSize(void) {
  static const char text[] =
      "func.func @f(%x: tensor<?x4xf32> {graph.dims = [\"n\", \"\"]},\n"
      "             %y: tensor<?x4xf32> {graph.dims = [\"n\", \"\"]},\n"
      "             %z: tensor<?xf32> {graph.dims = [\"n + 1\"]})\n"
      "    -> tensor<?x4xf32> attributes {graph.dim_bounds = {n = [1, 8]}} {\n"
      "  %0 = graph.add %x, %y : (tensor<?x4xf32>, tensor<?x4xf32>) -> "
      "tensor<?x4xf32>\n"
      "  return %0 : tensor<?x4xf32>\n"
      "}\n";
  const int64_t empty[] = {0, 4}, four[] = {4, 4}, more[] = {5},
                least[] = {INT64_MIN};
  const int64_t *const good[] = {four, four, more};
  const int64_t *const bad[][3] = {
      {empty, four, more}, {four, empty, more}, {four, four, least}};
  gc_graph *graph = NULL;
  gc_compiled *compiled = NULL;
  int64_t size = 0;
  REQUIRE(gc_graph_read_text(text, strlen(text), GC_FORMAT_MLIR, NULL, &graph));
  REQUIRE(gc_graph_compile(graph, NULL, &compiled));
  REQUIRE(gc_compiled_sizes(compiled, good, NULL, 3, &size, 1));
  CHECK(size == 4);
  for (size_t i = 0; i < 3; ++i)
    EXPECT_ERROR(gc_compiled_sizes(compiled, bad[i], NULL, 3, &size, 1),
                 "has size");
  gc_compiled_destroy(compiled);
  gc_graph_destroy(graph);
}

static void *work(void *argument) {
  Worker *worker = argument;
  size_t bytes = worker->size * kResults * sizeof(float);
  float *y = malloc(bytes);
  for (int i = 0; i < 20 && !worker->wrong; ++i) {
    void *inputs[] = {x, w}, *outputs[] = {y};
    gc_error *error = gc_compiled_execute_sizes(
        worker->any, &worker->size, 1, inputs, 2, outputs, 1, NULL, 0, 0);
    worker->wrong = error != NULL || memcmp(y, worker->expected, bytes) != 0;
    gc_error_destroy(error);
  }
  free(y);
  return NULL;
}

/* Different sizes at the same time; the last two are the same. With room for
 * two sizes, code is dropped while it runs. */
static void testThreads(void) {
  enum { count = 4 };
  static const int64_t sizes[count] = {1, 64, 33, 33};
  static float expected[count][kMost * kResults];
  for (int64_t capacity = 2; capacity <= 16; capacity += 14) {
    gc_compiled *any = NULL;
    pthread_t threads[count];
    Worker workers[count];
    REQUIRE(compileAny(&any));
    REQUIRE(gc_compiled_set_size_capacity(any, capacity));
    for (int i = 0; i < count; ++i) {
      computeAlone(sizes[i], expected[i]);
      workers[i] = (Worker){any, sizes[i], expected[i], 0};
    }
    for (int i = 0; i < count; ++i)
      CHECK(pthread_create(&threads[i], NULL, work, &workers[i]) == 0);
    for (int i = 0; i < count; ++i) {
      pthread_join(threads[i], NULL);
      CHECK(!workers[i].wrong);
    }
    gc_compiled_destroy(any);
  }
}

int main(void) {
  fill(x, sizeof(x) / sizeof(*x), 1);
  fill(w, sizeof(w) / sizeof(*w), 2);
  testSizes();
  testErrors();
  testShapesWithoutSize();
  testThreads();
  return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
