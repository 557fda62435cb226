/* Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* The C interface from C: what it computes, says and refuses. Numbers are
 * worked out by hand. */

#include "check.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The call fails with this status and a message that has `text` in it. */
static void expectError(gc_error *error, gc_status status, const char *text,
                        int line) {
  if (!error || gc_error_status(error) != status ||
      !strstr(gc_error_message(error), text)) {
    fprintf(stderr, "%s:%d: expected '%s' (%d), got '%s' (%d)\n", __FILE__,
            line, text, status, error ? gc_error_message(error) : "no error",
            error ? gc_error_status(error) : GC_OK);
    ++failures;
  }
  gc_error_destroy(error);
}
#define EXPECT_ERROR(call, status, text)                                       \
  expectError((call), (status), (text), __LINE__)

/* y = relu(x w + b); x is read through a transposed view, w stays the same. */
static const char kLayer[] =
    "func.func @layer(\n"
    "    %x: tensor<2x3xf32, #graph.layout<strided, [1, 2]>> {graph.name = "
    "\"x\"},\n"
    "    %w: tensor<3x2xf32> {graph.const_arg, graph.name = \"w\"},\n"
    "    %b: tensor<2xf32> {graph.name = \"b\"}) -> tensor<2x2xf32> {\n"
    "  %0 = graph.matmul %x, %w, %b : (tensor<2x3xf32, #graph.layout<strided, "
    "[1, 2]>>, tensor<3x2xf32>, tensor<2xf32>) -> tensor<2x2xf32>\n"
    "  %1 = graph.relu %0 : (tensor<2x2xf32>) -> tensor<2x2xf32>\n"
    "  return %1 : tensor<2x2xf32>\n"
    "}\n";

/* x = [[1, 2, 3], [4, 5, 6]] column by column. */
static float kX[] = {1, 4, 2, 5, 3, 6};
static float kW[] = {1, -1, 0, 1, 2, -1};
static float kB[] = {0.5f, 1};
/* x w + b = [[7.5, -1], [16.5, -4]]. */
static const float kY[] = {7.5f, 0, 16.5f, 0};

static gc_error *readLayer(gc_graph **graph) {
  return gc_graph_read_text(kLayer, strlen(kLayer), GC_FORMAT_AUTOMATIC,
                            "layer.mlir", graph);
}

