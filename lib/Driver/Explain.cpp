// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What limits a region, and which decision to look at.

#include "Driver/Explain.h"
#include "Machine/KernelCost.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>

using namespace llvm;
using namespace gc;

Roofline Roofline::get(const Machine &machine, int64_t threads,
                       KernelTypes types, double bytes) {
  Roofline result;
  result.machine = machine.name;
  result.threads = threads;
  result.clockGHz = machine.clockGHz;
  result.types = getKernelTypesName(types).str();
  // Cycles of the clock are nanoseconds by its GHz.
  double all = machine.clockGHz * threads;
  if (const KernelRate *rate = getRateOrF32(machine, types))
    result.gflops = 2 * rate->macsPerCycle * all;
  result.l2 = machine.l2BytesPerCycle * all;
  result.l3 = machine.getL3BytesPerCycle(threads) * all;
  result.memory = machine.getMemoryBytesPerCycle(threads) * all;
  if (bytes <= double(machine.l2Bytes) * threads) {
    result.level = "L2";
    result.levelRate = result.l2;
  } else if (bytes <= double(machine.l3Bytes)) {
    result.level = "L3";
    result.levelRate = result.l3;
  } else {
    result.level = "memory";
    result.levelRate = result.memory;
  }
  return result;
}

double Roofline::getBoundMs(int64_t flops, int64_t bytes) const {
  double compute = gflops > 0 ? double(flops) / (gflops * 1e6) : 0;
  double data = levelRate > 0 ? double(bytes) / (levelRate * 1e6) : 0;
  return std::max(compute, data);
}

namespace {

/// What a region waits for, in words for people.
std::string findLimit(const ExplainedRegion &region, const Roofline &roofline) {
  if (region.iterations > 0 && region.iterations < roofline.threads)
    return formatv("parallelism: {0} of {1} threads have work",
                   region.iterations, roofline.threads);
  StringRef bound = region.info.boundBy;
  if (bound == "memory")
    return "memory bandwidth";
  if (bound == "cache")
    return roofline.level == "memory" ? "L3 bandwidth"
                                      : roofline.level + " bandwidth";
  if (bound == "vector")
    return "vector instructions";
  if (bound == "calls")
    return "kernel calls";
  if (bound == "barrier")
    return "barriers";
  return bound.empty() ? "unknown" : bound.str();
}

/// An alternative that was predicted to be faster than what was chosen, with
/// its gain in cycles: the user forced the decision, or a limit did.
struct Better {
  const Decision *decision = nullptr;
  const Decision::Choice *choice = nullptr;
  int64_t gain = 0;
};

Better findBetter(ArrayRef<Decision> decisions) {
  Better best;
  for (const Decision &decision : decisions) {
    if (!decision.chosen.cycles)
      continue;
    for (const Decision::Choice &choice : decision.alternatives) {
      if (!choice.cycles || !choice.why.empty())
        continue;
      int64_t gain = *decision.chosen.cycles - *choice.cycles;
      // Predictions are not that exact.
      if (gain * 10 > *decision.chosen.cycles && gain > best.gain)
        best = {&decision, &choice, gain};
    }
  }
  return best;
}

/// The cheapest alternative that was predicted to be faster, by however little.
const Decision::Choice *findFaster(const Decision &decision) {
  const Decision::Choice *best = nullptr;
  for (const Decision::Choice &choice : decision.alternatives)
    if (choice.cycles && choice.why.empty() &&
        choice.cycles < decision.chosen.cycles &&
        (!best || choice.cycles < best->cycles))
      best = &choice;
  return best;
}

/// Whether it is an option as a user types it, not the name of an attribute.
bool canBeTyped(StringRef option) { return option.starts_with("--"); }

/// The decision that the limit points at and that had better be another one, or
/// might be: those that follow a rule have no predictions. What was predicted
/// to take as long or longer, or was rejected for another reason than its cost,
/// is not worth trying. One that an option of a tool forces is preferred.
const Decision *findDecision(const ExplainedRegion &region) {
  StringRef bound = region.info.boundBy;
  SmallVector<StringRef> kinds;
  if (bound == "compute" || bound == "calls")
    kinds = {"kernel", "template"};
  else if (bound == "memory" || bound == "cache")
    kinds = {"layout", "fusion", "merge", "schedule", "template"};
  else if (bound == "barrier")
    kinds = {"merge", "schedule", "fusion"};
  else
    kinds = {"anchor", "fusion", "schedule"};
  auto isOpen = [](const Decision &decision) {
    if (decision.force.empty())
      return false;
    return decision.chosen.cycles ? findFaster(decision) != nullptr
                                  : !decision.alternatives.empty();
  };
  const Decision *found = nullptr;
  for (StringRef kind : kinds)
    for (const Decision &decision : region.decisions)
      if (decision.kind == kind && isOpen(decision)) {
        if (canBeTyped(decision.force))
          return &decision;
        found = found ? found : &decision;
      }
  return found;
}

/// Whether an op of the region has other templates, which gc-tune may measure.
bool hasTemplates(const ExplainedRegion &region) {
  return any_of(region.decisions, [](const Decision &decision) {
    return decision.kind == "template" &&
           any_of(decision.alternatives, [](const Decision::Choice &choice) {
             return choice.cycles.has_value();
           });
  });
}

std::string describeFaster(const Decision &decision,
                           const Decision::Choice &choice) {
  return formatv("{0} '{1}' is predicted to take {2} cycles instead of {3}",
                 decision.kind, choice.what, *choice.cycles,
                 *decision.chosen.cycles);
}

/// `tune` is what to type to have templates measured; empty if that cannot be.
void findAdvice(ExplainedRegion &region, const Roofline &roofline,
                StringRef tune) {
  bool canTune = !tune.empty() && hasTemplates(region);
  // Attributes can be written in some files only: the measurement comes first.
  auto advise = [&](StringRef option, const Twine &reason) {
    bool replaces = canTune && !canBeTyped(option);
    region.option = (replaces ? tune : option).str();
    region.advice = (replaces ? reason + "; " + option : reason).str();
  };
  if (Better better = findBetter(region.decisions); better.decision) {
    region.option = better.decision->force;
    region.advice = describeFaster(*better.decision, *better.choice);
    return;
  }
  for (const Remark &remark : region.remarks) {
    if (remark.kind != "missed" || remark.suggestion.empty())
      continue;
    return advise(remark.suggestion, remark.message);
  }
  if (region.iterations > 0 && region.iterations < roofline.threads) {
    return advise(formatv("--threads={0}", region.iterations).str(),
                  "the work of this region is not divided any further");
  }
  if (const Decision *decision = findDecision(region)) {
    const Decision::Choice *faster = findFaster(*decision);
    return advise(decision->force,
                  faster ? describeFaster(*decision, *faster)
                         : formatv("{0} '{1}' follows a rule, not a prediction",
                                   decision->kind, decision->chosen.what)
                               .str());
  }
  region.advice = "no alternative is predicted to be faster";
  if (canTune) {
    region.option = tune.str();
    region.advice += ", which measurements may refute";
  }
}

bool isAt(const std::vector<std::string> &locations, StringRef location) {
  return !location.empty() && is_contained(locations, location);
}

} // namespace

