// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef GC_CONVERSION_TOGRAPH_VIEWS_H
#define GC_CONVERSION_TOGRAPH_VIEWS_H

#include "Conversion/ToGraph/GraphBuilder.h"

namespace gc {

/// The box of `sizes` elements that begins at `offsets` of a tensor and takes
/// every stride-th one; `fill` where it is outside the tensor.
mlir::FailureOr<mlir::Value> buildBox(GraphBuilder &builder, mlir::Value value,
                                      llvm::ArrayRef<int64_t> offsets,
                                      llvm::ArrayRef<int64_t> sizes,
                                      llvm::ArrayRef<int64_t> strides,
                                      double fill);

/// The tensor surrounded by elements `fill`: `low` before and `high` after it
/// in each dimension.
mlir::FailureOr<mlir::Value> buildPad(GraphBuilder &builder, mlir::Value value,
                                      llvm::ArrayRef<int64_t> low,
                                      llvm::ArrayRef<int64_t> high,
                                      double fill);

} // namespace gc

#endif // GC_CONVERSION_TOGRAPH_VIEWS_H
