// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How graph ops join the lowering to Tensor IR.

#ifndef GC_LIB_CONVERSION_GRAPHTOTENSORIR_EMISSIONMODELS_H
#define GC_LIB_CONVERSION_GRAPHTOTENSORIR_EMISSIONMODELS_H

namespace mlir {
class MLIRContext;
} // namespace mlir

namespace gc {

/// Attaches EmissionOpInterface to the elementwise ops that need it.
void attachElementwiseModels(mlir::MLIRContext *context);

} // namespace gc

#endif // GC_LIB_CONVERSION_GRAPHTOTENSORIR_EMISSIONMODELS_H
