// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TilePipeline.h"
#include "llvm/ADT/SmallVector.h"

#include <algorithm>
#include <limits>

using namespace gc::poly;

namespace {
constexpr double kNever = std::numeric_limits<double>::infinity();

/// A queue of transfers: the one at its head has some cycles left.
struct Queue {
  int64_t next = 0;
  double left = 0;
};

/// Goes from one beginning or end of a transfer to the next.
class Simulation {
public:
  Simulation(const TilePipeline &pipeline, int64_t tiles)
      : pipeline(pipeline), tiles(tiles), loaded(tiles, kNever),
        computed(tiles, kNever), stored(tiles, kNever) {
    loads.left = pipeline.load;
    stores.left = pipeline.store;
  }

  double run() {
    while (stores.next < tiles) {
      compute();
      step(getLoadStart(), getStoreStart());
    }
    return stored.back();
  }

private:
  /// Of tiles whose inputs are visible and whose results have room.
  void compute();
  /// When the next transfer of a queue may begin.
  double getLoadStart() const;
  double getStoreStart() const;
  void step(double load, double store);
  void advance(Queue &queue, double cycles, double whole,
               llvm::SmallVectorImpl<double> &visible);

  const TilePipeline &pipeline;
  int64_t tiles;
  Queue loads, stores;
  int64_t next = 0;
  double now = 0;
  /// When a tile's inputs are visible, when it is computed, when its results
  /// are visible.
  llvm::SmallVector<double, 64> loaded, computed, stored;
};
} // namespace

void Simulation::compute() {
  int64_t slots = pipeline.slots;
  for (; next < tiles; ++next) {
    // The first wait is for all loads that are issued before it.
    bool isLate = next == 0 && slots > 1 && tiles >= slots;
    double start = loaded[isLate ? slots - 2 : next];
    if (next > 0)
      start = std::max(start, computed[next - 1]);
    if (next >= slots)
      start = std::max(start, stored[next - slots]);
    if (start == kNever)
      return;
    computed[next] = start + pipeline.vector;
  }
}

double Simulation::getLoadStart() const {
  if (loads.next == tiles)
    return kNever;
  if (loads.next < pipeline.slots)
    return 0;
  int64_t last = loads.next - pipeline.slots;
  return pipeline.isInPlace ? stored[last] : computed[last];
}

double Simulation::getStoreStart() const {
  if (stores.next == tiles)
    return kNever;
  double start = computed[stores.next];
  return pipeline.isSerial && stores.next > 0
             ? std::max(start, stored[stores.next - 1])
             : start;
}

void Simulation::advance(Queue &queue, double cycles, double whole,
                         llvm::SmallVectorImpl<double> &visible) {
  queue.left -= cycles;
  if (queue.left > 1e-3)
    return;
  visible[queue.next++] = now + pipeline.latency;
  queue.left = whole;
}

void Simulation::step(double load, double store) {
  bool isLoading = load <= now, isStoring = store <= now;
  if (!isLoading && !isStoring) {
    now = std::min(load, store);
    return;
  }
  double rate = isLoading && isStoring ? 0.5 : 1;
  double end = std::min(isLoading ? now + loads.left / rate : load,
                        isStoring ? now + stores.left / rate : store);
  double cycles = (end - now) * rate;
  now = end;
  if (isLoading)
    advance(loads, cycles, pipeline.load, loaded);
  if (isStoring)
    advance(stores, cycles, pipeline.store, stored);
}

double TilePipeline::getCycles() const {
  // After some tiles each one takes as long as the others.
  constexpr int64_t kMost = 32;
  if (tiles <= kMost)
    return Simulation(*this, tiles).run();
  double whole = Simulation(*this, kMost).run();
  double half = Simulation(*this, kMost / 2).run();
  return whole + double(tiles - kMost) * (whole - half) / (kMost / 2);
}
