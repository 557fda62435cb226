// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Products whose factors were only widened, since the cube unit widens them
// itself, and the largest and smallest of widened elements.

#include "Conversion/Passes.h"
#include "Dialect/Graph/IR/GraphOps.h"
#include "OpBody.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace gc {
#define GEN_PASS_DEF_POLYNARROWFACTORS
#include "Conversion/Passes.h.inc"
} // namespace gc

using namespace gc;
using namespace gc::graph;

/// The f16 value that a value in f32 is the conversion of; null for others.
static Value getNarrow(Value value) {
  Operation *cast = value.getDefiningOp();
  if (!isConversion(cast) || !getElementTypeOrSelf(value.getType()).isF32() ||
      !getElementTypeOrSelf(cast->getOperand(0).getType()).isF16())
    return nullptr;
  return cast->getOperand(0);
}

/// Erases the conversions among `ops` that nothing reads any more.
static void eraseUnused(ArrayRef<Operation *> ops) {
  for (Operation *op : ops)
    if (op->use_empty())
      op->erase();
}

bool gc::narrowsFactors(ContractionOpInterface op) {
  return getElementTypeOrSelf(op->getResult(0).getType()).isF32() &&
         getNarrow(op.getFactor(0).get()) && getNarrow(op.getFactor(1).get());
}

void gc::narrowFactors(ContractionOpInterface op) {
  if (!narrowsFactors(op))
    return;
  // The factors may be one.
  llvm::SmallSetVector<Operation *, 2> casts;
  for (unsigned i : {0, 1}) {
    OpOperand &factor = op.getFactor(i);
    casts.insert(factor.get().getDefiningOp());
    factor.set(getNarrow(factor.get()));
  }
  eraseUnused(casts.getArrayRef());
}

/// The largest of widened elements is the widened largest one.
static void narrowExtremum(Operation *op) {
  Value source = op->getNumOperands() == 1 && op->getNumResults() == 1
                     ? getNarrow(op->getOperand(0))
                     : nullptr;
  if (!source || !isExtremum(op))
    return;
  Operation *widening = op->getOperand(0).getDefiningOp();
  Value result = op->getResult(0);
  auto type = llvm::cast<ShapedType>(result.getType());
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  auto conversion = TypeCastOp::create(builder, op->getLoc(), type, result);
  result.replaceAllUsesExcept(conversion.getResult(), conversion);
  op->setOperand(0, source);
  result.setType(type.clone(builder.getF16Type()));
  eraseUnused(widening);
}

namespace {
struct NarrowFactors : gc::impl::PolyNarrowFactorsBase<NarrowFactors> {
  void runOnOperation() override {
    SmallVector<Operation *> reductions;
    getOperation()->walk([&](Operation *op) {
      if (auto product = dyn_cast<ContractionOpInterface>(op))
        narrowFactors(product);
      else if (isa<ReductionOpInterface>(op))
        reductions.push_back(op);
    });
    for (Operation *op : reductions)
      narrowExtremum(op);
  }
};
} // namespace
