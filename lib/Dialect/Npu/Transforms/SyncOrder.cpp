// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a plan orders, by vector clocks along the trace.

#include "SyncPlan.h"

#include <algorithm>

using namespace gc::npu;
using namespace gc::npu::sync;

Actions gc::npu::sync::getActions(const Program &program, const Plan &plan) {
  Actions actions(program.getNumPoints());
  for (int i = 0; i < static_cast<int>(plan.flags.size()); ++i) {
    const Flag &flag = plan.flags[i];
    actions[flag.set].push_back({Action::set, i});
    actions[flag.wait].push_back({Action::wait, i});
    actions[flag.begin].push_back({Action::prime, i});
    if (flag.drains)
      actions[flag.end].push_back({Action::drain, i});
  }
  for (int i = 0; i < static_cast<int>(plan.barriers.size()); ++i)
    actions[plan.barriers[i].point].push_back({Action::barrier, i});
  for (auto &list : actions)
    sortStably(list, [](const Action &one, const Action &other) {
      return one.kind < other.kind;
    });
  return actions;
}

namespace {

/// What a pipe knows to have completed, of the ops of each pipe and of the
/// waits.
struct Clock {
  Counts ops = {}, waits = {};

  void join(const Clock &other) {
    for (int p = 0; p < kNumPipes; ++p) {
      ops[p] = std::max(ops[p], other.ops[p]);
      waits[p] = std::max(waits[p], other.waits[p]);
    }
  }
};

/// A list of which only the end is needed.
template <typename T>
class Window {
public:
  /// Numbers of the first one that is left, and after the last one.
  size_t getBegin() const { return gone + head; }
  size_t getEnd() const { return gone + list.size(); }
  bool isEmpty() const { return head == list.size(); }
  const T &getFirst() const { return list[head]; }
  const T &get(size_t number) const { return list[number - gone]; }
  void add(const T &value) { list.push_back(value); }
  void dropUpTo(size_t number) {
    head = std::max(head, number - gone);
    if (head < 64)
      return;
    list.erase(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(head));
    gone += head;
    head = 0;
  }

private:
  std::vector<T> list;
  size_t gone = 0, head = 0;
};

/// Vector clocks of a run. Flags are matched by their numbers, whatever events
/// they have.
class Order {
public:
  Order(const Program &program, const Trace &trace, const Plan &plan)
      : program(program), trace(trace), plan(plan),
        actions(getActions(program, plan)), flags(plan.flags.size()) {}

  void run() { walk(trace, plan, actions, *this); }

  bool start() {
    meet();
    return true;
  }
  bool iterate() { return true; }

  bool op(int32_t id) {
    const Instance &instance = trace.instances[id];
    Pipe pipe = program.ops[instance.op].pipe;
    Clock &clock = issue(pipe);
    for (int p = 0; p < kNumPipes; ++p)
      if (clock.ops[p] < instance.needs[p])
        addViolation({id, trace.onPipe[p][instance.needs[p] - 1]});
    if (stopsEarly && !violations.empty())
      return false;
    int self = static_cast<int>(pipe);
    done.ops[self] = instance.number + 1;
    if (pipe == Pipe::s) {
      clock.ops[self] = done.ops[self];
      learn();
    }
    return true;
  }

  bool set(int i, int32_t n) {
    const Flag &flag = plan.flags[i];
    int from = static_cast<int>(flag.from), to = static_cast<int>(flag.to);
    Clock clock = issue(flag.from);
    State &state = flags[i];
    if (n == 0) {
      // A new start after the drain of the last one: this is as if the
      // numbering of the sets continued.
      state.firstSet = state.snapshots.getEnd();
    }
    // Waits of this flag that have certainly completed.
    while (!state.waits.isEmpty() && state.waits.getFirst() <= clock.waits[to])
      state.waits.dropUpTo(state.waits.getBegin() + 1);
    state.needed =
        std::max(state.needed, static_cast<int>(state.snapshots.getEnd() + 1 -
                                                state.waits.getBegin()));
    clock.ops[from] = done.ops[from];
    clock.waits[from] = done.waits[from];
    state.snapshots.add(clock);
    return onSet(i, n, issue(flag.from));
  }

  bool wait(int i, int32_t n) {
    const Flag &flag = plan.flags[i];
    int to = static_cast<int>(flag.to);
    Clock &clock = issue(flag.to);
    State &state = flags[i];
    size_t index = state.firstSet + n;
    if (index >= state.snapshots.getEnd()) {
      isMatched = false;
      return onWait(i, n, 0);
    }
    clock.join(state.snapshots.get(index));
    state.snapshots.dropUpTo(index + 1);
    state.waits.add(++done.waits[to]);
    if (flag.to == Pipe::s) {
      clock.waits[to] = done.waits[to];
      learn();
    }
    return onWait(i, n, done.waits[to]);
  }

  bool barrier(Pipe pipe) {
    if (pipe == Pipe::s) {
      meet();
      return true;
    }
    int self = static_cast<int>(pipe);
    issue(pipe).ops[self] = done.ops[self];
    return true;
  }

