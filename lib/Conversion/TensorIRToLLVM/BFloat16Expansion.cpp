// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Rounding of f32 to bf16, and bf16 in memory as integers. Where the machine
// has an instruction that rounds vectors, it is used; like the dot products of
// the same extension it takes numbers below 2^-126 for zeros. Elsewhere
// rounding is integer arithmetic.
//
// Upstream's expansion selects between the rounded value and one NaN in 16
// bits. LLVM turns that into a select of bf16 values, which the x86 back end
// does in f32 where vectors have odd lengths, and converts back by calling
// __truncsfbf2, which not every system library has. Here the select is between
// two variable values in 32 bits, where nothing folds the conversion into it.

#include "ElementwiseBuilder.h"
#include "TensorIRToLLVMImpl.h"
#include "VectorParts.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace gc::tir {

namespace {

/// Rounds f32 to bf16, to nearest, ties to even.
bool isRounding(arith::TruncFOp op) {
  return getElementTypeOrSelf(op.getIn()).isF32() &&
         getElementTypeOrSelf(op.getType()).isBF16() && !op.getRoundingmode();
}

struct RoundByInstruction : OpRewritePattern<arith::TruncFOp> {
  RoundByInstruction(MLIRContext *context, PatternBenefit benefit,
                     const Machine &machine)
      : OpRewritePattern(context, benefit), machine(machine) {}

  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const override {
    int64_t lanes = getPartLanes(op.getType(), machine);
    if (!isRounding(op) || !lanes)
      return failure();
    Location loc = op.getLoc();
    auto name = rewriter.getStringAttr("llvm.x86.avx512bf16.cvtneps2bf16." +
                                       Twine(lanes * 32));
    // Parts are joined as integers: the back end moves those best.
    auto integers = VectorType::get({lanes}, rewriter.getI16Type());
    Value result = mapParts(
        rewriter, loc, {op.getIn()}, lanes, [&](ArrayRef<Value> part) -> Value {
          auto type = VectorType::get({lanes}, rewriter.getBF16Type());
          Value rounded =
              LLVM::CallIntrinsicOp::create(rewriter, loc, type, name, part)
                  .getResults();
          return arith::BitcastOp::create(rewriter, loc, integers, rounded);
        });
    rewriter.replaceOpWithNewOp<arith::BitcastOp>(op, op.getType(), result);
    return success();
  }

private:
  const Machine &machine;
};

struct ExpandRounding : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const override {
    Value x = op.getIn();
    if (!isRounding(op))
      return failure();
    Location loc = op.getLoc();
    ElementwiseBuilder b(loc, rewriter, x.getType());
    Value bits = b.bitsOf(x);
    // To nearest, ties to the even neighbour: half a unit is added, minus one
    // where the last remaining bit is 0. NaN keeps its upper bits and is quiet.
    Value upper = arith::ShRUIOp::create(rewriter, loc, bits, b.integer(16));
    Value last = b.both(upper, b.integer(1));
    Value rounded = b.add(bits, b.add(last, b.integer(0x7fff)));
    Value quiet = b.either(bits, b.integer(0x400000));
    Value chosen = b.select(b.isNaN(x), quiet, rounded);
    chosen = arith::ShRUIOp::create(rewriter, loc, chosen, b.integer(16));
    auto withElement = [&](Type element) -> Type {
      if (auto vector = dyn_cast<VectorType>(x.getType()))
        return vector.clone(element);
      return element;
    };
    Value narrow = arith::TruncIOp::create(
        rewriter, loc, withElement(rewriter.getI16Type()), chosen);
    rewriter.replaceOpWithNewOp<arith::BitcastOp>(op, op.getType(), narrow);
    return success();
  }
};

} // namespace

/// The 16-bit integers that replace bf16, or null for other types.
static Type getInteger(Type type) {
  if (!getElementTypeOrSelf(type).isBF16())
    return {};
  auto integer = IntegerType::get(type.getContext(), 16);
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.clone(integer);
  return integer;
}

void moveBFloat16AsIntegers(LLVM::LLVMFuncOp function) {
  // Loads first: stores use the operands of their casts.
  function.walk([](LLVM::LoadOp load) {
    Type type = load.getType(), integer = getInteger(type);
    if (!integer)
      return;
    OpBuilder builder(load->getContext());
    builder.setInsertionPointAfter(load);
    load.getResult().setType(integer);
    auto value =
        LLVM::BitcastOp::create(builder, load.getLoc(), type, load.getResult());
    load.getResult().replaceAllUsesExcept(value, value);
  });
  function.walk([](LLVM::StoreOp store) {
    Value value = store.getValue();
    Type integer = getInteger(value.getType());
    if (!integer)
      return;
    auto cast = value.getDefiningOp<LLVM::BitcastOp>();
    Value bits = cast ? cast.getArg() : Value();
    if (!bits || bits.getType() != integer) {
      OpBuilder builder(store);
      bits = LLVM::BitcastOp::create(builder, store.getLoc(), integer, value);
    }
    store.getValueMutable().assign(bits);
    if (cast && cast->use_empty())
      cast.erase();
  });
}

void populateRoundToBFloat16Patterns(RewritePatternSet &patterns,
                                     const Machine &machine) {
  // Before upstream's expansion.
  patterns.add<ExpandRounding>(patterns.getContext(), /*benefit=*/2);
  if (machine.hasFeature("avx512bf16"))
    patterns.add<RoundByInstruction>(patterns.getContext(), /*benefit=*/3,
                                     machine);
}

} // namespace gc::tir
