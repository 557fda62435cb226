// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Products whose factors were only widened: the cube unit widens them itself.

#include "Conversion/Passes.h"
#include "Dialect/Graph/IR/GraphOps.h"
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
  auto cast = value.getDefiningOp<TypeCastOp>();
  if (!cast || !getElementTypeOrSelf(value.getType()).isF32() ||
      !getElementTypeOrSelf(cast.getOperand().getType()).isF16())
    return nullptr;
  return cast.getOperand();
}

namespace {
struct NarrowFactors : gc::impl::PolyNarrowFactorsBase<NarrowFactors> {
  void runOnOperation() override {
    getOperation()->walk([](MatmulOp op) {
      Value src = getNarrow(op.getSrc()), weights = getNarrow(op.getWeights());
      if (!src || !weights ||
          !getElementTypeOrSelf(op.getResult().getType()).isF32())
        return;
      // The factors may be one.
      llvm::SmallSetVector<Operation *, 2> casts;
      for (Value factor : {op.getSrc(), op.getWeights()})
        casts.insert(factor.getDefiningOp());
      op.getSrcMutable().assign(src);
      op.getWeightsMutable().assign(weights);
      for (Operation *cast : casts)
        if (cast->use_empty())
          cast->erase();
    });
  }
};
} // namespace