Explanation gc::explain(StringRef name, const CompiledFacts &facts,
                        ArrayRef<Remark> remarks,
                        ArrayRef<std::optional<double>> measured,
                        std::optional<double> measuredMs, StringRef tune) {
  Explanation result;
  result.name = name.str();
  result.roofline = facts.roofline;
  result.picture = facts.picture;
  result.predictedMs = facts.predictedMs;
  result.measuredMs = measuredMs;
  for (auto [index, info] : enumerate(facts.regions)) {
    ExplainedRegion &region = result.regions.emplace_back();
    region.info = info;
    if (region.info.name.empty())
      region.info.name = "region " + std::to_string(index);
    if (index < measured.size())
      region.measuredMs = measured[index];
    if (index < facts.iterations.size())
      region.iterations = facts.iterations[index];
    region.boundMs = facts.roofline.getBoundMs(info.flops, info.bytes);
    const std::vector<std::string> &locations = facts.locations[index];
    for (const Decision &decision : facts.decisions)
      if (isAt(locations, decision.location))
        region.decisions.push_back(decision);
    for (const Remark &remark : remarks)
      if (remark.kind != "passed" && isAt(locations, remark.location))
        region.remarks.push_back(remark);
    region.limit = findLimit(region, facts.roofline);
    findAdvice(region, facts.roofline, tune);
  }
  for (const Decision &decision : facts.decisions)
    if (none_of(facts.locations, [&](const std::vector<std::string> &region) {
          return isAt(region, decision.location);
        }))
      result.decisions.push_back(decision);
  return result;
}

std::string ExplainedRegion::getAdvice() const {
  return option.empty() ? advice : "try " + option + " (" + advice + ")";
}

const ExplainedRegion *Explanation::getWorst() const {
  const ExplainedRegion *worst = nullptr;
  for (const ExplainedRegion &region : regions)
    if (!worst || region.getLossMs() > worst->getLossMs())
      worst = &region;
  return worst;
}

std::string Explanation::getHeadline() const {
  const ExplainedRegion *worst = getWorst();
  if (!worst)
    return name + ": no regions, nothing is computed";
  return formatv("{0}: most time above its bound in '{1}': {2:f4} ms {3}, "
                 "{4:f4} ms above {5:f4} ms; limited by {6}; {7}",
                 name, worst->info.name, worst->getMs(),
                 worst->measuredMs ? "measured" : "predicted",
                 worst->getLossMs(), worst->boundMs, worst->limit,
                 worst->getAdvice());
}