static void testLayer(void) {
  gc_graph *graph = NULL;
  REQUIRE(readLayer(&graph));
  gc_compile_options options = GC_COMPILE_OPTIONS_INIT;
  options.threads = 2;
  gc_compiled *layer = NULL;
  REQUIRE(gc_graph_compile(graph, &options, &layer));
  /* The compiled graph does not need the graph. */
  gc_graph_destroy(graph);

  CHECK(gc_compiled_num_inputs(layer) == 3);
  CHECK(gc_compiled_num_outputs(layer) == 1);
  gc_tensor_info info;
  info.struct_size = sizeof(info);
  REQUIRE(gc_compiled_input(layer, 0, &info));
  CHECK(strcmp(info.name, "x") == 0 && strcmp(info.dtype_name, "f32") == 0);
  CHECK(info.dtype == GC_F32 && info.element_size == 4 && !info.is_constant);
  CHECK(info.rank == 2 && info.shape[0] == 2 && info.shape[1] == 3);
  CHECK(info.strides[0] == 1 && info.strides[1] == 2 && info.bytes == 24);
  REQUIRE(gc_compiled_input(layer, 1, &info));
  CHECK(info.is_constant && info.strides[0] == 2 && info.strides[1] == 1);
  REQUIRE(gc_compiled_output(layer, 0, &info));
  CHECK(strcmp(info.name, "result0") == 0 && info.bytes == 16);
  EXPECT_ERROR(gc_compiled_output(layer, 1, &info), GC_INVALID_ARGUMENT,
               "index 1 is out of range: there are 1");

  float y[4] = {-1, -1, -1, -1};
  void *inputs[] = {kX, kW, kB}, *outputs[] = {y};
  for (int i = 0; i < 2; ++i) {
    REQUIRE(gc_compiled_execute(layer, inputs, 3, outputs, 1, NULL, 0));
    CHECK(memcmp(y, kY, sizeof(y)) == 0);
  }
  /* On the caller's threads, and on another number of them. */
  gc_executor *pool = gc_thread_pool_create(3);
  CHECK(pool != NULL);
  memset(y, 0, sizeof(y));
  REQUIRE(gc_compiled_execute(layer, inputs, 3, outputs, 1, pool, 3));
  CHECK(memcmp(y, kY, sizeof(y)) == 0);
  gc_thread_pool_destroy(pool);

  /* Constants with new content: half of them, exactly half of the sums. */
  float w[6];
  for (int i = 0; i < 6; ++i)
    w[i] = kW[i];
  inputs[1] = w;
  REQUIRE(gc_compiled_execute(layer, inputs, 3, outputs, 1, NULL, 0));
  for (int i = 0; i < 6; ++i)
    w[i] = kW[i] / 2;
  REQUIRE(gc_compiled_invalidate(layer));
  REQUIRE(gc_compiled_execute(layer, inputs, 3, outputs, 1, NULL, 0));
  CHECK(y[0] == 4 && y[1] == 0 && y[2] == 8.5f && y[3] == 0);
  /* Two versions used alternately fold once each: the second time round their
   * memory is not read. */
  REQUIRE(gc_compiled_set_capacity(layer, 3));
  for (int i = 0; i < 2; ++i) {
    inputs[1] = kW;
    REQUIRE(gc_compiled_execute_version(layer, inputs, 3, outputs, 1, NULL, 0,
                                        /*version=*/1));
    CHECK(memcmp(y, kY, sizeof(y)) == 0);
    inputs[1] = w;
    REQUIRE(gc_compiled_execute_version(layer, inputs, 3, outputs, 1, NULL, 0,
                                        /*version=*/2));
    CHECK(y[0] == 4 && y[1] == 0 && y[2] == 8.5f && y[3] == 0);
    memset(w, 0, sizeof(w));
  }
  EXPECT_ERROR(gc_compiled_execute_version(layer, inputs, 3, outputs, 1, NULL,
                                           0, /*version=*/-1),
               GC_INVALID_ARGUMENT, "negative version");
  EXPECT_ERROR(gc_compiled_set_capacity(layer, 0), GC_INVALID_ARGUMENT,
               "less than 1 set");

  gc_buffer *report = NULL;
  REQUIRE(gc_compiled_report(layer, &report));
  const char *text = gc_buffer_data(report);
  CHECK(strlen(text) == gc_buffer_size(report));
  CHECK(strstr(text, "\"name\":\"layer\"") && strstr(text, "\"threads\":2"));
  CHECK(strstr(text, "\"flops\":24") && strstr(text, "\"forks\":1"));
  CHECK(strstr(text, "\"compile_ms\":") && strstr(text, "\"arena_bytes\":"));
  gc_buffer_destroy(report);
  gc_compiled_destroy(layer);
}

