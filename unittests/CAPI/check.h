/* Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* Checks of the tests of the C interface. */

#ifndef GC_UNITTESTS_CAPI_CHECK_H
#define GC_UNITTESTS_CAPI_CHECK_H

#include "CAPI/GraphCompiler.h"

#include <stdio.h>

static int failures = 0;

#define CHECK(condition)                                                       \
  do {                                                                         \
    if (!(condition)) {                                                        \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);          \
      ++failures;                                                              \
    }                                                                          \
  } while (0)

/* The call succeeds; ends the test function if not. */
#define REQUIRE(call)                                                          \
  do {                                                                         \
    gc_error *requireError = (call);                                           \
    if (requireError) {                                                        \
      fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call,            \
              gc_error_message(requireError));                                 \
      gc_error_destroy(requireError);                                          \
      ++failures;                                                              \
      return;                                                                  \
    }                                                                          \
  } while (0)

#endif /* GC_UNITTESTS_CAPI_CHECK_H */
