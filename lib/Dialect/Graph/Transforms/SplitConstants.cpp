// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/Graph/IR/GraphOps.h"
#include "Dialect/Graph/Transforms/Passes.h"
#include "LoopCosts.h"
#include "Support/DecisionRecord.h"
#include "Support/ModuleMachine.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace gc::graph {

#define GEN_PASS_DEF_GRAPHSPLITCONSTANTS
#include "Dialect/Graph/Transforms/Passes.h.inc"

static bool isReorder(Operation *op) {
  auto fusible = dyn_cast<FusibleOpInterface>(op);
  return fusible && fusible.getFusibleKind() == FusibleKind::reorder;
}

/// Whether the op's result is only copied into other layouts, as it is or by
/// views of it.
static bool isPacked(Operation *op) {
  return !op->use_empty() && llvm::all_of(op->getUsers(), [](Operation *user) {
    return user->hasAttr(GraphDialect::kConstantAttr) &&
           (isReorder(user) ||
            (user->hasTrait<RowMajorView>() && isPacked(user)));
  });
}

/// Whether folding the op would only make memory traffic larger: a broadcast.
/// The padding of another layout has to be written anyway, with whatever is
/// written into that layout.
static bool onlyGrows(Operation *op) {
  if (isReorder(op))
    return false;
  // Padding, not a broadcast.
  constexpr int64_t kMostPadding = 4;
  int64_t most = isPacked(op) ? kMostPadding : 1;
  int64_t largest = 0;
  for (Type type : op->getOperandTypes())
    largest = std::max(largest, cast<RankedTensorType>(type).getNumElements());
  return llvm::any_of(op->getResultTypes(), [&](Type type) {
    return cast<RankedTensorType>(type).getNumElements() > most * largest;
  });
}

/// For targets that read through views: whether the op computes integers that
/// may have no representation between kernels (bits, sums of bytes), or what
/// the function returns, which would only be copied.
static bool mustStay(Operation *op) {
  return llvm::any_of(op->getResults(), [](Value result) {
    auto type = dyn_cast<IntegerType>(getElementTypeOrSelf(result));
    return (type && type.getWidth() != 8) ||
           llvm::any_of(result.getUsers(), llvm::IsaPred<func::ReturnOp>);
  });
}

namespace {
using OpSet = llvm::SetVector<Operation *>;

struct SplitConstants : impl::GraphSplitConstantsBase<SplitConstants> {
  using Base::Base;

  void runOnOperation() override {
    if (failed(checkThreads(getOperation(), threads)))
      return signalPassFailure();
    SymbolTable symbols(getOperation());
    for (auto func :
         llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>()))
      if (!func.isDeclaration() &&
          !func->hasAttr(GraphDialect::kFoldFunctionAttr))
        split(func, symbols);
  }

  void split(func::FuncOp func, SymbolTable &symbols) {
    OpSet moved = collectMoved(func);
    SmallVector<Value> folded = collectFolded(moved);
    for (Operation &op : func.getOps())
      recordConstant(&op, moved);
    if (folded.empty())
      return;
    func::FuncOp fold = createFold(func, moved, folded);
    symbols.insert(fold, std::next(func->getIterator()));
    replaceByArguments(func, folded);
    for (Operation *op : llvm::reverse(moved))
      op->erase();
    func->setAttr(GraphDialect::kFoldFunctionAttr,
                  FlatSymbolRefAttr::get(fold.getSymNameAttr()));
  }

  void recordConstant(Operation *op, const OpSet &moved) {
    if (!op->hasAttr(GraphDialect::kConstantAttr))
      return;
    DecisionRecord record(op, "graph-split-constants", "constant");
    if (!record)
      return;
    auto machine = getMachine(op->getParentOfType<ModuleOp>());
    if (failed(machine))
      return;
    CostModel model(*machine, threads);
    StringRef once = "computed once, when constants arrive",
              always = "computed in every call";
    if (moved.contains(op)) {
      record.choose(once, 0);
      record.reject(always, getLoopCycles(op, model));
    } else if (onlyGrows(op)) {
      double operands = 0, results = 0;
      for (Type type : op->getOperandTypes())
        operands += getReadCycles(type, model);
      for (Type type : op->getResultTypes())
        results += getReadCycles(type, model);
      record.choose(always, operands,
                    "the result is larger than what it is computed from");
      record.reject(once, results);
    } else {
      record.choose(always, getLoopCycles(op, model));
      record.reject(once, std::nullopt,
                    "it reads what is computed in every call");
    }
    record.forcedBy("graph.const_arg on the arguments that it depends on");
  }

