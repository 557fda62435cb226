// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Scops that several cores run: parts of arrays, and who writes what.

#include "Dialect/Poly/IR/Scop.h"
#include "ScopText.h"

using namespace mlir;
using namespace gc;
using namespace gc::poly;

LogicalResult PartAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               ArrayRef<int64_t> whole, AffineMapAttr offsets) {
  for (int64_t size : whole)
    if (size < 1)
      return emitError() << "(C1) is of an array without elements";
  AffineMap map = offsets.getValue();
  if (map.getNumDims() != 1 || map.getNumSymbols() != 0 ||
      map.getNumResults() != whole.size())
    return emitError() << "(C1) needs a map of the core's number to "
                       << whole.size() << " offsets, not " << offsets;
  return success();
}

/// The scop, or the one that it is beside, and all that are beside that, in the
/// order of the module.
static SmallVector<ScopOp> getTeam(ScopOp scop) {
  StringRef first = scop.getBeside().value_or(scop.getSymName());
  SmallVector<ScopOp> team;
  for (auto other : scop->getBlock()->getOps<ScopOp>())
    if (other.getSymName() == first || other.getBeside() == first)
      team.push_back(other);
  return team;
}

namespace {
/// Elements of an array that a core sees: [offset, offset + size).
struct CoreBox {
  int64_t core;
  SmallVector<int64_t> offsets, sizes;

  bool overlaps(const CoreBox &other) const {
    for (auto [own, size, from, count] :
         llvm::zip_equal(offsets, sizes, other.offsets, other.sizes))
      if (own >= from + count || from >= own + size)
        return false;
    return true;
  }
  int64_t countElements() const {
    int64_t count = 1;
    for (int64_t size : sizes)
      count *= size;
    return count;
  }
};
} // namespace

static CoreBox getBox(ArrayOp array, int64_t core) {
  ArrayRef<int64_t> shape = array.getTensorType().getShape();
  CoreBox box{core, SmallVector<int64_t>(shape.size(), 0),
              SmallVector<int64_t>(shape)};
  if (std::optional<PartAttr> part = array.getPart())
    box.offsets = part->getOffsets(core);
  return box;
}

/// (C8) of the parts of one scop.
static LogicalResult checkInside(ScopOp scop) {
  int64_t first = scop.getFirstCoreNumber();
  for (auto array : scop.getOps<ArrayOp>()) {
    if (!array.getPart())
      continue;
    for (int64_t core = first; core < first + scop.getNumCores(); ++core) {
      CoreBox box = getBox(array, core);
      for (auto [offset, size, extent] :
           llvm::zip_equal(box.offsets, box.sizes, array.getWholeShape()))
        if (offset < 0 || offset + size > extent)
          return array.emitOpError()
                 << "(C8) core " << core << " sees [" << offset << ", "
                 << offset + size << ") of " << extent << " elements";
    }
  }
  return success();
}

/// (C8) of output `number` of a team: a partition of the whole array.
static LogicalResult checkWrites(ArrayRef<ScopOp> team, int64_t number) {
  SmallVector<CoreBox> boxes;
  ArrayOp output;
  int64_t elements = 0;
  for (ScopOp scop : team)
    for (auto array : scop.getOps<ArrayOp>()) {
      if (array.getOutput() != number)
        continue;
      if (output && output.getWholeShape() != array.getWholeShape())
        return array.emitOpError()
               << "(C8) is a part of another array than output " << number
               << " of @" << ScopOp(team.front()).getSymName();
      output = array;
      int64_t first = scop.getFirstCoreNumber();
      for (int64_t core = first; core < first + scop.getNumCores(); ++core) {
        CoreBox box = getBox(array, core);
        for (const CoreBox &other : boxes)
          if (box.overlaps(other))
            return array.emitOpError() << "(C8) cores " << other.core << " and "
                                       << core << " write the same elements";
        elements += box.countElements();
        boxes.push_back(box);
      }
    }
  if (!output)
    return success();
  int64_t all = 1;
  for (int64_t size : output.getWholeShape())
    all *= size;
  if (elements != all)
    return output.emitOpError() << "(C8) no core writes " << all - elements
                                << " elements of output " << number;
  return success();
}

LogicalResult gc::poly::verifyCores(ScopOp scop) {
  if (scop.getNumCores() < 1 || scop.getFirstCoreNumber() < 0)
    return scop.emitOpError()
           << "(C7) is for " << scop.getNumCores() << " cores from number "
           << scop.getFirstCoreNumber() << " on";
  SmallVector<ScopOp> team = getTeam(scop);
  if (scop.getBeside()) {
    auto *leader =
        llvm::find_if(team, [](ScopOp other) { return !other.getBeside(); });
    if (leader == team.end() || leader->getReference() != scop.getReference())
      return scop.emitOpError() << "(C7) is beside @" << *scop.getBeside()
                                << ", which is not a scop of @"
                                << scop.getReference() << " of its own";
  }
  int64_t next = 0;
  for (ScopOp other : team) {
    if (other == scop && next != scop.getFirstCoreNumber())
      return scop.emitOpError()
             << "(C7) begins with core " << scop.getFirstCoreNumber()
             << ", but core " << next << " is the next one";
    next += other.getNumCores();
  }
  if (next != scop.countAllCores())
    return scop.emitOpError()
           << "(C7) shares the memory with " << scop.countAllCores() - 1
           << " other cores, but with the scops beside it "
              "there are "
           << next << " cores";
  if (failed(checkInside(scop)))
    return failure();
  // What all cores write is a matter of the first one.
  if (scop.getBeside())
    return success();
  for (auto array : scop.getOps<ArrayOp>())
    if (array.getOutput() && failed(checkWrites(team, *array.getOutput())))
      return failure();
  return success();
}
