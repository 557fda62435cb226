// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The proof goes from the parallel loop inwards. Iterations that use different
// parts of the buffers need not be compared with each other. Within one, an op
// that writes may only be followed by ops that read elsewhere; what both reads
// and writes is a loop or a branch, of which the same is asked.

#include "InPlace.h"
#include "LoopSlice.h"
#include "MemoryUse.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace gc::tir {

namespace {

/// Whether two memrefs see two buffers in the same way: their own indices are
/// those of the same element of either.
bool areSameView(Value a, Value bufferA, Value b, Value bufferB) {
  if (a.getType() != b.getType())
    return false;
  if (a == bufferA || b == bufferB)
    return a == bufferA && b == bufferB;
  auto castA = a.getDefiningOp<memref::ReinterpretCastOp>();
  auto castB = b.getDefiningOp<memref::ReinterpretCastOp>();
  return castA && castB && castA->getNumOperands() == 1 &&
         castB->getNumOperands() == 1 &&
         castA->getAttrDictionary() == castB->getAttrDictionary() &&
         areSameView(castA.getSource(), bufferA, castB.getSource(), bufferB);
}

bool isLoad(Operation *op) {
  return isa<memref::LoadOp, vector::LoadOp, vector::TransferReadOp>(op);
}

class ReadOrder {
public:
  ReadOrder(ParallelOp loop, Value from, Value to)
      : loop(loop), from(from), to(to) {}

  bool isProved() {
    if (from.getType() != to.getType() || !collect(from, from, /*reads=*/true))
      return false;
    numReads = accesses.size();
    if (!collect(to, to, /*reads=*/false) || numReads == 0 ||
        numReads == accesses.size())
      return false;
    // One system of indices for all.
    const BufferAccess &first = accesses.front();
    for (auto [i, access] : llvm::enumerate(accesses))
      if (!areSameView(access.memref->get(), i < numReads ? from : to,
                       first.memref->get(), from))
        return false;
    return isOrdered(loop.getBody().front(), loop);
  }

private:
  /// Adds the accesses in the loop to a buffer through a view of it. False if
  /// there is another one than those that are looked at.
  bool collect(Value buffer, Value view, bool reads) {
    for (OpOperand &use : view.getUses()) {
      Operation *op = use.getOwner();
      if (getViewSource(op) == view) {
        for (Value result : op->getResults())
          if (!collect(buffer, result, reads))
            return false;
        continue;
      }
      if (!loop->isProperAncestor(op) || isa<memref::PrefetchOp>(op) ||
          (!reads && isLoad(op)))
        continue;
      std::optional<BufferAccess> access = getAccess(use);
      if (!access || (reads && !isLoad(op)))
        return false;
      accesses.push_back(*access);
    }
    return true;
  }

  /// The reads, or the writes, that are inside an op or a block.
  template <typename T>
  SmallVector<BufferAccess> getInside(T &place, bool reads) const {
    ArrayRef<BufferAccess> all(accesses);
    SmallVector<BufferAccess> inside;
    for (const BufferAccess &access :
         reads ? all.take_front(numReads) : all.drop_front(numReads))
      if (isInside(access.getOp(), place))
        inside.push_back(access);
    return inside;
  }
  static bool isInside(Operation *op, Operation &place) {
    return place.isAncestor(op);
  }
  static bool isInside(Operation *op, Block &place) {
    return place.findAncestorOpInBlock(*op) != nullptr;
  }

  ArrayRef<int64_t> getSizes() const {
    return cast<MemRefType>(accesses.front().memref->get().getType())
        .getShape();
  }

  /// Whether any two iterations of a loop and of those around it use different
  /// elements.
  bool isSeparate(Operation *inner) const {
    SmallVector<BufferAccess> inside = getInside(*inner, true);
    inside.append(getInside(*inner, false));
    return areSeparate(getSlice(inside, getSizes(), inner), inner,
                       /*withParallel=*/true);
  }

  /// Whether some reads and some writes are of different elements in one
  /// iteration of the loop around them.
  bool areDisjoint(ArrayRef<BufferAccess> reads, ArrayRef<BufferAccess> writes,
                   Operation *around) const {
    Slice a = getSlice(reads, getSizes(), around),
          b = getSlice(writes, getSizes(), around);
    for (auto [baseA, sizeA, baseB, sizeB] :
         llvm::zip_equal(a.bases, a.shape, b.bases, b.shape))
      if (baseA.hasSameTerms(baseB) &&
          (baseA.constant + sizeA <= baseB.constant ||
           baseB.constant + sizeB <= baseA.constant))
        return true;
    return false;
  }

  /// Whether the block, in the innermost loop `around`, does what is wanted.
  bool isOrdered(Block &block, Operation *around) const {
    SmallVector<Operation *> users;
    for (Operation &op : block)
      if (!getInside(op, true).empty() || !getInside(op, false).empty())
        users.push_back(&op);
    if (users.empty())
      return true;
    bool isSplit =
        users.size() > 1 ||
        llvm::count_if(users.front()->getRegions(),
                       [&](Region &region) { return usesBuffers(region); }) > 1;
    if (isSplit && !isSeparate(around))
      return false;
    SmallVector<BufferAccess> written;
    for (Operation *op : users) {
      SmallVector<BufferAccess> reads = getInside(*op, true),
                                writes = getInside(*op, false);
      if (!reads.empty() && !written.empty() &&
          !areDisjoint(reads, written, around))
        return false;
      if (!reads.empty() && !writes.empty() && !isOrderedInside(op, around))
        return false;
      written.append(writes);
    }
    return true;
  }

  bool usesBuffers(Region &region) const {
    return llvm::any_of(accesses, [&](const BufferAccess &access) {
      return region.isAncestor(access.getOp()->getParentRegion());
    });
  }

  /// Of an op that both reads and writes.
  bool isOrderedInside(Operation *op, Operation *around) const {
    if (!isa<scf::ForOp, scf::IfOp>(op))
      return false;
    if (isa<scf::ForOp>(op))
      around = op;
    return llvm::all_of(op->getRegions(), [&](Region &region) {
      return region.empty() || isOrdered(region.front(), around);
    });
  }

  ParallelOp loop;
  Value from, to;
  /// Reads of `from`, then writes of `to`.
  SmallVector<BufferAccess> accesses;
  size_t numReads = 0;
};

} // namespace

bool readsBeforeWriting(ParallelOp loop, Value from, Value to) {
  return ReadOrder(loop, from, to).isProved();
}

} // namespace gc::tir
