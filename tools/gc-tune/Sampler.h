// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Learning-guided sampling, section 5.3 of the AKG paper: random points first;
// then each point comes from one of the best ones by a step in the direction in
// which a model that all measurements have trained gets faster, with
// probability p, and from anywhere with probability 1 - p.

#ifndef GC_TOOLS_GC_TUNE_SAMPLER_H
#define GC_TOOLS_GC_TUNE_SAMPLER_H

#include "Space.h"

#include <map>
#include <random>

namespace gc::tune {

class Sampler {
public:
  Sampler(const Space &space, uint64_t seed) : space(space), random(seed) {}

  /// Points that have not been measured, at most `count`. Fewer if they are
  /// hard to find.
  std::vector<Point> sample(size_t count);
  /// What a point takes; nothing if it cannot be had.
  void add(const Point &point, std::optional<int64_t> cycles);
  /// Trains the model, and makes steps more likely than before.
  void endRound();

private:
  /// Points that steps start from.
  static constexpr size_t kBest = 64;

  Point getRandom();
  Point getStep();
  /// The derivative of the model in each dimension.
  std::vector<double> getSlope(const Point &point) const;
  std::vector<double> getFeatures(const Point &point) const;
  /// A number from 0 to 1 for the place among the values of a dimension.
  double getPlace(const Point &point, size_t dimension) const;

  const Space &space;
  std::mt19937_64 random;
  /// Cycles by point; 0 for those that cannot be had.
  std::map<Point, int64_t> known;
  /// Points that were handed out, and the best ones.
  std::map<Point, bool> taken;
  std::vector<Point> best;
  /// log(cycles) as 1, x and x * x of all dimensions: weights.
  std::vector<double> weights;
  int rounds = 0;
};

} // namespace gc::tune

#endif // GC_TOOLS_GC_TUNE_SAMPLER_H
