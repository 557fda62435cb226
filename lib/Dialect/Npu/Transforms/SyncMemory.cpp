// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SyncMemory.h"

#include <algorithm>
#include <optional>

using namespace gc::npu;
using namespace gc::npu::sync;

/// `number` is that of the op itself, which does not wait for itself.
static void raise(Counts &needs, const Counts &by, int self, int32_t number,
                  bool withSelf) {
  for (int p = 0; p < kNumPipes; ++p)
    if (p != self || (withSelf && by[p] != number))
      needs[p] = std::max(needs[p], by[p]);
}

void gc::npu::sync::Memory::use(Segment &segment, const Range &range, Pipe pipe,
                                int32_t number, Counts &needs) {
  int self = static_cast<int>(pipe);
  if (range.access == Access::read) {
    raise(needs, segment.writers, self, number, true);
    segment.readers[self] = number;
    return;
  }
  // Accumulations need no order among themselves, those of the cube only the
  // order of its pipe. The latter also follow the mad that overwrote.
  bool accumulates = range.access == Access::accumulate;
  bool isSure = range.isSure;
  bool isFree =
      accumulates && (segment.byMad || (segment.accumulated && isSure));
  raise(needs, segment.writers, self, number, !isFree);
  raise(needs, segment.readers, self, number, false);
  if (isSure && !isFree)
    segment.writers = {};
  if (isSure)
    segment.readers = {};
  segment.writers[self] = number;
  segment.byMad = pipe == Pipe::m;
  segment.accumulated = accumulates;
}

auto gc::npu::sync::Memory::split(Map &segments, uint64_t at) -> Map::iterator {
  auto it = segments.lower_bound(at);
  if (it != segments.end() && it->first == at)
    return it;
  if (it == segments.begin())
    return it;
  auto before = std::prev(it);
  if (before->second.end <= at)
    return it;
  Segment rest = before->second;
  before->second.end = at;
  return segments.emplace_hint(it, at, rest);
}

void gc::npu::sync::Memory::access(const Range &range, Pipe pipe,
                                   int32_t number, Counts &needs) {
  if (range.begin >= range.end)
    return;
  Map &segments = spaces[static_cast<size_t>(Address(range.begin).getSpace())];
  auto it = split(segments, range.begin);
  std::optional<Map::iterator> first;
  uint64_t at = range.begin;
  while (at < range.end) {
    if (it == segments.end() || it->first > at) {
      uint64_t end =
          it == segments.end() ? range.end : std::min(range.end, it->first);
      it = segments.emplace_hint(it, at, Segment{end, {}, {}, false, false});
    } else if (it->second.end > range.end) {
      Segment rest = it->second;
      it->second.end = range.end;
      segments.emplace_hint(std::next(it), range.end, rest);
    }
    if (!first)
      first = it;
    use(it->second, range, pipe, number, needs);
    at = it->second.end;
    ++it;
  }
  if (range.access != Access::write || !range.isSure)
    return;
  // All of them are equal now: one segment, so that the map stays small.
  (*first)->second.end = range.end;
  segments.erase(std::next(*first), it);
}
