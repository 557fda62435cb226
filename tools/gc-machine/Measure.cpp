// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Measure.h"
#include "Bandwidth.h"
#include "Driver/Peak.h"
#include "Kernels.h"
#include "Machine/AmxPlan.h"
#include "Machine/MachineFacts.h"
#include "Team.h"
#include "llvm/ADT/SmallVector.h"

#include <algorithm>
#include <cmath>

using namespace llvm;
using namespace gc;

namespace {

/// To three digits: more are noise.
double roundFact(double value) {
  if (!(value > 0))
    return 0;
  double unit = std::pow(10, std::floor(std::log10(value)) - 2);
  // A division, so that what is written has few digits.
  return unit >= 1 ? std::round(value / unit) * unit
                   : std::round(value / unit) / std::round(1 / unit);
}

Machine withoutAmx(const Machine &machine) {
  Machine other = machine;
  erase_if(other.features,
           [](StringRef feature) { return feature.starts_with("amx"); });
  return other;
}

class HostMeasurement {
public:
  explicit HostMeasurement(double share)
      : machine(Machine::host()), share(share) {}

  Expected<Machine> run() {
    machine.name = "host";
    set(&Machine::clockGHz, machine::measureClock(getTime(0.3)));
    clock = machine.clockGHz * 1e9;
    if (Error error = measureBandwidths())
      return std::move(error);
    if (Error error =
            measureTeams(machine::measureBarrier, &Machine::barrierCycles,
                         &Machine::barrierCyclesPerThread))
      return std::move(error);
    if (Error error = measureTeams(machine::measureFork, &Machine::forkCycles,
                                   &Machine::forkCyclesPerThread))
      return std::move(error);
    if (machine.cores > 1) {
      auto exchange =
          machine::measureExchange(machine.l2Bytes / 8, getTime(0.3));
      if (!exchange)
        return exchange.takeError();
      set(&Machine::exchangeBytesPerCycle, *exchange / clock);
    }
    auto packing = machine::measurePacking(machine.l2Bytes / 4, getTime(0.3));
    if (!packing)
      return packing.takeError();
    set(&Machine::packCyclesPerByte, *packing * clock);
    if (Error error = measureKernels())
      return std::move(error);
    if (std::string problem = findContradiction(machine); !problem.empty())
      return createStringError(inconvertibleErrorCode(),
                               "the measured description is not valid: " +
                                   problem);
    return machine;
  }

private:
  double getTime(double seconds) const { return seconds * share; }

  /// Sets a fact if the value is one that makes sense.
  void set(double Machine::*member, double value) {
    value = roundFact(value);
    for (const Fact<Machine> &fact : getMachineFacts())
      if (auto *number = std::get_if<double Machine::*>(&fact.member);
          number && *number == member && fact.isValid(value))
        machine.*member = value;
  }

  /// Bytes per cycle at which threads read, all of them together.
  Expected<double> read(int64_t threads, int64_t bytes) {
    auto rate = machine::measureReading(threads, bytes, getTime(0.4));
    if (!rate)
      return rate.takeError();
    return *rate / clock;
  }

  Error measureBandwidths() {
    // Well inside a cache, and well outside the one before it. A virtual
    // machine is told of all of an L3 that it shares with others: a few times
    // L2 are certainly its own.
    int64_t cores = machine.cores, several = 4 * machine.l2Bytes;
    int64_t inL3 = std::max(2 * machine.l2Bytes, machine.l3Bytes / 4);
    int64_t inL3Each = std::max(machine.l2Bytes + machine.l2Bytes / 2,
                                machine.l3Bytes / 2 / cores);
    int64_t inMemory =
        std::clamp<int64_t>(4 * machine.l3Bytes, 64 << 20, 1 << 30);
    struct {
      double Machine::*fact;
      int64_t threads;
      /// The best of these counts.
      SmallVector<int64_t, 2> sizes;
    } steps[] = {
        {&Machine::l1BytesPerCycle, 1, {machine.l1Bytes / 2}},
        {&Machine::l2BytesPerCycle, 1, {machine.l2Bytes / 2}},
        {&Machine::l3BytesPerCycle, 1, {std::min(several, inL3), inL3}},
        {&Machine::l3SharedBytesPerCycle,
         cores,
         {std::min(several, inL3Each), inL3Each}},
        {&Machine::memoryBytesPerCycle, 1, {inMemory}},
        {&Machine::memorySharedBytesPerCycle,
         cores,
         {std::max(machine.l2Bytes, inMemory / cores)}},
    };
    for (const auto &step : steps) {
      double best = 0;
      for (int64_t bytes : step.sizes) {
        auto rate = read(step.threads, bytes);
        if (!rate)
          return rate.takeError();
        best = std::max(best, *rate);
      }
      set(step.fact, best);
    }
    // A disturbed measurement may contradict this.
    auto limit = [&](double Machine::*fact, double least, double most) {
      machine.*fact = std::clamp(machine.*fact, least, std::max(least, most));
    };
    limit(&Machine::l2BytesPerCycle, 0, machine.l1BytesPerCycle);
    limit(&Machine::l3BytesPerCycle, 0, machine.l2BytesPerCycle);
    limit(&Machine::memoryBytesPerCycle, 0, machine.l3BytesPerCycle);
    limit(&Machine::l3SharedBytesPerCycle, machine.l3BytesPerCycle,
          machine.l3BytesPerCycle * cores);
    limit(&Machine::memorySharedBytesPerCycle, machine.memoryBytesPerCycle,
          machine.memoryBytesPerCycle * cores);
    return Error::success();
  }

