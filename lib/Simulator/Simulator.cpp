// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Simulator/Simulator.h"
#include "Core.h"

#include <algorithm>
#include <cassert>
#include <tuple>

using namespace gc::npu;

const char *gc::npu::getName(Stall stall) {
  static const char *const names[kNumStalls] = {
      "fifo_v",    "fifo_m",      "fifo_mte1", "fifo_mte2",
      "fifo_mte3", "barrier_all", "wait_flag"};
  return names[static_cast<int>(stall)];
}

Simulator::Simulator(const Machine &machine, const Options &options)
    : machine(machine), options(options) {}

int Simulator::addTensor(std::string name, void *data, int64_t bytes,
                         bool writable) {
  tensors.push_back(
      {std::move(name), static_cast<std::byte *>(data), bytes, writable});
  return static_cast<int>(tensors.size()) - 1;
}

static void add(CoreReport &sum, const CoreReport &core) {
  sum.cycles = std::max(sum.cycles, core.cycles);
  auto addAll = [](auto &to, const auto &from) {
    for (size_t i = 0; i < to.size(); ++i)
      to[i] += from[i];
  };
  addAll(sum.busy, core.busy);
  addAll(sum.stalls, core.stalls);
  addAll(sum.instructions, core.instructions);
  addAll(sum.vectorOps, core.vectorOps);
  sum.gmBytesRead += core.gmBytesRead;
  sum.gmBytesWritten += core.gmBytesWritten;
  sum.packages += core.packages;
  sum.flags += core.flags;
  sum.barriers += core.barriers;
  sum.barriersAll += core.barriersAll;
  sum.iterations += core.iterations;
}

/// Runs the cores until all are done or one has an error.
static void runCores(Shared &shared,
                     std::vector<std::unique_ptr<Core>> &cores) {
  if (!shared.options.waits) {
    assert(shared.options.mode == Mode::cycles && "nothing computes values");
    for (auto &core : cores)
      if (!core->countWork())
        return;
    return;
  }
  for (auto &core : cores)
    if (!core->settle())
      return;
  while (auto completion = shared.channel.advance()) {
    Core &core = *cores[static_cast<size_t>(completion->requester / 2)];
    core.complete(completion->requester % 2 ? Pipe::mte3 : Pipe::mte2,
                  *completion);
    if (!core.settle())
      return;
  }
  // Nothing moves any more.
  std::optional<std::pair<uint32_t, Error>> stuck;
  for (auto &core : cores)
    if (!core->isDone())
      if (auto candidate = core->getStuck())
        if (!stuck || candidate->first < stuck->first)
          stuck = candidate;
  if (stuck) {
    shared.fail(std::move(stuck->second));
    return;
  }
  for (auto &core : cores)
    if (!core->finish())
      return;
}

Report Simulator::run(const std::vector<Program> &programs) {
  Report report;
  int count = static_cast<int>(programs.size());
  Shared shared = {
      machine, options, tensors, {}, {}, Channel(machine, count * 2),
      0,       0,       {},      {}};
  int64_t place = 0;
  for (const Tensor &tensor : tensors) {
    shared.places.push_back(place);
    int64_t line = machine.l2LineBytes;
    place += (tensor.bytes + line - 1) / line * line;
    // Read-only memory cannot have races.
    shared.shadows.push_back(tensor.writable && options.check
                                 ? std::make_unique<GlobalShadow>(tensor.bytes)
                                 : nullptr);
  }
  std::vector<std::unique_ptr<Feed>> feeds;
  std::vector<std::unique_ptr<Core>> cores;
  for (int i = 0; i < count; ++i) {
    auto feed = std::make_unique<Feed>(machine, tensors, i);
    if (!feed->start(programs[i])) {
      Error error;
      error.kind = ErrorKind::limitReached;
      error.message = "no host thread for core " + std::to_string(i);
      error.core = i;
      shared.fail(std::move(error));
      break;
    }
    cores.push_back(std::make_unique<Core>(i, shared, *feed));
    feeds.push_back(std::move(feed));
  }
  if (!shared.error)
    runCores(shared, cores);
  for (auto &feed : feeds)
    feed->stop();
  for (auto &feed : feeds)
    feed->join();

  for (auto &core : cores) {
    report.cores.push_back(core->getReport());
    add(report.total, report.cores.back());
  }
  report.cycles = report.total.cycles;
  report.channelBusy = shared.channel.getBusy();
  report.l2Hits = shared.channel.getHits();
  report.l2Misses = shared.channel.getMisses();
  report.trace = std::move(shared.trace);
  std::sort(report.trace.begin(), report.trace.end(),
            [](const TraceEvent &a, const TraceEvent &b) {
              return std::tie(a.start, a.core, a.pipe) <
                     std::tie(b.start, b.core, b.pipe);
            });
  report.error = std::move(shared.error);
  return report;
}
