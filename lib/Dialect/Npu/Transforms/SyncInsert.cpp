// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The pass on an abstract program.

#include "SyncPlan.h"

#include <algorithm>

using namespace gc::npu;
using namespace gc::npu::sync;

namespace {

/// A program's length beyond which it is not run in full.
constexpr int64_t kMaxSteps = 16 << 20;
/// A trace up to this length is short enough to plan on.
constexpr int64_t kShortSteps = 40000;
/// One that is shorter than this is not worth shortening.
constexpr int64_t kTinySteps = 4000;
/// How many steps a search for one plan, or for its events, may follow. A step
/// takes less than ten nanoseconds.
constexpr int64_t kEffort = 24 << 20;

/// The same on a whole program, which may be so long that this is not enough
/// for anything.
int64_t getEffort(const Trace &full) {
  return std::max<int64_t>(kEffort,
                           16 * static_cast<int64_t>(full.steps.size()));
}

/// A barrier of all pipes before every op that depends on anything.
Plan getSlowPlan(const Program &program, const Trace *trace) {
  std::vector<bool> waits(program.ops.size(), !trace);
  if (trace)
    for (const Instance &instance : trace->instances)
      for (int32_t count : instance.needs)
        if (count)
          waits[instance.op] = true;
  Plan plan;
  for (size_t op = 0; op < program.ops.size(); ++op)
    if (waits[op]) {
      auto [block, node] = program.places[op];
      plan.barriers.push_back({Pipe::s, program.getPoint(block, node)});
    }
  return plan;
}

/// Balances a flag in the whole trace: where a branch is left out at the end of
/// a loop, its set or wait may have to move out of the branch.
bool balance(const Program &program, const Trace &full, Flag &flag) {
  for (int set : getOuterPoints(program, flag.set, true))
    for (int wait : getOuterPoints(program, flag.wait, false)) {
      Flag moved = flag;
      moved.set = set;
      moved.wait = wait;
      if (!setPrimes(program, full, moved, flag.primes))
        continue;
      flag = moved;
      return true;
    }
  return false;
}

/// Whether a plan that was made on a part of the trace is right for all of it;
/// makes its flags balanced there, and gives them their events.
bool fitsWhole(const Program &program, const Trace &full,
               const Machine &machine, Result &made, bool &isChanged) {
  Plan &plan = made.plan;
  isChanged = false;
  for (Flag &flag : plan.flags)
    if (!setPrimes(program, full, flag, flag.primes)) {
      isChanged = true;
      if (!balance(program, full, flag))
        return false;
    }
  if (!isOrdered(program, full, plan))
    return false;
  auto hasEvents = [&](Flag &flag) {
    int events = flag.events;
    return computeEvents(program, full, flag, events);
  };
  if (std::all_of(plan.flags.begin(), plan.flags.end(), hasEvents) &&
      !findClash(program, full, plan))
    return true;
  // At the ends of the loops more sets may be left than in the part.
  isChanged = true;
  full.walked = 0;
  assignEvents(program, full, machine, plan, made.remarks);
  return isOrdered(program, full, plan) && !findClash(program, full, plan);
}

/// How often each op runs, as far as it matters: up to three times.
std::vector<int> countRuns(const Program &program, const Trace &trace) {
  std::vector<int> counts(program.ops.size());
  for (const Instance &instance : trace.instances)
    counts[instance.op] = std::min(counts[instance.op] + 1, 3);
  return counts;
}

/// Plans the statements of a section of the program's own block, as if nothing
/// came before and after.
class SectionPlanner {
public:
  SectionPlanner(const Program &program, Trace::Section section,
                 const Trace &full, const Machine &machine, bool groups)
      : program(program), section(section), full(full), machine(machine),
        groups(groups) {}

  /// The best plan with separate flags that is right for the whole section, if
  /// any was found. `isChanged`: it was made on a part that lacks something.
  std::optional<Result> plan(bool &isChanged);
  /// One flag for each pair of pipes and loop; barriers if even that fails.
  Result planCoarsely();

private:
  std::optional<Trace> getSketch() const;
  std::optional<Trace> getPart(int64_t outer, int64_t maxSteps) const;
  Result makeFine(const Trace &trace) const;
  Result makeCoarse(const Trace &trace) const;
  bool fits(Result &made, bool &isChanged) const {
    return fitsWhole(program, full, machine, made, isChanged);
  }

