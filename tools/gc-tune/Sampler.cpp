// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Sampler.h"
#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace gc;
using namespace gc::tune;

//===----------------------------------------------------------------------===//
// Points
//===----------------------------------------------------------------------===//

Point Sampler::normalize(Point point) const {
  while (point.size() > space.countSizes() && point.back() == kOpen)
    point.pop_back();
  return point;
}

Point Sampler::getRandom() {
  Point point;
  for (size_t i = 0, e = space.countDimensions(); i < e; ++i) {
    llvm::ArrayRef<int64_t> values = space.getDimension(i).values;
    point.push_back(values[random() % values.size()]);
  }
  return point;
}

/// Moves a dimension of a point: a size by one or two steps, mostly to where
/// cycles fall; a choice to anything else.
void Sampler::move(Point &point, size_t i) {
  llvm::ArrayRef<int64_t> values = space.getDimension(i).values;
  if (i >= space.countSizes()) {
    point[i] = values[random() % values.size()];
    return;
  }
  bool isUp = weights.empty() ? random() % 2 == 0 : isFasterAbove(point, i);
  // The model is a rough one.
  if (random() % 4 == 0)
    isUp = !isUp;
  size_t at = llvm::lower_bound(values, point[i]) - values.begin();
  size_t step = 1 + random() % 2;
  at = isUp ? at + step : at - std::min(at, step);
  point[i] = values[std::min(at, values.size() - 1)];
}

Point Sampler::getStep() {
  // The first ones more often.
  double share = double(random() % 1024) / 1024;
  Point point = best[size_t(double(best.size()) * share * share * share)];
  point.resize(space.countDimensions(), kOpen);
  bool hasOtherSizes = false;
  for (size_t moves = 1 + random() % 2; moves > 0; --moves) {
    size_t i = random() % point.size();
    move(point, i);
    hasOtherSizes |= i < space.countSizes();
  }
  // What was chosen for some sizes may be wrong or not legal for others.
  if (hasOtherSizes && random() % 2 == 0)
    std::fill(point.begin() + space.countSizes(), point.end(), kOpen);
  return point;
}

std::vector<Point> Sampler::getNeighbours(const Point &point) const {
  std::vector<Point> neighbours;
  Point start = point;
  start.resize(space.countDimensions(), kOpen);
  for (size_t i = 0; i < start.size(); ++i) {
    llvm::ArrayRef<int64_t> values = space.getDimension(i).values;
    size_t at = llvm::lower_bound(values, start[i]) - values.begin();
    bool isSize = i < space.countSizes();
    for (size_t j = 0; j < values.size(); ++j) {
      if (values[j] == start[i] || (isSize && (j + 1 < at || j > at + 1)))
        continue;
      Point other = start;
      other[i] = values[j];
      neighbours.push_back(normalize(std::move(other)));
    }
  }
  return neighbours;
}

/// Of the fastest points that have any left, those first that the model expects
/// to be fastest.
std::vector<Point> Sampler::takeNeighbours(size_t count) {
  std::vector<Point> points;
  for (const Point &start : best) {
    std::vector<std::pair<double, Point>> left;
    for (Point &point : getNeighbours(start))
      if (space.isPossible(point) && !taken.count(point))
        left.push_back({predict(point), std::move(point)});
    llvm::sort(left);
    for (auto &[cycles, point] : left) {
      if (points.size() == count)
        return points;
      if (taken.insert(point).second)
        points.push_back(point);
    }
  }
  return points;
}

std::vector<Point> Sampler::sample(size_t count) {
  if (space.countDimensions() == 0)
    return {};
  // From 0.4 in the first round towards 1.
  double p = 1 - std::exp(-0.5 * (rounds + 1));
  std::vector<std::pair<double, Point>> drawn;
  std::set<Point> own;
  std::vector<Point> points = takeNeighbours(count / 2);
  count -= points.size();
  size_t wanted = weights.empty() ? count : 4 * count;
  for (size_t tries = 0; tries < 50 * count && drawn.size() < wanted; ++tries) {
    bool isStep = !best.empty() && double(random() % 1000) < 1000 * p;
    Point point = normalize(isStep ? getStep() : getRandom());
    if (space.isPossible(point) && !taken.count(point) &&
        own.insert(point).second)
      drawn.push_back({predict(point), point});
  }
  llvm::sort(drawn);
  for (auto &[cycles, point] : llvm::ArrayRef(drawn).take_front(count)) {
    taken.insert(point);
    points.push_back(point);
  }
  return points;
}

void Sampler::add(const Point &point, std::optional<Point> made,
                  int64_t cycles) {
  taken.insert(normalize(point));
  if (made)
    taken.insert(normalize(*made));
  samples.push_back({made.value_or(point), cycles});
}

//===----------------------------------------------------------------------===//
// The model
//===----------------------------------------------------------------------===//

double Sampler::getPlace(const Point &point, size_t i) const {
  return std::log2(double(point[i])) /
         std::log2(double(std::max<int64_t>(space.getDimension(i).extent, 2)));
}

std::vector<double> Sampler::getFeatures(const Point &point) const {
  std::vector<double> features{1};
  size_t sizes = space.countSizes();
  for (size_t i = 0; i < sizes; ++i) {
    double x = getPlace(point, i);
    features.push_back(x);
    for (size_t j = 0; j <= i; ++j)
      features.push_back(x * getPlace(point, j));
  }
  for (size_t i = sizes; i < space.countDimensions(); ++i)
    for (int64_t value : space.getDimension(i).values)
      features.push_back(i < point.size() ? point[i] == value : value == kOpen);
  return features;
}

double Sampler::predict(const Point &point) const {
  double sum = space.getPrior(point);
  for (auto [weight, feature] : llvm::zip(weights, getFeatures(point)))
    sum += weight * feature;
  return sum;
}

bool Sampler::isFasterAbove(const Point &point, size_t i) const {
  Point above = point, below = point;
  above[i] = std::min(2 * point[i], space.getDimension(i).extent);
  below[i] = std::max<int64_t>(point[i] / 2, 1);
  return predict(above) < predict(below);
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
  for (const Sample &sample : samples)
    if (sample.cycles > 0) {
      order.push_back({sample.cycles, sample.point});
      worst = std::max(worst, sample.cycles);
    }
  llvm::sort(order);
  order.erase(llvm::unique(order), order.end());
  best.clear();
  for (auto &[cycles, point] : llvm::ArrayRef(order).take_front(kBest))
    best.push_back(point);
  // Least squares of what the space does not expect itself, with a small weight
  // on large coefficients. What cannot be had counts as slow, and what is fast
  // counts most.
  size_t n = getFeatures(samples.front().point).size();
  std::vector<std::vector<double>> a(n, std::vector<double>(n, 0));
  std::vector<double> b(n, 0);
  for (size_t i = 0; i < n; ++i)
    a[i][i] = 0.01;
  for (const Sample &sample : samples) {
    std::vector<double> x = getFeatures(sample.point);
    double ratio = double(sample.cycles > 0 ? sample.cycles : 2 * worst) /
                   double(order.empty() ? 1 : order.front().first);
    double unexpected = std::log(ratio) - space.getPrior(sample.point);
    for (size_t i = 0; i < n; ++i) {
      for (size_t j = 0; j < n; ++j)
        a[i][j] += x[i] * x[j] / ratio;
      b[i] += x[i] * unexpected / ratio;
    }
  }
  weights = solve(std::move(a), std::move(b));
}
