// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The templates that can be emitted, one function each.

#ifndef GC_LIB_CONVERSION_GRAPHTOTENSORIR_TEMPLATES_H
#define GC_LIB_CONVERSION_GRAPHTOTENSORIR_TEMPLATES_H

namespace mlir {
class MLIRContext;
} // namespace mlir

namespace gc {

void attachAttentionEmission(mlir::MLIRContext *context);
void attachGatherEmission(mlir::MLIRContext *context);
void attachMatmulEmission(mlir::MLIRContext *context);

} // namespace gc

#endif // GC_LIB_CONVERSION_GRAPHTOTENSORIR_TEMPLATES_H
