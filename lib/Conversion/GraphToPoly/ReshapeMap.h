// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef GC_CONVERSION_GRAPHTOPOLY_RESHAPEMAP_H
#define GC_CONVERSION_GRAPHTOPOLY_RESHAPEMAP_H

#include "mlir/IR/AffineMap.h"

namespace gc {

/// From indices of a tensor of shape `to` to those of the same element, in
/// row-major order, of a tensor of shape `from`; both are static and not empty.
/// Runs of dimensions with equal products are taken apart, so that most indices
/// remain dimensions.
mlir::AffineMap getReshapeMap(llvm::ArrayRef<int64_t> from,
                              llvm::ArrayRef<int64_t> to,
                              mlir::MLIRContext *context);

} // namespace gc

#endif // GC_CONVERSION_GRAPHTOPOLY_RESHAPEMAP_H
