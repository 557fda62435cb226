// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Sampler.h"
#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace gc;
using namespace gc::tune;

double Sampler::getPlace(const Point &point, size_t dimension) const {
  size_t count = space.getDimensions()[dimension].values.size();
  return count < 2 ? 0 : double(point[dimension]) / double(count - 1);
}

std::vector<double> Sampler::getFeatures(const Point &point) const {
  std::vector<double> features{1};
  for (size_t i = 0; i < point.size(); ++i) {
    double x = getPlace(point, i);
    features.push_back(x);
    features.push_back(x * x);
  }
  return features;
}

std::vector<double> Sampler::getSlope(const Point &point) const {
  std::vector<double> slope(point.size(), 0);
  if (!weights.empty())
    for (size_t i = 0; i < point.size(); ++i)
      slope[i] =
          weights[1 + 2 * i] + 2 * weights[2 + 2 * i] * getPlace(point, i);
  return slope;
}

Point Sampler::getRandom() {
  Point point;
  for (const Dimension &dimension : space.getDimensions())
    point.push_back(random() % dimension.values.size());
  return point;
}

Point Sampler::getStep() {
  Point point = best[random() % best.size()];
  std::vector<double> slope = getSlope(point);
  // One or two dimensions move, in the direction in which cycles fall.
  for (size_t moves = 1 + random() % 2; moves > 0; --moves) {
    size_t i = random() % point.size();
    size_t last = space.getDimensions()[i].values.size() - 1;
    bool isUp = slope[i] == 0 ? random() % 2 == 0 : slope[i] < 0;
    // The model is a rough one.
    if (random() % 8 == 0)
      isUp = !isUp;
    size_t step = 1 + random() % 2;
    point[i] = isUp ? std::min(last, point[i] + step)
                    : point[i] - std::min(point[i], step);
  }
  return point;
}

std::vector<Point> Sampler::sample(size_t count) {
  std::vector<Point> points;
  if (space.getDimensions().empty())
    return points;
  // From 0 in the first round towards 1.
  double p = 1 - std::exp(-0.5 * rounds);
  for (size_t tries = 0; tries < 50 * count && points.size() < count; ++tries) {
    bool isStep = !best.empty() && double(random() % 1000) < 1000 * p;
    Point point = isStep ? getStep() : getRandom();
    if (known.count(point) || !taken.emplace(point, true).second)
      continue;
    points.push_back(std::move(point));
  }
  return points;
}

void Sampler::add(const Point &point, std::optional<int64_t> cycles) {
  taken.emplace(point, true);
  known[point] = cycles.value_or(0);
}

/// Solves a x = b in place; `a` is positive definite.
static std::vector<double> solve(std::vector<std::vector<double>> a,
                                 std::vector<double> b) {
  size_t n = b.size();
  for (size_t i = 0; i < n; ++i)
    for (size_t row = i + 1; row < n; ++row) {
      double factor = a[row][i] / a[i][i];
      for (size_t column = i; column < n; ++column)
        a[row][column] -= factor * a[i][column];
      b[row] -= factor * b[i];
    }
  for (size_t i = n; i-- > 0;) {
    for (size_t column = i + 1; column < n; ++column)
      b[i] -= a[i][column] * b[column];
    b[i] /= a[i][i];
  }
  return b;
}

void Sampler::endRound() {
  ++rounds;
  std::vector<std::pair<int64_t, Point>> order;
  int64_t worst = 1;
  for (auto &[point, cycles] : known)
    if (cycles > 0) {
      order.push_back({cycles, point});
      worst = std::max(worst, cycles);
    }
  llvm::sort(order);
  best.clear();
  for (auto &[cycles, point] : llvm::ArrayRef(order).take_front(kBest))
    best.push_back(point);
  // Least squares with a small weight on large coefficients. What cannot be had
  // counts as slow.
  size_t n = 1 + 2 * space.getDimensions().size();
  std::vector<std::vector<double>> a(n, std::vector<double>(n, 0));
  std::vector<double> b(n, 0);
  for (size_t i = 0; i < n; ++i)
    a[i][i] = 0.1;
  for (auto &[point, cycles] : known) {
    std::vector<double> x = getFeatures(point);
    double y = std::log(double(cycles > 0 ? cycles : 2 * worst));
    for (size_t i = 0; i < n; ++i) {
      for (size_t j = 0; j < n; ++j)
        a[i][j] += x[i] * x[j];
      b[i] += x[i] * y;
    }
  }
  weights = solve(std::move(a), std::move(b));
}