  const Program &program;
  Trace::Section section;
  const Trace &full;
  const Machine &machine;
  /// Whether flags are merged and moved.
  bool groups;
};

/// The longest form of the section of at most the given number of steps; none
/// if that is so short that it lacks what the program does rarely.
std::optional<Trace> SectionPlanner::getPart(int64_t outer,
                                             int64_t maxSteps) const {
  std::optional<Trace> part;
  if (static_cast<int64_t>(full.steps.size()) <= maxSteps)
    part = full;
  for (int64_t inner : {4096, 2048, 1024, 512, 256, 128, 64, 48, 32, 24, 16, 12,
                        8, 6, 4, 3, 2}) {
    if (part)
      break;
    part = Trace::make(program, section,
                       {maxSteps, inner, std::min(outer, inner)});
    if (part && countRuns(program, *part) != countRuns(program, full))
      return std::nullopt;
  }
  if (part)
    part->effort = kEffort;
  return part;
}

/// The section without its repetitions, if that is at most half of it.
std::optional<Trace> SectionPlanner::getSketch() const {
  int64_t half = static_cast<int64_t>(full.steps.size()) / 2;
  if (half < kTinySteps)
    return std::nullopt;
  Trace::Length length;
  length.maxSteps = std::min(half, kShortSteps);
  length.isSketch = true;
  std::optional<Trace> sketch = Trace::make(program, section, length);
  if (!sketch || countRuns(program, *sketch) != countRuns(program, full))
    return std::nullopt;
  sketch->effort = kEffort;
  return sketch;
}

Result SectionPlanner::makeFine(const Trace &trace) const {
  Result result;
  addMissing(program, trace, result.plan);
  if (groups) {
    removeImplied(program, trace, result.plan);
    group(program, trace, machine, result.plan);
    if (!walkPlacements(program, trace, machine, result.plan))
      exchange(program, trace, machine, result.plan);
  }
  trace.walked = 0;
  assignEvents(program, trace, machine, result.plan, result.remarks);
  result.cycles = estimateCycles(program, trace, result.plan, machine);
  return result;
}

Result SectionPlanner::makeCoarse(const Trace &trace) const {
  Result result;
  trace.walked = 0;
  result.plan = makeCoarsePlan(program, trace);
  trace.walked = 0;
  assignEvents(program, trace, machine, result.plan, result.remarks);
  result.cycles = estimateCycles(program, trace, result.plan, machine);
  return result;
}

std::optional<Result> SectionPlanner::plan(bool &isChanged) {
  // Plan on a short form of the program; what matters is that the plan is right
  // for the whole one. Then on longer ones.
  std::optional<Result> best;
  auto take = [&](Result made, bool wasChanged) {
    made.cycles = estimateCycles(program, full, made.plan, machine);
    if (best && made.cycles >= best->cycles)
      return;
    best = std::move(made);
    isChanged = wasChanged;
  };
  // Whether the plan is as it was made.
  auto attempt = [&](const std::optional<Trace> &part) {
    if (!part)
      return false;
    Result fine = makeFine(*part);
    Result coarse = groups ? makeCoarse(*part) : fine;
    bool wasChanged = false;
    int64_t fineCycles = fine.cycles;
    bool isFine = fits(fine, wasChanged);
    if (isFine)
      take(std::move(fine), wasChanged);
    bool isDone = isFine && !wasChanged;
    // Few flags may be faster where too many had to be made fewer; a cycle here
    // or there is not worth executing more of them.
    bool isFaster = coarse.cycles < fineCycles - fineCycles / 500;
    if ((!isDone || isFaster) && fits(coarse, wasChanged))
      take(std::move(coarse), wasChanged);
    return isDone;
  };
  bool isShort = static_cast<int64_t>(full.steps.size()) <= kShortSteps;
  if (attempt(getSketch()) && !isShort)
    return best;
  // Parts that had to be changed may have become slow: try a longer part.
  if (!attempt(getPart(3, kShortSteps)) && !isShort &&
      !attempt(getPart(Trace::kAll, kShortSteps)))
    attempt(getPart(Trace::kAll, 4 * kShortSteps));
  return best;
}

Result SectionPlanner::planCoarsely() {
  full.walked = 0;
  Result result = makeCoarse(full);
  bool isChanged = false;
  if (fits(result, isChanged)) {
    result.remarks.push_back(
        {0, "Coarse",
         "no finer arrangement of flags was found; for each pair of pipes the "
         "last set and the first wait of a loop's body share a flag"});
    return result;
  }
  result.plan = getSlowPlan(program, &full);
  result.remarks = {{0, "Barriers",
                     "no arrangement of flags was found; a barrier of all "
                     "pipes precedes each instruction that needs another"}};
  return result;
}

/// Sections that end with a loop each; what follows the last one belongs to it.
std::vector<Trace::Section> getNests(const Program &program) {
  const std::vector<Node> &nodes = program.blocks[0].nodes;
  std::vector<Trace::Section> nests;
  int begin = 0, count = static_cast<int>(nodes.size());
  for (int i = 0; i < count; ++i)
    if (nodes[i].kind == Node::loop) {
      nests.push_back({begin, i + 1});
      begin = i + 1;
    }
  if (nests.empty())
    nests.push_back({0, count});
  nests.back().end = count;
  return nests;
}

/// Each nest on its own, and a barrier of all pipes between them.
Result planApart(const Program &program, const Trace &full,
                 const Machine &machine, bool groups) {
  Result result;
  for (Trace::Section nest : getNests(program)) {
    Result own;
    Trace trace = *Trace::make(program, nest, Trace::Length());
    trace.effort = getEffort(trace);
    SectionPlanner planner(program, nest, trace, machine, groups);
    bool isChanged = false;
    std::optional<Result> found = planner.plan(isChanged);
    own = found ? std::move(*found) : planner.planCoarsely();
    if (nest.begin > 0)
      result.plan.barriers.push_back(
          {Pipe::s, program.getPoint(0, nest.begin)});
    for (const Flag &flag : own.plan.flags)
      result.plan.flags.push_back(flag);
    for (const Barrier &barrier : own.plan.barriers)
      result.plan.barriers.push_back(barrier);
    for (Remark &remark : own.remarks)
      result.remarks.push_back(std::move(remark));
  }
  result.cycles = estimateCycles(program, full, result.plan, machine);
  return result;
}

bool isSlow(const Result &result) {
  return std::any_of(
      result.remarks.begin(), result.remarks.end(),
      [](const Remark &remark) { return remark.name != "Grouped"; });
}

} // namespace

