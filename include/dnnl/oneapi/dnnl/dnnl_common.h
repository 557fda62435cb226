/* Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* Engines, streams and settings that graphs and primitives share. */

#ifndef ONEAPI_DNNL_DNNL_COMMON_H
#define ONEAPI_DNNL_DNNL_COMMON_H

#include "oneapi/dnnl/dnnl_common_types.h"
#include "oneapi/dnnl/dnnl_version.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Number of engines of a kind: one CPU. */
size_t DNNL_API dnnl_engine_get_count(dnnl_engine_kind_t kind);
dnnl_status_t DNNL_API dnnl_engine_create(dnnl_engine_t *engine,
                                          dnnl_engine_kind_t kind,
                                          size_t index);
dnnl_status_t DNNL_API dnnl_engine_get_kind(dnnl_engine_t engine,
                                            dnnl_engine_kind_t *kind);
/* Objects that use the engine keep what they need from it. */
dnnl_status_t DNNL_API dnnl_engine_destroy(dnnl_engine_t engine);

/* flags: dnnl_stream_flags_t. */
dnnl_status_t DNNL_API dnnl_stream_create(dnnl_stream_t *stream,
                                          dnnl_engine_t engine, unsigned flags);
/* The engine is borrowed from the stream. */
dnnl_status_t DNNL_API dnnl_stream_get_engine(const_dnnl_stream_t stream,
                                              dnnl_engine_t *engine);
dnnl_status_t DNNL_API dnnl_stream_wait(dnnl_stream_t stream);
dnnl_status_t DNNL_API dnnl_stream_destroy(dnnl_stream_t stream);

/* The mode of graphs and primitives that are created without one. */
dnnl_status_t DNNL_API dnnl_get_default_fpmath_mode(dnnl_fpmath_mode_t *mode);
dnnl_status_t DNNL_API dnnl_set_default_fpmath_mode(dnnl_fpmath_mode_t mode);

/* 0: print nothing; 1: print a line for each compilation and execution of a
 * partition; 2: the same. */
dnnl_status_t DNNL_API dnnl_set_verbose(int level);

const dnnl_version_t DNNL_API *dnnl_version(void);

#ifdef __cplusplus
}
#endif

#endif /* ONEAPI_DNNL_DNNL_COMMON_H */
