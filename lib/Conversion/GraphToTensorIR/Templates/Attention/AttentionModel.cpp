// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "AttentionEmission.h"
#include "Conversion/GraphToTensorIR/GraphToTensorIR.h"
#include "Templates/Templates.h"

using namespace mlir;
using namespace gc::graph;

namespace gc {

namespace {
struct AttentionModel
    : TemplateEmissionAttrInterface::ExternalModel<AttentionModel,
                                                   AttentionTemplateAttr> {
  LogicalResult emitTemplate(Attribute, Operation *op,
                             RegionEmitter &emitter) const {
    return AttentionEmission(emitter, cast<AttentionOp>(op)).emit();
  }
};
} // namespace

void attachAttentionEmission(MLIRContext *context) {
  AttentionTemplateAttr::attachInterface<AttentionModel>(*context);
}

} // namespace gc
