// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Support/OpClock.h"

using namespace mlir;

void gc::OpClock::number(Region &region) {
  for (Operation &op : region.getOps()) {
    int64_t first = now++;
    for (Region &inner : op.getRegions())
      number(inner);
    times[&op] = {first, op.getNumRegions() ? now++ : first};
  }
}
