// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Results whose stores bypass the caches. A store to a line that is in no cache
// reads it first; where a graph's inputs and outputs fill the last-level cache,
// that is a wasted memory access.

#include "RegionEmitter.h"

using namespace mlir;
using namespace gc::graph;

namespace gc {

bool RegionEmitter::isStreamed(const Buffer &buffer) {
  return llvm::any_of(schedule.getStream(), [&](int64_t result) {
    return buffers.lookup(fused.getResult(result)).memref == buffer.memref;
  });
}

Value RegionEmitter::emitIsAligned(const Buffer &buffer) {
  Location loc = fused.getLoc();
  Value address = memref::ExtractAlignedPointerAsIndexOp::create(builder, loc,
                                                                 buffer.memref);
  Value rest =
      arith::RemUIOp::create(builder, loc, address, makeIndex(kLineBytes));
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, rest,
                               makeIndex(0));
}

} // namespace gc
