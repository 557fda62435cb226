/* Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* What gc-compile puts around a compiled graph, and the functions that its code
 * calls to load it with its weights and to execute it. Programs call the
 * functions of the generated header, NAME.h, which call these. Like Runtime.h,
 * this is a plain C interface; nothing here prints, exits or throws. */

#ifndef GC_RUNTIME_PACKAGE_H
#define GC_RUNTIME_PACKAGE_H

#include "Runtime/Runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Version of gc_package and gc_weight. */
#define GC_PACKAGE_VERSION 1

/* A tensor in the package's file of weights. */
typedef struct gc_weight {
  const char *name;
  const char *type; /* as safetensors spells it: "F32", "BF16", "U8" ... */
  uint64_t rank;
  const uint64_t *shape;
  uint64_t bytes;
  /* Where it goes: input number `index` of the module, or with is_folded its
   * folded buffer of that number. */
  uint32_t index;
  uint32_t is_folded;
} gc_weight;

/* A module with everything that its execution needs besides the caller's
 * buffers; a constant object in the compiled code. */
typedef struct gc_package {
  uint32_t version; /* GC_PACKAGE_VERSION of the compiler */
  uint32_t num_weights;
  const gc_module *module;
  int64_t threads; /* that the work was planned for */
  const gc_weight *weights;
  /* Folded constants inside the code, one pointer each. NULL: they come from
   * the file of weights, or are folded by the first execution. */
  const void *const *folded;
} gc_package;

/* A loaded package. */
typedef struct gc_loaded gc_loaded;

/* Checks versions and the host's instruction sets, maps the file of weights and
 * checks names, types, shapes and sizes; keeps the result in *slot, which is
 * NULL before the first call. `weights` may be NULL if the package has no file.
 * Loading again is an error. GC_UNSUPPORTED for another version or processor,
 * GC_INVALID_ARGUMENT for a file that does not belong to the package. */
GC_API gc_status gc_package_load(const gc_package *package, gc_loaded **slot,
                                 const char *weights);

/* Executes the package. inputs: one pointer per input of the module; those that
 * come from the file of weights are filled in here; outputs: one per output.
 * Loads the package if that has not happened yet and there is no file to load.
 * executor NULL: plain threads, kept by the runtime. threads < 1: as many as
 * the package was planned for. arena NULL: kept by the runtime. Several host
 * threads may execute a package at the same time. */
GC_API gc_status gc_package_execute(const gc_package *package, gc_loaded **slot,
                                    const gc_executor *executor,
                                    int64_t threads, void **inputs,
                                    void *const *outputs, void *arena);

/* Frees what loading and executing have allocated, and sets *slot to NULL. No
 * execution may be in flight. */
GC_API void gc_package_unload(gc_loaded **slot);

#ifdef __cplusplus
}
#endif

#endif /* GC_RUNTIME_PACKAGE_H */
