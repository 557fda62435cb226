// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Attaches what the conversion adds to graph ops and templates.

#include "EmissionModels.h"
#include "Conversion/GraphToTensorIR/GraphToTensorIR.h"
#include "CpuSupport.h"
#include "Dialect/Graph/IR/GraphOps.h"
#include "Templates/Templates.h"

using namespace mlir;
using namespace gc::graph;

#include "Conversion/GraphToTensorIR/EmissionAttrInterfaces.cpp.inc"
#include "Conversion/GraphToTensorIR/EmissionInterfaces.cpp.inc"

namespace gc {

void registerGraphEmissionModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, GraphDialect *dialect) {
#define GC_ATTACH_EMISSION(NAME) attach##NAME##Emission(context);
    GC_FOR_EACH_EMITTED_TEMPLATE(GC_ATTACH_EMISSION)
#undef GC_ATTACH_EMISSION
    attachElementwiseModels(context);
    dialect->addTarget(createCpuSupport());
  });
}

} // namespace gc
