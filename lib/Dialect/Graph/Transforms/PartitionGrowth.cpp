// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/Graph/Transforms/PartitionGrowth.h"

#include <queue>

using namespace mlir;
using namespace gc::graph;

namespace {

/// Ops that are one partition so far.
struct Group {
  SmallVector<unsigned> members;
  bool alone = false;
  bool hasConvolution = false;
  bool onlyPrepares = true;
};

class Growth {
public:
  explicit Growth(ArrayRef<PartitionNode> nodes)
      : nodes(nodes), groupOf(nodes.size()), consumers(nodes.size()),
        groups(nodes.size()), mark(nodes.size(), 0) {
    for (auto [i, node] : llvm::enumerate(nodes)) {
      groupOf[i] = i;
      Group &group = groups[i];
      group.members.push_back(i);
      group.alone = node.role == PartitionRole::alone;
      group.hasConvolution = node.role == PartitionRole::convolution;
      group.onlyPrepares = node.role == PartitionRole::preparation ||
                           node.role == PartitionRole::dequantization;
      for (unsigned producer : node.producers)
        consumers[producer].push_back(i);
    }
  }

  std::vector<unsigned> run() {
    for (unsigned i = 0; i < nodes.size(); ++i)
      join(i);
    return number();
  }

private:
  SmallVector<unsigned> findCandidates(unsigned node) const;
  void join(unsigned node);
  bool makesCycle(ArrayRef<unsigned> merged);
  void merge(unsigned into, ArrayRef<unsigned> others);
  std::vector<unsigned> number() const;

  ArrayRef<PartitionNode> nodes;
  std::vector<unsigned> groupOf;
  std::vector<SmallVector<unsigned>> consumers;
  /// By the index of the node that each started with.
  std::vector<Group> groups;
  /// Per group, the search that last met it.
  std::vector<unsigned> mark;
  unsigned search = 0;
};

} // namespace

/// Groups of producers that the node may join, the latest first.
SmallVector<unsigned> Growth::findCandidates(unsigned node) const {
  PartitionRole role = nodes[node].role;
  if (role == PartitionRole::alone)
    return {};
  SmallVector<unsigned> all;
  for (unsigned producer : nodes[node].producers)
    all.push_back(groupOf[producer]);
  // A group's last member says how late it is.
  llvm::sort(all, [&](unsigned l, unsigned r) {
    return groups[l].members.back() > groups[r].members.back();
  });
  all.erase(llvm::unique(all), all.end());
  llvm::erase_if(all, [&](unsigned group) { return groups[group].alone; });

  if (role == PartitionRole::convolution) {
    llvm::erase_if(all,
                   [&](unsigned group) { return !groups[group].onlyPrepares; });
    return all;
  }
  if (role == PartitionRole::matmul || role == PartitionRole::dequantization) {
    llvm::erase_if(
        all, [&](unsigned group) { return groups[group].hasConvolution; });
    return all;
  }
  const unsigned *convolution = llvm::find_if(
      all, [&](unsigned group) { return groups[group].hasConvolution; });
  if (convolution == all.end())
    return all;
  unsigned last = *convolution;
  llvm::erase_if(all, [&](unsigned group) {
    return group != last && !groups[group].onlyPrepares;
  });
  // What decides is that the convolution's group stays connected.
  llvm::erase(all, last);
  all.insert(all.begin(), last);
  return all;
}

void Growth::join(unsigned node) {
  SmallVector<unsigned> merged = {node};
  SmallVector<unsigned> candidates = findCandidates(node);
  if (candidates.empty())
    return;
  merged.append(candidates);
  if (makesCycle(merged)) {
    merged = {node};
    for (unsigned candidate : candidates) {
      merged.push_back(candidate);
      if (makesCycle(merged))
        merged.pop_back();
    }
  }
  merge(merged.front(), ArrayRef(merged).drop_front());
}

/// Whether a path leads from these groups through others back to them.
bool Growth::makesCycle(ArrayRef<unsigned> merged) {
  unsigned inside = ++search, outside = ++search;
  for (unsigned group : merged)
    mark[group] = inside;
  SmallVector<unsigned> pending(merged);
  while (!pending.empty()) {
    unsigned group = pending.pop_back_val();
    for (unsigned member : groups[group].members) {
      for (unsigned consumer : consumers[member]) {
        unsigned next = groupOf[consumer];
        if (mark[next] == inside) {
          if (mark[group] == outside)
            return true;
          continue;
        }
        if (mark[next] == outside)
          continue;
        mark[next] = outside;
        pending.push_back(next);
      }
    }
  }
  return false;
}

void Growth::merge(unsigned into, ArrayRef<unsigned> others) {
  Group &target = groups[into];
  for (unsigned other : others) {
    Group &group = groups[other];
    target.hasConvolution |= group.hasConvolution;
    target.onlyPrepares &= group.onlyPrepares;
    for (unsigned member : group.members)
      groupOf[member] = into;
    target.members.append(group.members);
    group.members.clear();
  }
  llvm::sort(target.members);
}

/// The groups in topological order, of those that are ready the one with the
/// first op first.
std::vector<unsigned> Growth::number() const {
  std::vector<unsigned> missing(nodes.size(), 0);
  auto forEachEdge = [&](unsigned group, auto action) {
    for (unsigned member : groups[group].members)
      for (unsigned consumer : consumers[member])
        if (groupOf[consumer] != group)
          action(groupOf[consumer]);
  };
  using Entry = std::pair<unsigned, unsigned>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<Entry>> ready;
  for (unsigned group = 0; group < groups.size(); ++group)
    forEachEdge(group, [&](unsigned next) { ++missing[next]; });
  for (unsigned group = 0; group < groups.size(); ++group)
    if (!groups[group].members.empty() && missing[group] == 0)
      ready.push({groups[group].members.front(), group});
  std::vector<unsigned> result(nodes.size(), 0);
  unsigned next = 0;
  while (!ready.empty()) {
    unsigned group = ready.top().second;
    ready.pop();
    for (unsigned member : groups[group].members)
      result[member] = next;
    ++next;
    forEachEdge(group, [&](unsigned other) {
      if (--missing[other] == 0)
        ready.push({groups[other].members.front(), other});
    });
  }
  return result;
}

std::vector<unsigned> gc::graph::growPartitions(ArrayRef<PartitionNode> nodes) {
  return Growth(nodes).run();
}
