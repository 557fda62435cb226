// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Auto Tiling of two contractions in one nest.

#ifndef GC_LIB_DIALECT_POLY_TRANSFORMS_CHAINTILE_H
#define GC_LIB_DIALECT_POLY_TRANSFORMS_CHAINTILE_H

#include "Policy.h"
#include "TileModel.h"

namespace gc::poly {

/// Rows of two contractions in one nest, of which `member` is the second: as
/// many as fit beside all columns of the first one, which are its terms. Fails,
/// with an error, if 16 do not fit.
mlir::FailureOr<StatementPolicy> tileChain(const isl::Ctx &ctx, ScopOp scop,
                                           const npu::Machine &machine,
                                           const TileModel::Member &member);

} // namespace gc::poly

#endif // GC_LIB_DIALECT_POLY_TRANSFORMS_CHAINTILE_H
