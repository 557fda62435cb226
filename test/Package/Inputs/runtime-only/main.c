/* Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* A product of small integers, which is exact in any order of its sums. */

#if defined(USE_VECTORS)
#include "vectors.h"
#define product vectors
#define product_error vectors_error
#elif defined(USE_PACKAGED)
#include "packaged.h"
#define product packaged
#define product_error packaged_error
#else
#include "product.h"
#endif

#include <stdio.h>

enum { M = 64, K = 48, N = 80 };

int main(void) {
  static float x[M * K], w[K * N], y[M * N];
  for (int i = 0; i < M * K; ++i)
    x[i] = (float)(i % 7 - 3);
  for (int i = 0; i < K * N; ++i)
    w[i] = (float)(i % 5 - 2);
  for (int run = 0; run < 3; ++run)
    if (product(x, w, y) != 0) {
      fprintf(stderr, "%s\n", product_error());
      return 1;
    }
  for (int i = 0; i < M; ++i)
    for (int j = 0; j < N; ++j) {
      float sum = 0;
      for (int k = 0; k < K; ++k)
        sum += x[i * K + k] * w[k * N + j];
      if (y[i * N + j] != (sum > 0 ? sum : 0)) {
        fprintf(stderr, "y[%d, %d] is %g\n", i, j, (double)y[i * N + j]);
        return 1;
      }
    }
  return 0;
}
