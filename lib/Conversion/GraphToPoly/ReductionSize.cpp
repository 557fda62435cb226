// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ReductionSize.h"
#include "OpLoops.h"

using namespace mlir;
using namespace gc;

/// Elements of a whole block.
static constexpr int64_t kBlock = 16;

/// A few tiles of rows as wide as a repeat have room in UB. A single row may
/// have temporaries.
static int64_t getMostElements(const npu::Machine &machine, int64_t columns) {
  constexpr int64_t kBytes = 4, kTiles = 4, kRows = 8;
  if (columns == 1)
    return machine.ubBytes / (kRows * kBytes);
  // Tiles have whole blocks of elements in a row.
  int64_t run = std::min<int64_t>(llvm::alignTo(columns, kBlock) * kBytes,
                                  npu::kRepeatBytes);
  return machine.ubBytes / (kTiles * run);
}

std::optional<ReductionSize> gc::getReductionSize(Operation *op,
                                                  const npu::Machine &machine) {
  std::optional<OpLoops> loops = OpLoops::get(op);
  if (!loops)
    return std::nullopt;
  SmallVector<int64_t> space = loops->getSpace();
  AffineMap results = loops->getResultMap(0);
  if (!results || llvm::any_of(space, ShapedType::isDynamic))
    return std::nullopt;
  ReductionSize size;
  size.isInnermost = true;
  for (auto [dim, extent] : llvm::enumerate(space)) {
    size.columns *= extent;
    if (extent == 1)
      continue;
    if (results.isFunctionOfDim(dim)) {
      size.isInnermost = size.dims.empty();
      continue;
    }
    size.dims.push_back(dim);
    size.elements *= extent;
    size.columns = 1;
  }
  if (size.dims.empty())
    return std::nullopt;
  size.padded = size.elements;
  if (size.isOfRows()) {
    int64_t row = space[size.dims.back()];
    size.padded = size.elements / row * llvm::alignTo(row, kBlock);
  }
  size.most = getMostElements(machine, size.columns);
  return size;
}