  /// Marked ops move unless they only grow; what depends on one that stays has
  /// to stay as well.
  OpSet collectMoved(func::FuncOp func) {
    OpSet moved;
    auto isAvailable = [&](Value value) {
      if (auto arg = dyn_cast<BlockArgument>(value))
        return isConstantValue(arg);
      Operation *op = value.getDefiningOp();
      return isa<ConstantOp>(op) || moved.contains(op);
    };
    for (Operation &op : func.getOps())
      if (op.hasAttr(GraphDialect::kConstantAttr) && !onlyGrows(&op) &&
          !(keepViews && mustStay(&op)) &&
          llvm::all_of(op.getOperands(), isAvailable))
        moved.insert(&op);
    if (!keepViews)
      return moved;
    // Whether readers move is known before.
    SmallVector<Operation *> ops = moved.takeVector();
    for (Operation *op : llvm::reverse(ops)) {
      bool isRead = llvm::any_of(op->getUsers(), [&](Operation *user) {
        return moved.contains(user);
      });
      if (isRead || !op->hasTrait<RowMajorView>())
        moved.insert(op);
    }
    return OpSet(moved.rbegin(), moved.rend());
  }

  /// Results of moved ops that the rest of the function reads.
  static SmallVector<Value> collectFolded(const OpSet &moved) {
    SmallVector<Value> folded;
    for (Operation *op : moved)
      for (Value result : op->getResults())
        if (llvm::any_of(result.getUsers(), [&](Operation *user) {
              return !moved.contains(user);
            }))
          folded.push_back(result);
    return folded;
  }

  /// The function of the constant arguments of `func` that computes the folded
  /// values; it is in no module yet.
  static func::FuncOp createFold(func::FuncOp func, const OpSet &moved,
                                 ArrayRef<Value> folded) {
    SmallVector<BlockArgument> inputs;
    for (BlockArgument arg : func.getArguments())
      if (isConstantValue(arg))
        inputs.push_back(arg);

    OpBuilder builder(func->getContext());
    Location loc = func.getLoc();
    SmallVector<Type> inputTypes(ValueRange(inputs).getTypes());
    SmallVector<Type> resultTypes(ValueRange(folded).getTypes());
    auto fold =
        func::FuncOp::create(loc, (func.getName() + "_fold").str(),
                             builder.getFunctionType(inputTypes, resultTypes));
    fold.setPrivate();
    SmallVector<DictionaryAttr> attrs;
    for (BlockArgument arg : inputs)
      attrs.push_back(func.getArgAttrDict(arg.getArgNumber()));
    fold.setAllArgAttrs(attrs);

    Block *body = fold.addEntryBlock();
    builder.setInsertionPointToStart(body);
    IRMapping mapping;
    for (auto [from, to] : llvm::zip_equal(inputs, body->getArguments()))
      mapping.map(from, to);
    for (Operation *op : moved) {
      for (Value operand : op->getOperands())
        if (auto constant = operand.getDefiningOp<ConstantOp>())
          if (!mapping.contains(operand))
            builder.clone(*constant, mapping);
      Operation *clone = builder.clone(*op, mapping);
      clone->removeAttr(GraphDialect::kConstantAttr);
    }
    SmallVector<Value> results = llvm::map_to_vector(
        folded, [&](Value value) { return mapping.lookup(value); });
    func::ReturnOp::create(builder, loc, results);
    return fold;
  }

  /// Makes the folded values arguments, in their order, after those that the
  /// function has.
  static void replaceByArguments(func::FuncOp func, ArrayRef<Value> folded) {
    Builder builder(func->getContext());
    unsigned first = func.getNumArguments();
    SmallVector<DictionaryAttr> attrs;
    SmallVector<Location> locs;
    for (auto [i, value] : llvm::enumerate(folded)) {
      attrs.push_back(builder.getDictionaryAttr(builder.getNamedAttr(
          GraphDialect::kFoldedAttr, builder.getI64IntegerAttr(i))));
      locs.push_back(value.getLoc());
    }
    SmallVector<unsigned> indices(folded.size(), first);
    SmallVector<Type> types(ValueRange(folded).getTypes());
    (void)func.insertArguments(indices, types, attrs, locs);
    for (auto [value, argument] :
         llvm::zip_equal(folded, func.getArguments().drop_front(first)))
      Value(value).replaceAllUsesWith(argument);
  }
};
} // namespace

} // namespace gc::graph
