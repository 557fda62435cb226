// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "NpuReport.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"

#include <algorithm>
#include <numeric>
#include <vector>

using namespace llvm;
using namespace gc;

static std::string getPipeName(int pipe) {
  return StringRef(npu::getName(static_cast<npu::Pipe>(pipe))).upper();
}

/// The instructions that were issued; allocating a buffer is not one.
static int64_t countInstructions(const npu::CoreReport &total) {
  int64_t count = std::accumulate(total.instructions.begin(),
                                  total.instructions.end(), int64_t(0));
  return count - total.instructions[static_cast<int>(npu::Opcode::alloc)];
}

static int64_t getGlobalBytes(const NpuReport &report) {
  return report.run.total.gmBytesRead + report.run.total.gmBytesWritten;
}

static double getFraction(const NpuReport &report, const NpuBound &bound) {
  return report.run.cycles > 0
             ? double(bound.getCycles()) / double(report.run.cycles)
             : 0;
}

/// Fraction of the time of all cores.
static double getShare(const NpuReport &report, int64_t cycles) {
  double all = double(report.run.cycles) *
               double(std::max<size_t>(report.run.cores.size(), 1));
  return all > 0 ? double(cycles) / all : 0;
}

/// Of the channel to global memory, which all cores share.
static double getChannelShare(const NpuReport &report) {
  return report.run.cycles > 0
             ? double(report.run.channelBusy) / double(report.run.cycles)
             : 0;
}

std::string gc::getTitle(const NpuReport &report) {
  std::string text;
  raw_string_ostream os(text);
  os << report.name << " on " << report.profile << ": " << report.run.cycles
     << " cycles";
  if (report.bound)
    os << ", bound " << report.bound->getCycles()
       << format(" (%.3f)", getFraction(report, *report.bound));
  return text;
}

template <typename T, size_t n>
static void addCounts(std::array<T, n> &sum, const std::array<T, n> &counts) {
  for (size_t i = 0; i < n; ++i)
    sum[i] += counts[i];
}

static void addCore(npu::CoreReport &sum, const npu::CoreReport &core) {
  sum.cycles += core.cycles;
  addCounts(sum.busy, core.busy);
  addCounts(sum.stalls, core.stalls);
  addCounts(sum.instructions, core.instructions);
  addCounts(sum.vectorOps, core.vectorOps);
  sum.gmBytesRead += core.gmBytesRead;
  sum.gmBytesWritten += core.gmBytesWritten;
  sum.packages += core.packages;
  sum.flags += core.flags;
  sum.barriers += core.barriers;
  sum.barriersAll += core.barriersAll;
  sum.iterations += core.iterations;
}

void gc::addRun(npu::Report &total, npu::Report &run, int32_t locations) {
  for (npu::TraceEvent event : run.trace) {
    event.start += total.cycles;
    event.end += total.cycles;
    event.visible += total.cycles;
    event.set += total.cycles;
    if (event.location >= 0)
      event.location += locations;
    if (event.setLocation >= 0)
      event.setLocation += locations;
    total.trace.push_back(event);
  }
  run.trace.clear();
  total.cycles += run.cycles;
  total.cores.resize(std::max(total.cores.size(), run.cores.size()));
  for (size_t i = 0; i < run.cores.size(); ++i)
    addCore(total.cores[i], run.cores[i]);
  addCore(total.total, run.total);
  total.channelBusy += run.channelBusy;
  total.l2Hits += run.l2Hits;
  total.l2Misses += run.l2Misses;
}

/// Says which resource the program waits for.
static void printBottleneck(const NpuReport &report, raw_ostream &os) {
  const auto &busy = report.run.total.busy;
  int pipe = std::max_element(busy.begin(), busy.end()) - busy.begin();
  double share = getShare(report, busy[pipe]);
  double channel = getChannelShare(report);
  os << "  bound by  ";
  // Pipes of transfers are busy while they wait for the channel.
  constexpr double most = 0.75;
  if (channel >= most && channel >= share * 0.95) {
    os << format("global memory: its channel is busy %.1f%% of the time",
                 channel * 100);
  } else if (share >= most) {
    os << "pipe " << getPipeName(pipe)
       << format(": it is busy %.1f%% of the time", share * 100);
  } else {
    os << format("waiting: the busiest, pipe %s, is busy %.1f%% of the time",
                 getPipeName(pipe).c_str(), share * 100);
  }
  os << "\n";
}

static void printStalls(const NpuReport &report, raw_ostream &os) {
  const auto &stalls = report.run.total.stalls;
  int64_t sum = std::accumulate(stalls.begin(), stalls.end(), int64_t(0));
  os << format("  front end stalled %.1f%% of the time",
               getShare(report, sum) * 100);
  std::vector<int> order(stalls.size());
  std::iota(order.begin(), order.end(), 0);
  llvm::sort(order, [&](int a, int b) {
    return std::pair(-stalls[a], a) < std::pair(-stalls[b], b);
  });
  const char *separator = ": ";
  for (int i : order) {
    if (stalls[i] == 0)
      break;
    os << separator << npu::getName(static_cast<npu::Stall>(i))
       << format(" %.1f%%", getShare(report, stalls[i]) * 100);
    separator = ", ";
  }
  os << "\n";
}

