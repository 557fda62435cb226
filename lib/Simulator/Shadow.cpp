// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Shadow.h"

using namespace gc::npu;

//===----------------------------------------------------------------------===//
// Local buffers
//===----------------------------------------------------------------------===//

void LocalShadow::retire(uint32_t oldest) {
  while (!pending.empty() && pending.front().sequence < oldest) {
    Alloc alloc = pending.front();
    pending.pop_front();
    map.split(alloc.begin);
    map.split(alloc.end);
    map.forEach(alloc.begin, alloc.end, [&](int64_t, int64_t, State &state) {
      if (state.writer.sequence < alloc.sequence)
        state.poisoned = true;
      return true;
    });
  }
}

void LocalShadow::alloc(int64_t begin, int64_t end, uint32_t sequence,
                        uint32_t oldest) {
  retire(oldest);
  if (begin < end)
    pending.push_back({begin, end, sequence});
}

bool LocalShadow::isPoisoned(const State &state, int64_t begin, int64_t end,
                             uint32_t sequence, Conflict &conflict) const {
  if (state.poisoned) {
    conflict.begin = begin;
    conflict.end = end;
    return true;
  }
  for (const Alloc &alloc : pending)
    if (alloc.sequence < sequence && state.writer.sequence < alloc.sequence &&
        alloc.begin < end && begin < alloc.end) {
      conflict.begin = std::max(begin, alloc.begin);
      conflict.end = std::min(end, alloc.end);
      return true;
    }
  return false;
}

bool LocalShadow::access(Access access, int64_t begin, int64_t end,
                         const Accessor &accessor, uint32_t oldest,
                         Conflict &conflict) {
  if (!pending.empty())
    retire(oldest);
  size_t own = static_cast<size_t>(accessor.pipe);
  bool writes = access != Access::read, reads = access != Access::write;
  auto race = [&](const Toucher &other, Pipe pipe, Access otherAccess,
                  int64_t from, int64_t to) {
    conflict.begin = from;
    conflict.end = to;
    conflict.other = other;
    conflict.pipe = pipe;
    conflict.access = otherAccess;
    return false;
  };
  auto visit = [&](int64_t from, int64_t to, State &state) {
    // An op does not conflict with itself, nor an accumulating mad with mads.
    const Toucher &writer = state.writer;
    bool exempt =
        state.pipe == accessor.pipe &&
        (writer.entry == accessor.self.entry || access == Access::accumulate);
    if (!exempt && accessor.clock[state.pipe] < writer.entry)
      return race(writer, state.pipe, Access::write, from, to);
    if (reads &&
        isPoisoned(state, from, to, accessor.self.sequence, conflict)) {
      conflict.poison = true;
      return false;
    }
    if (!writes) {
      state.readers[own] = accessor.self;
      return true;
    }
    for (size_t i = 0; i < kNumPipes; ++i)
      if (i != own && accessor.clock.entries[i] < state.readers[i].entry)
        return race(state.readers[i], static_cast<Pipe>(i), Access::read, from,
                    to);
    return true;
  };
  if (!writes) {
    map.split(begin);
    map.split(end);
    return map.forEach(begin, end, visit);
  }
  if (!map.forEach(begin, end, visit))
    return false;
  State &state = map.merge(begin, end);
  state = State();
  state.writer = accessor.self;
  state.pipe = accessor.pipe;
  state.poisoned = false;
  return true;
}

//===----------------------------------------------------------------------===//
// Global memory
//===----------------------------------------------------------------------===//

static constexpr int64_t kPageBytes = 1 << 20;

GlobalShadow::GlobalShadow(int64_t bytes)
    : bytes(bytes),
      pages(static_cast<size_t>((bytes + kPageBytes - 1) / kPageBytes)) {}

bool GlobalShadow::isOrdered(const Toucher &op, Pipe pipe,
                             const Accessor &accessor) {
  if (!op.entry)
    return true;
  if (op.core != accessor.self.core)
    return false;
  return accessor.clock[pipe] >= op.entry ||
         (pipe == accessor.pipe && op.entry == accessor.self.entry);
}

bool GlobalShadow::accessPage(IntervalMap<State> &map, Access access,
                              int64_t begin, int64_t end,
                              const Accessor &accessor, Conflict &conflict) {
  auto check = [&](const Toucher &op, Pipe pipe, Access other, int64_t from,
                   int64_t to) {
    if (isOrdered(op, pipe, accessor))
      return true;
    conflict.begin = from;
    conflict.end = to;
    conflict.other = op;
    conflict.pipe = pipe;
    conflict.access = other;
    return false;
  };
  const Toucher &self = accessor.self;
  // The first place keeps its core, so that a second core stays known.
  auto record = [&](Toucher(&ops)[2]) {
    int place = !ops[0].entry || ops[0].core == self.core ? 0 : 1;
    ops[place] = self;
  };
  auto visit = [&](int64_t from, int64_t to, State &state) {
    if (!check(state.writer, Pipe::mte3, Access::write, from, to))
      return false;
    if (access != Access::accumulate)
      for (const Toucher &op : state.adders)
        if (!check(op, Pipe::mte3, Access::accumulate, from, to))
          return false;
    if (access != Access::read)
      for (const Toucher &op : state.readers)
        if (!check(op, Pipe::mte2, Access::read, from, to))
          return false;
    if (access == Access::read)
      record(state.readers);
    if (access == Access::accumulate)
      record(state.adders);
    return true;
  };
  if (access != Access::write) {
    map.split(begin);
    map.split(end);
    return map.forEach(begin, end, visit);
  }
  if (!map.forEach(begin, end, visit))
    return false;
  State &state = map.merge(begin, end);
  state = State();
  state.writer = self;
  return true;
}

bool GlobalShadow::access(Access access, int64_t begin, int64_t end,
                          const Accessor &accessor, Conflict &conflict) {
  for (int64_t page = begin / kPageBytes; page * kPageBytes < end; ++page) {
    int64_t base = page * kPageBytes;
    auto &map = pages[static_cast<size_t>(page)];
    if (!map)
      map = std::make_unique<IntervalMap<State>>(
          std::min(kPageBytes, bytes - base));
    if (!accessPage(*map, access, std::max(begin, base) - base,
                    std::min(end, base + kPageBytes) - base, accessor,
                    conflict)) {
      conflict.begin += base;
      conflict.end += base;
      return false;
    }
  }
  return true;
}
