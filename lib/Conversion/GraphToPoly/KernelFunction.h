// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Kernels of a graph as functions.

#ifndef GC_LIB_CONVERSION_GRAPHTOPOLY_KERNELFUNCTION_H
#define GC_LIB_CONVERSION_GRAPHTOPOLY_KERNELFUNCTION_H

#include "Dialect/Poly/Transforms/KernelPrice.h"
#include "KernelCutter.h"

namespace gc::graph {

/// What other kernels read or the function returns. Only what is returned has
/// the shape that reshapes give it.
llvm::SmallVector<mlir::Value> getKernelResults(mlir::func::FuncOp function,
                                                const Kernel &kernel);

/// The function of a kernel, which has no parent, and what it has to be called
/// with.
mlir::func::FuncOp buildKernel(mlir::func::FuncOp function,
                               llvm::StringRef name, const Kernel &kernel,
                               llvm::ArrayRef<mlir::Value> results,
                               llvm::SmallVectorImpl<mlir::Value> &arguments);

/// Cycles of a kernel of the function, or why it cannot be had.
poly::KernelPrice priceKernel(mlir::func::FuncOp function,
                              const Kernel &kernel);

} // namespace gc::graph

#endif // GC_LIB_CONVERSION_GRAPHTOPOLY_KERNELFUNCTION_H
