// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Lowering of graphs to Tensor IR: the interfaces through which ops take part
// in it.

#ifndef GC_CONVERSION_GRAPHTOTENSORIR_GRAPHTOTENSORIR_H
#define GC_CONVERSION_GRAPHTOTENSORIR_GRAPHTOTENSORIR_H

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Attributes.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/OpDefinition.h"

#include <optional>

namespace gc {
class RegionEmitter;
} // namespace gc

#include "Conversion/GraphToTensorIR/EmissionAttrInterfaces.h.inc"
#include "Conversion/GraphToTensorIR/EmissionInterfaces.h.inc"

namespace gc {

/// Attaches the emission of fusible ops and templates to the graph ops.
void registerGraphEmissionModels(mlir::DialectRegistry &registry);

} // namespace gc

#endif // GC_CONVERSION_GRAPHTOTENSORIR_GRAPHTOTENSORIR_H
