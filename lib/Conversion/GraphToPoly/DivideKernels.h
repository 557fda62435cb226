// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Kernels that compute and store what they reduce, and do not fit.

#ifndef GC_LIB_CONVERSION_GRAPHTOPOLY_DIVIDEKERNELS_H
#define GC_LIB_CONVERSION_GRAPHTOPOLY_DIVIDEKERNELS_H

#include "KernelCutter.h"

namespace gc::graph {

/// Makes two kernels of one whose tiles do not fit the core: one of what it
/// stores before its reductions, and one that loads that. A remark says why.
/// Keeps the order of kernels.
mlir::LogicalResult divideKernels(mlir::func::FuncOp function,
                                  llvm::SmallVectorImpl<Kernel> &kernels);

} // namespace gc::graph

#endif // GC_LIB_CONVERSION_GRAPHTOPOLY_DIVIDEKERNELS_H