void gc::printReport(const NpuReport &report, raw_ostream &os) {
  const npu::CoreReport &total = report.run.total;
  size_t cores = report.run.cores.size();
  os << report.name << " on npu, " << report.profile << ", "
     << (report.mode == npu::Mode::values ? "values" : "cycles only") << ", "
     << cores << (cores == 1 ? " core\n" : " cores\n");
  os << "  cycles    " << report.run.cycles;
  if (report.bound) {
    os << ", bound " << report.bound->getCycles() << " ("
       << report.bound->getReason() << "), fraction "
       << format("%.3f", getFraction(report, *report.bound));
    if (report.paddedBound->getCycles() != report.bound->getCycles())
      os << ", of the padded bound " << report.paddedBound->getCycles()
         << format(" %.3f", getFraction(report, *report.paddedBound));
  }
  os << "\n  memory    " << total.gmBytesRead << " bytes read, "
     << total.gmBytesWritten << " written";
  if (report.bound)
    os << " (" << report.bound->inputBytes << " and "
       << report.bound->outputBytes << " needed)";
  os << format(", channel busy %.1f%%", getChannelShare(report) * 100);
  if (report.run.l2Hits + report.run.l2Misses > 0)
    os << ", L2 " << report.run.l2Hits << " hits, " << report.run.l2Misses
       << " misses";
  os << "\n  pipes    ";
  for (int pipe = 0; pipe < npu::kNumPipes; ++pipe)
    os << " " << getPipeName(pipe) << " " << total.busy[pipe]
       << format(" (%.1f%%)", getShare(report, total.busy[pipe]) * 100);
  os << "\n  program   " << countInstructions(total) << " instructions, "
     << total.flags << " flags set, " << total.barriers + total.barriersAll
     << " barriers (" << total.barriersAll << " of all pipes), "
     << total.iterations << " iterations\n";
  printBottleneck(report, os);
  printStalls(report, os);
  auto printKernel = [&](StringRef title, const NpuReport &part) {
    os << title << part.name << ": " << part.run.cycles << " cycles";
    if (part.bound)
      os << ", bound " << part.bound->getCycles() << " ("
         << part.bound->getReason() << "), fraction "
         << format("%.3f", getFraction(part, *part.bound));
    os << "\n";
  };
  for (const NpuReport &part : report.once)
    printKernel("  once      ", part);
  if (report.parts.size() < 2)
    return;
  for (const NpuReport &part : report.parts)
    printKernel("  kernel    ", part);
}

void gc::writeReport(const NpuReport &report, json::OStream &json) {
  const npu::CoreReport &total = report.run.total;
  auto writeBound = [&](StringRef prefix, const NpuBound *bound) {
    json::Value cycles = nullptr, fraction = nullptr;
    if (bound) {
      cycles = bound->getCycles();
      fraction = getFraction(report, *bound);
    }
    json.attribute((prefix + "_cycles").str(), cycles);
    json.attribute((prefix + "_fraction").str(), fraction);
  };
  json.attribute("profile", report.profile);
  json.attribute("mode",
                 report.mode == npu::Mode::values ? "values" : "cycles");
  json.attribute("cores", static_cast<int64_t>(report.run.cores.size()));
  json.attribute("cycles", report.run.cycles);
  writeBound("bound", report.bound ? &*report.bound : nullptr);
  json.attribute("bound_by", report.bound
                                 ? json::Value(report.bound->getReason().str())
                                 : json::Value(nullptr));
  writeBound("padded_bound",
             report.paddedBound ? &*report.paddedBound : nullptr);
  json.attribute("flops", report.flops);
  json.attribute("gm_bytes", getGlobalBytes(report));
  json.attribute("gm_bytes_read", total.gmBytesRead);
  json.attribute("gm_bytes_written", total.gmBytesWritten);
  json.attribute("channel_cycles", report.run.channelBusy);
  json.attributeObject("pipes", [&] {
    for (int pipe = 0; pipe < npu::kNumPipes; ++pipe)
      json.attribute(getPipeName(pipe), total.busy[pipe]);
  });
  json.attributeObject("stalls", [&] {
    for (int i = 0; i < npu::kNumStalls; ++i)
      json.attribute(npu::getName(static_cast<npu::Stall>(i)), total.stalls[i]);
  });
  json.attribute("flags", total.flags);
  json.attribute("barriers", total.barriers);
  json.attribute("barriers_all", total.barriersAll);
  json.attribute("iterations", total.iterations);
  json.attribute("instructions", countInstructions(total));
  json.attributeObject("ops", [&] {
    for (int i = 0; i < npu::kNumOpcodes; ++i)
      if (total.instructions[i] > 0)
        json.attribute(npu::getName(static_cast<npu::Opcode>(i)),
                       total.instructions[i]);
  });
  json.attribute("compile_ms", report.compileMs);
  json.attribute("simulate_ms", report.simulateMs);
  auto writeKernels = [&](StringRef name, ArrayRef<NpuReport> kernels) {
    json.attributeArray(name, [&] {
      for (const NpuReport &kernel : kernels)
        json.object([&] {
          json.attribute("name", json::fixUTF8(kernel.name));
          writeReport(kernel, json);
        });
    });
  };
  if (!report.once.empty())
    writeKernels("once", report.once);
  if (report.parts.size() > 1)
    writeKernels("kernels", report.parts);
}
