// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Moves of whole tiles: verifiers.

#include "Verify.h"

using namespace mlir;
using namespace gc::npu;

LogicalResult CopyOp::verify() {
  FailureOr<Tile> from = getTile(*this, getSource(), "C1"),
                  to = getTile(*this, getTarget(), "C1");
  if (failed(from) || failed(to))
    return failure();
  if (from->shape != to->shape || from->dtype != to->dtype)
    return emitOpError("(C1) copies ") << from->type << " to another shape or "
                                       << "element type, " << to->type;
  if (!getPipe() || from->space == MemorySpace::l0c ||
      (from->space == MemorySpace::l1 && to->space != MemorySpace::ub))
    return emitOpError("(C2) no path from ")
           << stringifyMemorySpace(from->space) << " to "
           << stringifyMemorySpace(to->space);
  if (getAtomic() && (to->space != MemorySpace::gm || to->dtype == DType::s8))
    return emitOpError("(C4) atomic is for f16, f32 and i32 in gm");
  if (failed(verifyUpTo(*this, getUpTo(), to->shape, "C5")))
    return failure();
  if (!getUpTo().empty() && getPipe() == PipeKind::v)
    return emitOpError("(C5) from ub to ub has no sizes at run time");
  if (!from->isContiguous(1) || !to->isContiguous(1))
    return emitOpError("(C3) the innermost dimension has gaps");
  for (const Tile *tile : {&*from, &*to}) {
    if (tile->space == MemorySpace::gm)
      continue;
    FailureOr<Machine> machine = getMachine(*this);
    if (failed(machine))
      return failure();
    int64_t alignment = machine->getAlignment(static_cast<Space>(tile->space));
    // Runs are as long as the other side allows, which may be one run.
    const Tile &other = tile == &*from ? *to : *from;
    for (int64_t dim = 0; dim + 1 < tile->getRank(); ++dim) {
      int64_t inner = tile->getRank() - dim - 1;
      bool isOneRun = getUpTo().empty() && tile->isContiguous(inner + 1) &&
                      other.isContiguous(inner + 1);
      int64_t bytes = tile->getStride(dim) * getBytes(tile->dtype);
      if (tile->shape[dim] > 1 && !isOneRun && bytes % alignment != 0)
        return emitOpError("(C3) rows in ")
               << stringifyMemorySpace(tile->space) << " are " << bytes
               << " bytes apart, not a multiple of " << alignment;
    }
  }
  return success();
}

LogicalResult LoadFractalsOp::verify() {
  FailureOr<Tile> from = getTile(*this, getSource(), "C2"),
                  to = getTile(*this, getTarget(), "C2");
  if (failed(from) || failed(to))
    return failure();
  if (from->space != MemorySpace::l1 ||
      (to->space != MemorySpace::l0a && to->space != MemorySpace::l0b))
    return emitOpError("(C1) goes from l1 to l0a or l0b");
  int64_t c0 = getC0(to->dtype);
  if (from->dtype != to->dtype || (getTransposed() && to->dtype != DType::f16))
    return emitOpError("(C2) element types are equal, and f16 if transposed");
  if (from->getRank() != 3 || from->shape[2] != c0 ||
      from->shape[1] % 16 != 0 || !from->isContiguous(2) ||
      from->getStride(0) % (16 * c0) != 0)
    return emitOpError("(C2) the source is [columns / C0, rows, C0], rows a "
                       "multiple of 16, the last two dimensions contiguous");
  // Rows of fractals come first in l0a for plain fractals, and in l0b for
  // transposed ones.
  int64_t rowDim = (to->space == MemorySpace::l0a) != getTransposed() ? 0 : 1;
  if (to->getRank() != 4 || to->shape[2] != 16 || to->shape[3] != c0 ||
      !to->isContiguous(2) || to->shape[rowDim] != from->shape[1] / 16 ||
      to->shape[1 - rowDim] != from->shape[0])
    return emitOpError("(C2) the target is [")
           << (rowDim == 0 ? from->shape[1] / 16 : from->shape[0]) << ", "
           << (rowDim == 0 ? from->shape[0] : from->shape[1] / 16) << ", 16, "
           << c0 << "]";
  for (int64_t dim : {0, 1})
    if (to->getStride(dim) % (16 * c0) != 0)
      return emitOpError("(C2) the distance between fractals is not a whole "
                         "number of fractals");
  return verifyUpTo(*this, getUpTo(), {from->shape[0], from->shape[1]}, "C3");
}
