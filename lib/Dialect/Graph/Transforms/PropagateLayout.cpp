// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/Graph/IR/GraphOps.h"
#include "Dialect/Graph/Templates/Templates.h"
#include "Dialect/Graph/Transforms/Passes.h"
#include "Support/DecisionRecord.h"
#include "Support/ModuleMachine.h"
#include "TunableChains.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;

namespace gc::graph {

#define GEN_PASS_DEF_GRAPHPROPAGATELAYOUT
#include "Dialect/Graph/Transforms/Passes.h.inc"

/// Whether the layout of a tensor is left to the compiler.
static bool isOpen(Type type) {
  LayoutAttr layout = getLayout(type);
  return layout && layout.isAny();
}

/// Whether an argument with an open layout is only read by reorders, so that it
/// may take the layout that these give.
static bool isOnlyReordered(BlockArgument arg) {
  return isOpen(arg.getType()) && !arg.use_empty() &&
         llvm::all_of(arg.getUsers(), llvm::IsaPred<ReorderOp>);
}

/// The function's type follows its arguments.
static void updateType(func::FuncOp func, TypeRange results) {
  func.setFunctionType(FunctionType::get(
      func.getContext(), func.getBody().front().getArgumentTypes(), results));
}

/// A layout that is left to the compiler becomes plain, but for arguments whose
/// readers have a wish.
static void resolveAny(func::FuncOp func) {
  auto resolve = [](Type type) {
    return isOpen(type) ? dropLayout(type) : type;
  };
  for (BlockArgument arg : func.getArguments())
    if (!isOnlyReordered(arg))
      arg.setType(resolve(arg.getType()));
  func.walk([&](Operation *op) {
    for (Value result : op->getResults())
      result.setType(resolve(result.getType()));
  });
  updateType(func, llvm::map_to_vector(func.getResultTypes(), resolve));
}

/// Arguments with an open layout get the one that all their reorders give, else
/// they are plain.
static void resolveArguments(func::FuncOp func) {
  for (BlockArgument arg : func.getArguments()) {
    if (!isOpen(arg.getType()))
      continue;
    Type wanted = (*arg.user_begin())->getResult(0).getType();
    bool agree = llvm::all_of(arg.getUsers(), [&](Operation *user) {
      return user->getResult(0).getType() == wanted;
    });
    arg.setType(agree ? wanted : dropLayout(arg.getType()));
  }
  updateType(func, func.getResultTypes());
}

/// Removes reorders whose result has the layout of the operand.
static void eraseIdentities(func::FuncOp func) {
  func.walk([](ReorderOp reorder) {
    if (reorder.getSrc().getType() != reorder.getType())
      return;
    reorder.getResult().replaceAllUsesWith(reorder.getSrc());
    reorder.erase();
  });
}

/// The operand in the wanted layout: a reorder right before the op. A constant
/// is reordered once for all that want the same.
static Value getReordered(Value value, RankedTensorType wanted, Operation *op) {
  if (isConstantValue(value))
    for (Operation *user : value.getUsers())
      if (isa<ReorderOp>(user) && user->getResult(0).getType() == wanted &&
          user->getBlock() == op->getBlock() && user->isBeforeInBlock(op))
        return user->getResult(0);
  OpBuilder builder(op);
  auto reorder = ReorderOp::create(builder, op->getLoc(), wanted, value);
  if (isConstantValue(value))
    reorder->setAttr(GraphDialect::kConstantAttr, builder.getUnitAttr());
  return reorder;
}

/// The elements of a view are in row-major order; another layout of its operand
/// is a reorder before it, one of its result a reorder after it.
static void splitViews(func::FuncOp func) {
  func.walk([](Operation *op) {
    if (!op->hasTrait<RowMajorView>())
      return;
    OpOperand &operand = op->getOpOperand(0);
    if (getLayout(operand.get().getType()))
      operand.set(getReordered(
          operand.get(),
          cast<RankedTensorType>(dropLayout(operand.get().getType())), op));
    Value result = op->getResult(0);
    auto type = cast<RankedTensorType>(result.getType());
    if (!getLayout(type))
      return;
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(op);
    result.setType(dropLayout(type));
    auto reorder = ReorderOp::create(builder, op->getLoc(), type, result);
    if (op->hasAttr(GraphDialect::kConstantAttr))
      reorder->setAttr(GraphDialect::kConstantAttr, builder.getUnitAttr());
    result.replaceAllUsesExcept(reorder.getResult(), reorder);
  });
}

/// Where every reorder of a value goes to the same blocked layout and the value
/// itself is not needed by the caller, its producer writes that layout
/// directly.
static void adoptLayout(Value value) {
  Operation *producer = value.getDefiningOp();
  if (!producer || !isa<FusibleOpInterface, TunableOpInterface>(producer) ||
      getLayout(value.getType()) || isConstantValue(value))
    return;
  LayoutAttr layout;
  for (Operation *user : value.getUsers()) {
    if (isa<func::ReturnOp>(user) || !isa<FusibleOpInterface>(user))
      return;
    auto reorder = dyn_cast<ReorderOp>(user);
    if (!reorder)
      continue;
    LayoutAttr wanted = getLayout(reorder.getType());
    if (!wanted || (layout && wanted != layout))
      return;
    layout = wanted;
  }
  // The reorders have nothing to do then.
  if (layout)
    value.setType(withLayout(value.getType(), layout));
}

namespace {
struct PropagateLayout : impl::GraphPropagateLayoutBase<PropagateLayout> {
  using Base::Base;