  bool wantsAll = false, stopsEarly = false;
  std::vector<Violation> violations;
  bool isMatched = true;

  struct State {
    /// What the sets that were not waited for yet knew.
    Window<Clock> snapshots;
    /// Of the waits: their numbers among the pipe's, without those that the
    /// flag's first pipe knows to have completed.
    Window<int32_t> waits;
    size_t firstSet = 0;
    int needed = 1;
  };
  const State &getState(int flag) const { return flags[flag]; }

protected:
  virtual bool onSet(int, int32_t, const Clock &) { return true; }
  virtual bool onWait(int, int32_t, int32_t) { return true; }
  ~Order() = default;

  const Program &program;
  const Trace &trace;
  const Plan &plan;

private:
  /// The clock of a pipe to which something is issued: what the front end knows
  /// is known to all that it issues.
  Clock &issue(Pipe pipe) {
    size_t index = static_cast<size_t>(pipe);
    Clock &clock = clocks[index];
    if (news >> index & 1) {
      news &= ~(1u << index);
      clock.join(clocks[static_cast<size_t>(Pipe::s)]);
    }
    return clock;
  }

  /// The front end knows more: so does what it issues from now on.
  void learn() { news = (1u << kNumPipes) - 1; }

  void addViolation(const Violation &violation) {
    auto isSame = [&](int32_t one, int32_t other) {
      return trace.instances[one].op == trace.instances[other].op;
    };
    if (violations.empty() || wantsAll ||
        (isSame(violations[0].instance, violation.instance) &&
         isSame(violations[0].needed, violation.needed)))
      violations.push_back(violation);
  }

  void meet() {
    for (Clock &clock : clocks)
      clock.join(done);
  }

  Actions actions;
  std::array<Clock, kNumPipes> clocks;
  /// Pipes that do not know yet what the front end knows.
  uint32_t news = 0;
  Clock done;
  std::vector<State> flags;
};

class PlainOrder final : public Order {
public:
  using Order::Order;
};

/// Also looks at which events the flags have.
class EventOrder final : public Order {
public:
  using Order::Order;
  std::optional<int> clash;

  std::optional<int> findLeft() const {
    for (const auto &list : events)
      for (const Event &event : list)
        if (event.flag >= 0)
          return event.flag;
    return std::nullopt;
  }

private:
  struct Event {
    /// The flag that set it and the set's number; -1: not set.
    int flag = -1;
    int32_t number = 0;
    /// The last wait that cleared it, counted on its pipe.
    int32_t cleared = 0;
  };

  Event &get(int i, int32_t n) {
    const Flag &flag = plan.flags[i];
    size_t pair = static_cast<size_t>(flag.from) * kNumPipes +
                  static_cast<size_t>(flag.to);
    size_t event = flag.first + n % flag.events;
    auto &list = events[pair];
    if (list.size() <= event)
      list.resize(event + 1);
    return list[event];
  }

  bool onSet(int i, int32_t n, const Clock &clock) override {
    Event &event = get(i, n);
    size_t to = static_cast<size_t>(plan.flags[i].to);
    if (event.flag >= 0 || event.cleared > clock.waits[to]) {
      clash = i;
      return false;
    }
    event.flag = i;
    event.number = n;
    return true;
  }

  bool onWait(int i, int32_t n, int32_t number) override {
    Event &event = get(i, n);
    if (event.flag != i || event.number != n) {
      clash = i;
      return false;
    }
    event.flag = -1;
    event.cleared = number;
    return true;
  }

  std::array<std::vector<Event>, kNumPipes * kNumPipes> events;
};

} // namespace

std::vector<Violation> gc::npu::sync::findViolations(const Program &program,
                                                     const Trace &trace,
                                                     const Plan &plan,
                                                     bool all) {
  PlainOrder order(program, trace, plan);
  order.wantsAll = all;
  order.run();
  return std::move(order.violations);
}

bool gc::npu::sync::isOrdered(const Program &program, const Trace &trace,
                              const Plan &plan) {
  PlainOrder order(program, trace, plan);
  order.stopsEarly = true;
  order.run();
  return order.violations.empty() && order.isMatched;
}

std::vector<int> gc::npu::sync::countEvents(const Program &program,
                                            const Trace &trace,
                                            const Plan &plan) {
  PlainOrder order(program, trace, plan);
  order.run();
  std::vector<int> counts;
  for (int i = 0; i < static_cast<int>(plan.flags.size()); ++i)
    counts.push_back(order.getState(i).needed);
  return counts;
}

std::optional<int> gc::npu::sync::findClash(const Program &program,
                                            const Trace &trace,
                                            const Plan &plan) {
  EventOrder order(program, trace, plan);
  order.run();
  return order.clash ? order.clash : order.findLeft();
}

int64_t gc::npu::sync::countExecuted(const Trace &trace, const Plan &plan) {
  int64_t count = 0;
  for (const Flag &flag : plan.flags)
    count += trace.passes[flag.set].size() +
             trace.passes[flag.begin].size() * flag.primes;
  for (const Barrier &barrier : plan.barriers)
    count += trace.passes[barrier.point].size();
  return count;
}
