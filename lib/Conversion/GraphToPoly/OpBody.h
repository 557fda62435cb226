// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What ops of the graph compute, by their bodies.

#ifndef GC_LIB_CONVERSION_GRAPHTOPOLY_OPBODY_H
#define GC_LIB_CONVERSION_GRAPHTOPOLY_OPBODY_H

#include "Dialect/Graph/IR/GraphOps.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace gc {

/// Whether a single operation on the elements that `op` reads, as f32, is its
/// body, or the combination of a reduction, and passes the test. Dialects arith
/// and math have to be loaded.
bool testBody(mlir::Operation *op,
              llvm::function_ref<bool(mlir::Operation *)> test);

/// The same for an operation of one of the kinds.
template <typename... Kinds>
bool computes(mlir::Operation *op) {
  return testBody(
      op, [](mlir::Operation *body) { return mlir::isa<Kinds...>(body); });
}

/// Whether `op`, which may be null, converts elements to another type.
bool isConversion(mlir::Operation *op);
/// Whether `op` is a reduction whose results are some of the elements.
bool isExtremum(mlir::Operation *op);
/// Whether `op` is a reduction that adds up elements.
bool isSum(mlir::Operation *op);

/// Whether the factors of a product in f32 are only widened from f16, which the
/// cube unit does itself.
bool narrowsFactors(graph::ContractionOpInterface op);
/// If so, multiplies the f16 instead, and erases conversions without a use.
void narrowFactors(graph::ContractionOpInterface op);

} // namespace gc

#endif // GC_LIB_CONVERSION_GRAPHTOPOLY_OPBODY_H
