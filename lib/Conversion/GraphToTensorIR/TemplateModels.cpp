// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which graph ops have a template here.

#include "Conversion/GraphToTensorIR/GraphToTensorIR.h"
#include "EmissionModels.h"
#include "Templates/Attention/AttentionEmission.h"
#include "Templates/Matmul/MatmulEmission.h"

using namespace mlir;
using namespace gc::graph;

#include "Conversion/GraphToTensorIR/EmissionInterfaces.cpp.inc"

namespace gc {

namespace {
struct AttentionModel
    : TemplateEmissionOpInterface::ExternalModel<AttentionModel, AttentionOp> {
  LogicalResult emitTemplate(Operation *op, RegionEmitter &emitter) const {
    return AttentionEmission(emitter, cast<AttentionOp>(op)).emit();
  }
};

struct MatmulModel
    : TemplateEmissionOpInterface::ExternalModel<MatmulModel, MatmulOp> {
  LogicalResult emitTemplate(Operation *op, RegionEmitter &emitter) const {
    return MatmulEmission(emitter, cast<MatmulOp>(op)).emit();
  }
};
} // namespace

void registerGraphEmissionModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, GraphDialect *) {
    AttentionOp::attachInterface<AttentionModel>(*context);
    MatmulOp::attachInterface<MatmulModel>(*context);
    attachElementwiseModels(context);
  });
}

} // namespace gc
