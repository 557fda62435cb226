// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Cycles of a plan, in one pass over the trace: since every flag is set before
// it is waited for in the order of issue, everything that a step waits for is
// known when it is reached. Only the channel to global memory is approximate:
// it is granted in the order of issue, not round-robin.

#include "SyncPlan.h"

#include <algorithm>
#include <cassert>

using namespace gc::npu;
using namespace gc::npu::sync;

namespace {

/// Times at which the channel is taken.
class Channel {
public:
  /// Takes `length` cycles from `start` on, in pieces of `slot`, where it is
  /// free. Returns the end.
  int64_t take(int64_t start, int64_t length, int64_t slot) {
    auto it = std::lower_bound(
        taken.begin(), taken.end(), start,
        [](const Interval &one, int64_t time) { return one.end <= time; });
    int64_t at = start;
    while (it != taken.end()) {
      int64_t room = (it->begin - at) / slot * slot;
      if (room >= length)
        break;
      if (room > 0) {
        length -= room;
        it = std::next(taken.insert(it, {at, at + room}));
      }
      at = it->end;
      ++it;
    }
    int64_t end = at + length;
    it = taken.insert(it, {at, end});
    // Adjacent pieces are merged; old ones no longer matter.
    if (it != taken.begin() && std::prev(it)->end == it->begin) {
      it->begin = std::prev(it)->begin;
      it = taken.erase(std::prev(it));
    }
    if (taken.size() > 64)
      taken.erase(taken.begin(), taken.begin() + 32);
    return end;
  }

private:
  struct Interval {
    int64_t begin, end;
  };
  std::vector<Interval> taken;
};

class Timing {
public:
  Timing(const Program &program, const Trace &trace, const Plan &plan,
         const Machine &machine)
      : program(program), trace(trace), plan(plan), machine(machine),
        flags(plan.flags.size()) {
    for (Queue &queue : queues)
      queue.left.assign(std::max<int64_t>(machine.fifoDepth, 1), 0);
  }

  int64_t getEnd() const {
    int64_t end = now;
    for (const Queue &queue : queues)
      end = std::max({end, queue.visible, queue.last});
    return end;
  }

  bool start() {
    meet();
    return true;
  }
  bool iterate() {
    now += machine.iterationCycles;
    return true;
  }

  bool op(int32_t id) {
    const Op &op = program.ops[trace.instances[id].op];
    if (op.pipe == Pipe::s) {
      now += machine.registerLoadCycles;
      return true;
    }
    Queue &queue = get(op.pipe);
    int64_t start = std::max(enter(queue), queue.free);
    bool wasIdle = start > queue.free;
    leave(queue, start);
    start += wasIdle ? op.cost.head : op.cost.busyHead;
    int64_t visible;
    if (op.cost.packages) {
      queue.free = channel.take(start, op.cost.packages * machine.packageCycles,
                                machine.packageCycles);
      visible = queue.free + machine.latency;
    } else {
      queue.free = start + op.cost.busy;
      visible = queue.free + op.cost.tail;
    }
    queue.visible = std::max(queue.visible, visible);
    return true;
  }

  bool set(int i, int32_t n) {
    Queue &queue = get(plan.flags[i].from);
    int64_t time = enter(queue);
    leave(queue, time);
    std::vector<int64_t> &times = flags[i];
    times.resize(n + 1);
    times[n] = std::max(time, queue.visible);
    return true;
  }

  bool wait(int i, int32_t n) {
    assert(n < static_cast<int32_t>(flags[i].size()));
    hold(plan.flags[i].to, flags[i][n]);
    return true;
  }

  bool barrier(Pipe pipe) {
    if (pipe == Pipe::s) {
      meet();
      now += machine.issueCycles;
    } else {
      hold(pipe, get(pipe).visible);
    }
    return true;
  }

private:
  struct Queue {
    /// When the last entries left it, in a circle.
    std::vector<int64_t> left;
    size_t next = 0;
    int64_t last = 0;
    /// End of the last op, and when all are visible.
    int64_t free = -1, visible = 0;
  };

  Queue &get(Pipe pipe) { return queues[static_cast<size_t>(pipe)]; }

  /// Issues an entry; the earliest time at which it is the queue's first.
  int64_t enter(Queue &queue) {
    now = std::max(now, queue.left[queue.next]);
    now += machine.issueCycles;
    return std::max(now, queue.last);
  }
  void leave(Queue &queue, int64_t time) {
    queue.left[queue.next] = time;
    if (++queue.next == queue.left.size())
      queue.next = 0;
    queue.last = time;
  }
  void hold(Pipe pipe, int64_t until) {
    if (pipe == Pipe::s) {
      now = std::max(now, until) + machine.issueCycles;
      return;
    }
    Queue &queue = get(pipe);
    leave(queue, std::max(enter(queue), until));
  }
  void meet() { now = getEnd(); }

  const Program &program;
  const Trace &trace;
  const Plan &plan;
  const Machine &machine;
  std::array<Queue, kNumPipes> queues;
  int64_t now = 0;
  Channel channel;
  std::vector<std::vector<int64_t>> flags;
};

} // namespace

int64_t gc::npu::sync::estimateCycles(const Program &program,
                                      const Trace &trace, const Plan &plan,
                                      const Machine &machine) {
  Timing timing(program, trace, plan, machine);
  walk(trace, plan, getActions(program, plan), timing);
  return timing.getEnd();
}
