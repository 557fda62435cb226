// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tiles of the same sizes for every kernel, to compare Auto Tiling with.

#ifndef GC_LIB_DIALECT_POLY_TRANSFORMS_FIXEDTILE_H
#define GC_LIB_DIALECT_POLY_TRANSFORMS_FIXEDTILE_H

#include "Clusters.h"
#include "NpuModel/Machine.h"
#include "Policy.h"

namespace gc::poly {

/// Adds sizes for the live-out clusters that the policy says nothing about: 128
/// rows, 128 columns and 64 terms of a product, 4 KiB of what the vector unit
/// computes. Clusters with two products, and sums that the cube unit computes,
/// get none: what fits there depends on the kernel. Fails, with an error, if
/// the clusters cannot be found.
llvm::LogicalResult addFixedSizes(const isl::Ctx &ctx, ScopOp scop,
                                  const npu::Machine &machine, Policy &policy);

} // namespace gc::poly

#endif // GC_LIB_DIALECT_POLY_TRANSFORMS_FIXEDTILE_H
