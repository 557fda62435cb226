// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SyncSimplex.h"

#include <algorithm>
#include <cmath>

using namespace gc::npu::sync;

namespace {

constexpr double kTiny = 1e-9;
constexpr int kMaxPivots = 5000;

} // namespace

CoverLp::CoverLp(int columns)
    : numColumns(columns), isForbidden(columns), costs(columns, 1) {
  for (int c = 0; c < columns; ++c)
    free.push_back(c);
}

void CoverLp::add(const CoverRow &row) {
  std::vector<double> values(numColumns);
  double constant = -row.least;
  std::vector<double> wanted(numColumns);
  for (auto [c, coefficient] : row.terms)
    if (!isForbidden[c])
      wanted[c] += coefficient;
  for (size_t j = 0; j < free.size(); ++j)
    if (free[j] < numColumns)
      values[j] += wanted[free[j]];
  for (size_t r = 0; r < basic.size(); ++r) {
    if (basic[r] >= numColumns || wanted[basic[r]] == 0)
      continue;
    double factor = wanted[basic[r]];
    constant += factor * constants[r];
    for (size_t j = 0; j < values.size(); ++j)
      values[j] += factor * coefficients[r][j];
  }
  basic.push_back(numColumns + static_cast<int>(rows.size()));
  rows.push_back(row);
  coefficients.push_back(std::move(values));
  constants.push_back(constant);
}

void CoverLp::forbid(int column) {
  if (isForbidden[column])
    return;
  auto it = std::find(free.begin(), free.end(), column);
  if (it == free.end()) {
    add({{{column, -1}}, 0});
    return;
  }
  isForbidden[column] = true;
  size_t j = it - free.begin();
  for (std::vector<double> &row : coefficients)
    row[j] = 0;
  costs[j] = 0;
}

void CoverLp::pivot(size_t row, size_t column) {
  std::vector<double> &source = coefficients[row];
  double inverse = 1 / source[column];
  // Solves the row for its free variable.
  for (double &value : source)
    value *= -inverse;
  source[column] = inverse;
  constants[row] *= -inverse;
  auto substitute = [&](std::vector<double> &target, double &constant) {
    double factor = target[column];
    if (factor == 0)
      return;
    target[column] = 0;
    for (size_t j = 0; j < target.size(); ++j)
      target[j] += factor * source[j];
    constant += factor * constants[row];
  };
  for (size_t r = 0; r < coefficients.size(); ++r)
    if (r != row)
      substitute(coefficients[r], constants[r]);
  double sum = 0;
  substitute(costs, sum);
  std::swap(basic[row], free[column]);
}

bool CoverLp::solve() {
  for (int step = 0; step < kMaxPivots; ++step) {
    size_t row = constants.size();
    double worst = -kTiny;
    for (size_t r = 0; r < constants.size(); ++r)
      if (constants[r] < worst) {
        worst = constants[r];
        row = r;
      }
    if (row == constants.size())
      return true;
    size_t column = free.size();
    double best = 0;
    for (size_t j = 0; j < free.size(); ++j) {
      double value = coefficients[row][j];
      if (value <= kTiny)
        continue;
      double ratio = std::max(costs[j], 0.0) / value;
      bool isBetter =
          column == free.size() || ratio < best - kTiny ||
          (ratio < best + kTiny && value > coefficients[row][column]);
      if (isBetter) {
        best = ratio;
        column = j;
      }
    }
    if (column == free.size())
      return false;
    pivot(row, column);
  }
  return true;
}

double CoverLp::getBound() const {
  std::vector<double> sums(numColumns);
  double bound = 0;
  for (size_t j = 0; j < free.size(); ++j) {
    if (free[j] < numColumns || costs[j] <= 0)
      continue;
    const CoverRow &row = rows[free[j] - numColumns];
    bound += costs[j] * row.least;
    for (auto [c, coefficient] : row.terms)
      sums[c] += costs[j] * coefficient;
  }
  double most = 1;
  for (int c = 0; c < numColumns; ++c)
    if (!isForbidden[c])
      most = std::max(most, sums[c]);
  return bound > 0 ? bound / most : 0;
}

std::vector<double> CoverLp::getValues() const {
  std::vector<double> values(numColumns);
  for (size_t r = 0; r < basic.size(); ++r)
    if (basic[r] < numColumns)
      values[basic[r]] = std::max(constants[r], 0.0);
  return values;
}

void CoverLp::dropSlackRows() {
  size_t kept = 0;
  for (size_t r = 0; r < basic.size(); ++r) {
    if (basic[r] >= numColumns && constants[r] > 1e-3)
      continue;
    if (kept != r) {
      basic[kept] = basic[r];
      constants[kept] = constants[r];
      coefficients[kept] = std::move(coefficients[r]);
    }
    ++kept;
  }
  basic.resize(kept);
  constants.resize(kept);
  coefficients.resize(kept);
}
