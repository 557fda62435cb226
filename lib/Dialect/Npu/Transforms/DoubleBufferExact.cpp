// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DoubleBufferExact.h"

using namespace mlir;

namespace gc::npu {

ExactBoxes::ExactBoxes(scf::ForOp loop, const Machine &machine)
    : loop(loop), indices(machine) {
  for (scf::ForOp at = loop; at; at = at->getParentOfType<scf::ForOp>())
    around.push_back(at);
  std::reverse(around.begin(), around.end());
  for (scf::ForOp at : around)
    addLoop(at);
}

int ExactBoxes::addLoop(scf::ForOp loop) {
  auto [it, isNew] = numbers.try_emplace(loop, int(numbers.size()));
  if (isNew) {
    env.iteration.push_back(0);
    indices.addLoop(loop, it->second);
  }
  return it->second;
}

/// Runs through all iterations of nested loops, as long as the budget lasts
/// and `visit` wants more.
bool ExactBoxes::forEachIteration(ArrayRef<scf::ForOp> loops,
                                  llvm::function_ref<bool()> visit) {
  if (loops.empty())
    return --budget >= 0 && visit();
  IndexFn trips = indices.getTrips(loops.front());
  if (!trips)
    return false;
  int number = addLoop(loops.front());
  for (int64_t i = 0, count = trips(env); i < count; ++i) {
    env.iteration[number] = i;
    if (!forEachIteration(loops.drop_front(), visit))
      return false;
  }
  return true;
}

bool ExactBoxes::evaluate(const BoxAccess &access, Boxes &boxes) {
  SmallVector<scf::ForOp> inside;
  SmallVector<std::pair<Value, bool>> conditions;
  for (Operation *op = access.op; op->getParentOp() != loop.getOperation();
       op = op->getParentOp()) {
    Operation *parent = op->getParentOp();
    if (auto inner = dyn_cast<scf::ForOp>(parent))
      inside.insert(inside.begin(), inner);
    else if (auto branch = dyn_cast<scf::IfOp>(parent))
      conditions.push_back(
          {branch.getCondition(), op->getBlock() == branch.thenBlock()});
    else
      return false;
  }
  for (scf::ForOp inner : inside)
    addLoop(inner);
  // A branch that is not known may be taken.
  SmallVector<std::pair<IndexFn, bool>> taken;
  for (auto [condition, isThen] : conditions)
    if (IndexFn fn = indices.get(condition))
      taken.push_back({fn, isThen});
  IndexFn slot;
  if (access.box.slotIndex && !(slot = indices.get(access.box.slotIndex)))
    return false;
  SmallVector<std::pair<unsigned, IndexFn>> offsets;
  for (auto [dimension, offset] : access.box.offsets) {
    offsets.push_back({dimension, indices.get(offset)});
    if (!offsets.back().second)
      return false;
  }
  auto addBox = [&] {
    for (const auto &[condition, isThen] : taken)
      if ((condition(env) != 0) != isThen)
        return true;
    Box box;
    box.slot = slot ? slot(env) % access.box.slots : 0;
    box.offsets.assign(access.box.getRank(), 0);
    for (const auto &[dimension, offset] : offsets)
      box.offsets[dimension] += offset(env);
    boxes.back().push_back(std::move(box));
    return true;
  };
  ArrayRef<scf::ForOp> outside = ArrayRef(around).drop_back();
  std::vector<size_t> starts;
  bool isKnown = forEachIteration(outside, [&] {
    starts.push_back(boxes.size());
    return forEachIteration(ArrayRef(around).take_back(), [&] {
      boxes.emplace_back();
      return forEachIteration(inside, addBox);
    });
  });
  starts.push_back(boxes.size());
  rounds = std::move(starts);
  return isKnown;
}

const ExactBoxes::Boxes *ExactBoxes::get(const BoxAccess &access) {
  auto it = known.find(&access);
  if (it == known.end()) {
    Boxes boxes;
    std::optional<Boxes> result;
    if (access.box.root && evaluate(access, boxes))
      result = std::move(boxes);
    it = known.try_emplace(&access, std::move(result)).first;
  }
  return it->second ? &*it->second : nullptr;
}

bool ExactBoxes::meet(const BoxAccess &one, const std::vector<Box> &first,
                      const BoxAccess &other, const std::vector<Box> &second) {
  pairs -= static_cast<int64_t>(first.size() * second.size());
  if (pairs < 0)
    return true;
  for (const Box &a : first)
    for (const Box &b : second) {
      bool isApart =
          one.box.slotIndex && other.box.slotIndex && a.slot != b.slot;
      for (size_t i = 0; !isApart && i < a.offsets.size(); ++i)
        isApart = a.offsets[i] - b.offsets[i] >= other.box.getSize(i) ||
                  b.offsets[i] - a.offsets[i] >= one.box.getSize(i);
      if (!isApart)
        return true;
    }
  return false;
}

bool ExactBoxes::areApart(const BoxAccess &one, const BoxAccess &other,
                          int64_t shift) {
  if (one.box.root != other.box.root ||
      one.box.getRank() != other.box.getRank())
    return false;
  // The second may move what the first gave.
  if (!get(one) || !get(other))
    return false;
  const Boxes &first = *get(one), &second = *get(other);
  for (size_t round = 0; round + 1 < rounds.size(); ++round)
    for (size_t i = rounds[round]; i + shift < rounds[round + 1]; ++i)
      if (meet(one, first[i + shift], other, second[i]))
        return false;
  return true;
}

bool ExactBoxes::areApartFromEarlier(const BoxAccess &one, ExactBoxes &others,
                                     const BoxAccess &other) {
  if (one.box.root != other.box.root ||
      one.box.getRank() != other.box.getRank() || !get(one) ||
      !others.get(other))
    return false;
  const Boxes &first = *get(one), &second = *others.get(other);
  for (size_t round = 0; round + 1 < rounds.size(); ++round)
    for (size_t i = rounds[round]; i < rounds[round + 1]; ++i)
      for (size_t j = others.rounds[round];
           j < others.rounds[round + 1] &&
           j - others.rounds[round] < i - rounds[round];
           ++j)
        if (meet(one, first[i], other, second[j]))
          return false;
  return true;
}

} // namespace gc::npu
