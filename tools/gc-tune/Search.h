// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Exhaustive search: all legal plans of a kernel.
//
// A plan is a size from the grid for each loop that is tiled (Space.h; the
// sizes that Auto Tiling chose are in it) and a value for each choice that the
// passes then have to make. It is legal if all passes take it and the simulator
// runs the program. Plans with the same sizes and choices are one, and so are
// those of both schedules where these are the same.

#ifndef GC_TOOLS_GC_TUNE_SEARCH_H
#define GC_TOOLS_GC_TUNE_SEARCH_H

#include "Measure.h"
#include "Space.h"

namespace gc::tune {

class Search {
public:
  Search(Measurer &measurer, const Space &space, int64_t most)
      : measurer(measurer), space(space), most(most) {}

  /// Visits the plans. False, without having visited all, if there are more
  /// than `most` legal ones.
  bool run(const Attempt &first);

  int64_t countLegal() const { return legal; }
  int64_t countRefused() const { return refused; }
  /// The fastest plan; the first one if none is faster.
  const Attempt &getBest() const { return best; }

private:
  void visitSizes(Point &point);
  void visit(poly::KernelPlan plan);
  bool isFull() const { return legal > most; }

  Measurer &measurer;
  const Space &space;
  int64_t most, legal = 0, refused = 0;
  Attempt best;
};

} // namespace gc::tune

#endif // GC_TOOLS_GC_TUNE_SEARCH_H
