// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which kernels that compute a factor of a contraction become part of its
// kernel.

#ifndef GC_LIB_CONVERSION_GRAPHTOPOLY_FUSEPRODUCERS_H
#define GC_LIB_CONVERSION_GRAPHTOPOLY_FUSEPRODUCERS_H

#include "Conversion/Passes.h"
#include "KernelCutter.h"

namespace gc::graph {

/// Merges elementwise kernels whose results only a contraction multiplies with
/// the kernel of that. A remark says what was decided and why. Keeps the order
/// of kernels.
void fuseProducers(mlir::func::FuncOp function,
                   llvm::SmallVectorImpl<Kernel> &kernels, ProducerFusion when);

} // namespace gc::graph

#endif // GC_LIB_CONVERSION_GRAPHTOPOLY_FUSEPRODUCERS_H
