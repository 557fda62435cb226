// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Program time: when ops of a function begin and end, and stretches of it, for
// the passes that place buffers by their lifetimes.

#ifndef GC_SUPPORT_OPCLOCK_H
#define GC_SUPPORT_OPCLOCK_H

#include "mlir/IR/Operation.h"

#include <algorithm>
#include <limits>

namespace gc {

/// A stretch of program time in numbers of ops, both ends included. Empty at
/// first; an empty one overlaps with none.
struct Interval {
  int64_t first = std::numeric_limits<int64_t>::max(), last = -1;

  bool isEmpty() const { return last < first; }
  bool overlaps(const Interval &other) const {
    return first <= other.last && other.first <= last;
  }
  bool contains(const Interval &other) const {
    return first <= other.first && other.last <= last;
  }
  /// Widens it to the smallest stretch that also contains `other`.
  void add(const Interval &other) {
    first = std::min(first, other.first);
    last = std::max(last, other.last);
  }
};

/// Numbers of the ops of a region in the order in which they begin and end: an
/// op with regions begins before the ops in them and ends after them.
class OpClock {
public:
  explicit OpClock(mlir::Region &region) { number(region); }

  Interval get(mlir::Operation *op) const { return times.lookup(op); }

private:
  void number(mlir::Region &region);

  int64_t now = 0;
  llvm::DenseMap<mlir::Operation *, Interval> times;
};

} // namespace gc

#endif // GC_SUPPORT_OPCLOCK_H
