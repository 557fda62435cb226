/* Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* Stands for libdnnl of major version GC_STAND_IN_VERSION: engines, streams,
 * memory and a post-op that nobody else can make sense of. Its graph functions
 * are in graph-functions.c. */

#include "oneapi/dnnl/dnnl.h"

#include <stdlib.h>

/* Every object begins with what it is. */
enum { kEngine = 0x656e67, kStream = 0x737472, kMemory = 0x6d656d };

struct dnnl_engine {
  int magic;
  dnnl_engine_kind_t kind;
};
struct dnnl_stream {
  int magic;
  dnnl_engine_t engine;
  int waits;
};
struct dnnl_memory {
  int magic;
  void *handle;
};

static int objects = 0, wrong = 0;

/* Objects that exist; calls with objects of others. */
DNNL_API int stand_in_objects(void) { return objects; }
DNNL_API int stand_in_wrong(void) { return wrong; }

static int check(int condition) {
  wrong += !condition;
  return condition;
}

static void *make(size_t bytes, int magic) {
  int *object = calloc(1, bytes);
  *object = magic;
  ++objects;
  return object;
}

static dnnl_status_t release(void *object, int magic) {
  if (!object)
    return dnnl_success;
  if (!check(*(int *)object == magic))
    return dnnl_invalid_arguments;
  --objects;
  free(object);
  return dnnl_success;
}

const dnnl_version_t *dnnl_version(void) {
  static const dnnl_version_t version = {
      GC_STAND_IN_VERSION, 7, 3, "stand-in", DNNL_RUNTIME_SEQ,
      DNNL_RUNTIME_NONE};
  return &version;
}

static dnnl_fpmath_mode_t fpmathMode = dnnl_fpmath_mode_strict;

dnnl_status_t dnnl_set_default_fpmath_mode(dnnl_fpmath_mode_t mode) {
  fpmathMode = mode;
  return dnnl_success;
}

dnnl_status_t dnnl_get_default_fpmath_mode(dnnl_fpmath_mode_t *mode) {
  *mode = fpmathMode;
  return dnnl_success;
}

size_t dnnl_engine_get_count(dnnl_engine_kind_t kind) {
  return kind == dnnl_cpu ? 3 : 0;
}

dnnl_status_t dnnl_engine_create(dnnl_engine_t *engine, dnnl_engine_kind_t kind,
                                 size_t index) {
  if (index >= dnnl_engine_get_count(kind))
    return dnnl_invalid_arguments;
  *engine = make(sizeof(struct dnnl_engine), kEngine);
  (*engine)->kind = kind;
  return dnnl_success;
}

dnnl_status_t dnnl_engine_get_kind(dnnl_engine_t engine,
                                   dnnl_engine_kind_t *kind) {
  if (!engine || !check(engine->magic == kEngine))
    return dnnl_invalid_arguments;
  *kind = engine->kind;
  return dnnl_success;
}

dnnl_status_t dnnl_engine_destroy(dnnl_engine_t engine) {
  return release(engine, kEngine);
}

dnnl_status_t dnnl_stream_create(dnnl_stream_t *stream, dnnl_engine_t engine,
                                 unsigned flags) {
  if (!check(engine->magic == kEngine) || !flags)
    return dnnl_invalid_arguments;
  *stream = make(sizeof(struct dnnl_stream), kStream);
  (*stream)->engine = engine;
  return dnnl_success;
}

dnnl_status_t dnnl_stream_get_engine(const_dnnl_stream_t stream,
                                     dnnl_engine_t *engine) {
  if (!stream || !check(stream->magic == kStream))
    return dnnl_invalid_arguments;
  *engine = stream->engine;
  return dnnl_success;
}

dnnl_status_t dnnl_stream_wait(dnnl_stream_t stream) {
  if (!check(stream->magic == kStream))
    return dnnl_invalid_arguments;
  ++stream->waits;
  return dnnl_success;
}

dnnl_status_t dnnl_stream_destroy(dnnl_stream_t stream) {
  return release(stream, kStream);
}

dnnl_status_t dnnl_memory_create(dnnl_memory_t *memory,
                                 const_dnnl_memory_desc_t memory_desc,
                                 dnnl_engine_t engine, void *handle) {
  if (memory_desc || !check(engine->magic == kEngine))
    return dnnl_invalid_arguments;
  *memory = make(sizeof(struct dnnl_memory), kMemory);
  (*memory)->handle = handle;
  return dnnl_success;
}

dnnl_status_t dnnl_memory_get_data_handle(const_dnnl_memory_t memory,
                                          void **handle) {
  if (!check(memory->magic == kMemory))
    return dnnl_invalid_arguments;
  *handle = memory->handle;
  return dnnl_success;
}

dnnl_status_t dnnl_memory_destroy(dnnl_memory_t memory) {
  return release(memory, kMemory);
}

/* A primitive's function that the graph library's headers do not have. */
DNNL_API dnnl_status_t dnnl_post_ops_append_eltwise(void *post_ops,
                                                    int algorithm, float alpha,
                                                    float beta) {
  return post_ops && algorithm == 3 && alpha == 1.5f && beta == -2.0f
             ? dnnl_success
             : dnnl_invalid_arguments;
}