static void testRefusedArguments(void) {
  gc_graph *graph = NULL;
  REQUIRE(readLayer(&graph));
  gc_compiled *layer = NULL;
  REQUIRE(gc_graph_compile(graph, NULL, &layer));
  float y[5];
  void *inputs[] = {kX, NULL, kB}, *outputs[] = {y};
  EXPECT_ERROR(gc_compiled_execute(layer, inputs, 3, outputs, 1, NULL, 0),
               GC_INVALID_ARGUMENT, "input 1 'w' is NULL");
  EXPECT_ERROR(gc_compiled_execute(layer, inputs, 2, outputs, 1, NULL, 0),
               GC_INVALID_ARGUMENT, "the graph has 3 inputs, not 2");
  EXPECT_ERROR(gc_compiled_execute(layer, NULL, 3, outputs, 1, NULL, 0),
               GC_INVALID_ARGUMENT, "inputs are NULL");
  inputs[1] = kW;
  outputs[0] = (char *)y + 1;
  EXPECT_ERROR(gc_compiled_execute(layer, inputs, 3, outputs, 1, NULL, 0),
               GC_INVALID_ARGUMENT, "output 0 'result0' is not aligned");
  outputs[0] = y;
  gc_executor executor = {NULL, NULL, NULL};
  EXPECT_ERROR(gc_compiled_execute(layer, inputs, 3, outputs, 1, &executor, 1),
               GC_INVALID_ARGUMENT, "NULL function in the executor");
  gc_compile_options options = GC_COMPILE_OPTIONS_INIT;
  gc_compiled *other = NULL;
  options.struct_size = sizeof(size_t) + 1;
  EXPECT_ERROR(gc_graph_compile(graph, &options, &other), GC_INVALID_ARGUMENT,
               "struct_size");
  gc_tensor_info info;
  info.struct_size = 0;
  EXPECT_ERROR(gc_compiled_input(layer, 0, &info), GC_INVALID_ARGUMENT,
               "struct_size");
  EXPECT_ERROR(gc_compiled_input(NULL, 0, &info), GC_INVALID_ARGUMENT, "NULL");
  gc_compiled_destroy(layer);
  gc_graph_destroy(graph);
}

/* A program compiled with an older, shorter structure gets what it knows. */
static void testOlderStructures(void) {
  gc_graph *graph = NULL;
  REQUIRE(readLayer(&graph));
  struct {
    size_t struct_size;
    const char *pipeline;
  } older = {sizeof(older), "kernel=vector"};
  gc_compiled *layer = NULL;
  REQUIRE(gc_graph_compile(graph, (const gc_compile_options *)&older, &layer));
  struct {
    size_t struct_size;
    const char *name;
    const char *after;
  } info = {2 * sizeof(size_t), NULL, "untouched"};
  REQUIRE(gc_compiled_input(layer, 0, (gc_tensor_info *)&info));
  CHECK(strcmp(info.name, "x") == 0 && strcmp(info.after, "untouched") == 0);
  gc_compiled_destroy(layer);
  gc_graph_destroy(graph);
}

static void testBadGraphs(void) {
  struct {
    const char *text;
    gc_graph_format format;
    const char *message;
  } bad[] = {
      {"func.func @f(", GC_FORMAT_AUTOMATIC, "bad:1:13: "},
      {"{\"graph\": 1}", GC_FORMAT_AUTOMATIC, "bad:1:"},
      {"{", GC_FORMAT_ONEDNN_GRAPH, "malformed JSON"},
      {"\xff\xfe", GC_FORMAT_MLIR, "bad:1:1: "},
      {"func.func @f(%a: tensor<2xf32>) -> tensor<2xf32> { %0 = graph.nothing "
       "%a : (tensor<2xf32>) -> tensor<2xf32> return %0 : tensor<2xf32> }",
       GC_FORMAT_MLIR, "graph.nothing"},
  };
  for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); ++i) {
    gc_graph *graph = NULL;
    EXPECT_ERROR(gc_graph_read_text(bad[i].text, strlen(bad[i].text),
                                    bad[i].format, "bad", &graph),
                 GC_INVALID_ARGUMENT, bad[i].message);
    CHECK(graph == NULL);
  }
  /* Nesting that would use up the stack of a recursive parser. */
  static char deep[200000];
  memset(deep, '[', sizeof(deep));
  gc_graph *graph = NULL;
  EXPECT_ERROR(
      gc_graph_read_text(deep, sizeof(deep), GC_FORMAT_MLIR, "deep", &graph),
      GC_INVALID_ARGUMENT, "deep:1: nested more than 256 levels");
  EXPECT_ERROR(gc_graph_read_file("no-such-file.mlir", &graph),
               GC_INVALID_ARGUMENT, "no-such-file.mlir: ");
  EXPECT_ERROR(gc_graph_read_file("graph.txt", &graph), GC_INVALID_ARGUMENT,
               "unknown kind of file");
  EXPECT_ERROR(gc_graph_read_file(NULL, &graph), GC_INVALID_ARGUMENT, "NULL");
  const char *settings[] = {"dim=batch=4", "sizes=4"};
  EXPECT_ERROR(gc_graph_read_onnx(NULL, NULL, 0, &graph), GC_INVALID_ARGUMENT,
               "NULL");
  EXPECT_ERROR(gc_graph_read_onnx("no-such-file.onnx", settings, 1, &graph),
               GC_INVALID_ARGUMENT, "no-such-file.onnx");
  EXPECT_ERROR(gc_graph_read_onnx("no-such-file.onnx", settings, 2, &graph),
               GC_INVALID_ARGUMENT,
               "'sizes=4' is not dim=..., shape=..., value=... or");
  EXPECT_ERROR(gc_graph_read_onnx("graph.mlir", settings, 1, &graph),
               GC_INVALID_ARGUMENT, "only ONNX models");

  /* Nothing to compile, or too much of it. */
  const char *none = "func.func private @f(tensor<2xf32>)";
  REQUIRE(gc_graph_read_text(none, strlen(none), GC_FORMAT_MLIR, NULL, &graph));
  gc_compiled *compiled = NULL;
  EXPECT_ERROR(gc_graph_compile(graph, NULL, &compiled), GC_INVALID_ARGUMENT,
               "no function");
  CHECK(compiled == NULL);
  gc_graph_destroy(graph);
}

