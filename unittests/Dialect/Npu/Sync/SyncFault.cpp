// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The slow proof: a graph of what comes before what, searched from every op.

#include "SyncInstruction.h"
#include "SyncListing.h"

#include <map>
#include <tuple>

using namespace gc::npu;
using namespace gc::npu::sync;

namespace {

/// Two nodes for each line: its start in its queue, and when what it did is
/// visible (of a set_flag: when the flag is set).
class Graph {
public:
  explicit Graph(const Listing &listing)
      : listing(listing), next(2 * listing.size()) {}

  std::string run();

private:
  static size_t getStart(size_t line) { return 2 * line; }
  static size_t getEnd(size_t line) { return 2 * line + 1; }
  void addEdge(size_t from, size_t to) { next[from].push_back(to); }

  void addQueues();
  std::string addFlags();
  bool hasCycle() const;
  std::vector<bool> reach(size_t from) const;
  std::string findRace() const;
  std::string findDoubleSet() const;

  const Instruction &get(size_t line) const {
    return listing[line].instruction;
  }

  const Listing &listing;
  std::vector<std::vector<size_t>> next;
  /// A wait, and the next set of the same flag.
  std::vector<std::pair<size_t, size_t>> reuses;
};

void Graph::addQueues() {
  for (size_t i = 0; i < listing.size(); ++i) {
    const Instruction &one = get(i);
    Pipe pipe = getPipe(one);
    addEdge(getStart(i), getEnd(i));
    bool isOp = one.opcode != Opcode::setFlag &&
                one.opcode != Opcode::waitFlag && one.opcode != Opcode::barrier;
    for (size_t j = i + 1; j < listing.size(); ++j) {
      const Instruction &other = get(j);
      Pipe otherPipe = getPipe(other);
      // S completes each op before it issues the next.
      if (pipe == Pipe::s)
        addEdge(getEnd(i), getStart(j));
      bool isSame = pipe == otherPipe;
      if (isSame)
        addEdge(getStart(i), getStart(j));
      bool isBarrier = other.opcode == Opcode::barrier;
      bool isAll = isBarrier && other.pipe == Pipe::s;
      if (isAll)
        addEdge(isOp ? getEnd(i) : getStart(i), getStart(j));
      if (isOp && isSame && (isBarrier || other.opcode == Opcode::setFlag))
        addEdge(getEnd(i), isBarrier ? getStart(j) : getEnd(j));
    }
  }
}

std::string Graph::addFlags() {
  std::map<std::tuple<Pipe, Pipe, int64_t>,
           std::pair<std::vector<size_t>, std::vector<size_t>>>
      flags;
  for (size_t i = 0; i < listing.size(); ++i) {
    const Instruction &in = get(i);
    auto key = std::make_tuple(in.pipe, in.toPipe, in.flag.event);
    if (in.opcode == Opcode::setFlag)
      flags[key].first.push_back(i);
    if (in.opcode == Opcode::waitFlag)
      flags[key].second.push_back(i);
  }
  for (auto &[key, lines] : flags) {
    auto &[sets, waits] = lines;
    if (sets.size() != waits.size())
      return "unbalanced";
    for (size_t i = 0; i < sets.size(); ++i) {
      addEdge(getEnd(sets[i]), getStart(waits[i]));
      if (i + 1 < sets.size())
        reuses.emplace_back(waits[i], sets[i + 1]);
    }
  }
  return "";
}

bool Graph::hasCycle() const {
  std::vector<int> count(next.size());
  for (const auto &list : next)
    for (size_t node : list)
      ++count[node];
  std::vector<size_t> ready;
  for (size_t node = 0; node < next.size(); ++node)
    if (!count[node])
      ready.push_back(node);
  size_t done = 0;
  while (!ready.empty()) {
    size_t node = ready.back();
    ready.pop_back();
    ++done;
    for (size_t other : next[node])
      if (!--count[other])
        ready.push_back(other);
  }
  return done != next.size();
}

std::vector<bool> Graph::reach(size_t from) const {
  std::vector<bool> seen(next.size());
  std::vector<size_t> stack = {from};
  seen[from] = true;
  while (!stack.empty()) {
    size_t node = stack.back();
    stack.pop_back();
    for (size_t other : next[node])
      if (!seen[other]) {
        seen[other] = true;
        stack.push_back(other);
      }
  }
  return seen;
}

std::string Graph::findDoubleSet() const {
  for (auto [wait, set] : reuses)
    if (!reach(getStart(wait))[getStart(set)])
      return "set twice";
  return "";
}

/// Whether two instructions touch a byte that one of them writes, and must
/// therefore be ordered, with the earlier one visible.
bool conflicts(const Instruction &one, const Instruction &other,
               const std::vector<Range> &first,
               const std::vector<Range> &second) {
  bool isSame = getPipe(one) == getPipe(other);
  for (const Range &a : first)
    for (const Range &b : second) {
      if (a.end <= b.begin || b.end <= a.begin)
        continue;
      bool reads = a.access == Access::read;
      if (reads && b.access == Access::read)
        continue;
      if (isSame && reads)
        continue;
      bool isMad = one.opcode == Opcode::mad && other.opcode == Opcode::mad;
      if (b.access == Access::accumulate &&
          (isMad || a.access == Access::accumulate))
        continue;
      return true;
    }
  return false;
}

std::string Graph::findRace() const {
  std::vector<std::vector<Range>> ranges(listing.size());
  for (size_t i = 0; i < listing.size(); ++i)
    if (listing[i].item < 0)
      addRanges(get(i), ranges[i]);
  for (size_t i = 0; i < listing.size(); ++i) {
    std::vector<bool> after;
    for (size_t j = i + 1; j < listing.size(); ++j) {
      if (!conflicts(get(i), get(j), ranges[i], ranges[j]))
        continue;
      if (after.empty())
        after = reach(getEnd(i));
      if (!after[getStart(j)])
        return "race of " + std::to_string(i) + " and " + std::to_string(j);
    }
  }
  return "";
}

std::string Graph::run() {
  addQueues();
  std::string fault = addFlags();
  if (fault.empty() && hasCycle())
    fault = "deadlock";
  if (fault.empty())
    fault = findDoubleSet();
  return fault.empty() ? findRace() : fault;
}

} // namespace

std::string gc::npu::sync::findFault(const Listing &listing) {
  return Graph(listing).run();
}