  /// Operands that are copied into another layout in every call.
  void reportRepacking(TunableOpInterface op) {
    for (OpOperand &operand : op->getOpOperands()) {
      auto reorder = operand.get().getDefiningOp<ReorderOp>();
      if (!reorder || isConstantValue(reorder.getResult()))
        continue;
      Value source = reorder->getOperand(0);
      auto remark = remark::missed(
          op->getLoc(),
          remark::RemarkOpts::name("Repacked").category(getArgument()));
      bool isArgument = isa<BlockArgument>(source);
      remark << "operand " + std::to_string(operand.getOperandNumber()) +
                    " of '" + op->getName().getStringRef().str() +
                    "' is packed in every call" +
                    (isArgument ? "" : ": others read its plain form");
      // Matrices of their own per batch item are data, not weights.
      bool isMatrix = cast<RankedTensorType>(source.getType()).getRank() == 2;
      if (!isArgument)
        remark << remark::suggest("{0}", "packB = false in template_params "
                                         "reads it in place");
      else if (isMatrix)
        remark << remark::suggest("{0}", "mark the argument graph.const_arg if "
                                         "it stays the same between calls");
    }
  }

  /// The layout of an operand that the template wants other than it is.
  void recordReorder(OpOperand &operand, RankedTensorType wanted) {
    DecisionRecord record(operand.getOwner(), getArgument(), "layout");
    if (!record)
      return;
    auto print = [](Type type) {
      std::string text;
      llvm::raw_string_ostream os(text);
      if (LayoutAttr layout = getLayout(type))
        os << layout;
      else
        os << "plain";
      return text;
    };
    std::string name =
        "operand " + std::to_string(operand.getOperandNumber()) + " ";
    bool isConstant = isConstantValue(operand.get());
    auto op = cast<TunableOpInterface>(operand.getOwner());
    auto machine = getMachine(op->getParentOfType<ModuleOp>());
    if (failed(machine))
      return;
    constexpr int64_t kAlternatives = 64;
    TemplateOptions options =
        getTemplateOptions(getOperation(), threads, kernel, fixedPoint, {});
    options.alternatives = kAlternatives;
    auto isStatic = [](Type type) {
      return cast<RankedTensorType>(type).hasStaticShape();
    };
    bool hasCosts = llvm::all_of(op->getOperandTypes(), isStatic) &&
                    llvm::all_of(op->getResultTypes(), isStatic);
    std::optional<double> own;
    SmallVector<TemplateCandidate> others;
    if (hasCosts) {
      own = op.getChosenTemplate().getCycles(op, *machine, options);
      others = findTemplates(op, *machine, options);
    }
    record.choose(name + print(wanted), own,
                  isConstant ? "packed once, it is a constant"
                             : "packed in every call, unless its producer "
                               "writes it so");
    // The cheapest parameters that read the operand as it is.
    std::optional<double> cycles;
    for (const TemplateCandidate &other : others)
      if (cast<TemplateAttrInterface>(other.params)
                  .getOperandType(op, operand.getOperandNumber()) ==
              operand.get().getType() &&
          (!cycles || other.cycles < *cycles))
        cycles = other.cycles;
    record.reject(name + print(operand.get().getType()), cycles,
                  cycles ? "" : "no parameters worth comparing read it so");
    record.forcedBy("packA and packB of template_params on the op");
  }

  void runOnOperation() override {
    func::FuncOp func = getOperation();
    if (failed(checkThreads(func, threads)))
      return signalPassFailure();
    if (func.isDeclaration())
      return;
    resolveAny(func);
    splitViews(func);
    SmallVector<Value> produced;
    func.walk([&](TunableOpInterface op) {
      TemplateAttrInterface chosen = op.getChosenTemplate();
      if (!chosen)
        return;
      for (OpOperand &operand : op->getOpOperands()) {
        RankedTensorType wanted =
            chosen.getOperandType(op, operand.getOperandNumber());
        if (wanted == operand.get().getType())
          continue;
        recordReorder(operand, wanted);
        produced.push_back(operand.get());
        operand.set(getReordered(operand.get(), wanted, op));
        // Otherwise the op that computes the operand would do it.
        if (!propagate && !isConstantValue(operand.get()))
          operand.get().getDefiningOp()->setAttr(
              GraphDialect::kWhereReadAttr, UnitAttr::get(op->getContext()));
      }
    });
    // Results of the function in blocked layouts.
    func.walk([&](func::ReturnOp op) {
      for (Value result : op.getOperands())
        if (auto reorder = result.getDefiningOp<ReorderOp>())
          produced.push_back(reorder.getSrc());
    });
    if (propagate)
      for (Value value : produced)
        adoptLayout(value);
    resolveArguments(func);
    eraseIdentities(func);
    func.walk([&](TunableOpInterface op) { reportRepacking(op); });
  }
};
} // namespace

} // namespace gc::graph
