// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What measurements say of points that were not measured: a Gaussian process
// (Rasmussen and Williams, Gaussian Processes for Machine Learning, algorithm
// 2.1). Its kernel is the exponential one of unit length, for rough functions:
// one more tile may be needed for one element less.

#ifndef GC_TOOLS_GC_TUNE_MODEL_H
#define GC_TOOLS_GC_TUNE_MODEL_H

#include <vector>

namespace gc::tune {

/// Coordinates: points at a distance of about 1 are alike.
using Features = std::vector<double>;

class Model {
public:
  /// What is expected at a point.
  struct Expectation {
    double mean;
    double getDeviation() const;

  private:
    friend class Model;
    Features point;
    /// L^-1 of its correlations with all points.
    std::vector<double> row;
    /// That of the model, and the part of its square that nothing explains.
    double deviation, variance;
  };

  /// Later points are not added: a prediction would take too long.
  static constexpr size_t kMostPoints = 1024;

  /// `mean` and `deviation` of values where nothing is known.
  Model(double mean, double deviation) : mean(mean), deviation(deviation) {}

  /// A value was measured there.
  void add(Features point, double value);
  Expectation predict(Features point) const;
  /// Makes an expectation what it is if another one turns out to be right: the
  /// mean is the same.
  void narrow(Expectation &expectation, const Expectation &right) const;

private:
  /// The part of a measured value's variance that is noise, or that the
  /// coordinates do not tell.
  static constexpr double kNoise = 1e-3;

  /// The correlations of a point with all points.
  std::vector<double> correlate(const Features &point) const;
  /// x in L x = b for the Cholesky factor L of the correlations.
  std::vector<double> solve(std::vector<double> b) const;

  double mean, deviation;
  std::vector<Features> points;
  /// The rows of L, and L^-1 of the values in deviations from the mean.
  std::vector<std::vector<double>> factor;
  std::vector<double> values;
};

} // namespace gc::tune

#endif // GC_TOOLS_GC_TUNE_MODEL_H
