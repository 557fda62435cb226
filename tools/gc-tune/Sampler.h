// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Learning-guided sampling, section 5.3 of the AKG paper: with probability p a
// point comes from one of the best ones by a step in the direction in which a
// model that all measurements have trained gets faster, and from anywhere with
// probability 1 - p, which falls from round to round. What the compiler chooses
// itself is known before the first round. Of the points that are drawn, and of
// the neighbours of the best ones, those are taken that the model expects to be
// fastest, or of which it knows so little that they may be.

#ifndef GC_TOOLS_GC_TUNE_SAMPLER_H
#define GC_TOOLS_GC_TUNE_SAMPLER_H

#include "Model.h"
#include "SampleSpace.h"

#include <optional>
#include <random>
#include <set>

namespace gc::tune {

class Sampler {
public:
  Sampler(const SampleSpace &space, uint64_t seed)
      : space(space), random(seed) {}

  /// Points that were not tried, at most `count`. Fewer if they are hard to
  /// find.
  std::vector<Point> sample(size_t count);
  /// What became of a point: `made` is the same with nothing left open, and
  /// `cycles` is what it takes, or a limit that it exceeds; nothing and 0 if it
  /// cannot be had.
  void add(const Point &point, std::optional<Point> made, int64_t cycles);
  /// Trains the model, and makes steps more likely than before.
  void endRound();

private:
  /// Points that steps start from, and those whose neighbours are all drawn.
  static constexpr size_t kBest = 64, kWithNeighbours = 8;
  /// Points that are drawn for each that is taken.
  static constexpr size_t kDrawn = 32;

  struct Sample {
    Point point;
    /// Of a program that was cut off the limit; 0 of what cannot be had.
    int64_t cycles;
  };

  /// Points that differ from a point in one dimension: a size by one step, a
  /// choice by any other value.
  std::vector<Point> getNeighbours(const Point &point) const;
  /// Those that may be fastest, and are not all alike.
  std::vector<Point> takeBest(const std::set<Point> &drawn, size_t count);
  Point getRandom();
  Point getStep();
  void move(Point &point, size_t dimension);
  /// What the model expects, as a logarithm of cycles; the space's own
  /// expectation without a model.
  double predict(const Point &point) const;
  /// Whether the model gets faster with the next larger value.
  bool isFasterAbove(const Point &point, size_t dimension) const;
  /// Places of sizes, and 1 or 0 for each value of a choice, or equal parts of
  /// 1 if it is open; in units in which points at a distance of 1 are alike.
  Features getFeatures(const Point &point) const;
  /// A number from 0 to 1 for a tile size.
  double getPlace(const Point &point, size_t dimension) const;
  Point normalize(Point point) const;

  const SampleSpace &space;
  std::mt19937_64 random;
  std::vector<Sample> samples;
  /// Points that were handed out or measured, without open choices at the end.
  std::set<Point> taken;
  /// The fastest ones, in order.
  std::vector<Point> best;
  std::optional<Model> model;
  int rounds = 0;
};

} // namespace gc::tune

#endif // GC_TOOLS_GC_TUNE_SAMPLER_H