static void testBadOptions(void) {
  gc_graph *graph = NULL;
  REQUIRE(readLayer(&graph));
  struct {
    gc_compile_options options;
    const char *message;
  } bad[] = {
      {{sizeof(gc_compile_options), "kernel=none", NULL, 0, NULL, NULL, NULL},
       "kernel=none"},
      {{sizeof(gc_compile_options), "no-such-option", NULL, 0, NULL, NULL,
        NULL},
       "no-such-option"},
      {{sizeof(gc_compile_options), "threads=many", NULL, 0, NULL, NULL, NULL},
       "threads=many"},
      {{sizeof(gc_compile_options), "stop-after=fusion", NULL, 0, NULL, NULL,
        NULL},
       "phase 'fusion' cannot be run"},
      {{sizeof(gc_compile_options), NULL, "other", 0, NULL, NULL, NULL},
       "@layer"},
      {{sizeof(gc_compile_options), NULL, NULL, -1, NULL, NULL, NULL}, "-1"},
      {{sizeof(gc_compile_options), NULL, NULL, 4096, NULL, NULL, NULL},
       "4096"},
      {{sizeof(gc_compile_options), NULL, NULL, 0, "abacus", NULL, NULL},
       "abacus"},
      {{sizeof(gc_compile_options), NULL, NULL, 0, NULL, "+beads", NULL},
       "beads"},
      {{sizeof(gc_compile_options), NULL, NULL, 0, NULL, "-64bit", NULL},
       "64bit"},
      {{sizeof(gc_compile_options), NULL, NULL, 0, NULL, NULL, "cray1"},
       "machine 'cray1': there is no such file"},
      {{0, NULL, NULL, 0, NULL, NULL, NULL}, "GC_COMPILE_OPTIONS_INIT"},
  };
  for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); ++i) {
    gc_compiled *compiled = NULL;
    EXPECT_ERROR(gc_graph_compile(graph, &bad[i].options, &compiled),
                 GC_INVALID_ARGUMENT, bad[i].message);
    CHECK(compiled == NULL);
  }
  gc_graph_destroy(graph);
}

