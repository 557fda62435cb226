/* Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* A layer of a perceptron through the C interface. */

#include "CAPI/GraphCompiler.h"

#include <stdio.h>
#include <string.h>

static const char layer_text[] =
    "func.func @layer(\n"
    "    %x: tensor<2x3xf32> {graph.name = \"x\"},\n"
    "    %w: tensor<3x2xf32> {graph.const_arg, graph.name = \"w\"})\n"
    "    -> (tensor<2x2xf32> {graph.name = \"y\"}) {\n"
    "  %0 = graph.matmul %x, %w\n"
    "    : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>\n"
    "  %1 = graph.relu %0 : (tensor<2x2xf32>) -> tensor<2x2xf32>\n"
    "  return %1 : tensor<2x2xf32>\n"
    "}\n";

static int fail(gc_error *error) {
  fprintf(stderr, "%s\n", gc_error_message(error));
  gc_error_destroy(error);
  return 1;
}

static int show(const gc_compiled *layer) {
  for (size_t i = 0; i < gc_compiled_num_inputs(layer); ++i) {
    gc_tensor_info info;
    gc_error *error;
    info.struct_size = sizeof(info);
    if ((error = gc_compiled_input(layer, i, &info)))
      return fail(error);
    printf("%s: %s, %d x %d%s\n", info.name, info.dtype_name,
           (int)info.shape[0], (int)info.shape[1],
           info.is_constant ? ", constant" : "");
  }
  return 0;
}

static int run(gc_compiled *layer) {
  float x[] = {1, 2, 3, 4, 5, 6}, w[] = {1, -1, 0, 1, 2, -1}, y[4];
  void *inputs[] = {x, w}, *outputs[] = {y};
  gc_error *error = gc_compiled_execute(layer, inputs, 2, outputs, 1, NULL, 0);
  if (error)
    return fail(error);
  printf("%g %g\n%g %g\n", y[0], y[1], y[2], y[3]);
  return 0;
}

int main(void) {
  gc_graph *graph = NULL;
  gc_compiled *layer = NULL;
  gc_compile_options options = GC_COMPILE_OPTIONS_INIT;
  gc_error *error = gc_graph_read_text(layer_text, strlen(layer_text),
                                       GC_FORMAT_MLIR, "layer.mlir", &graph);
  if (error)
    return fail(error);
  options.threads = 2;
  error = gc_graph_compile(graph, &options, &layer);
  gc_graph_destroy(graph);
  if (error)
    return fail(error);
  int status = show(layer) || run(layer);
  gc_compiled_destroy(layer);
  return status;
}