  /// Teams of a few sizes, and the line through what they need.
  template <typename Measurement>
  Error measureTeams(Measurement measure, double Machine::*constant,
                     double Machine::*perThread) {
    SmallVector<std::pair<double, double>> points;
    for (int64_t threads = 2; threads <= machine.cores; threads *= 2) {
      auto cycles = measure(threads, machine.clockGHz, getTime(0.5));
      if (!cycles)
        return cycles.takeError();
      if (*cycles > 0)
        points.push_back({threads, *cycles});
    }
    if (points.empty())
      return Error::success();
    auto [threads, cycles] = points.front();
    // One team size says nothing about others: the two parts keep their assumed
    // proportion.
    double assumed = machine.*constant + machine.*perThread * threads;
    double slope = assumed > 0 ? machine.*perThread * cycles / assumed : 0;
    if (points.size() > 1) {
      double n = points.size(), x = 0, y = 0, xx = 0, xy = 0;
      for (auto [size, cost] : points) {
        x += size;
        y += cost;
        xx += size * size;
        xy += size * cost;
      }
      slope = std::max(0.0, (n * xy - x * y) / (n * xx - x * x));
    }
    set(perThread, slope);
    set(constant, std::max(0.0, cycles - slope * threads));
    return Error::success();
  }

  Error measureKernels() {
    Machine vectors = withoutAmx(machine);
    for (KernelTypes types :
         {KernelTypes::f32, KernelTypes::bf16, KernelTypes::f16,
          KernelTypes::u8s8, KernelTypes::s8s8}) {
      if (const KernelRate *amx = getAmxRate(machine, types))
        if (Error error = measureRate(machine, *amx))
          return error;
      if (const KernelRate *rate = vectors.getKernelRate(types))
        if (Error error = measureRate(vectors, *rate))
          return error;
    }
    measureCalls();
    return Error::success();
  }

  /// Measures a rate, the best that `of` has for its types.
  Error measureRate(const Machine &of, const KernelRate &rate) {
    auto times = gc::measureKernels(of, rate.types);
    if (!times)
      return times.takeError();
    double best =
        std::max(times->macsPerSecond, machine::measureLibraryRate(rate.types));
    KernelRate &measured =
        *find_if(machine.kernels, [&](const KernelRate &known) {
          return known.types == rate.types && known.isa == rate.isa;
        });
    set(measured, &KernelRate::macsPerCycle, best / clock);
    set(measured, &KernelRate::latencyCycles, times->latency * clock);
    return Error::success();
  }

  /// What calls of the library's f32 kernels take. The defaults are kept on a
  /// host that it has no kernels for.
  void measureCalls() {
    const KernelRate *chosen = machine.getKernelRate(KernelTypes::f32);
    if (!chosen)
      return;
    KernelRate &rate = machine.kernels[chosen - machine.kernels.data()];
    auto times =
        machine::measureCalls(rate, machine.getLanes(32), getTime(0.4));
    if (!times) {
      consumeError(times.takeError());
      return;
    }
    // Calls that overlap with each other leave less than a cycle.
    if (times->call * clock >= 1)
      set(&Machine::callCycles, times->call * clock);
    set(rate, &KernelRate::latencyCycles, times->latency * clock);
    set(rate, &KernelRate::loadsPerCycle,
        machine.l1BytesPerCycle * 8 / machine.vectorBits);
  }

  void set(KernelRate &rate, double KernelRate::*member, double value) {
    value = roundFact(value);
    for (const Fact<KernelRate> &fact : getKernelFacts())
      if (auto *number = std::get_if<double KernelRate::*>(&fact.member);
          number && *number == member && fact.isValid(value))
        rate.*member = value;
  }

  Machine machine;
  double share, clock = 0;
};

} // namespace

Expected<Machine> machine::measureHost(double share) {
  return HostMeasurement(share).run();
}
