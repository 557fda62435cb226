// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Channel.h"

#include <algorithm>
#include <limits>
#include <numeric>

using namespace gc::npu;

static constexpr int64_t kNever = std::numeric_limits<int64_t>::max();
static constexpr int64_t kPackageBytes = 256;

Channel::Channel(const Machine &machine, int count)
    : machine(machine), requesters(static_cast<size_t>(count)) {
  if (machine.profile != Profile::l2) {
    slot = machine.packageCycles;
    return;
  }
  // With the least common multiple of the rates as ticks per cycle, all slots
  // are whole numbers of ticks.
  ticksPerCycle = std::lcm(std::lcm(machine.l2ReadRate, machine.l2WriteRate),
                           machine.l2MissRate2);
  readSlot = kPackageBytes * (ticksPerCycle / machine.l2ReadRate);
  writeSlot = kPackageBytes * (ticksPerCycle / machine.l2WriteRate);
  missSlot = 2 * kPackageBytes * (ticksPerCycle / machine.l2MissRate2);
  cache.emplace(machine);
}

void Channel::start(int requester, const Transfer &transfer) {
  Requester &r = requesters[requester];
  r = Requester();
  r.active = true;
  r.transfer = transfer;
  r.arrivalTicks = transfer.arrival * ticksPerCycle;
  ++numActive;
}

int64_t Channel::getLeastCycles(int64_t packages) const {
  int64_t least = cache ? std::min({readSlot, writeSlot, missSlot}) : slot;
  return packages * least / ticksPerCycle;
}

int64_t Channel::getSlot(Requester &r, bool &missed) {
  missed = false;
  if (!cache)
    return slot;
  const Transfer &t = r.transfer;
  // The package's bytes: eight blocks, of the rest four, then all.
  int64_t left = t.bytes - r.byte;
  int64_t blocks = (left + kBlockBytes - 1) / kBlockBytes;
  int64_t bytes = blocks >= 8   ? kPackageBytes
                  : blocks >= 5 ? 4 * kBlockBytes
                                : left;
  int64_t begin = t.begin + r.run * t.stride + r.byte;
  bool slow = false;
  for (int64_t line = begin / machine.l2LineBytes;
       line <= (begin + bytes - 1) / machine.l2LineBytes; ++line) {
    if (cache->touch(line)) {
      ++hits;
      slow |= line == r.slowLine;
      continue;
    }
    ++misses;
    missed = slow = true;
    r.slowLine = line;
  }
  if (t.twice && !r.again) {
    r.again = true;
  } else {
    r.again = false;
    r.byte += bytes;
    if (r.byte >= t.bytes) {
      r.byte = 0;
      ++r.run;
      r.slowLine = -1;
    }
  }
  return slow ? missSlot : t.write ? writeSlot : readSlot;
}

std::optional<Completion> Channel::serve(int requester) {
  Requester &r = requesters[requester];
  bool missed;
  int64_t ticks = getSlot(r, missed);
  now += ticks;
  busyTicks += ticks;
  int64_t latency = machine.latency + (missed ? machine.l2MissCycles : 0);
  r.visibleTicks = std::max(r.visibleTicks, now + latency * ticksPerCycle);
  last = requester;
  if (--r.transfer.packages > 0)
    return std::nullopt;
  r.active = false;
  --numActive;
  return Completion{requester, roundUp(now), roundUp(r.visibleTicks)};
}

void Channel::serveMany(int waiting, int64_t nextArrival) {
  int64_t least = kNever;
  for (const Requester &r : requesters)
    if (r.active && r.arrivalTicks <= now)
      least = std::min(least, r.transfer.packages);
  // Whole rounds of all waiting requesters, so that the same one is next after
  // them. None completes, and no new one arrives before the next grant.
  int64_t turns = least - 1;
  if (nextArrival != kNever)
    turns = std::min(turns, (nextArrival - now) / (slot * waiting));
  if (turns <= 0)
    return;
  for (Requester &r : requesters)
    if (r.active && r.arrivalTicks <= now)
      r.transfer.packages -= turns;
  now += turns * waiting * slot;
  busyTicks += turns * waiting * slot;
}

std::optional<Completion> Channel::advance() {
  int count = static_cast<int>(requesters.size());
  while (numActive > 0) {
    // The requester that has been waiting since before this grant; else the one
    // that arrives first.
    int waiting = 0;
    int64_t earliest = kNever, nextArrival = kNever;
    for (const Requester &r : requesters) {
      if (!r.active)
        continue;
      earliest = std::min(earliest, r.arrivalTicks);
      if (r.arrivalTicks < now)
        ++waiting;
      else
        nextArrival = std::min(nextArrival, r.arrivalTicks);
    }
    bool fresh = waiting == 0;
    if (fresh)
      now = std::max(now, earliest);
    int first = -1;
    for (int i = 1; i <= count; ++i) {
      const Requester &r = requesters[(last + i + count) % count];
      if (r.active && (fresh ? r.arrivalTicks <= now : r.arrivalTicks < now)) {
        first = (last + i + count) % count;
        break;
      }
    }
    // One that arrives right now does not have the priority of those that wait:
    // handle it one package at a time.
    if (!cache && !fresh && nextArrival > now)
      serveMany(waiting, nextArrival);
    if (auto completion = serve(first))
      return completion;
  }
  return std::nullopt;
}
