// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "EqualTerms.h"
#include "llvm/ADT/bit.h"

using namespace gc::reference;

template <int64_t kRows, int64_t width>
void EqualElements<kRows, width>::read(const double *packed, int64_t rows,
                                       int64_t depths) {
  found.clear();
  for (int64_t row = 0; row < rows; row += width, packed += width * depths) {
    const double *before = previous + row;
    double sums[width] = {};
    int any = 0;
    for (int64_t k = 0; k < depths; ++k) {
      const double *at = packed + k * width;
      for (int64_t i = 0; i < width; ++i) {
        sums[i] += at[i] * at[i];
        any |=
            static_cast<int>(at[i] == before[i]) & static_cast<int>(at[i] != 0);
      }
      before = at;
    }
    for (int64_t i = 0; i < width; ++i) {
      squares[row + i] += sums[i];
      if (any)
        find(packed + i, row + i, depths);
      previous[row + i] = before[i];
    }
  }
}

template <int64_t kRows, int64_t width>
void EqualElements<kRows, width>::find(const double *elements, int64_t row,
                                       int64_t depths) {
  std::fill_n(bits[row], kWords, 0);
  double before = previous[row];
  bool any = false;
  for (int64_t k = 0; k < depths; ++k) {
    double element = elements[k * width];
    if (element == before && element != 0) {
      bits[row][k / 64] |= uint64_t(1) << k % 64;
      smallest[row] = std::min(smallest[row], std::fabs(element));
      any = true;
    }
    before = element;
  }
  if (any)
    found.push_back(row);
}

EqualTerms::EqualTerms(int64_t rows, int64_t columns, double *sum)
    : rows(rows), columns(columns), sum(sum) {
  std::fill_n(sum, rows * TileWorkspace::kColumns, 0.0);
}

void EqualTerms::read(const double *packedA, const double *packedB,
                      int64_t depths) {
  a.read(packedA, rows, depths);
  b.read(packedB, columns, depths);
  int64_t words = (depths + 63) / 64;
  for (int64_t i : a.getFound())
    for (int64_t j : b.getFound()) {
      int count = 0;
      for (int64_t word = 0; word < words; ++word)
        count += llvm::popcount(a.getBits(i)[word] & b.getBits(j)[word]);
      sum[i * TileWorkspace::kColumns + j] += count;
    }
}

void EqualTerms::finish() {
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) {
      double &m = sum[i * TileWorkspace::kColumns + j];
      if (m == 0)
        continue;
      double sizes = std::sqrt(a.getSquares(i) * b.getSquares(j));
      double smallest = a.getSmallest(i) * b.getSmallest(j);
      m = m * sizes - smallest * m * (m - 1) / 2;
    }
}
