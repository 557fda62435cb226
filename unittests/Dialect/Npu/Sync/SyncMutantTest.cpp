// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Mutants of right programs: the simulator rejects those that are wrong by
// plain closure, and only those.

#include "SyncRandom.h"
#include "gtest/gtest.h"

#include <algorithm>

using namespace gc::npu;
using namespace gc::npu::sync;

namespace {

std::vector<size_t> getLines(const Listing &listing, Opcode opcode) {
  std::vector<size_t> lines;
  for (size_t i = 0; i < listing.size(); ++i)
    if (listing[i].instruction.opcode == opcode)
      lines.push_back(i);
  return lines;
}

bool isSameFlag(const Instruction &one, const Instruction &other) {
  return one.pipe == other.pipe && one.toPipe == other.toPipe &&
         one.flag.event == other.flag.event;
}

class Mutation {
public:
  Mutation(Listing &listing, std::mt19937 &random)
      : listing(listing), random(random) {}

  /// False if the listing has nothing to change in that way.
  bool apply(int kind) {
    switch (kind) {
    case 0:
      return removeWait();
    case 1:
      return removeSetAndWait();
    case 2:
      return moveWait();
    case 3:
      return swapWaits();
    case 4:
      return shortenBarrier();
    default:
      overlap(listing, random);
      return true;
    }
  }

private:
  size_t pick(size_t count) { return random() % count; }
  void erase(size_t line) { listing.erase(listing.begin() + line); }

  bool removeWait() {
    auto waits = getLines(listing, Opcode::waitFlag);
    if (waits.empty())
      return false;
    erase(waits[pick(waits.size())]);
    return true;
  }

  /// Flags stay balanced: what is missing is the order.
  bool removeSetAndWait() {
    auto waits = getLines(listing, Opcode::waitFlag);
    if (waits.empty())
      return false;
    size_t wait = waits[pick(waits.size())], set = wait;
    while (set > 0) {
      const Instruction &in = listing[--set].instruction;
      if (in.opcode == Opcode::setFlag &&
          isSameFlag(in, listing[wait].instruction))
        break;
    }
    erase(wait);
    erase(set);
    return true;
  }

  /// The wait comes later, maybe too late.
  bool moveWait() {
    auto waits = getLines(listing, Opcode::waitFlag);
    if (waits.empty())
      return false;
    size_t from = waits[pick(waits.size())];
    size_t to = std::min(listing.size() - 1, from + 1 + pick(6));
    std::rotate(listing.begin() + from, listing.begin() + from + 1,
                listing.begin() + to + 1);
    return true;
  }

  bool swapWaits() {
    auto waits = getLines(listing, Opcode::waitFlag);
    if (waits.size() < 2)
      return false;
    size_t one = pick(waits.size()), other = pick(waits.size());
    std::swap(listing[waits[one]], listing[waits[other]]);
    return one != other;
  }

  /// barrier(all) of one pipe only; a pipe's barrier not at all, or earlier.
  bool shortenBarrier() {
    auto barriers = getLines(listing, Opcode::barrier);
    if (barriers.empty())
      return false;
    size_t line = barriers[pick(barriers.size())];
    Instruction &in = listing[line].instruction;
    if (in.pipe == Pipe::s) {
      in.pipe = static_cast<Pipe>(1 + pick(5));
    } else if (line > 0 && pick(2)) {
      size_t to = line - std::min<size_t>(line, 1 + pick(4));
      std::rotate(listing.begin() + to, listing.begin() + line,
                  listing.begin() + line + 1);
    } else {
      erase(line);
    }
    return true;
  }

  Listing &listing;
  std::mt19937 &random;
};

TEST(SyncMutantTest, SimulatorRejectsWhatTheClosureRefutes) {
  constexpr int kMutants = 300, kKinds = 6;
  constexpr size_t kMaxLines = 250;
  Machine machine;
  int wrong[kKinds] = {}, right[kKinds] = {};
  int count = 0;
  for (uint32_t seed = 0; count < kMutants; ++seed) {
    ASSERT_LT(seed, 10000u);
    Kernel kernel = makeRandomKernel(machine, seed);
    Listing listing = list(kernel, insertSync(kernel.program, machine).plan);
    if (listing.size() > kMaxLines)
      continue;
    std::mt19937 random(seed);
    int kind = static_cast<int>(seed % kKinds);
    if (!Mutation(listing, random).apply(kind))
      continue;
    for (size_t i = 0; i < listing.size(); ++i)
      listing[i].instruction.location = static_cast<int32_t>(i);
    std::string fault = findFault(listing);
    Report report = simulate(machine, listing);
    if (fault.empty()) {
      ++right[kind];
      EXPECT_FALSE(report.error)
          << "seed " << seed << " is right: " << report.error->message;
      continue;
    }
    ++wrong[kind];
    ++count;
    EXPECT_TRUE(report.error) << "seed " << seed << ": " << fault;
  }
  // Every kind has been seen, and not all of its mutants are trivial.
  for (int kind = 0; kind < kKinds; ++kind)
    EXPECT_GE(wrong[kind], 10) << "kind " << kind;
  EXPECT_GE(right[2] + right[4] + right[5], 10);
}

} // namespace
