// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A plan of as few flags as possible: all dependences from one pipe to another
// that one iteration of a loop passes on to later ones share a flag, set after
// the last of them and waited for before the first. Those within an iteration
// share flags where their intervals have a point in common. Sets and waits are
// statements of the same block, so each is executed as often as the other,
// whatever branches are inside.

#include "SyncPlan.h"

#include <algorithm>
#include <climits>
#include <map>
#include <tuple>

using namespace gc::npu;
using namespace gc::npu::sync;

namespace {

class Coarse {
public:
  Coarse(const Program &program, const Trace &trace)
      : program(program), trace(trace), passOf(trace.instances.size()) {
    std::vector<int32_t> passes(program.getNumPoints());
    int32_t last = 0;
    for (const Step &step : trace.steps)
      if (step.kind == Step::point)
        last = passes[step.id]++;
      else if (step.kind == Step::op)
        passOf[step.id] = last;
  }

  Plan run() {
    collect();
    Plan plan;
    for (auto &[place, pairs] : groups) {
      if (place.isCarried)
        addFlag(plan, place, pairs);
      else
        stab(plan, place, pairs);
    }
    addMissing(program, trace, plan);
    removeImplied(program, trace, plan);
    return plan;
  }

private:
  /// Where dependences are seen as being between two statements: the block that
  /// has both in it, or the body of the loop that passes them on.
  struct Place {
    int block;
    Pipe from, to;
    bool isCarried;
    bool operator<(const Place &other) const {
      return std::tie(block, from, to, isCarried) <
             std::tie(other.block, other.from, other.to, other.isCarried);
    }
  };
  /// All pairs of instances in two statements.
  using Intervals = std::map<std::pair<int, int>, std::vector<Violation>>;

  void collect() {
    for (int32_t id = 0; id < static_cast<int32_t>(trace.instances.size());
         ++id) {
      const Instance &second = trace.instances[id];
      Pipe to = program.ops[second.op].pipe;
      for (int p = 0; p < kNumPipes; ++p) {
        // The front end is always in order.
        if (!second.needs[p] || static_cast<Pipe>(p) == to ||
            static_cast<Pipe>(p) == Pipe::s)
          continue;
        int32_t first = trace.onPipe[p][second.needs[p] - 1];
        Place place = {0, static_cast<Pipe>(p), to, false};
        auto children = getStatements(first, id, place);
        groups[place][children].push_back({id, first});
      }
    }
  }

  /// The iterations of the loops around an instance, the innermost first.
  const int32_t *getIterations(int32_t id, size_t loops) const {
    auto [block, node] = program.places[trace.instances[id].op];
    return trace.iterations[program.getPoint(block, node)].data() +
           passOf[id] * loops;
  }

  int getStatement(int block, int32_t id) const {
    auto [own, node] = program.places[trace.instances[id].op];
    return own == block ? node : program.getChild(block, own);
  }

  std::pair<int, int> getStatements(int32_t first, int32_t second,
                                    Place &place) const {
    int one = program.places[trace.instances[first].op].first;
    int other = program.places[trace.instances[second].op].first;
    place.block = program.getCommonBlock(one, other);
    std::vector<int> loops = program.getLoops(place.block);
    size_t outside = loops.size();
    size_t deep = program.getLoops(one).size();
    size_t otherDeep = program.getLoops(other).size();
    const int32_t *a = getIterations(first, deep) + deep - outside;
    const int32_t *b = getIterations(second, otherDeep) + otherDeep - outside;
    for (size_t i = outside; i-- > 0;)
      if (a[i] != b[i]) {
        place.block = program.loops[loops[i]].body;
        place.isCarried = true;
        break;
      }
    return {getStatement(place.block, first),
            getStatement(place.block, second)};
  }

  void addFlag(Plan &plan, const Place &place, const Intervals &intervals) {
    int set = 0, wait = INT_MAX;
    std::vector<Violation> pairs;
    for (const auto &[statements, own] : intervals) {
      set = std::max(set, statements.first + 1);
      wait = std::min(wait, statements.second);
      pairs.insert(pairs.end(), own.begin(), own.end());
    }
    auto flag = makeFlag(program, trace, place.from, place.to,
                         program.getPoint(place.block, set),
                         program.getPoint(place.block, wait), pairs);
    // Else `addMissing` finds another way.
    if (flag)
      plan.flags.push_back(*flag);
  }

  /// As few flags as possible: each where the first interval that has none
  /// ends.
  void stab(Plan &plan, const Place &place, const Intervals &intervals) {
    std::vector<Intervals::const_iterator> byEnd;
    for (auto it = intervals.begin(); it != intervals.end(); ++it)
      byEnd.push_back(it);
    sortStably(byEnd, [](auto one, auto other) {
      return one->first.second < other->first.second;
    });
    while (!byEnd.empty()) {
      int point = byEnd.front()->first.second;
      Intervals covered;
      std::vector<Intervals::const_iterator> rest;
      for (auto it : byEnd)
        if (it->first.first < point)
          covered.insert(*it);
        else
          rest.push_back(it);
      addFlag(plan, place, covered);
      byEnd = std::move(rest);
    }
  }

  const Program &program;
  const Trace &trace;
  /// Of each instance: the number of the pass of the point before it.
  std::vector<int32_t> passOf;
  std::map<Place, Intervals> groups;
};

} // namespace

Plan gc::npu::sync::makeCoarsePlan(const Program &program, const Trace &trace) {
  return Coarse(program, trace).run();
}
