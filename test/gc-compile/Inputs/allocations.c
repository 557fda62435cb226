/* Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* Counts allocations of the whole process, of the runtime's threads too: there
 * are none after the first call. */

#define _GNU_SOURCE
#include "layer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static int count;

void *malloc(size_t size) {
  __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
  return __libc_malloc(size);
}
void *calloc(size_t number, size_t size) {
  __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
  return __libc_calloc(number, size);
}
void *realloc(void *memory, size_t size) {
  __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
  return __libc_realloc(memory, size);
}
int posix_memalign(void **memory, size_t alignment, size_t size) {
  __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
  *memory = __libc_memalign(alignment, size);
  return *memory ? 0 : ENOMEM;
}

static float x[24 * 40], w[40 * 72], b[72], y[24 * 72];

int main(void) {
  if (layer(x, w, b, y) != LAYER_OK) {
    printf("%s\n", layer_error());
    return 1;
  }
  int before = count;
  for (int i = 0; i < 100; ++i)
    if (layer(x, w, b, y) != LAYER_OK)
      return 1;
  int after = count;
  layer_unload();
  printf("first call %s, then %d allocations\n", before > 0 ? "some" : "none",
         after - before);
  return 0;
}
