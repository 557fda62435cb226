// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The diagnostics for buffers that do not fit into their space.

#include "PlanMemoryOverflow.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace gc::npu {

namespace {

class Overflow {
public:
  Overflow(ArrayRef<const PlannedBuffer *> buffers, int64_t capacity,
           int64_t alignment)
      : buffers(buffers), capacity(capacity), alignment(alignment) {}

  void emit(int64_t needed) {
    findBlamed();
    const PlannedBuffer &largest = *blamed;
    StringRef space = stringifyMemorySpace(largest.space);
    InFlightDiagnostic error = AllocOp(largest.alloc).emitOpError();
    error << getBufferText(largest) << " does not fit into " << space << ": ";
    if (alive.size() == 1)
      error << "it needs " << needed << " bytes";
    else
      error << "with what is alive at the same time it needs " << needed
            << " bytes";
    error << ", and there are " << capacity;
    describeTile(error);
    for (const PlannedBuffer *other : alive)
      if (other != blamed)
        error.attachNote(AllocOp(other->alloc).getLoc())
            << "alive at the same time: " << getBufferText(*other) << ", "
            << other->getBytes() << " bytes";
  }

private:
  /// Finds what is alive when the most bytes are needed, and the largest of the
  /// buffers that the planner may place then.
  void findBlamed() {
    alive = findPeak(buffers).alive;
    auto isBetter = [&](const PlannedBuffer *buffer) {
      return !blamed || (blamed->fixed && !buffer->fixed) ||
             (blamed->fixed == buffer->fixed &&
              buffer->getBytes() > blamed->getBytes());
    };
    for (const PlannedBuffer *buffer : alive)
      if (isBetter(buffer))
        blamed = buffer;
  }

  /// The dimension that a tile size would change: the first that is not 1.
  static std::optional<unsigned> getTileDimension(const PlannedBuffer &buffer) {
    for (auto [i, size] : llvm::enumerate(buffer.getType().getShape()))
      if (size > 1)
        return i;
    return std::nullopt;
  }

  static int64_t getTileSize(const PlannedBuffer &buffer) {
    std::optional<unsigned> dimension = getTileDimension(buffer);
    return dimension ? buffer.getType().getDimSize(*dimension) : 1;
  }

  /// Whether a change of the tile size would change `buffer` as well as the
  /// largest: it is in the same loop and as long.
  bool isOfTile(const PlannedBuffer &buffer) const {
    return &buffer == blamed ||
           (!buffer.fixed && getTileSize(buffer) == getTileSize(*blamed) &&
            (buffer.loops.empty() || buffer.sharesLoopWith(*blamed)));
  }

  bool fitsWith(int64_t size) const {
    SmallVector<PlannedBuffer> scaled;
    for (const PlannedBuffer *buffer : buffers) {
      scaled.push_back(*buffer);
      if (isOfTile(*buffer))
        scaled.back().slotBytes = llvm::alignTo(*getExtent(buffer->getType()) /
                                                    getTileSize(*buffer) * size,
                                                alignment);
    }
    SmallVector<const PlannedBuffer *> pointers;
    for (const PlannedBuffer &buffer : scaled)
      pointers.push_back(&buffer);
    return packBuffers(pointers, capacity, alignment, Sharing::any).fits;
  }

  void describeTile(InFlightDiagnostic &error) const {
    std::optional<unsigned> dimension = getTileDimension(*blamed);
    if (!dimension || blamed->fixed)
      return;
    int64_t fits = 0, tooLarge = getTileSize(*blamed);
    while (tooLarge - fits > 1) {
      int64_t middle = (fits + tooLarge) / 2;
      (fitsWith(middle) ? fits : tooLarge) = middle;
    }
    int64_t others = llvm::count_if(buffers,
                                    [&](const PlannedBuffer *buffer) {
                                      return isOfTile(*buffer);
                                    }) -
                     1;
    if (fits == 0) {
      error << "; no size of dimension " << *dimension << " would fit";
      return;
    }
    error << "; with " << fits << " instead of " << getTileSize(*blamed)
          << " in dimension " << *dimension;
    if (others)
      error << " of it and of " << others
            << (others == 1 ? " other" : " others");
    error << " all would fit";
  }

  ArrayRef<const PlannedBuffer *> buffers;
  int64_t capacity, alignment;
  SmallVector<const PlannedBuffer *> alive;
  const PlannedBuffer *blamed = nullptr;
};

} // namespace

void emitOverflow(ArrayRef<const PlannedBuffer *> buffers, int64_t capacity,
                  int64_t alignment, int64_t needed) {
  Overflow(buffers, capacity, alignment).emit(needed);
}

} // namespace gc::npu
