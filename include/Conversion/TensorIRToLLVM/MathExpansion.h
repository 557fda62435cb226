// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Math functions as arithmetic, so that no vector of values is taken apart for
// calls of a library.

#ifndef GC_CONVERSION_TENSORIRTOLLVM_MATHEXPANSION_H
#define GC_CONVERSION_TENSORIRTOLLVM_MATHEXPANSION_H

namespace mlir {
class RewritePatternSet;
} // namespace mlir

namespace gc {

/// Adds patterns that replace ops of the math dialect on f32 scalars and
/// vectors of any rank by arithmetic; f16 and bf16 are computed in f32. What
/// the processor has as an instruction (sqrt, floor, roundeven, fma ...) stays.
void populateMathToArithPatterns(mlir::RewritePatternSet &patterns);

} // namespace gc

#endif // GC_CONVERSION_TENSORIRTOLLVM_MATHEXPANSION_H
