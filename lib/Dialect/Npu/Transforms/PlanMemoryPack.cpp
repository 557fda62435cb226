// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Places the buffers of one space. Finding the optimal placement is NP-hard;
// trying a few orders, each repaired by moving what did not fit to the front,
// is as good in practice.

#include "MemoryPlan.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace gc::npu {

namespace {

class Packer {
public:
  Packer(ArrayRef<const PlannedBuffer *> buffers, int64_t capacity,
         int64_t alignment)
      : buffers(buffers), capacity(capacity), alignment(alignment) {}

  Packing pack(Sharing sharing) {
    size_t count = buffers.size();
    conflicts.assign(count, llvm::BitVector(count));
    for (size_t i = 0; i < count; ++i)
      for (size_t j = 0; j < i; ++j)
        if (!mayShare(*buffers[i], *buffers[j], sharing)) {
          conflicts[i].set(j);
          conflicts[j].set(i);
        }
    Packing best;
    best.sharing = sharing;
    best.bytes = std::numeric_limits<int64_t>::max();
    for (auto isBefore : {bySize, byArea, byStart, byDuration}) {
      SmallVector<size_t> order = getOrder(isBefore);
      // Buffers that found no place come first next time.
      for (size_t attempt = 0; attempt <= std::min<size_t>(count, 32);
           ++attempt) {
        Packing packing;
        packing.sharing = sharing;
        std::optional<size_t> tooHigh = place(order, packing);
        if (packing.bytes < best.bytes)
          best = packing;
        if (best.fits)
          return best;
        if (!tooHigh || *tooHigh == 0)
          break;
        std::rotate(order.begin(), order.begin() + *tooHigh,
                    order.begin() + *tooHigh + 1);
      }
    }
    return best;
  }

private:
  using Before = bool (*)(const PlannedBuffer &, const PlannedBuffer &);

  static int64_t getDuration(const PlannedBuffer &buffer) {
    const Interval &life = buffer.lifetime;
    return life.isEmpty() ? 0 : life.last - life.first + 1;
  }
  static int64_t getStart(const PlannedBuffer &buffer) {
    return buffer.lifetime.isEmpty() ? 0 : buffer.lifetime.first;
  }
  static bool bySize(const PlannedBuffer &a, const PlannedBuffer &b) {
    return a.getBytes() > b.getBytes();
  }
  static bool byArea(const PlannedBuffer &a, const PlannedBuffer &b) {
    return a.getBytes() * getDuration(a) > b.getBytes() * getDuration(b);
  }
  static bool byStart(const PlannedBuffer &a, const PlannedBuffer &b) {
    return getStart(a) < getStart(b);
  }
  static bool byDuration(const PlannedBuffer &a, const PlannedBuffer &b) {
    return getDuration(a) > getDuration(b);
  }

  SmallVector<size_t> getOrder(Before isBefore) const {
    SmallVector<size_t> order;
    for (size_t i = 0; i < buffers.size(); ++i)
      if (!buffers[i]->fixed)
        order.push_back(i);
    llvm::sort(order, [&](size_t a, size_t b) {
      if (isBefore(*buffers[a], *buffers[b]))
        return true;
      return a < b && !isBefore(*buffers[b], *buffers[a]);
    });
    return order;
  }

  /// Gives each buffer of the order the smallest gap that holds it among those
  /// placed before. Returns the first position whose buffer ends too high.
  std::optional<size_t> place(ArrayRef<size_t> order, Packing &packing) const {
    SmallVector<int64_t> &offsets = packing.offsets;
    offsets.assign(buffers.size(), 0);
    llvm::BitVector placed(buffers.size());
    for (auto [i, buffer] : llvm::enumerate(buffers))
      if (buffer->fixed) {
        offsets[i] = buffer->offset;
        placed.set(i);
        packing.bytes = std::max(packing.bytes, buffer->getEnd());
      }
    std::optional<size_t> tooHigh;
    for (auto [position, i] : llvm::enumerate(order)) {
      offsets[i] = findGap(i, placed, offsets);
      placed.set(i);
      int64_t end = offsets[i] + buffers[i]->getBytes();
      packing.bytes = std::max(packing.bytes, end);
      if (end > capacity && !tooHigh)
        tooHigh = position;
    }
    packing.fits = packing.bytes <= capacity;
    return tooHigh;
  }

  int64_t findGap(size_t current, const llvm::BitVector &placed,
                  ArrayRef<int64_t> offsets) const {
    SmallVector<std::pair<int64_t, int64_t>> taken;
    llvm::BitVector others = conflicts[current];
    others &= placed;
    for (unsigned i : others.set_bits())
      taken.push_back({offsets[i], offsets[i] + buffers[i]->getBytes()});
    llvm::sort(taken);
    int64_t bytes = buffers[current]->getBytes(), free = 0, best = -1,
            bestGap = std::numeric_limits<int64_t>::max();
    for (auto [begin, end] : taken) {
      int64_t gap = begin - free;
      if (gap >= bytes && gap < bestGap) {
        best = free;
        bestGap = gap;
      }
      free = std::max<int64_t>(free, llvm::alignTo(end, alignment));
    }
    return best >= 0 ? best : free;
  }

  ArrayRef<const PlannedBuffer *> buffers;
  int64_t capacity, alignment;
  /// Pairs that must not have bytes in common.
  SmallVector<llvm::BitVector> conflicts;
};

} // namespace

Packing packBuffers(ArrayRef<const PlannedBuffer *> buffers, int64_t capacity,
                    int64_t alignment, Sharing limit) {
  Packer packer(buffers, capacity, alignment);
  Packing packing;
  for (Sharing sharing :
       {Sharing::none, Sharing::samePipe, Sharing::phases, Sharing::any}) {
    packing = packer.pack(sharing);
    if (packing.fits || sharing == limit)
      break;
  }
  return packing;
}

} // namespace gc::npu
