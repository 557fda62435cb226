/* Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* A program with a compiled graph inside. */

#include "layer.h"

#include <stdio.h>

int main(void) {
  static const float x[] = {1, 2, 3, 4, 5, 6}, w[] = {1, -1, 0, 1, 2, -1};
  float y[LAYER_Y_BYTES / sizeof(float)];
  /* Not necessary, but it tells early whether this processor will do. */
  if (layer_load() != LAYER_OK || layer(x, w, y) != LAYER_OK) {
    fprintf(stderr, "%s\n", layer_error());
    return 1;
  }
  printf("%g %g\n%g %g\n", y[0], y[1], y[2], y[3]);
  layer_unload();
  return 0;
}
