// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Auto Tiling of convolutions.

#ifndef GC_LIB_DIALECT_POLY_TRANSFORMS_CONVTILE_H
#define GC_LIB_DIALECT_POLY_TRANSFORMS_CONVTILE_H

#include "Policy.h"
#include "TileModel.h"

namespace gc::poly {

/// Sizes with the fewest cycles for the statement with img2col that is member
/// `update` of the model's cluster, and these cycles. Fails, with an error, if
/// none fit.
mlir::FailureOr<StatementPolicy> tileConvolution(const TileModel &model,
                                                 const npu::Machine &machine,
                                                 size_t update, double &cycles);

} // namespace gc::poly

#endif // GC_LIB_DIALECT_POLY_TRANSFORMS_CONVTILE_H
