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

/// Whether rows of a view start at cache lines if the memory does. A part of a
/// larger tensor has an offset.
static bool hasAlignedRows(MemRefType type) {
  auto [strides, offset] = type.getStridesAndOffset();
  int64_t line =
      kLineBytes / llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  auto isAligned = [&](int64_t elements) {
    return !ShapedType::isDynamic(elements) && elements % line == 0;
  };
  return isAligned(offset) &&
         llvm::all_of(ArrayRef<int64_t>(strides).drop_back(), isAligned);
}

LogicalResult RegionEmitter::emitStreaming(
    ArrayRef<Store> stores, function_ref<bool(const Store &)> areWholeLines,
    function_ref<LogicalResult(ArrayRef<Store>)> emitStores) {
  Location loc = fused.getLoc();
  SmallVector<Store> streams(stores);
  Value isAligned;
  for (Store &store : streams) {
    if (!isStreamed(store.buffer) ||
        !hasAlignedRows(cast<MemRefType>(store.buffer.memref.getType())) ||
        !areWholeLines(store))
      continue;
    store.buffer.streams = true;
    Value one = emitIsAligned(store.buffer);
    isAligned =
        isAligned ? arith::AndIOp::create(builder, loc, isAligned, one) : one;
  }
  if (!isAligned)
    return emitStores(stores);
  auto branch =
      scf::IfOp::create(builder, loc, isAligned, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  if (failed(emitStores(streams)))
    return failure();
  builder.setInsertionPointToStart(branch.elseBlock());
  return emitStores(stores);
}

} // namespace gc