static void testEmit(void) {
  gc_graph *graph = NULL;
  REQUIRE(readLayer(&graph));
  gc_compile_options options = GC_COMPILE_OPTIONS_INIT;
  gc_buffer *text = NULL;
  /* For a machine that need not be this one. */
  options.machine = "server-avx512-64";
  options.pipeline = "kernel=vector";
  REQUIRE(gc_graph_emit(graph, &options, GC_EMIT_LLVM, &text));
  CHECK(strstr(gc_buffer_data(text), "\"tune-cpu\"=\"emeraldrapids\""));
  gc_buffer_destroy(text);
  options.machine = NULL;
  options.pipeline = "stop-after=fusion";
  REQUIRE(gc_graph_emit(graph, &options, GC_EMIT_MLIR, &text));
  CHECK(strstr(gc_buffer_data(text), "graph.fused_op"));
  gc_buffer_destroy(text);
  EXPECT_ERROR(gc_graph_emit(graph, &options, GC_EMIT_ASM, &text),
               GC_INVALID_ARGUMENT, "after phase 'fusion'");
  EXPECT_ERROR(gc_graph_emit(graph, NULL, (gc_emit_kind)9, &text),
               GC_INVALID_ARGUMENT, "no such kind");
  struct {
    gc_emit_kind kind;
    const char *has;
  } kinds[] = {{GC_EMIT_LLVM, "@layer_module"},
               {GC_EMIT_ASM, "layer_module:"},
               {GC_EMIT_OBJ, "\177ELF"}};
  for (size_t i = 0; i < 3; ++i) {
    REQUIRE(gc_graph_emit(graph, NULL, kinds[i].kind, &text));
    CHECK(strstr(gc_buffer_data(text), kinds[i].has));
    gc_buffer_destroy(text);
  }
  gc_graph_destroy(graph);
}

/* The sum needs the second product, and that the first: no region can hold the
 * first product and the sum without the second. */
static void testRemarks(void) {
  const char *text =
      "func.func @cycle(%x: tensor<8x8xf32>, %w: tensor<8x8xf32>)\n"
      "    -> tensor<8x8xf32> {\n"
      "  %0 = graph.matmul %x, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> "
      "tensor<8x8xf32>\n"
      "  %1 = graph.matmul %w, %0 : (tensor<8x8xf32>, tensor<8x8xf32>) -> "
      "tensor<8x8xf32>\n"
      "  %2 = graph.add %0, %1 : (tensor<8x8xf32>, tensor<8x8xf32>) -> "
      "tensor<8x8xf32>\n"
      "  return %2 : tensor<8x8xf32>\n"
      "}\n";
  gc_graph *graph = NULL;
  REQUIRE(gc_graph_read_text(text, strlen(text), GC_FORMAT_MLIR, "cycle.mlir",
                             &graph));
  gc_compiled *cycle = NULL;
  REQUIRE(gc_graph_compile(graph, NULL, &cycle));
  size_t count = gc_compiled_num_remarks(cycle);
  gc_remark remark;
  int found = 0;
  for (size_t i = 0; i < count; ++i) {
    remark.struct_size = sizeof(remark);
    REQUIRE(gc_compiled_remark(cycle, i, &remark));
    CHECK(strlen(remark.message) > 0);
    found |= strcmp(remark.kind, "missed") == 0 &&
             strcmp(remark.category, "graph-fuse") == 0 &&
             strcmp(remark.name, "NotFused") == 0 &&
             strcmp(remark.function, "cycle") == 0 &&
             strcmp(remark.location, "cycle.mlir:5:8") == 0;
  }
  CHECK(found);
  EXPECT_ERROR(gc_compiled_remark(cycle, count, &remark), GC_INVALID_ARGUMENT,
               "there is no remark");
  gc_compiled_destroy(cycle);
  gc_graph_destroy(graph);
}

/* Compiles, and executes one compiled graph, alongside other threads. */
typedef struct {
  gc_graph *graph;
  gc_compiled *shared;
  int wrong;
} Worker;

