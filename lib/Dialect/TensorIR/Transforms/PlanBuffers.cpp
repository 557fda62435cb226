// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "BufferPlan.h"
#include "Dialect/TensorIR/IR/InPlaceAttr.h"
#include "Dialect/TensorIR/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace gc::tir {

#define GEN_PASS_DEF_TIRPLANBUFFERS
#include "Dialect/TensorIR/Transforms/Passes.h.inc"

namespace {

struct PlanBuffers : impl::TirPlanBuffersBase<PlanBuffers> {
  using TirPlanBuffersBase::TirPlanBuffersBase;

  void runOnOperation() override {
    func::FuncOp func = getOperation();
    if (func.isDeclaration() || !func->hasAttr(TensorIRDialect::kEntryAttr) ||
        func->hasAttr(TensorIRDialect::kArenaAttr))
      return;
    FailureOr<BufferPlan> plan = planBuffers(func, {reuse, outputs});
    if (failed(plan) || failed(show(*plan)))
      return signalPassFailure();
    bind(plan->shared, TensorIRDialect::kArenaAttr);
    bind(plan->perThread, TensorIRDialect::kThreadArenaAttr);
    SmallVector<int64_t> pairs;
    for (auto [input, output] : plan->inPlace)
      pairs.append({input, output});
    if (!pairs.empty())
      func->setAttr(kInPlaceAttr,
                    DenseI64ArrayAttr::get(func.getContext(), pairs));
  }

  /// Prints and draws the plan if requested.
  LogicalResult show(const BufferPlan &plan) {
    func::FuncOp func = getOperation();
    if (print) {
      std::string text;
      llvm::raw_string_ostream os(text);
      printPlan(plan, os);
      mlir::emitRemark(func.getLoc()) << "temporaries\n"
                                      << StringRef(text).rtrim();
    }
    if (svg.empty())
      return success();
    return writeMemoryPicture(drawPlan(plan, func.getName()), func, svg);
  }

  /// Adds an arena argument and makes the temporaries views of it.
  void bind(const Arena &arena, StringRef attribute) {
    func::FuncOp func = getOperation();
    OpBuilder builder(func.getContext());
    auto arenaType =
        MemRefType::get({ShapedType::kDynamic}, builder.getI8Type());
    unsigned index = func.getNumArguments();
    (void)func.insertArgument(index, arenaType, {}, func.getLoc());
    Value memory = func.getArgument(index);
    func->setAttr(attribute, builder.getI64IntegerAttr(arena.bytes));
    for (const Temporary &temporary : arena.temporaries) {
      ScratchOp op = temporary.op;
      Location loc = op.getLoc();
      // The view of a temporary inside loops is the same in each iteration.
      if (op->getBlock() == &func.getBody().front())
        builder.setInsertionPoint(op);
      else
        builder.setInsertionPointToStart(&func.getBody().front());
      MemRefType type = temporary.getType();
      Value view;
      if (temporary.output) {
        auto [strides, offset] = type.getStridesAndOffset();
        view = memref::ReinterpretCastOp::create(builder, loc, type,
                                                 temporary.output, offset,
                                                 type.getShape(), strides);
      } else {
        Value offset =
            arith::ConstantIndexOp::create(builder, loc, temporary.offset);
        view = memref::ViewOp::create(builder, loc, type, memory, offset,
                                      ValueRange());
      }
      op.replaceAllUsesWith(view);
      op.erase();
    }
  }
};

} // namespace

} // namespace gc::tir
