// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Results whose stores bypass the caches. A store to a line that is in no cache
// reads it first; where a graph's inputs and outputs fill the last-level cache,
// that is a wasted memory access.

#include "RegionEmitter.h"

using namespace mlir;
using namespace gc::graph;

namespace gc {

/// Bytes of the function's inputs and outputs whose sizes are known.
static int64_t getArgumentBytes(Block &entry) {
  int64_t bytes = 0;
  for (Type type : entry.getArgumentTypes())
    if (auto memref = dyn_cast<MemRefType>(type);
        memref && memref.hasStaticShape())
      bytes += memref.getNumElements() *
               llvm::divideCeil(memref.getElementTypeBitWidth(), 8);
  return bytes;
}

bool RegionEmitter::canStream(const Buffer &buffer) {
  auto argument = dyn_cast<BlockArgument>(buffer.memref);
  RankedTensorType type = buffer.type;
  int64_t rank = type.getRank();
  LayoutAttr layout = getLayout(type);
  if (!argument || argument.getOwner() != entry || rank < 2 ||
      !type.getElementType().isF32() || (layout && layout.isBlocked()))
    return false;
  // Each row starts at a line if the first one does.
  for (int64_t dim = 0; dim < rank; ++dim) {
    int64_t stride = getOffset(type, dim, 1);
    bool isRow = dim == rank - 1;
    if (isRow ? stride != 1
              : type.getDimSize(dim) > 1 &&
                    stride * sizeof(float) % kLineBytes != 0)
      return false;
  }
  return getArgumentBytes(*entry) > machine.l3Bytes;
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
