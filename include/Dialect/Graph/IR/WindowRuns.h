// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The columns of a window folded with the channels: if neighbouring columns are
// neighbours in the image, the columns of one row of the window are contiguous
// with their channels, and are reduced as one row of a matrix. At the borders
// of the image such rows are shorter.

#ifndef GC_DIALECT_GRAPH_IR_WINDOWRUNS_H
#define GC_DIALECT_GRAPH_IR_WINDOWRUNS_H

#include "Dialect/Graph/IR/GraphAttrs.h"
#include "mlir/IR/BuiltinTypes.h"

namespace gc::graph {

/// Neighbouring positions of a line (the last spatial dimension) at which the
/// same columns of the window, at least one, are inside the image.
struct WindowRun {
  int64_t position, length;
  int64_t column, columns;
};

/// Whether the columns of a window can be folded with the channels: there are
/// several, each the neighbour of the previous one, with all of its channels.
bool isFoldable(WindowAttr window);

/// Whether the channels of an image [n, x..., c] follow those of the previous
/// pixel of a line.
bool hasAdjacentPixels(mlir::RankedTensorType image);

/// The runs of a line of an image [n, x..., c] of static shape, in order.
llvm::SmallVector<WindowRun> getWindowRuns(WindowAttr window,
                                           llvm::ArrayRef<int64_t> image);

/// Whether a template with blocks of this many rows of the weights folds the
/// columns of a window with its `channels`.
bool isFolded(WindowAttr window, int64_t channels, int64_t block);

} // namespace gc::graph

#endif // GC_DIALECT_GRAPH_IR_WINDOWRUNS_H
