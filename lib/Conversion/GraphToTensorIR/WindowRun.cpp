// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "WindowRun.h"

using namespace mlir;
using namespace gc::graph;

namespace gc {

bool WindowRun::isFull() const {
  return llvm::all_of(lanes, [](auto lane) { return lane.has_value(); });
}

std::optional<WindowRun> getWindowRun(const Access &access,
                                      const Position &position) {
  if (!access.gaps || !access.isScattered(position))
    return std::nullopt;
  RankedTensorType type = access.buffer.type;
  int64_t dropped = access.map.getNumResults() - type.getRank();
  std::optional<size_t> result;
  for (auto [i, expr] : llvm::enumerate(access.map.getResults()))
    if (expr.isFunctionOfDim(position.vectorDim)) {
      if (result || !access.gaps->spacing[i])
        return std::nullopt;
      result = i;
    }
  WindowRun run;
  run.dim = static_cast<int64_t>(*result) - dropped;
  int64_t size = type.getDimSize(run.dim);
  if (getContiguousRun(type, run.dim) < size)
    return std::nullopt;
  std::optional<Coord> first;
  int64_t least = 0, most = 0;
  for (int64_t lane = 0; lane < position.lanes; ++lane) {
    Position at = position.shifted(position.vectorDim, Coord(lane));
    auto known = access.evaluate(*result, at)
                     .divideExactly(access.gaps->spacing[*result]);
    if (!known)
      return std::nullopt;
    auto [index, rest] = *known;
    bool isBefore = index.getMax() < 0, isAfter = index.getMin() >= size;
    if (access.gaps->fill && (rest != 0 || isBefore || isAfter)) {
      run.lanes.push_back(std::nullopt);
      continue;
    }
    if (isBefore || isAfter)
      index = Coord(isBefore ? 0 : size - 1);
    if (index.getMin() < 0 || index.getMax() >= size)
      return std::nullopt;
    if (!first)
      first = index;
    std::optional<int64_t> distance = index.getDistance(*first);
    if (!distance)
      return std::nullopt;
    least = std::min(least, *distance);
    most = std::max(most, *distance);
    run.lanes.push_back(distance);
  }
  if (!first)
    return run;
  run.length = most - least + 1;
  if (run.length > 2 * position.lanes)
    return std::nullopt;
  run.first = *first + Coord(least);
  for (std::optional<int64_t> &lane : run.lanes)
    if (lane)
      *lane -= least;
  return run;
}

} // namespace gc
