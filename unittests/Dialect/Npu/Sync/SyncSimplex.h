// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A linear program of covering: the fewest of some things such that every row
// has enough of them. Rows come one at a time.

#ifndef GC_UNITTESTS_NPU_SYNC_SYNCSIMPLEX_H
#define GC_UNITTESTS_NPU_SYNC_SYNCSIMPLEX_H

#include <cstddef>
#include <utility>
#include <vector>

namespace gc::npu::sync {

/// The sum of coefficient times x over the terms is at least `least`.
struct CoverRow {
  std::vector<std::pair<int, double>> terms;
  double least = 1;
};

/// Minimises the sum of all x >= 0, by the dual simplex method on a dictionary:
/// since all costs are positive, a new row leaves the old solution dual
/// feasible.
class CoverLp {
public:
  explicit CoverLp(int columns);

  void add(const CoverRow &row);
  /// No more of this one.
  void forbid(int column);
  /// False if no x satisfies the rows. Gives up after many steps; the bound
  /// holds whatever happens.
  bool solve();
  /// A lower bound of the sum, computed anew from the rows and the dual
  /// solution, which is made feasible first: rounding errors do not raise it.
  double getBound() const;
  std::vector<double> getValues() const;
  /// Forgets rows that have more than enough.
  void dropSlackRows();

private:
  void pivot(size_t row, size_t column);

  int numColumns;
  std::vector<bool> isForbidden;
  std::vector<CoverRow> rows;
  /// basic = constants + coefficients * free. Variables: x, then one for each
  /// row, of what it has too much.
  std::vector<std::vector<double>> coefficients;
  std::vector<double> constants, costs;
  std::vector<int> basic, free;
};

} // namespace gc::npu::sync

#endif // GC_UNITTESTS_NPU_SYNC_SYNCSIMPLEX_H
