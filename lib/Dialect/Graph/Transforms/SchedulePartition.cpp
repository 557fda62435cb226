// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SchedulePartition.h"

#include <cmath>

using namespace mlir;

namespace gc::graph {

TaskPartition::TaskPartition(const RegionSpace &space, const Limits &limits,
                             const ScheduleContext &context)
    : sizes(space.getSizes()), units(limits.units),
      lineElements(limits.lineElements) {
  const PassDims &dims = limits.dims;
  // So many iterations that shares differ little between threads, and not so
  // many that each one is short.
  int64_t enough = context.tasks ? context.tasks : 16 * context.threads;
  int64_t most = 4 * enough;
  ArrayRef<unsigned> reduced = space.getReducedDims();
  for (unsigned dim : reduced)
    if (int64_t part = space.getPartSize(dim))
      cut(dim, std::min(part, sizes[dim]));
  for (int64_t dim = 0; dim < static_cast<int64_t>(sizes.size()); ++dim) {
    if (dim == dims.vector || dim == dims.transposed ||
        llvm::is_contained(reduced, dim) || sizes[dim] == 1 ||
        dim == limits.last)
      continue;
    if (tasks >= enough)
      break;
    cut(dim, llvm::divideCeil(sizes[dim], std::max<int64_t>(1, most / tasks)));
  }
  if (dims.transposed >= 0 && tasks < enough)
    cutSquare(dims.vector, dims.transposed, enough);
  // Pieces of rows are long where each one is a loop of its own.
  constexpr int64_t kLeastRow = 2048, kLeastLines = 4;
  if (limits.cutsVectors && dims.transposed < 0 && dims.vector >= 0 &&
      tasks < enough && !llvm::is_contained(reduced, dims.vector))
    cutVectors(dims.vector,
               limits.columnwise ? kLeastLines * lineElements : kLeastRow,
               limits.channels, enough);
  if (limits.channels > 0 && sizes[dims.vector] > limits.channels &&
      !llvm::is_contained(cutDims, dims.vector))
    cut(dims.vector, limits.channels);
  if (limits.last >= 0 && tasks < context.threads)
    cut(limits.last, llvm::divideCeil(sizes[limits.last],
                                      std::max<int64_t>(1, most / tasks)));
}

int64_t TaskPartition::getPiece(int64_t dim) const {
  const int64_t *found = llvm::find(cutDims, dim);
  return found == cutDims.end() ? sizes[dim] : pieces[found - cutDims.begin()];
}

void TaskPartition::cut(int64_t dim, int64_t piece) {
  piece = std::min(llvm::alignTo(piece, units[dim]),
                   llvm::alignTo(sizes[dim], units[dim]));
  if (piece >= sizes[dim] && units[dim] > 1)
    return;
  tasks *= llvm::divideCeil(sizes[dim], piece);
  cutDims.push_back(dim);
  pieces.push_back(piece);
}

void TaskPartition::cutVectors(int64_t dim, int64_t least, int64_t most,
                               int64_t enough) {
  if (sizes[dim] < 2 * least)
    return;
  int64_t piece = llvm::divideCeil(sizes[dim], llvm::divideCeil(enough, tasks));
  piece = std::max<int64_t>(least, llvm::alignTo(piece, lineElements));
  cut(dim, most ? std::min(piece, most) : piece);
}

void TaskPartition::cutSquare(int64_t vectors, int64_t rows, int64_t enough) {
  const int64_t kLeast = std::max<int64_t>(32, lineElements), kMost = 256;
  double area = static_cast<double>(sizes[vectors]) * sizes[rows];
  int64_t side = llvm::alignTo(
      static_cast<int64_t>(std::sqrt(area / llvm::divideCeil(enough, tasks))),
      lineElements);
  side = std::clamp(side, kLeast, kMost);
  // One of the two may leave a rest, which takes code of its own.
  int64_t even = side;
  while (even > kLeast && sizes[vectors] % even != 0)
    even -= lineElements;
  if (sizes[vectors] % even == 0 && sizes[vectors] > even)
    cut(vectors, even);
  if (sizes[rows] >= 2 * kLeast)
    cut(rows, std::min(side, sizes[rows]));
}

} // namespace gc::graph
