// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A partition of the bytes of a buffer into intervals, each with a state.

#ifndef GC_LIB_SIMULATOR_INTERVALMAP_H
#define GC_LIB_SIMULATOR_INTERVALMAP_H

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

namespace gc::npu {

/// Positions of a range, some of them marked; the marked ones next to a
/// position are found in a few steps by words of bits in levels, of which each
/// bit says whether a word of the level below has any.
class Marks {
public:
  explicit Marks(int64_t size) {
    do {
      size = (size + 63) / 64;
      levels.emplace_back(static_cast<size_t>(size), 0);
    } while (size > 1);
  }

  bool test(int64_t x) const { return levels[0][x >> 6] >> (x & 63) & 1; }

  void set(int64_t x) {
    for (auto &level : levels) {
      uint64_t &word = level[x >> 6];
      bool any = word != 0;
      word |= uint64_t(1) << (x & 63);
      if (any)
        return;
      x >>= 6;
    }
  }

  void reset(int64_t x) {
    for (auto &level : levels) {
      uint64_t &word = level[x >> 6];
      word &= ~(uint64_t(1) << (x & 63));
      if (word)
        return;
      x >>= 6;
    }
  }

  /// The last marked position up to x; there must be one.
  int64_t findBefore(int64_t x) const {
    for (size_t i = 0; i < levels.size(); ++i) {
      uint64_t word =
          x < 0 ? 0 : levels[i][x >> 6] & (~uint64_t(0) >> (63 - (x & 63)));
      if (word)
        return descend(i, x >> 6, word, true);
      x = (x >> 6) - 1;
    }
    return 0;
  }

  /// The first marked position from x on, -1 if there is none.
  int64_t findFrom(int64_t x) const {
    for (size_t i = 0; i < levels.size(); ++i) {
      if (x >> 6 >= static_cast<int64_t>(levels[i].size()))
        return -1;
      uint64_t word = levels[i][x >> 6] & (~uint64_t(0) << (x & 63));
      if (word)
        return descend(i, x >> 6, word, false);
      x = (x >> 6) + 1;
    }
    return -1;
  }

private:
  int64_t descend(size_t level, int64_t index, uint64_t word, bool last) const {
    while (true) {
      int bit = last ? 63 - __builtin_clzll(word) : __builtin_ctzll(word);
      int64_t x = index * 64 + bit;
      if (level == 0)
        return x;
      index = x;
      word = levels[--level][index];
    }
  }

  std::vector<std::vector<uint64_t>> levels;
};

template <typename State>
class IntervalMap {
public:
  /// One interval of `size` bytes.
  explicit IntervalMap(int64_t size)
      : size(size), marks(size),
        // Untouched pages of it cost nothing.
        ids(static_cast<uint32_t *>(
                std::calloc(static_cast<size_t>(size), sizeof(uint32_t))),
            std::free) {
    states.emplace_back();
    marks.set(0);
  }

  /// Calls fn(begin, end, state) for the parts of [begin, end) in each interval
  /// until it returns false. Returns whether it never did.
  template <typename Fn>
  bool forEach(int64_t begin, int64_t end, Fn &&fn) {
    int64_t start = marks.test(begin) ? begin : marks.findBefore(begin);
    while (begin < end) {
      int64_t next = getEnd(begin);
      if (!fn(begin, next < end ? next : end, states[ids.get()[start]]))
        return false;
      start = begin = next;
    }
    return true;
  }

  /// Makes x a boundary.
  void split(int64_t x) {
    if (x >= size || marks.test(x))
      return;
    uint32_t id = ids.get()[marks.findBefore(x)];
    State copy = states[id];
    marks.set(x);
    ids.get()[x] = allocate();
    states[ids.get()[x]] = copy;
  }

  /// Makes [begin, end) one interval, replacing everything that was there.
  State &merge(int64_t begin, int64_t end) {
    split(begin);
    split(end);
    int64_t next = getEnd(begin);
    while (next < end) {
      free.push_back(ids.get()[next]);
      marks.reset(next);
      next = getEnd(next);
    }
    return states[ids.get()[begin]];
  }

private:
  int64_t getEnd(int64_t x) const {
    if (x + 1 >= size)
      return size;
    int64_t next = marks.findFrom(x + 1);
    return next < 0 ? size : next;
  }
  uint32_t allocate() {
    if (free.empty()) {
      states.emplace_back();
      return static_cast<uint32_t>(states.size() - 1);
    }
    uint32_t id = free.back();
    free.pop_back();
    return id;
  }

  int64_t size;
  Marks marks;
  /// Of the interval that starts at a byte; index into states.
  std::unique_ptr<uint32_t, void (*)(void *)> ids;
  std::vector<State> states;
  std::vector<uint32_t> free;
};

} // namespace gc::npu

#endif // GC_LIB_SIMULATOR_INTERVALMAP_H
