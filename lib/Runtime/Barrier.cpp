// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Barrier.h"

#include "Runtime/Runtime.h"

void gc_barrier_wait(const gc_team *team) {
  if (team->size > 1)
    static_cast<gc::runtime::Barrier *>(team->barrier)->wait(team->size);
}
