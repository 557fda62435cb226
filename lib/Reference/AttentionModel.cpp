// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Attention in the reference: its meaning and its bounds are those of the ops
// it consists of; the compiled order of summation is different.

#include "Dialect/Graph/IR/GraphOps.h"
#include "Reference/ReferenceInterface.h"
#include "ReferenceModels.h"
#include "mlir/IR/IRMapping.h"

#include <cmath>

using namespace gc;
using namespace gc::reference;
using namespace mlir;

namespace {

struct AttentionModel
    : ReferenceOpInterface::ExternalModel<AttentionModel, graph::AttentionOp> {
  LogicalResult evaluate(Operation *op, ArrayRef<BoundedTensor> operands,
                         Evaluation &evaluation,
                         SmallVectorImpl<BoundedTensor> &results) const {
    // Simpler ops in a region outside the program, as a function of the
    // operands.
    Region region;
    Block &block = region.emplaceBlock();
    IRMapping mapping;
    for (Value operand : op->getOperands())
      mapping.map(operand, block.addArgument(operand.getType(), op->getLoc()));
    OpBuilder builder(op->getContext());
    builder.setInsertionPointToEnd(&block);
    auto clone = cast<graph::AttentionOp>(builder.clone(*op, mapping));
    // The same tensor may be several operands.
    clone->setOperands(block.getArguments());
    IRRewriter rewriter(op->getContext());
    FailureOr<SmallVector<Value>> values = clone.decompose(rewriter);
    if (failed(values))
      return failure();
    builder.setInsertionPointAfter(clone);
    graph::YieldOp::create(builder, op->getLoc(), *values);
    clone.erase();
    return evaluation.runRegion(region, operands, results);
  }

  InputDomain getInputDomain(Operation *op, unsigned operand) const {
    InputDomain domain;
    if (operand != 1)
      return domain;
    // Scores of about the size of the queries.
    auto attention = cast<graph::AttentionOp>(op);
    int64_t rank = attention.getKey().getType().getRank();
    double d = graph::getAttentionSizes(attention).d;
    domain.domain = ValueDomain::weight;
    domain.reducedDim = rank - (attention.getTransposeKey() ? 1 : 2);
    domain.scale = 1 / std::sqrt(std::max(d, 1.0));
    return domain;
  }
};

} // namespace

void gc::reference::attachAttentionModel(MLIRContext *context) {
  graph::AttentionOp::attachInterface<AttentionModel>(*context);
}
