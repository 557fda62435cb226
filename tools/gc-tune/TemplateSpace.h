// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The templates that the tunable ops of a graph may have, as points. There are
// two kinds of dimensions, choices both: for each chain of ops how its rows are
// cut, with templates for all of its ops; and for each op a template of its
// own, or none, where it has that of its chain. Ops with the same possibilities
// share a dimension.

#ifndef GC_TOOLS_GC_TUNE_TEMPLATESPACE_H
#define GC_TOOLS_GC_TUNE_TEMPLATESPACE_H

#include "Dialect/Graph/Transforms/TemplateChoices.h"
#include "SampleSpace.h"

#include <string>
#include <vector>

namespace gc::tune {

class TemplateSpace : public SampleSpace {
public:
  explicit TemplateSpace(const graph::TemplateChoices &choices);

  size_t countDimensions() const override { return dimensions.size(); }
  size_t countSizes() const override { return 0; }
  const SampleDimension &getDimension(size_t number) const override {
    return dimensions[number];
  }
  /// Of the cycles of all ops, each for itself, by the cost model.
  double getPrior(const Point &point) const override;

  /// What the compiler chooses itself.
  Point getOrigin() const;
  /// The templates of the ops in order, as text.
  std::vector<std::string> getTemplates(const Point &point) const;
  /// Number of points, as far as a double can tell.
  double getSize() const;

private:
  struct Candidate {
    std::string text;
    double cycles;
  };
  /// Where an op's template comes from: a place in a chain, and the op's own
  /// dimension.
  struct Source {
    size_t chain = 0, place = 0, own = 0;
  };

  const Candidate &find(const Source &source, const Point &point) const;

  std::vector<SampleDimension> dimensions;
  /// By chain, choice and place.
  std::vector<std::vector<std::vector<Candidate>>> chains;
  /// By the number of a dimension of ops, counted from the first one.
  std::vector<std::vector<Candidate>> candidates;
  std::vector<Source> sources;
};

} // namespace gc::tune

#endif // GC_TOOLS_GC_TUNE_TEMPLATESPACE_H
