// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SyncTimeBound.h"

#include <algorithm>

using namespace gc::npu;
using namespace gc::npu::sync;

namespace {

/// A time, and an op on the path to it of which it is not known whether there
/// is a gap before it; -1: none.
struct Time {
  int64_t at = 0;
  int cause = -1;

  Time operator+(int64_t cycles) const { return {at + cycles, cause}; }
};

Time getLater(const Time &one, const Time &other) {
  return one.at >= other.at ? one : other;
}

} // namespace

struct TimeBound::Queue {
  /// When its entries left it.
  std::vector<Time> left;
  Time last, free = {-1, -1}, visible;
};

struct TimeBound::Run {
  const Machine &machine;
  std::array<Queue, kNumPipes> queues;
  Time now;

  Time enter(Queue &queue) {
    size_t depth = std::max<int64_t>(machine.fifoDepth, 1);
    if (queue.left.size() >= depth)
      now = getLater(now, queue.left[queue.left.size() - depth]);
    now = now + machine.issueCycles;
    return getLater(now, queue.last);
  }
  Time getEnd() const {
    Time end = now;
    for (const Queue &queue : queues)
      end = getLater(getLater(end, queue.visible), queue.last);
    return end;
  }
  void leave(Queue &queue, const Time &time) {
    queue.left.push_back(time);
    queue.last = time;
  }
};

TimeBound::TimeBound(const Program &program, const Trace &trace,
                     const Machine &machine)
    : program(program), machine(machine), needs(program.ops.size()) {
  std::array<int, kNumPipes> last;
  last.fill(-1);
  for (const Instance &instance : trace.instances) {
    int &before = last[static_cast<size_t>(program.ops[instance.op].pipe)];
    previous.push_back(before);
    before = instance.op;
    for (int p = 0; p < kNumPipes; ++p)
      if (instance.needs[p])
        needs[instance.op].push_back(
            trace.instances[trace.onPipe[p][instance.needs[p] - 1]].op);
  }
}

bool TimeBound::isSlower(const Places &places, Choices choices, int64_t limit,
                         int &tries) const {
  constexpr int kMaxTries = 200;
  int count = static_cast<int>(program.ops.size());
  while (true) {
    // Giving up is saying too little, which is right.
    if (++tries > kMaxTries)
      return false;
    Run run = {machine, {}, {}};
    // Of each op: when it is visible, and when a set after it takes effect.
    std::vector<Time> visible(count), setTimes(count);
    bool isChanged = false;
    for (int j = 0; j < count; ++j) {
      const Op &op = program.ops[j];
      Queue &queue = run.queues[static_cast<size_t>(op.pipe)];
      auto hold = [&](const Time &until) {
        if (op.pipe == Pipe::s)
          run.now = getLater(run.now, until) + machine.issueCycles;
        else
          run.leave(queue, getLater(run.enter(queue), until));
      };
      for (int i = 0; i < places.barriers[j]; ++i)
        hold(queue.visible);
      // On the front end, in the order in which they are sure to be fastest.
      std::vector<Time> waits;
      for (int first : places.waits[j])
        waits.push_back(setTimes[first]);
      std::sort(
          waits.begin(), waits.end(),
          [](const Time &one, const Time &other) { return one.at < other.at; });
      for (const Time &wait : waits)
        hold(wait);
      Time ready;
      for (int first : needs[j])
        ready = getLater(ready, visible[first]);
      if (op.pipe == Pipe::s) {
        run.now = getLater(run.now, ready) + machine.registerLoadCycles;
        visible[j] = run.now;
        continue;
      }
      int before = previous[j];
      Time entered = getLater(run.enter(queue), ready);
      // Sure to start with a gap: the first, and what waits until the op in
      // front is visible.
      bool isWaiting =
          places.barriers[j] > 0 ||
          std::find(needs[j].begin(), needs[j].end(), before) != needs[j].end();
      bool hasGap = before < 0;
      if (isWaiting)
        hasGap |= program.ops[before].cost.packages
                      ? machine.latency > 0
                      : program.ops[before].cost.tail > 0;
      Gap gap = hasGap ? Gap::some : choices.gaps[j];
      Time start = getLater(entered, queue.free);
      int64_t head = op.cost.head;
      if (gap == Gap::some) {
        start = getLater(start, queue.free + 1);
      } else {
        head = std::min(head, op.cost.busyHead);
        if (entered.at > queue.free.at) {
          if (gap == Gap::unknown && head < op.cost.head)
            start.cause = j;
          if (gap == Gap::none) {
            // Then the op in front ends when this one can start.
            choices.ends[before] = entered.at;
            isChanged = true;
          }
        }
      }
      run.leave(queue, start);
      start = start + head;
      int64_t tail = op.cost.tail;
      queue.free = start + op.cost.busy;
      if (op.cost.packages) {
        queue.free = start + op.cost.packages * machine.packageCycles;
        tail = machine.latency;
      }
      queue.free = getLater(queue.free, {choices.ends[j], -1});
      visible[j] = queue.free + tail;
      queue.visible = getLater(queue.visible, visible[j]);
      if (!places.sets[j])
        continue;
      Time time = run.enter(queue);
      setTimes[j] = getLater(time, queue.visible);
      run.leave(queue, time);
      for (int i = 1; i < places.sets[j]; ++i)
        run.leave(queue, run.enter(queue));
    }
    Time end = run.getEnd();
    if (end.at > limit)
      return true;
    if (isChanged)
      continue;
    if (end.cause < 0)
      return false;
    for (Gap gap : {Gap::some, Gap::none}) {
      choices.gaps[end.cause] = gap;
      if (!isSlower(places, choices, limit, tries))
        return false;
    }
    return true;
  }
}

bool TimeBound::isSlower(const std::vector<Candidate> &chosen,
                         int64_t limit) const {
  size_t count = program.ops.size();
  Places places;
  places.sets.resize(count);
  places.barriers.resize(count);
  places.waits.resize(count);
  for (const Candidate &candidate : chosen) {
    if (candidate.isBarrier) {
      ++places.barriers[candidate.second];
      continue;
    }
    ++places.sets[candidate.first];
    places.waits[candidate.second].push_back(candidate.first);
  }
  Choices choices;
  choices.gaps.assign(count, Gap::unknown);
  choices.ends.assign(count, 0);
  int tries = 0;
  return isSlower(places, std::move(choices), limit, tries);
}
