// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SyncCuts.h"

#include <algorithm>

using namespace gc::npu;
using namespace gc::npu::sync;

namespace {

constexpr double kEnough = 1 - 1e-6, kTiny = 1e-7;

} // namespace

std::vector<Candidate> gc::npu::sync::getCandidates(const Program &program) {
  std::vector<Candidate> candidates;
  int count = static_cast<int>(program.ops.size());
  for (int j = 0; j < count; ++j) {
    bool isFirst = true;
    Pipe to = program.ops[j].pipe;
    for (int i = 0; i < j; ++i) {
      Pipe from = program.ops[i].pipe;
      isFirst &= from != to;
      // All that the front end knows, whatever is issued later knows.
      if (from != to && from != Pipe::s)
        candidates.push_back({i, j, false});
    }
    if (!isFirst && to != Pipe::s)
      candidates.push_back({j, j, true});
  }
  return candidates;
}

OrderCuts::OrderCuts(const Program &program, const Trace &trace,
                     std::vector<Candidate> list)
    : program(program), numOps(static_cast<int>(program.ops.size())),
      candidates(std::move(list)) {
  for (const Instance &instance : trace.instances)
    for (int p = 0; p < kNumPipes; ++p)
      if (instance.needs[p] && static_cast<Pipe>(p) != Pipe::s)
        needs.push_back(
            {trace.instances[trace.onPipe[p][instance.needs[p] - 1]].op,
             instance.op});
}

void OrderCuts::Network::add(int from, int to, double room) {
  out[from].push_back(static_cast<int>(arcs.size()));
  arcs.push_back({to, room});
  out[to].push_back(static_cast<int>(arcs.size()));
  arcs.push_back({from, 0});
}

/// As much as fits along one shortest path.
double OrderCuts::Network::push(int from, int to) {
  std::vector<int> by(out.size(), -1), list = {from};
  std::vector<bool> seen(out.size());
  seen[from] = true;
  for (size_t i = 0; i < list.size() && !seen[to]; ++i)
    for (int arc : out[list[i]]) {
      int next = arcs[arc].to;
      if (seen[next] || arcs[arc].room <= kTiny)
        continue;
      seen[next] = true;
      by[next] = arc;
      list.push_back(next);
    }
  if (!seen[to])
    return 0;
  double amount = 2;
  for (int at = to; at != from; at = arcs[by[at] ^ 1].to)
    amount = std::min(amount, arcs[by[at]].room);
  for (int at = to; at != from; at = arcs[by[at] ^ 1].to) {
    arcs[by[at]].room -= amount;
    arcs[by[at] ^ 1].room += amount;
  }
  return amount;
}

std::vector<bool> OrderCuts::Network::getReached(int from,
                                                 bool isForward) const {
  std::vector<bool> seen(out.size());
  std::vector<int> list = {from};
  seen[from] = true;
  while (!list.empty()) {
    int at = list.back();
    list.pop_back();
    for (int arc : out[at]) {
      double room = arcs[isForward ? arc : arc ^ 1].room;
      if (seen[arcs[arc].to] || room <= kTiny)
        continue;
      seen[arcs[arc].to] = true;
      list.push_back(arcs[arc].to);
    }
  }
  return seen;
}

/// The node of what is known before an op, to which a wait there leads.
int OrderCuts::getEnd(const Need &need, int op) const {
  Pipe pipe = program.ops[need.first].pipe;
  bool isSame = pipe == program.ops[need.second].pipe;
  return isSame && program.ops[op].pipe == pipe ? numOps + op : op;
}

/// The nodes between which a candidate leads, if it serves the need.
std::optional<std::pair<int, int>>
OrderCuts::getEnds(const Need &need, const Candidate &candidate) const {
  if (candidate.second > need.second)
    return std::nullopt;
  int end = getEnd(need, candidate.second);
  if (!candidate.isBarrier) {
    if (candidate.first < need.first)
      return std::nullopt;
    return std::make_pair(candidate.first, end);
  }
  if (end < numOps || candidate.second <= need.first)
    return std::nullopt;
  return std::make_pair(need.first, end);
}

CoverRow OrderCuts::getRow(const Need &need,
                           const std::vector<bool> &isIn) const {
  CoverRow row;
  for (int c = 0; c < static_cast<int>(candidates.size()); ++c)
    if (auto ends = getEnds(need, candidates[c]))
      if (isIn[ends->first] && !isIn[ends->second])
        row.terms.emplace_back(c, 1);
  return row;
}

void OrderCuts::addRows(const Need &need, const std::vector<double> &amounts,
                        std::vector<CoverRow> &rows) const {
  constexpr double kAlways = 2;
  Network network;
  network.out.resize(numOps * 2);
  std::array<int, kNumPipes> next;
  next.fill(-1);
  for (int i = need.second; i >= need.first; --i) {
    int pipe = static_cast<int>(program.ops[i].pipe);
    for (int p = 0; p < kNumPipes; ++p) {
      if (next[p] < 0)
        continue;
      if (p == pipe) {
        network.add(i, next[p], kAlways);
        if (getEnd(need, i) != i)
          network.add(numOps + i, numOps + next[p], kAlways);
      } else if (program.ops[i].pipe == Pipe::s) {
        network.add(i, getEnd(need, next[p]), kAlways);
      }
    }
    next[pipe] = i;
  }
  for (size_t c = 0; c < candidates.size(); ++c)
    if (amounts[c] > kTiny)
      if (auto ends = getEnds(need, candidates[c]))
        network.add(ends->first, ends->second, amounts[c]);
  int end = getEnd(need, need.second);
  double sum = 0;
  while (double amount = network.push(need.first, end)) {
    sum += amount;
    if (sum >= kEnough)
      return;
  }
  std::vector<bool> isIn = network.getReached(need.first, true);
  std::vector<bool> isOut = network.getReached(end, false);
  isOut.flip();
  rows.push_back(getRow(need, isIn));
  if (isIn != isOut)
    rows.push_back(getRow(need, isOut));
}

std::vector<CoverRow>
OrderCuts::separate(const std::vector<double> &amounts) const {
  std::vector<CoverRow> rows;
  for (const Need &need : needs)
    addRows(need, amounts, rows);
  std::sort(rows.begin(), rows.end(),
            [](const CoverRow &one, const CoverRow &other) {
              return one.terms < other.terms;
            });
  rows.erase(std::unique(rows.begin(), rows.end(),
                         [](const CoverRow &one, const CoverRow &other) {
                           return one.terms == other.terms;
                         }),
             rows.end());
  return rows;
}
