// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Math functions as arithmetic, so that vectors are not split into scalars for
// library calls.

#ifndef GC_CONVERSION_TENSORIRTOLLVM_MATHEXPANSION_H
#define GC_CONVERSION_TENSORIRTOLLVM_MATHEXPANSION_H

namespace mlir {
class RewritePatternSet;
} // namespace mlir

namespace gc {

/// Adds patterns that replace ops of the math dialect on f32 scalars and
/// vectors of any rank with arithmetic; f16 and bf16 are computed in f32. Ops
/// that are an instruction of the processor (sqrt, floor, roundeven, fma ...)
/// stay.
void populateMathToArithPatterns(mlir::RewritePatternSet &patterns);

} // namespace gc

#endif // GC_CONVERSION_TENSORIRTOLLVM_MATHEXPANSION_H
