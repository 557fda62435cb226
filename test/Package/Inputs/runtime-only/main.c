// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Runtime/Runtime.h"

#include <stdio.h>
#include <string.h>

int main(void) {
  int64_t Count = 0;
  const gc_symbol *Symbols = gc_runtime_symbols(&Count);
  for (int64_t I = 0; I < Count; ++I)
    if (strcmp(Symbols[I].name, "gc_brgemm_dispatch") == 0)
      return 0;
  fprintf(stderr, "no gc_brgemm_dispatch among %lld symbols\n",
          (long long)Count);
  return 1;
}
