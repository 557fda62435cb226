// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "MatmulTile.h"
#include "EqualTerms.h"
#include "MatmulKernel.h"

#include <algorithm>
#include <atomic>
#include <new>
#include <optional>

using namespace gc::reference;

static constexpr int64_t kLongest =
    std::max(TileWorkspace::kDepth, TileWorkspace::kColumns);
static_assert(TileWorkspace::kRows % kKernelRows == 0 &&
              TileWorkspace::kRows <= kLongest &&
              TileWorkspace::kColumns % kKernelColumns == 0);

TileWorkspace::TileWorkspace()
    : memory(new (std::nothrow) double[kRows * kDepth + kColumns * kDepth +
                                       3 * kRows * kColumns]) {
  packedA = memory.get();
  packedB = packedA + kRows * kDepth;
  sums = packedB + kColumns * kDepth;
}

/// Loads a run of an operand along its rows or its depth.
static void loadRun(const MatrixOperand &operand, int64_t row, int64_t depth,
                    bool alongDepth, int64_t count, double *values) {
  auto load = [&](const MatrixView &view, double *to) {
    loadElements(view.type, view.data,
                 view.offset + row * view.rowStride + depth * view.depthStride,
                 alongDepth ? view.depthStride : view.rowStride, count, to);
    if (view.zeroPoint != 0)
      for (int64_t i = 0; i < count; ++i)
        to[i] -= view.zeroPoint;
  };
  load(operand.value, values);
  if (!operand.square)
    return;
  for (int64_t i = 0; i < count; ++i)
    values[i] *= operand.valueFactor * values[i];
  if (!operand.error)
    return;
  double errors[kLongest];
  load(operand.error, errors);
  for (int64_t i = 0; i < count; ++i)
    values[i] += operand.errorFactor * errors[i] * errors[i];
}

/// Packs rows [row, row + rows) at [depth, depth + depths) into panels of
/// `width` rows, each panel one depth after another; rows beyond the last are
/// zero.
static void pack(const MatrixOperand &operand, int64_t row, int64_t rows,
                 int64_t depth, int64_t depths, int64_t width, double *packed) {
  double run[kLongest];
  int64_t padded = (rows + width - 1) / width * width;
  auto at = [&](int64_t i, int64_t k) -> double & {
    return packed[i / width * width * depths + k * width + i % width];
  };
  for (int64_t i = rows; i < padded; ++i)
    for (int64_t k = 0; k < depths; ++k)
      at(i, k) = 0;
  // Along the dimension that is contiguous in memory.
  if (operand.value.depthStride <= operand.value.rowStride) {
    for (int64_t i = 0; i < rows; ++i) {
      loadRun(operand, row + i, depth, /*alongDepth=*/true, depths, run);
      double *to = &at(i, 0);
      for (int64_t k = 0; k < depths; ++k)
        to[k * width] = run[k];
    }
    return;
  }
  for (int64_t k = 0; k < depths; ++k) {
    loadRun(operand, row, depth + k, /*alongDepth=*/false, rows, run);
    for (int64_t i = 0; i < rows; i += width)
      std::copy_n(run + i, std::min(width, rows - i), &at(i, k));
  }
}

void TileWorkspace::compute(llvm::ArrayRef<MatrixProduct> products, int64_t row,
                            int64_t rows, int64_t column, int64_t columns,
                            int64_t depth, double *sum, double *repeats) {
  int64_t padded = (rows + kKernelRows - 1) / kKernelRows * kKernelRows;
  std::fill_n(sum, padded * kColumns, 0.0);
  std::optional<EqualTerms> equal;
  if (repeats)
    equal.emplace(rows, columns, repeats);
  for (const MatrixProduct &product : products) {
    for (int64_t k = 0; k < depth; k += kDepth) {
      int64_t depths = std::min(kDepth, depth - k);
      pack(product.a, row, rows, k, depths, kKernelRows, packedA);
      pack(product.b, column, columns, k, depths, kKernelColumns, packedB);
      if (equal)
        equal->read(packedA, packedB, depths);
      for (int64_t j = 0; j < columns; j += kKernelColumns)
        for (int64_t i = 0; i < rows; i += kKernelRows)
          runMatmulKernel(packedA + i * depths, packedB + j * depths,
                          sum + i * kColumns + j, kColumns, depths);
    }
  }
  if (equal)
    equal->finish();
}

bool gc::reference::runTiles(
    int64_t count, llvm::function_ref<void(int64_t, TileWorkspace &)> compute) {
  std::atomic<bool> outOfMemory = false;
#pragma omp parallel if (count > 1)
  {
    TileWorkspace workspace;
    if (!workspace)
      outOfMemory = true;
#pragma omp for schedule(dynamic)
    for (int64_t i = 0; i < count; ++i)
      if (workspace)
        compute(i, workspace);
  }
  return !outOfMemory;
}
