// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Conversion/GraphToTensorIR/GraphToTensorIR.h"
#include "MatmulEmission.h"
#include "Templates/Templates.h"

using namespace mlir;
using namespace gc::graph;

namespace gc {

namespace {
struct MatmulModel
    : TemplateEmissionAttrInterface::ExternalModel<MatmulModel,
                                                   MatmulTemplateAttr> {
  LogicalResult emitTemplate(Attribute, Operation *op,
                             RegionEmitter &emitter) const {
    return MatmulEmission(emitter, cast<MatmulOp>(op)).emit();
  }
};
} // namespace

void attachMatmulEmission(MLIRContext *context) {
  MatmulTemplateAttr::attachInterface<MatmulModel>(*context);
}

} // namespace gc
