// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Model.h"
#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <numeric>

using namespace gc::tune;

static double correlatePair(const Features &a, const Features &b) {
  double distance = 0;
  for (auto [x, y] : llvm::zip_equal(a, b))
    distance += (x - y) * (x - y);
  return std::exp(-std::sqrt(distance));
}

std::vector<double> Model::correlate(const Features &point) const {
  std::vector<double> correlations;
  for (const Features &other : points)
    correlations.push_back(correlatePair(point, other));
  return correlations;
}

std::vector<double> Model::solve(std::vector<double> b) const {
  for (size_t row = 0; row < b.size(); ++row) {
    for (size_t column = 0; column < row; ++column)
      b[row] -= factor[row][column] * b[column];
    b[row] /= factor[row][row];
  }
  return b;
}

static double multiply(const std::vector<double> &a,
                       const std::vector<double> &b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

void Model::add(Features point, double value) {
  if (points.size() >= kMostPoints)
    return;
  // One more row of L, and of what L^-1 makes of the values.
  std::vector<double> row = solve(correlate(point));
  double square = 1 + kNoise - multiply(row, row);
  double rest = (value - mean) / deviation - multiply(row, values);
  row.push_back(std::sqrt(std::max(square, kNoise)));
  values.push_back(rest / row.back());
  factor.push_back(std::move(row));
  points.push_back(std::move(point));
}

double Model::Expectation::getDeviation() const {
  return deviation * std::sqrt(variance);
}

Model::Expectation Model::predict(Features point) const {
  Expectation result;
  result.row = solve(correlate(point));
  result.mean = mean + deviation * multiply(result.row, values);
  result.deviation = deviation;
  result.variance = std::max(1 - multiply(result.row, result.row), 0.0);
  result.point = std::move(point);
  return result;
}

void Model::narrow(Expectation &expectation, const Expectation &right) const {
  // One more row of L, with a value of 0.
  double rest = correlatePair(expectation.point, right.point) -
                multiply(expectation.row, right.row);
  double part = rest / std::sqrt(right.variance + kNoise);
  expectation.row.push_back(part);
  expectation.variance = std::max(expectation.variance - part * part, 0.0);
}
