// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Sampler.h"
#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace gc;
using namespace gc::tune;

/// Times the cycles of the fastest plan; what is slower is not told apart.
constexpr double kWorst = 3;
/// Standard deviations that a point may be faster than expected.
constexpr double kOptimism = 2;
/// Of logarithms of cycles, before anything slower is known.
constexpr double kLeastVariance = 1e-3;

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
  bool isUp = model ? isFasterAbove(point, i) : random() % 2 == 0;
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

std::vector<Point> Sampler::takeBest(const std::set<Point> &drawn,
                                     size_t count) {
  struct Candidate {
    Point point;
    Model::Expectation expected;
    double prior;

    double getLeast() const {
      return prior + expected.mean - kOptimism * expected.getDeviation();
    }
  };
  Model known = model.value_or(Model(0, 1));
  std::vector<Candidate> left;
  for (const Point &point : drawn)
    left.push_back(
        {point, known.predict(getFeatures(point)), space.getPrior(point)});
  std::vector<Point> points;
  while (points.size() < count && !left.empty()) {
    auto best = llvm::min_element(left, [](const auto &a, const auto &b) {
      return a.getLeast() < b.getLeast();
    });
    Candidate candidate = std::move(*best);
    left.erase(best);
    taken.insert(candidate.point);
    points.push_back(candidate.point);
    // It is expected to be as the model says: the next one is not right beside
    // it.
    for (Candidate &other : left)
      known.narrow(other.expected, candidate.expected);
  }
  return points;
}

std::vector<Point> Sampler::sample(size_t count) {
  if (space.countDimensions() == 0)
    return {};
  // From 0.4 in the first round towards 1.
  double p = 1 - std::exp(-0.5 * (rounds + 1));
  std::set<Point> drawn;
  auto draw = [&](Point point) {
    if (space.isPossible(point) && !taken.count(point))
      drawn.insert(std::move(point));
  };
  for (const Point &start : llvm::ArrayRef(best).take_front(kWithNeighbours))
    for (Point &point : getNeighbours(start))
      draw(std::move(point));
  size_t wanted = drawn.size() + kDrawn * count;
  for (size_t tries = 0; tries < 2 * kDrawn * count && drawn.size() < wanted;
       ++tries) {
    bool isStep = !best.empty() && double(random() % 1000) < 1000 * p;
    draw(normalize(isStep ? getStep() : getRandom()));
  }
  return takeBest(drawn, count);
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

Features Sampler::getFeatures(const Point &point) const {
  // Sizes that are a quarter of all powers of two apart are alike, and so are
  // points that differ in one choice.
  constexpr double kSizes = 4;
  const double kChoices = std::sqrt(0.5);
  Features features;
  size_t sizes = space.countSizes();
  for (size_t i = 0; i < sizes; ++i)
    features.push_back(kSizes * getPlace(point, i));
  for (size_t i = sizes; i < space.countDimensions(); ++i) {
    llvm::ArrayRef<int64_t> values = space.getDimension(i).values;
    bool isOpen = i >= point.size() || point[i] == kOpen;
    for (int64_t value : values)
      features.push_back(kChoices * (isOpen ? 1.0 / double(values.size())
                                            : double(point[i] == value)));
  }
  return features;
}

double Sampler::predict(const Point &point) const {
  double mean = model ? model->predict(getFeatures(point)).mean : 0;
  return space.getPrior(point) + mean;
}

bool Sampler::isFasterAbove(const Point &point, size_t i) const {
  Point above = point, below = point;
  above[i] = std::min(2 * point[i], space.getDimension(i).extent);
  below[i] = std::max<int64_t>(point[i] / 2, 1);
  return predict(above) < predict(below);
}

void Sampler::endRound() {
  ++rounds;
  std::vector<std::pair<int64_t, Point>> order;
  for (const Sample &sample : samples)
    if (sample.cycles > 0)
      order.push_back({sample.cycles, sample.point});
  llvm::sort(order);
  order.erase(llvm::unique(order), order.end());
  best.clear();
  for (auto &[cycles, point] : llvm::ArrayRef(order).take_front(kBest))
    best.push_back(point);
  // What the space does not expect itself. What is slow is as bad as what
  // cannot be had: the model need not tell how bad.
  std::vector<double> values;
  double sum = 0, squares = 0;
  for (const Sample &sample : samples) {
    double ratio = sample.cycles > 0 && !order.empty()
                       ? double(sample.cycles) / double(order.front().first)
                       : kWorst;
    values.push_back(std::log(std::min(ratio, kWorst)) -
                     space.getPrior(sample.point));
    sum += values.back();
    squares += values.back() * values.back();
  }
  double mean = sum / double(values.size()),
         variance = squares / double(values.size()) - mean * mean;
  model.emplace(mean, std::sqrt(std::max(variance, kLeastVariance)));
  for (auto [sample, value] : llvm::zip_equal(samples, values))
    model->add(getFeatures(sample.point), value);
}
