// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Team.h"
#include "llvm/ADT/Twine.h"

#include <algorithm>
#include <chrono>
#include <vector>

using namespace llvm;
using namespace gc;

namespace {

using Work = function_ref<void(const gc_team &)>;

int32_t enter(void *const *args, void *, const gc_team *team) {
  (*static_cast<Work *>(args[0]))(*team);
  return GC_OK;
}

struct InstanceHolder {
  gc_instance *instance = nullptr;
  ~InstanceHolder() { gc_instance_destroy(instance); }
};

/// Additions that depend on one another: one cycle each on any processor. Both
/// operands are registers: processors since Intel's Golden Cove add constants
/// while they rename registers, several in a cycle.
void runChain(int64_t additions) {
  int64_t value = 0;
  for (int64_t i = 0; i < additions; i += 8) {
#if defined(__x86_64__)
    asm volatile("add %1, %0\nadd %1, %0\nadd %1, %0\nadd %1, %0\n"
                 "add %1, %0\nadd %1, %0\nadd %1, %0\nadd %1, %0\n"
                 : "+r"(value)
                 : "r"(i));
#else
    for (int j = 0; j < 8; ++j)
      asm volatile("" : "+r"(++value));
#endif
  }
}

} // namespace

double machine::getSeconds() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

namespace {

/// A module whose only input is the work.
const gc_module *getModule() {
  static const gc_module module = [] {
    gc_module made = {};
    made.abi_version = GC_ABI_VERSION;
    made.num_inputs = 1;
    made.name = "gc-machine";
    made.compute = enter;
    return made;
  }();
  return &module;
}

/// The median of what one of `count` executions takes.
Expected<double> execute(int64_t threads, Work work, int64_t count) {
  InstanceHolder holder;
  void *input = &work;
  std::vector<double> times;
  bool isFine = gc_instance_create(getModule(), &holder.instance) == GC_OK;
  for (int64_t i = 0; isFine && i < count; ++i) {
    double begin = machine::getSeconds();
    isFine = gc_execute(holder.instance, /*executor=*/nullptr, threads, &input,
                        /*outputs=*/nullptr, /*arena=*/nullptr,
                        /*trace=*/nullptr) == GC_OK;
    times.push_back(machine::getSeconds() - begin);
  }
  if (!isFine)
    return createStringError(inconvertibleErrorCode(),
                             Twine("cannot run a team of threads: ") +
                                 gc_last_error());
  std::nth_element(times.begin(), times.begin() + times.size() / 2,
                   times.end());
  return times[times.size() / 2];
}

} // namespace

Error machine::runTeam(int64_t threads, Work work) {
  return execute(threads, work, 1).takeError();
}

Expected<double> machine::measureFork(int64_t threads, double clockGHz,
                                      double seconds) {
  constexpr int64_t kRuns = 50;
  double best = 0;
  double start = getSeconds();
  do {
    auto median = execute(threads, [](const gc_team &) {}, kRuns);
    if (!median)
      return median.takeError();
    best = best == 0 ? *median : std::min(best, *median);
  } while (getSeconds() - start < seconds);
  return best * clockGHz * 1e9;
}

double machine::measureClock(double seconds) {
  constexpr int64_t kAdditions = 1 << 20;
  double best = 0;
  for (double start = getSeconds(), now = start; now - start < seconds;) {
    double begin = now;
    runChain(kAdditions);
    now = getSeconds();
    best = std::max(best, kAdditions / (now - begin));
  }
  return best * 1e-9;
}

Expected<double> machine::measureBarrier(int64_t threads, double clockGHz,
                                         double seconds) {
  // As long as a small parallel loop; threads that have nothing to do between
  // barriers would never drift apart.
  constexpr int64_t kAdditions = 20000, kRounds = 64;
  std::vector<double> rounds;
  double alone = 0;
  auto work = [&](const gc_team &team) {
    if (team.size < 2)
      return;
    bool isFirst = team.thread == 0;
    int64_t more = 1;
    // One thread decides how long; the others read that after a barrier.
    static volatile int64_t goOn;
    double start = getSeconds();
    while (more) {
      gc_barrier_wait(&team);
      double begin = getSeconds();
      for (int64_t i = 0; i < kRounds; ++i) {
        runChain(kAdditions);
        gc_barrier_wait(&team);
      }
      double end = getSeconds();
      if (isFirst) {
        rounds.push_back((end - begin) / kRounds);
        begin = getSeconds();
        for (int64_t i = 0; i < kRounds; ++i)
          runChain(kAdditions);
        double own = (getSeconds() - begin) / kRounds;
        alone = alone == 0 ? own : std::min(alone, own);
        goOn = getSeconds() - start < seconds;
      }
      gc_barrier_wait(&team);
      more = goOn;
    }
  };
  if (Error error = runTeam(threads, work))
    return std::move(error);
  if (rounds.empty())
    return 0.0;
  // The lower quartile: it includes small disturbances but not outages.
  auto quartile = rounds.begin() + rounds.size() / 4;
  std::nth_element(rounds.begin(), quartile, rounds.end());
  return std::max(0.0, *quartile - alone) * clockGHz * 1e9;
}
