// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TemplateSpace.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace llvm;
using namespace gc;
using namespace gc::tune;

static std::string print(mlir::Attribute attribute) {
  std::string text;
  raw_string_ostream(text) << attribute;
  return text;
}

TemplateSpace::TemplateSpace(const graph::TemplateChoices &choices) {
  auto convert = [](ArrayRef<graph::TemplateCandidate> list) {
    std::vector<Candidate> result;
    for (const graph::TemplateCandidate &candidate : list)
      result.push_back({print(candidate.params), candidate.cycles});
    return result;
  };
  auto addDimension = [&](size_t count, int64_t first) {
    SampleDimension &dimension = dimensions.emplace_back();
    for (int64_t value : seq<int64_t>(first, count))
      dimension.values.push_back(value);
  };
  sources.resize(choices.ops.size());
  for (const auto &[number, chain] : enumerate(choices.chains)) {
    for (auto [place, op] : enumerate(chain.ops)) {
      sources[op].chain = number;
      sources[op].place = place;
    }
    addDimension(chain.choices.size(), 0);
    auto &list = chains.emplace_back();
    for (ArrayRef<graph::TemplateCandidate> choice : chain.choices)
      list.push_back(convert(choice));
  }
  auto isSame = [](ArrayRef<Candidate> left, ArrayRef<Candidate> right) {
    return equal(left, right, [](const Candidate &a, const Candidate &b) {
      return a.text == b.text;
    });
  };
  for (auto [source, list] : zip_equal(sources, choices.candidates)) {
    std::vector<Candidate> own = convert(list);
    auto known = find_if(candidates, [&](ArrayRef<Candidate> other) {
      return isSame(other, own);
    });
    source.own = known - candidates.begin();
    if (known != candidates.end())
      continue;
    addDimension(own.size(), kOpen);
    candidates.push_back(std::move(own));
  }
}

const TemplateSpace::Candidate &TemplateSpace::find(const Source &source,
                                                    const Point &point) const {
  size_t dimension = chains.size() + source.own;
  int64_t own = dimension < point.size() ? point[dimension] : kOpen;
  if (own != kOpen)
    return candidates[source.own][own];
  int64_t chain = source.chain < point.size() ? point[source.chain] : 0;
  return chains[source.chain][chain][source.place];
}

Point TemplateSpace::getOrigin() const { return Point(chains.size(), 0); }

std::vector<std::string> TemplateSpace::getTemplates(const Point &point) const {
  std::vector<std::string> templates;
  for (const Source &source : sources)
    templates.push_back(find(source, point).text);
  return templates;
}

double TemplateSpace::getPrior(const Point &point) const {
  double cycles = 1;
  for (const Source &source : sources)
    cycles += find(source, point).cycles;
  return std::log(cycles);
}

double TemplateSpace::getSize() const {
  double size = 1;
  for (const SampleDimension &dimension : dimensions)
    size *= double(dimension.values.size());
  return size;
}
