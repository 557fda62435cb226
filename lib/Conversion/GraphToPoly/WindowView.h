// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef GC_LIB_CONVERSION_GRAPHTOPOLY_WINDOWVIEW_H
#define GC_LIB_CONVERSION_GRAPHTOPOLY_WINDOWVIEW_H

#include "Dialect/Graph/IR/GraphOps.h"

namespace gc {

/// A tensor in another shape, with a dimension for the windows and one for the
/// elements of a window, for each dimension along which there are windows.
struct WindowView {
  llvm::SmallVector<int64_t> shape;
  /// From the op's space to indices of the view.
  mlir::AffineMap map;
};

/// The view that an op gives of operand 0, if its windows have each element
/// once, for reductions only. Nothing for other ops.
std::optional<WindowView> getWindowView(mlir::Operation *op);

} // namespace gc

#endif // GC_LIB_CONVERSION_GRAPHTOPOLY_WINDOWVIEW_H
