// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Search.h"
#include "llvm/ADT/STLExtras.h"

using namespace gc;
using namespace gc::tune;

bool Search::run(const Attempt &first) {
  best = first;
  Point point;
  visitSizes(point);
  return !isFull();
}

/// Slices for L0 that are longer than those for L1 are those for L1.
static bool isRepeated(llvm::ArrayRef<Dimension> dimensions,
                       const Point &point) {
  for (size_t i = 0; i < point.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      if (dimensions[i].level == poly::Level::l0 &&
          dimensions[j].level == poly::Level::l1 &&
          dimensions[i].list == dimensions[j].list &&
          dimensions[i].loop == dimensions[j].loop && point[i] > point[j])
        return true;
  return false;
}

void Search::visitSizes(Point &point) {
  if (isFull() || isRepeated(space.getDimensions(), point) ||
      !space.isPossible(point))
    return;
  if (point.size() == space.countSizes())
    return visit(space.getPlan(point));
  for (int64_t size : space.getDimensions()[point.size()].values) {
    point.push_back(size);
    visitSizes(point);
    point.pop_back();
  }
}

/// The plan, what is open left to the passes, and those that make each of the
/// open choices in another way. Earlier choices decide what is legal for later
/// ones.
void Search::visit(poly::KernelPlan plan) {
  if (isFull())
    return;
  Attempt attempt = measurer.measure(plan, *best.cycles);
  bool isMade = llvm::all_of(plan.choices, [&](const poly::Choice &choice) {
    return llvm::is_contained(attempt.order, choice.name);
  });
  (attempt.isLegal() ? legal : refused) += 1;
  if (attempt.cycles && *attempt.cycles < *best.cycles)
    best = attempt;
  if (!isMade)
    return;
  for (const std::string &name : attempt.order) {
    const poly::Choice *made = attempt.plan.find(name);
    if (!made || plan.find(name))
      continue;
    for (int64_t value : made->alternatives) {
      if (value == made->value)
        continue;
      poly::KernelPlan other = plan;
      other.choices.push_back({name, value, {}});
      visit(std::move(other));
    }
    plan.choices.push_back({name, made->value, {}});
  }
}
