// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Auto Tiling: tile sizes from exact buffer use and the machine's cycles.

#ifndef GC_DIALECT_POLY_TRANSFORMS_AUTOTILE_H
#define GC_DIALECT_POLY_TRANSFORMS_AUTOTILE_H

#include "Clusters.h"
#include "NpuModel/Machine.h"
#include "Policy.h"

namespace gc::poly {

/// Adds sizes for the live-out clusters that the policy says nothing about, and
/// gives the cycles that they are expected to take. Each of the scop's cores
/// has its share of the machine's global memory. Fails, with an error that
/// names the largest array, if no tile fits.
llvm::FailureOr<double> completePolicy(const isl::Ctx &ctx, ScopOp scop,
                                       const npu::Machine &machine,
                                       Policy &policy);

} // namespace gc::poly

#endif // GC_DIALECT_POLY_TRANSFORMS_AUTOTILE_H