static void *work(void *argument) {
  Worker *worker = argument;
  gc_compiled *own = NULL;
  gc_error *error = gc_graph_compile(worker->graph, NULL, &own);
  worker->wrong = error != NULL;
  for (int i = 0; i < 50 && !worker->wrong; ++i) {
    float y[4] = {-1, -1, -1, -1};
    void *inputs[] = {kX, kW, kB}, *outputs[] = {y};
    error = gc_compiled_execute(i % 2 ? own : worker->shared, inputs, 3,
                                outputs, 1, NULL, 0);
    worker->wrong = error != NULL || memcmp(y, kY, sizeof(y)) != 0;
  }
  gc_error_destroy(error);
  gc_compiled_destroy(own);
  return NULL;
}

static void testThreads(void) {
  enum { count = 4 };
  gc_graph *graph = NULL;
  REQUIRE(readLayer(&graph));
  gc_compiled *shared = NULL;
  REQUIRE(gc_graph_compile(graph, NULL, &shared));
  pthread_t threads[count];
  Worker workers[count];
  for (int i = 0; i < count; ++i) {
    workers[i] = (Worker){graph, shared, 0};
    CHECK(pthread_create(&threads[i], NULL, work, &workers[i]) == 0);
  }
  for (int i = 0; i < count; ++i) {
    pthread_join(threads[i], NULL);
    CHECK(!workers[i].wrong);
  }
  gc_compiled_destroy(shared);
  gc_graph_destroy(graph);
}

/* Packages are written whole or not at all; test/gc-compile has what is in
 * them. */
static void testPackages(void) {
  gc_graph *graph = NULL;
  REQUIRE(readLayer(&graph));
  char folder[] = "gc-c-api-XXXXXX", path[64], file[96];
  CHECK(mkdtemp(folder) != NULL);
  snprintf(path, sizeof(path), "%s/package", folder);
  gc_package_options options = GC_PACKAGE_OPTIONS_INIT;
  EXPECT_ERROR(gc_graph_write_package(NULL, NULL, NULL, path),
               GC_INVALID_ARGUMENT, "NULL");
  EXPECT_ERROR(gc_graph_write_package(graph, NULL, NULL, ""),
               GC_INVALID_ARGUMENT, "NULL");
  options.name = "not a name";
  EXPECT_ERROR(gc_graph_write_package(graph, NULL, &options, path),
               GC_INVALID_ARGUMENT, "identifier");
  options.name = "layer";
  options.num_values = 1;
  EXPECT_ERROR(gc_graph_write_package(graph, NULL, &options, path),
               GC_INVALID_ARGUMENT, "num_values");
  options.num_values = 0;
  options.struct_size = 1;
  EXPECT_ERROR(gc_graph_write_package(graph, NULL, &options, path),
               GC_INVALID_ARGUMENT, "struct_size");
  options.struct_size = sizeof(options);
  EXPECT_ERROR(gc_graph_write_package(graph, NULL, &options, "no/such/folder"),
               GC_INVALID_ARGUMENT, "does not exist");
  REQUIRE(gc_graph_write_package(graph, NULL, &options, path));
  const char *files[] = {"layer.o", "layer.h", "layerConfig.cmake",
                         "gc-package.json"};
  for (int i = 0; i < 4; ++i) {
    snprintf(file, sizeof(file), "%s/%s", path, files[i]);
    CHECK(remove(file) == 0);
  }
  CHECK(rmdir(path) == 0 && rmdir(folder) == 0);
  gc_graph_destroy(graph);
}

int main(void) {
  CHECK(gc_capi_version() >= GC_CAPI_VERSION);
  CHECK(strchr(gc_version_string(), '.') != NULL);
  testLayer();
  testRefusedArguments();
  testOlderStructures();
  testBadGraphs();
  testBadOptions();
  testEmit();
  testRemarks();
  testThreads();
  testPackages();
  /* Nothing happens. */
  gc_error_destroy(NULL);
  gc_buffer_destroy(NULL);
  gc_graph_destroy(NULL);
  gc_compiled_destroy(NULL);
  if (failures)
    fprintf(stderr, "%d checks failed\n", failures);
  return failures != 0;
}
