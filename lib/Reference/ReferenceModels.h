// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Attaching the reference's models, one function per family of ops.

#ifndef GC_LIB_REFERENCE_REFERENCEMODELS_H
#define GC_LIB_REFERENCE_REFERENCEMODELS_H

namespace mlir {
class MLIRContext;
}

namespace gc::reference {

void attachAttentionModel(mlir::MLIRContext *context);
void attachBackwardModels(mlir::MLIRContext *context);
void attachConvolutionModel(mlir::MLIRContext *context);
void attachDataMovementModels(mlir::MLIRContext *context);
void attachElementwiseModels(mlir::MLIRContext *context);
void attachInterpolateModels(mlir::MLIRContext *context);
void attachMatmulModel(mlir::MLIRContext *context);
void attachNormBackwardModels(mlir::MLIRContext *context);
void attachNormModels(mlir::MLIRContext *context);
void attachRandomModels(mlir::MLIRContext *context);
void attachReductionModels(mlir::MLIRContext *context);
void attachSelectionModels(mlir::MLIRContext *context);
void attachSoftmaxModels(mlir::MLIRContext *context);
void attachWeightsGradientModels(mlir::MLIRContext *context);
void attachWindowModels(mlir::MLIRContext *context);

} // namespace gc::reference

#endif // GC_LIB_REFERENCE_REFERENCEMODELS_H
