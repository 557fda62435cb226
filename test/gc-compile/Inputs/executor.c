/* Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* Threads and memory of the caller's: the results are those of a call without.
 */

#include "Runtime/Runtime.h"
#include "layer.h"

#include <stdio.h>
#include <string.h>

static float x[24 * 40], w[40 * 72], b[72], y[24 * 72], z[24 * 72];

int main(void) {
  gc_executor *pool = gc_thread_pool_create(LAYER_THREADS);
  void *arena =
      gc_allocate(LAYER_ARENA_BYTES(LAYER_THREADS), LAYER_ARENA_ALIGNMENT);
  for (int i = 0; i < 24 * 40; ++i)
    x[i] = (float)(i % 13) * 0.1f;
  for (int i = 0; i < 40 * 72; ++i)
    w[i] = (float)(i % 11) * 0.1f - 0.5f;
  if (!pool || !arena || layer(x, w, b, y) != LAYER_OK ||
      layer_with(pool, LAYER_THREADS, arena, x, w, b, z) != LAYER_OK) {
    printf("%s\n", layer_error());
    return 1;
  }
  puts(memcmp(y, z, sizeof y) == 0 ? "the same bits" : "other bits");
  /* An arena that is not aligned is the caller's error. */
  if (layer_with(pool, 1, (char *)arena + 4, x, w, b, z) ==
      LAYER_INVALID_ARGUMENT)
    puts(layer_error());
  layer_unload();
  gc_deallocate(arena);
  gc_thread_pool_destroy(pool);
  return 0;
}