Plan gc::npu::sync::getBarriers(const Program &program) {
  return getSlowPlan(program, nullptr);
}

Result gc::npu::sync::insertSync(const Program &program, const Machine &machine,
                                 bool groups) {
  Result result;
  std::optional<Trace> full;
  if (program.isStatic)
    full = Trace::make(program, Trace::Length{kMaxSteps});
  if (!full) {
    result.plan = getSlowPlan(program, nullptr);
    if (!program.ops.empty())
      result.remarks.push_back(
          {0, "Barriers",
           program.isStatic
               ? "the program is too long to be run at compile time; a barrier "
                 "of all pipes precedes each instruction"
               : "loop bounds or conditions are not known; a barrier of all "
                 "pipes precedes each instruction"});
    return result;
  }
  full->effort = getEffort(*full);
  std::vector<Trace::Section> nests = getNests(program);
  Trace::Section all = {0, static_cast<int>(program.blocks[0].nodes.size())};
  SectionPlanner planner(program, all, *full, machine, groups);
  bool isChanged = false;
  std::optional<Result> best = planner.plan(isChanged);
  if (nests.size() > 1 && (!best || isChanged || isSlow(*best))) {
    Result apart = planApart(program, *full, machine, groups);
    bool isRight = isOrdered(program, *full, apart.plan) &&
                   !findClash(program, *full, apart.plan);
    if (isRight && (!best || apart.cycles < best->cycles)) {
      // At the first op of the second nest.
      int op = 0;
      auto getStatement = [&](int number) {
        auto [block, node] = program.places[number];
        return block ? program.getChild(0, block) : node;
      };
      while (op + 1 < static_cast<int>(program.ops.size()) &&
             getStatement(op) < nests[1].begin)
        ++op;
      apart.remarks.push_back(
          {op, "Apart",
           "no plan for all nests together was found that is as fast; a "
           "barrier of all pipes is between each two"});
      best = std::move(apart);
    }
  }
  if (!best)
    best = planner.planCoarsely();
  best->executed = countExecuted(*full, best->plan);
  return std::move(*best);
}
