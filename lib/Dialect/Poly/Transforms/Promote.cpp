// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Capacity.h"
#include "Dialect/Npu/IR/NpuOps.h"
#include "Dialect/Poly/Transforms/Passes.h"
#include "ScopNests.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace gc::poly {
#define GEN_PASS_DEF_POLYPROMOTE
#include "Dialect/Poly/Transforms/Passes.h.inc"
} // namespace gc::poly

using namespace mlir;
using namespace gc;
using namespace gc::poly;

namespace {

struct PolyPromotePass : public poly::impl::PolyPromoteBase<PolyPromotePass> {
  using PolyPromoteBase::PolyPromoteBase;

  void runOnOperation() override {
    ScopOp scop = getOperation();
    if (failed(promoteNests(scop, promote, skew)) ||
        (check && failed(checkCapacity(scop, promote, skew, repairs))))
      signalPassFailure();
  }
};

} // namespace
